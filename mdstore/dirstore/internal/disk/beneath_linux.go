package disk

import (
	"errors"
	"io"
	"io/fs"
	"os"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// A beneath is the open folder of a Root. Whole paths are opened in it by a single call, which the system keeps from leading out of it, where os.Root opens
// each folder on the way. A nil beneath, a system without that call, and whatever is not as usual, are answered with errSlow.
type beneath struct{ f *os.File }

func openBeneath(r *os.Root) *beneath {
	f, err := r.Open(".")
	if err != nil {
		return nil
	}
	return &beneath{f}
}

func (b *beneath) close() error {
	if b == nil {
		return nil
	}
	return b.f.Close()
}

// open opens what is at p. The error is an fs.ErrNotExist, an fs.ErrExist or errSlow.
func (b *beneath) open(p mdstore.Path, flags int) (int, error) { return b.openWith(p, flags, 0) }

// openWith is open with more that the way must be.
func (b *beneath) openWith(p mdstore.Path, flags int, resolve uint64) (int, error) {
	if b == nil {
		return -1, errSlow
	}
	how := unix.OpenHow{Flags: uint64(flags | unix.O_CLOEXEC), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_MAGICLINKS | resolve}
	for {
		fd, err := unix.Openat2(int(b.f.Fd()), native(p), &how)
		switch err {
		case nil:
			return fd, nil
		case unix.EINTR:
			continue
		}
		return -1, plain("open", p, err)
	}
}

// plain returns the errors that are told as they are, and errSlow for all others.
func plain(op string, p mdstore.Path, err error) error {
	switch err {
	case unix.ENOENT, unix.ENOTDIR:
		return &fs.PathError{Op: op, Path: string(p), Err: fs.ErrNotExist}
	case unix.EEXIST:
		return &fs.PathError{Op: op, Path: string(p), Err: fs.ErrExist}
	}
	return errSlow
}

// in calls f with the folder of p and the name in it.
func (b *beneath) in(p mdstore.Path, f func(dir int, name string) error) error {
	dir, err := b.open(p.Dir(), unix.O_PATH|unix.O_DIRECTORY)
	if err != nil {
		return err
	}
	defer unix.Close(dir)
	return f(dir, p.Base())
}

func (b *beneath) lstat(p mdstore.Path) (Info, error) {
	fd, err := b.open(p, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return Info{}, err
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return Info{}, errSlow
	}
	return infoOf(&st), nil
}

// named describes what a path leads to, through whatever links: it is good for nothing but to see whether that is a file that is open.
func (b *beneath) named(p mdstore.Path) (Info, error) {
	if b == nil {
		return Info{}, errSlow
	}
	var st unix.Stat_t
	if err := unix.Fstatat(int(b.f.Fd()), native(p), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return Info{}, plain("stat", p, err)
	}
	return infoOf(&st), nil
}

// straight reports whether p is a folder and no link is on the way to it.
func (b *beneath) straight(p mdstore.Path) bool {
	fd, err := b.openWith(p, unix.O_PATH|unix.O_DIRECTORY, unix.RESOLVE_NO_SYMLINKS)
	if err != nil {
		return false
	}
	_ = unix.Close(fd)
	return true
}

// readOnce is Root.readOnce of a file that is not behind a link, with what it is. With straight no link may be on the way to it either.
func (b *beneath) readOnce(p mdstore.Path, limit int64, straight bool) (data []byte, info Info, ok bool, err error) {
	var links uint64
	if straight {
		links = unix.RESOLVE_NO_SYMLINKS
	}
	fd, err := b.openWith(p, unix.O_RDONLY|unix.O_NOFOLLOW|nonblock, links)
	if err != nil {
		return nil, info, false, err
	}
	defer unix.Close(fd)
	var before, after unix.Stat_t
	if unix.Fstat(fd, &before) != nil || typeBits(before.Mode) != 0 || before.Size > limit {
		return nil, info, false, errSlow
	}
	data = make([]byte, before.Size+1) // one more, to see the end
	n, err := fdReader(fd).Read(data)
	if err != nil && err != io.EOF || int64(n) != before.Size || unix.Fstat(fd, &after) != nil {
		return nil, info, false, errSlow // it is being changed, or does not come at once
	}
	ok = after.Size == before.Size && after.Mtim == before.Mtim
	return data[:n:n], infoOf(&after), ok, nil
}

// create is Root.Create. After errSlow nothing was made.
func (b *beneath) create(p mdstore.Path, data []byte, like mdstore.Path) error {
	var as unix.Stat_t
	fd := -1
	err := b.in(p, func(dir int, name string) (err error) {
		switch {
		case like == "":
		case like.Dir() != p.Dir():
			return errSlow
		default:
			switch unix.Fstatat(dir, like.Base(), &as, unix.AT_SYMLINK_NOFOLLOW) {
			case nil:
			case unix.ENOENT:
				like = ""
			default:
				return errSlow
			}
		}
		for {
			fd, err = unix.Openat(dir, name, unix.O_WRONLY|unix.O_CREAT|unix.O_EXCL|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o644)
			if err != unix.EINTR {
				break
			}
		}
		if err != nil {
			return plain("create", p, err)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = func() error {
		if like != "" && as.Mode&unix.S_IFMT == unix.S_IFREG {
			if err := resemble(fd, &as); err != nil {
				return err
			}
		}
		for len(data) > 0 {
			n, err := unix.Write(fd, data)
			if err != nil && err != unix.EINTR {
				return err
			}
			data = data[max(n, 0):]
		}
		return nil
	}()
	if err = errors.Join(err, unix.Close(fd)); err != nil {
		return &fs.PathError{Op: "write", Path: string(p), Err: err}
	}
	return nil
}

// resemble gives a file the mode of another and, where that is allowed, its owner.
func resemble(fd int, as *unix.Stat_t) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Uid != as.Uid || st.Gid != as.Gid {
		_ = unix.Fchown(fd, int(as.Uid), int(as.Gid)) // only root may give files away; without it the writer owns the file
		st.Mode = 0                                   // which may have cost it bits
	}
	if st.Mode&0o7777 == as.Mode&0o777 {
		return nil
	}
	return unix.Fchmod(fd, as.Mode&0o777)
}

// sync makes a file or folder durable.
func (b *beneath) sync(p mdstore.Path, folder bool) error {
	flags := unix.O_RDONLY | unix.O_NOFOLLOW | nonblock
	if folder {
		flags = unix.O_RDONLY | unix.O_DIRECTORY
	}
	fd, err := b.open(p, flags)
	if err != nil {
		return err
	}
	if err = errors.Join(syncFd(fd, folder), unix.Close(fd)); err != nil {
		return &fs.PathError{Op: "sync", Path: string(p), Err: err}
	}
	return nil
}

func (b *beneath) rename(from, to mdstore.Path, flags uint) error {
	return b.in(from, func(dir int, name string) error {
		if from.Dir() == to.Dir() {
			return rename(dir, name, dir, to.Base(), from, to, flags)
		}
		return b.in(to, func(other int, next string) error { return rename(dir, name, other, next, from, to, flags) })
	})
}

func rename(da int, a string, db int, b string, from, to mdstore.Path, flags uint) error {
	for {
		err := unix.Renameat2(da, a, db, b, flags)
		switch err {
		case nil:
			return nil
		case unix.EINTR:
			continue
		case unix.ENOENT, unix.EEXIST:
			return &os.LinkError{Op: "rename", Old: string(from), New: string(to), Err: err}
		}
		return errSlow
	}
}

func (b *beneath) exchange(x, y mdstore.Path) error { return b.rename(x, y, unix.RENAME_EXCHANGE) }

func (b *beneath) renameNew(from, to mdstore.Path) error {
	return b.rename(from, to, unix.RENAME_NOREPLACE)
}

// heldMost is how many of the files that RemoveAll removes are held open: there may be more than a process may open.
const heldMost = 64

// RemoveAll is the function: a file that is open keeps what it takes up until it is closed, whatever has become of its name.
func (r Root) RemoveAll(files []mdstore.Path) (errs []error, release func()) {
	var held []int
	if len(files) == 1 {
		return []error{r.Remove(files[0])}, func() {} // it is not worth anybody's waking
	}
	for _, p := range files {
		if len(held) < heldMost {
			if fd, err := r.short.open(p, unix.O_PATH|unix.O_NOFOLLOW); err == nil {
				held = append(held, fd)
			}
		}
		errs = append(errs, r.Remove(p))
	}
	return errs, func() {
		for _, fd := range held {
			_ = unix.Close(fd)
		}
	}
}

// remove removes a file.
func (b *beneath) remove(p mdstore.Path) error {
	return b.in(p, func(dir int, name string) error {
		if err := unix.Unlinkat(dir, name, 0); err != nil {
			return plain("remove", p, err)
		}
		return nil
	})
}
