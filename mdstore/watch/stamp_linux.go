package watch

import (
	"io/fs"
	"syscall"
)

func stampOf(info fs.FileInfo) stamp {
	s := plainStamp(info)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		s.changed, s.inode = st.Ctim.Nano(), uint64(st.Ino)
	}
	return s
}
