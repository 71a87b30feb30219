package watch

import (
	"io/fs"
	"syscall"
)

// A sysStamp is what this system tells of a file beside what all do.
type sysStamp struct {
	changed int64 // when anything of it changed, in Unix nanoseconds; nobody can set it back
	inode   uint64
}

func sysStampOf(info fs.FileInfo) sysStamp {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return sysStamp{}
	}
	return sysStamp{st.Ctim.Nano(), st.Ino}
}
