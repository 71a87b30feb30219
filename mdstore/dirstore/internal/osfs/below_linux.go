package osfs

import (
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

// statBelow is Stat with a single system call. ok is false if that fails, and for anything but a file or folder.
func (r Root) statBelow(p mdstore.Path) (info Info, ok bool) {
	if r.raw == nil {
		return Info{}, false
	}
	s := stats.Get().(*stat)
	s.p, s.ok = p, false
	err := r.raw.Control(s.do)
	info, ok = s.info, s.ok && err == nil
	stats.Put(s)
	return info, ok
}

// A stat holds the argument and the result of one Fstatat. A scan makes a call for each file, so stats are pooled.
type stat struct {
	p    mdstore.Path
	info Info
	ok   bool
	do   func(top uintptr)
}

var stats = sync.Pool{New: func() any {
	s := &stat{}
	s.do = func(top uintptr) {
		var st unix.Stat_t
		if unix.Fstatat(int(top), native(s.p), &st, unix.AT_SYMLINK_NOFOLLOW) == nil {
			s.info, s.ok = infoFrom(&st)
		}
	}
	return s
}}

// below opens what is at p with one system call; os.Root would open each of the four folders above a vault's file. It
// follows no link. ok is false if the call fails for any reason: then use os.Root, which succeeds or returns the error.
func (r Root) below(p mdstore.Path, flag int) (fd int, ok bool) {
	if r.raw == nil {
		return 0, false
	}
	var err error
	how := unix.OpenHow{Flags: uint64(flag | unix.O_CLOEXEC), Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS}
	open := func(top uintptr) { fd, err = unix.Openat2(int(top), native(p), &how) }
	return fd, r.raw.Control(open) == nil && err == nil
}

// lookBelow is Lstat of a file or folder.
func (r Root) lookBelow(p mdstore.Path) (info Info, ok bool) {
	fd, ok := r.below(p, unix.O_PATH|unix.O_NOFOLLOW)
	if !ok {
		return Info{}, false
	}
	defer unix.Close(fd)
	return infoOf(fd)
}

// readBelow is ReadFile without retries: ok is false if the file changed meanwhile, or anything failed.
func (r Root) readBelow(p mdstore.Path, limit int64) (data []byte, info Info, ok bool) {
	fd, ok := r.below(p, unix.O_RDONLY|unix.O_NONBLOCK)
	if !ok {
		return nil, Info{}, false
	}
	defer unix.Close(fd)
	before, ok := infoOf(fd)
	if !ok || !before.Mode.IsRegular() || before.Size > limit {
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
	info, ok = infoOf(fd)
	return data[:size], info, ok && int64(size) == before.Size && info.Size == before.Size && info.Stamp.Mtime == before.Stamp.Mtime
}

// infoOf is describe of an open file or folder; ok is false for anything else, and if its mode has bits other than type
// and permissions.
func infoOf(fd int) (info Info, ok bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return Info{}, false
	}
	return infoFrom(&st)
}

func infoFrom(st *unix.Stat_t) (info Info, ok bool) {
	mode := fs.FileMode(st.Mode & 0o777)
	if st.Mode&^0o777 == unix.S_IFDIR {
		mode |= fs.ModeDir
	} else if st.Mode&^0o777 != unix.S_IFREG {
		return Info{}, false
	}
	stamp := mdstore.Stamp{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino}
	return Info{Mode: mode, Size: st.Size, Links: uint64(st.Nlink), Stamp: stamp}, true
}
