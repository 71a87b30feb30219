package osfs

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

const (
	renameSwap      = unix.RENAME_EXCHANGE
	renameNoReplace = unix.RENAME_NOREPLACE
)

func renameat(da int, a string, db int, b string, kind uint) error {
	return unix.Renameat2(da, a, db, b, kind)
}

func ctime(st *syscall.Stat_t) int64 { return st.Ctim.Nano() }

// Writers takes a lease on reading, which the system grants only while no program has the file open for writing, and
// gives it back at once.
func (r Root) Writers(p mdstore.Path) Writers {
	f, err := r.open(p, os.O_RDONLY|guard.NonBlock)
	if err != nil {
		return Unknown
	}
	defer f.Close()
	_, err = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_RDLCK)
	switch err {
	case nil:
		_, _ = unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK)
		return Closed
	case unix.EAGAIN:
		return Open
	}
	return Unknown // a file of another user, or a file system that has no leases
}
