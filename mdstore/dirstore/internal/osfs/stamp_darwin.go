package osfs

import (
	"io/fs"
	"syscall"

	"arbor/mdstore"
)

func stampOf(fi fs.FileInfo) mdstore.Stamp {
	s := mdstore.Stamp{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		s.Ctime, s.Inode = st.Ctimespec.Nano(), st.Ino
	}
	return s
}
