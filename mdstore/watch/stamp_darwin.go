package watch

import (
	"io/fs"
	"syscall"
)

// changeOf returns when the file or its attributes last changed, in Unix nanoseconds, which
// no program can set, and the file's inode.
func changeOf(info fs.FileInfo) (changed int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), st.Ino
	}
	return 0, 0
}
