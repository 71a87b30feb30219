package disk

import (
	"errors"
	"io/fs"
	"slices"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// syncAll is Root.SyncAll by the short way. It is not ok where nothing was done.
//
// Many are made durable with all of their file system, where that is worthwhile. Else the system is told first to begin writing all of the files, which waits for nothing: so what the first sync makes durable holds what the others
// ask for as well, however late they come to it. A failure of that writing is told by the sync that follows.
func (r Root) syncAll(files, dirs []mdstore.Path) (errs []error, ok bool) {
	all := slices.Concat(files, dirs)
	fds := make([]int, 0, len(all))
	defer func() {
		for _, fd := range fds {
			if fd >= 0 {
				_ = unix.Close(fd)
			}
		}
	}()
	errs = make([]error, len(all))
	for i, p := range all {
		flags := unix.O_RDONLY | unix.O_NOFOLLOW | nonblock
		if i >= len(files) {
			flags = unix.O_RDONLY | unix.O_DIRECTORY
		}
		fd, err := r.short.open(p, flags)
		if err == errSlow {
			return nil, false
		}
		fds, errs[i] = append(fds, fd), err
	}
	told := func(i int, err error) {
		if err != nil {
			errs[i] = &fs.PathError{Op: "sync", Path: string(all[i]), Err: err}
		}
	}
	if errors.Join(errs...) == nil && worthwhile(fds) && syncWhole(fds, len(files), told) {
		return errs, true
	}
	for i, fd := range fds[:len(files)] {
		if errs[i] == nil {
			_ = unix.SyncFileRange(fd, 0, 0, unix.SYNC_FILE_RANGE_WRITE) // on file systems that know it
		}
	}
	several(len(fds), func(i int) {
		if errs[i] == nil {
			told(i, syncFd(fds[i], i >= len(files)))
		}
	})
	return errs, true
}

// syncFd makes an open file or folder durable.
func syncFd(fd int, folder bool) error {
	for {
		err := unix.Fsync(fd)
		switch {
		case err == unix.EINTR:
			continue
		case folder && (err == unix.EINVAL || err == unix.ENOTSUP):
			return nil // a file system on which folders cannot be synced
		}
		return err
	}
}
