//go:build unix

package trust

import (
	"io/fs"
	"os"
	"syscall"
)

func othersWrite(info fs.FileInfo) bool { return info.Mode().Perm()&0o022 != 0 }

// mine reports whether a file belongs to the person who runs this process.
func mine(info fs.FileInfo) bool {
	s, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(s.Uid) == os.Geteuid()
}
