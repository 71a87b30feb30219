package osfs

import (
	"syscall"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

const (
	renameSwap      = unix.RENAME_SWAP
	renameNoReplace = unix.RENAME_EXCL
)

func renameat(da int, a string, db int, b string, kind uint) error {
	return unix.RenameatxNp(da, a, db, b, uint32(kind))
}

func ctime(st *syscall.Stat_t) int64 { return st.Ctimespec.Nano() }

// Writers returns Unknown: this system does not tell.
func (r Root) Writers(mdstore.Path) Writers { return Unknown }
