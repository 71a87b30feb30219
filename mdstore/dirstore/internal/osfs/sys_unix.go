//go:build unix

package osfs

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	nonblock = syscall.O_NONBLOCK // opening a pipe does not wait for its other end
	syncFlag = os.O_RDONLY        // a file that is read-only can be synced too
)

func identity(fi fs.FileInfo) (links, dev uint64) {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		return uint64(st.Nlink), uint64(st.Dev)
	}
	return 0, 0
}

// keepOwner gives f the owner and group of the file that fi describes, as far as the system allows it.
func keepOwner(f *os.File, fi fs.FileInfo) {
	want, ok := fi.Sys().(*syscall.Stat_t)
	if !ok {
		return
	}
	now, err := f.Stat()
	if err != nil {
		return
	}
	if have, ok := now.Sys().(*syscall.Stat_t); ok && (have.Uid != want.Uid || have.Gid != want.Gid) {
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
