package jail

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
)

// A Change is a planned change of one file. Planning writes nothing.
type Change struct {
	Path   string // clean, with slashes
	Was    Version
	Before []byte // nil for a file that is not there
	After  []byte // nil for a deletion
	mode   fs.FileMode
}

// Now returns the version that the file has after the change.
func (c *Change) Now() Version {
	if c.After == nil {
		return ""
	}
	return versionOf(c.After)
}

// plan begins a change of a writable file. A missing file has no bytes.
func (r *Root) plan(p string) (*Change, error) {
	rel, err := clean(p)
	if err != nil {
		return nil, err
	}
	if rel == "." {
		return nil, refuse(InvalidParams, "%q is the root of the environment; name a file in it", p)
	}
	if r.opt.Protected != nil {
		if why := r.opt.Protected(rel); why != "" {
			return nil, refuse(PathProtected, "%q cannot be written: %s", rel, why)
		}
	}
	c := &Change{Path: rel, mode: 0o666}
	dir, err := r.parent(rel, false)
	if e, ok := errors.AsType[*Error](err); ok && e.Code == FileNotFound {
		return c, nil // its folder is made with it
	} else if err != nil {
		return nil, err
	}
	defer dir.Close()
	info, err := dir.Lstat(path.Base(rel))
	if err != nil {
		info = nil
	}
	if hidden := r.hidden(dir, rel, info); hidden != nil {
		return nil, hidden
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return c, nil
	case err != nil:
		return nil, failed(rel, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, refuse(PathOutside, "%q is a link; write the file that it leads to by its own path", rel)
	default:
		if err := r.plain(rel, info); err != nil {
			return nil, err
		}
	}
	data, info, err := r.read(rel, maxFile)
	if err != nil {
		return nil, err
	}
	c.Before, c.Was, c.mode = data, versionOf(data), info.Mode()
	if c.Before == nil {
		c.Before = []byte{}
	}
	return c, nil
}

// PlanWrite plans to replace the content of a file. If all lines of the file end with CRLF and none of content does,
// the new lines end with CRLF too.
func (r *Root) PlanWrite(p, content string) (*Change, error) {
	c, err := r.plan(p)
	if err == nil && len(content) > maxFile {
		err = refuse(TooLarge, "%q would have %d bytes; %d is the most", p, len(content), maxFile)
	}
	if err != nil {
		return nil, err
	}
	c.After = []byte(asLines(c.Before, content))
	return c, nil
}

// PlanEdit plans to replace a text in a text file. old must occur exactly once.
func (r *Root) PlanEdit(p, old, text string) (*Change, error) {
	c, err := r.plan(p)
	switch {
	case err != nil:
		return nil, err
	case c.Before == nil:
		return nil, refuse(FileNotFound, "%q: there is no such file; {file_write} makes it", c.Path)
	case binary(c.Before):
		return nil, refuse(InvalidParams, "%q is no text", c.Path)
	case old == "":
		return nil, refuse(InvalidParams, "old is empty; give the text that is to be replaced, with enough around it to be the only one")
	}
	data := string(c.Before)
	old, text = asLines(c.Before, old), asLines(c.Before, text)
	switch n := strings.Count(data, old); n {
	case 1:
	case 0:
		return nil, refuse(InvalidParams, "%q does not hold the old text%s; {file_read} shows what it "+
			"holds", c.Path, nearest(data, old))
	default:
		var at []string
		for i, from := 0, 0; i < min(n, 5); i++ {
			from += strings.Index(data[from:], old) + len(old)
			at = append(at, decimal(1+strings.Count(data[:from-len(old)], "\n")))
		}
		return nil, refuse(InvalidParams, "%q holds the old text %d times (lines %s); give more of what stands around it",
			c.Path, n, strings.Join(at, ", "))
	}
	c.After = []byte(strings.Replace(data, old, text, 1))
	return c, nil
}

// PlanDelete plans to delete a file.
func (r *Root) PlanDelete(p string) (*Change, error) {
	c, err := r.plan(p)
	if err == nil && c.Before == nil {
		err = refuse(FileNotFound, "%q: there is no such file", c.Path)
	}
	return c, err
}

// asLines returns a text with the line ends of a file, if the text has only LF and the file only CRLF.
func asLines(file []byte, text string) string {
	n := bytes.Count(file, []byte("\n"))
	if n == 0 || bytes.Count(file, []byte("\r\n")) != n || strings.Contains(text, "\r\n") {
		return text
	}
	return strings.ReplaceAll(text, "\n", "\r\n")
}

// nearest returns a hint for a text that was not found: the line in which its first line occurs with other spaces
// around it.
func nearest(data, old string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(old), "\n")
	first = strings.TrimSpace(first)
	n := 0
	for line := range strings.Lines(data) {
		if n++; first != "" && strings.TrimSpace(line) == first {
			return "; line " + decimal(n) + " begins as it does, look at the blanks"
		}
	}
	return ""
}

// Apply makes a planned change if the file still has the version that was planned for. It returns the id for Undo. The
// replaced bytes are in the trash before the file changes.
func (r *Root) Apply(ctx context.Context, c *Change) (undo string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	dir, err := r.parent(c.Path, c.After != nil)
	if err != nil {
		return "", err
	}
	defer dir.Close()
	now, err := r.plan(c.Path)
	if err != nil {
		return "", err
	}
	if now.Was != c.Was {
		return "", refuse(Conflict, "%q was changed meanwhile; read it again", c.Path)
	}
	if undo, err = r.keep(c); err != nil {
		return "", fmt.Errorf("what %q holds cannot be kept, so nothing was written: %w", c.Path, err)
	}
	name := path.Base(c.Path)
	if c.After == nil {
		return undo, failed(c.Path, dir.Remove(name))
	}
	return undo, failed(c.Path, replace(dir, name, c.After, c.mode, c.Before == nil))
}

// replace puts a new file at the place of an old one, or of none. Readers see either the old or the new one.
func replace(dir *os.Root, name string, data []byte, mode fs.FileMode, fresh bool) error {
	temp := ".arbor-" + rand.Text()
	perm := fs.FileMode(0o600)
	if fresh {
		perm = mode.Perm() // the process's umask applies
	}
	f, err := dir.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil && !fresh {
		err = f.Chmod(mode.Perm())
	}
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = dir.Rename(temp, name)
	}
	if err != nil {
		_ = dir.Remove(temp)
	}
	return err
}
