//go:build unix

package jail

import (
	"io/fs"
	"syscall"
)

// deviceOf returns the file system that a file lies on.
func deviceOf(info fs.FileInfo) uint64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(s.Dev)
	}
	return 0
}
