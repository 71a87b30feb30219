//go:build linux || darwin

package osfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

const syncFlag = os.O_RDONLY // a file that is read-only can be synced too

// MayWrite returns an *mdoc.UnreadableError if this user may not write to p, an fs.ErrNotExist if nothing is at p, and
// otherwise nil: the write itself reports other errors. It follows links, so use it only to report an error early.
func (r Root) MayWrite(p mdstore.Path) error {
	err := unix.Faccessat(unix.AT_FDCWD, filepath.Join(r.R.Name(), native(p)), unix.W_OK, unix.AT_EACCESS)
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) {
		return Denied(p, err)
	}
	return nil
}

func describe(fi fs.FileInfo) Info {
	info := Info{Mode: fi.Mode(), Size: fi.Size(), Stamp: mdstore.Stamp{Size: fi.Size(), Mtime: fi.ModTime().UnixNano()}}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		info.Links = uint64(st.Nlink)
		info.Stamp.Ctime, info.Stamp.Inode = ctime(st), st.Ino
	}
	return info
}

// keepOwner gives f the owner and group of the file that fi describes, as far as the system allows it.
func keepOwner(f *os.File, fi fs.FileInfo) {
	now, err := f.Stat()
	if err != nil {
		return
	}
	have, _ := now.Sys().(*syscall.Stat_t)
	want, _ := fi.Sys().(*syscall.Stat_t)
	if have != nil && want != nil && (have.Uid != want.Uid || have.Gid != want.Gid) {
		_ = f.Chown(int(want.Uid), int(want.Gid)) // only root may give files away; without it the writer owns the file
	}
}

func syncDir(f *os.File) error {
	err := f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) {
		return nil // a file system on which folders cannot be synced
	}
	return err
}

// rename makes one call of the kinds renameSwap and renameNoReplace. The error is an errors.ErrUnsupported if the
// system cannot do that: with an old kernel, on HFS+, and on some file systems of networks or FUSE.
func rename(da *os.File, a string, db *os.File, b string, kind uint) error {
	for {
		switch err := renameat(int(da.Fd()), a, int(db.Fd()), b, kind); err {
		case unix.EINTR:
		case unix.ENOSYS, unix.EINVAL, unix.ENOTSUP:
			return errors.ErrUnsupported
		default:
			return err
		}
	}
}
