package osfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(da *os.File, a string, db *os.File, b string) error {
	return renameatx(da, a, db, b, unix.RENAME_SWAP)
}

func renameNew(da *os.File, a string, db *os.File, b string) error {
	return renameatx(da, a, db, b, unix.RENAME_EXCL)
}

func renameatx(da *os.File, a string, db *os.File, b string, flags uint32) error {
	for {
		err := unix.RenameatxNp(int(da.Fd()), a, int(db.Fd()), b, flags)
		switch err {
		case nil:
			return nil
		case unix.EINTR:
			continue
		case unix.ENOTSUP, unix.EINVAL, unix.ENOSYS: // HFS+, network and FUSE file systems
			return errors.ErrUnsupported
		}
		return err
	}
}
