package osfs

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

func exchange(da *os.File, a string, db *os.File, b string) error {
	return renameat2(da, a, db, b, unix.RENAME_EXCHANGE)
}

func renameNew(da *os.File, a string, db *os.File, b string) error {
	return renameat2(da, a, db, b, unix.RENAME_NOREPLACE)
}

func renameat2(da *os.File, a string, db *os.File, b string, flags uint) error {
	for {
		err := unix.Renameat2(int(da.Fd()), a, int(db.Fd()), b, flags)
		switch err {
		case nil:
			return nil
		case unix.EINTR:
			continue
		case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP:
			// An old kernel, or a file system (of a network or of FUSE) that has no flags.
			return errors.ErrUnsupported
		}
		return err
	}
}
