package journal

import (
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

const (
	lateMark = "late-"
	keepLate = 30 * 24 * 60 * 60 * 1000 // milliseconds for which a late save stays in the trash
)

// dropLate removes the late saves from the trash that have been there for long. A failure leaves them for the next time.
func (c *Committer) dropLate() {
	trash := mdstore.TrashPath(lateMark, "").Dir()
	if osfs.InTheWay(c.FS, trash, true) != nil {
		return
	}
	entries, _ := c.FS.ReadDir(trash)
	for _, e := range entries {
		p := trash.Join(e.Name)
		if !e.Type.IsDir() || !strings.HasPrefix(e.Name, lateMark) {
			continue
		}
		if info, err := c.FS.Lstat(p); err == nil && c.Now()-info.Stamp.Mtime > keepLate*1e6 {
			c.removeAll(p)
		}
	}
}

// removeAll removes a folder with all it holds.
func (c *Committer) removeAll(dir mdstore.Path) {
	entries, _ := c.FS.ReadDir(dir)
	for _, e := range entries {
		if p := dir.Join(e.Name); e.Type.IsDir() {
			c.removeAll(p)
		} else {
			_ = c.FS.Remove(p)
		}
	}
	_ = c.FS.Remove(dir)
}
