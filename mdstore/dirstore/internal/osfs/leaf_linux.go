package osfs

import (
	"io"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// Leaves looks at folders that lie side by side in one, each of which holds a file of the same name and no folder, as nearly all do: with the fewest calls that
// tell, and nothing followed. What is of any other shape is not ok, and the caller looks at it through a Folder.
type Leaves struct {
	dir    int // the folder's descriptor, which belongs to the Folder
	file   string
	dev    uint64
	Counts bool // a folder's number of links tells how many folders it holds
	uid    uint32
	folds  atomic.Bool // "Node.md" is found as "NODE.MD" too, so that to find it says nothing of its name
}

// LeavesOf returns nil where the system or the file system cannot do it.
func LeavesOf(f Folder, file string) *Leaves {
	fd, ok := f.(fdFolder)
	if !ok {
		return nil
	}
	var st unix.Stat_t
	var in unix.Statfs_t
	if unix.Fstat(int(fd), &st) != nil || unix.Fstatfs(int(fd), &in) != nil {
		return nil
	}
	l := &Leaves{dir: int(fd), file: file, dev: uint64(st.Dev), Counts: countsFolders(int64(in.Type)), uid: uint32(unix.Geteuid())}
	probe, err := l.Leaf().open(".")
	if err != nil {
		return nil // a kernel before 5.6, or a sandbox that knows no newer one
	}
	_ = unix.Close(probe)
	return l
}

// countsFolders reports whether a folder has two links and one of each folder in it, on file systems of that kind. Others count 1 always, or 2, whatever it holds.
func countsFolders(kind int64) bool {
	switch kind {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC:
		return true
	}
	return false
}

// A Leaf looks at one folder of Leaves after the other. It is for one goroutine.
type Leaf struct {
	in     *Leaves
	st     unix.Stat_t
	how    unix.OpenHow
	buf    []byte
	probed bool
}

// leafBytes is more than nearly all files have.
const leafBytes = 64 << 10

// Leaf returns a new one.
func (l *Leaves) Leaf() *Leaf {
	return &Leaf{in: l,
		how: unix.OpenHow{Flags: unix.O_RDONLY | unix.O_NONBLOCK | unix.O_NOFOLLOW | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_BENEATH}}
}

// Folder returns the stamp of a folder, which is never firm. bare says that it holds no folder. It is not ok where it is no folder, or one that may
// not be listed, or where another file system begins.
func (l *Leaf) Folder(name string) (stamp mdstore.Stamp, bare, ok bool) {
	if l.in.folds.Load() || !l.stat(name) || l.st.Mode&unix.S_IFMT != unix.S_IFDIR || uint64(l.st.Dev) != l.in.dev || !l.listable() {
		return stamp, false, false
	}
	return stampIn(&l.st), l.in.Counts && l.st.Nlink == 2, true
}

// listable reports whether the bits of its mode let this user, whoever it is, list the folder. Where they do not say so, opening it tells.
func (l *Leaf) listable() bool {
	if l.st.Uid == l.in.uid {
		return l.st.Mode&0o400 != 0
	}
	return l.st.Mode&0o044 == 0o044
}

// Stamp returns the stamp of the file at a path of a folder and the file's name, never firm.
func (l *Leaf) Stamp(path string) (stamp mdstore.Stamp, ok bool) {
	if !l.stat(path) || l.st.Mode&unix.S_IFMT != unix.S_IFREG {
		return stamp, false
	}
	stamp = stampIn(&l.st)
	return stamp, l.exact(path, stamp.Inode)
}

// Read returns the bytes of the file at a path of a folder and the file's name, which are good until the next call, and its stamp after they were read, never firm. The file
// may have changed while it was read: where the stamp is not firm by then, the bytes may be of no one state.
func (l *Leaf) Read(path string) (data []byte, stamp mdstore.Stamp, ok bool) {
	fd, err := l.open(path)
	if err != nil {
		return nil, stamp, false
	}
	if l.buf == nil {
		l.buf = make([]byte, leafBytes)
	}
	n, err := fdReader(fd).Read(l.buf)
	if err == io.EOF {
		err = nil
	}
	if err == nil {
		err = unix.Fstat(fd, &l.st)
	}
	_ = unix.Close(fd)
	if err != nil || n == len(l.buf) || l.st.Mode&unix.S_IFMT != unix.S_IFREG || l.st.Size != int64(n) {
		return nil, stamp, false
	}
	stamp = stampIn(&l.st)
	return l.buf[:n], stamp, l.exact(path, stamp.Inode)
}

// exact reports whether the file has this very name, and not another that the file system takes for the same. It looks once.
func (l *Leaf) exact(path string, inode uint64) bool {
	if !l.probed {
		l.probed = true
		folder := path[:len(path)-len(l.in.file)]
		if l.stat(folder+swapped(l.in.file)) && l.st.Ino == inode {
			l.in.folds.Store(true)
		}
	}
	return !l.in.folds.Load()
}

// swapped makes small letters of capital ones, and the other way round.
func swapped(name string) string {
	b := []byte(name)
	for i, c := range b {
		if c|0x20 >= 'a' && c|0x20 <= 'z' {
			b[i] = c ^ 0x20
		}
	}
	return string(b)
}

// stat describes what has the name.
func (l *Leaf) stat(path string) bool {
	for {
		err := unix.Fstatat(l.in.dir, path, &l.st, unix.AT_SYMLINK_NOFOLLOW)
		if err != unix.EINTR {
			return err == nil
		}
	}
}

func (l *Leaf) open(path string) (int, error) {
	for {
		fd, err := unix.Openat2(l.in.dir, path, &l.how)
		if err != unix.EINTR {
			return fd, err
		}
	}
}
