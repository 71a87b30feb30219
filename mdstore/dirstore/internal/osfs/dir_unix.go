//go:build linux || darwin

package osfs

import (
	"io/fs"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// Stat describes what is at p itself. It follows a link on the way to p, as no other call of this package does, even
// out of the vault: what it says is good for a comparison with an earlier stamp, and what differs has to be opened
// through the root.
func (d *Dir) Stat(p mdstore.Path) (Info, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(d.top.Fd()), native(p), &st, unix.AT_SYMLINK_NOFOLLOW)
		switch err {
		case nil:
			return infoOf(&st), nil
		case unix.EINTR:
		default:
			return Info{}, absent(&fs.PathError{Op: "stat", Path: string(p), Err: err})
		}
	}
}

func infoOf(st *unix.Stat_t) Info {
	stamp := mdstore.Stamp{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino}
	return Info{Mode: typeBits(uint32(st.Mode)) | fs.FileMode(st.Mode&0o777), Size: st.Size, Links: uint64(st.Nlink),
		Dev: uint64(st.Dev), Stamp: stamp}
}

func typeBits(mode uint32) fs.FileMode {
	switch mode & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	}
	return fs.ModeDevice
}
