package osfs

import (
	"errors"
	"io/fs"
	"os"
	"sync"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// topOf returns the folder of a root, or nil if it cannot be opened.
func topOf(r *os.Root) *os.File {
	f, _ := r.Open(".")
	return f
}

// errOther says that one system call does not do: use os.Root, which succeeds or returns the error.
var errOther = errors.New("not by one call")

// ended returns the error of a system call: an fs.ErrNotExist if nothing is at p, and otherwise errOther.
func ended(p mdstore.Path, err error) error {
	if err == unix.ENOENT || err == unix.ENOTDIR {
		return &fs.PathError{Op: "open", Path: native(p), Err: fs.ErrNotExist}
	}
	return errOther
}

// statBelow is Stat with a single system call. The errors are those of ended, also for anything but a file or folder.
func (r Root) statBelow(p mdstore.Path) (Info, error) {
	if r.raw == nil {
		return Info{}, errOther
	}
	s := stats.Get().(*stat)
	defer stats.Put(s)
	s.p, s.err = p, errOther
	if r.raw.Control(s.do) != nil {
		return Info{}, errOther
	}
	return s.info, s.err
}

// A stat holds the argument and the result of one Fstatat. A scan makes a call for each file, so stats are pooled.
type stat struct {
	p    mdstore.Path
	info Info
	err  error
	do   func(top uintptr)
}

var stats = sync.Pool{New: func() any {
	s := &stat{}
	s.do = func(top uintptr) {
		var st unix.Stat_t
		if err := unix.Fstatat(int(top), native(s.p), &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
			s.err = ended(s.p, err)
		} else {
			s.info, s.err = infoFrom(&st)
		}
	}
	return s
}}

// below opens what is at p with one system call; os.Root would open each of the four folders above a vault's file. It
// follows no link. The errors are those of ended.
func (r Root) below(p mdstore.Path, flag int) (fd int, err error) {
	if r.raw == nil {
		return 0, errOther
	}
	how := unix.OpenHow{Flags: uint64(flag | unix.O_CLOEXEC), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	open := func(top uintptr) { fd, err = unix.Openat2(int(top), native(p), &how) }
	if r.raw.Control(open) != nil {
		return 0, errOther
	}
	if err != nil {
		return 0, ended(p, err)
	}
	return fd, nil
}

// lookBelow is Lstat of a file or folder.
func (r Root) lookBelow(p mdstore.Path) (Info, error) {
	fd, err := r.below(p, unix.O_PATH|unix.O_NOFOLLOW)
	if err != nil {
		return Info{}, err
	}
	defer unix.Close(fd)
	return infoOf(fd)
}

// readBelow is ReadFile without retries: ok is false if the file changed meanwhile, or anything failed.
func (r Root) readBelow(p mdstore.Path, limit int64) (data []byte, info Info, ok bool) {
	fd, err := r.below(p, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return nil, Info{}, false
	}
	defer unix.Close(fd)
	before, err := infoOf(fd)
	if err != nil || !before.Mode.IsRegular() || before.Size > limit {
		return nil, Info{}, false
	}
	data = make([]byte, before.Size+1) // one more, to see the end
	size := 0
	for n := 1; n > 0 && size < len(data); size += n {
		var err error
		if n, err = unix.Read(fd, data[size:]); err != nil {
			return nil, Info{}, false
		}
	}
	info, err = infoOf(fd)
	same := int64(size) == before.Size && info.Size == before.Size && info.Stamp.Mtime == before.Stamp.Mtime
	return data[:size], info, err == nil && same
}

// infoOf is describe of an open file or folder. The error is errOther for anything else, and if its mode has bits other
// than type and permissions.
func infoOf(fd int) (Info, error) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return Info{}, errOther
	}
	return infoFrom(&st)
}

func infoFrom(st *unix.Stat_t) (Info, error) {
	mode := fs.FileMode(st.Mode & 0o777)
	if st.Mode&^0o777 == unix.S_IFDIR {
		mode |= fs.ModeDir
	} else if st.Mode&^0o777 != unix.S_IFREG {
		return Info{}, errOther
	}
	stamp := mdstore.Stamp{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino}
	return Info{Mode: mode, Size: st.Size, Links: uint64(st.Nlink), Stamp: stamp}, nil
}
