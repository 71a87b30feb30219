package osfs

import (
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// Folder opens the folder at p.
func (r Root) Folder(p mdstore.Path) (Folder, error) {
	f, err := r.R.OpenFile(native(p), os.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, absent(err)
	}
	defer f.Close()
	fd, err := openat(int(f.Fd()), ".", unix.O_DIRECTORY)
	if err != nil {
		return nil, failure("open", string(p), err)
	}
	return fdFolder(fd), nil
}

// An fdFolder is the descriptor of a folder. Every name is opened with
// O_NOFOLLOW right in it, so that nothing outside of it can be reached.
type fdFolder int

func openat(dir int, name string, flags int) (int, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, err
		}
	}
}

func failure(op, name string, err error) error {
	return absent(&fs.PathError{Op: op, Path: name, Err: err})
}

func (f fdFolder) Close() error { return unix.Close(int(f)) }

func (f fdFolder) Sub(name string) (Folder, error) {
	fd, err := openat(int(f), name, unix.O_DIRECTORY)
	if err != nil {
		return nil, failure("open", name, err)
	}
	return fdFolder(fd), nil
}

// direntBuffers are for the answers of getdents.
var direntBuffers = sync.Pool{New: func() any { b := make([]byte, 32<<10); return &b }}

func (f fdFolder) Entries() ([]Entry, error) {
	buf := direntBuffers.Get().(*[]byte)
	defer direntBuffers.Put(buf)
	var out []Entry
	for {
		n, err := unix.Getdents(int(f), *buf)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return nil, failure("read folder", "", err)
		case n == 0:
			return out, nil
		}
		out = f.parse((*buf)[:n], out)
	}
}

// parse reads struct linux_dirent64: inode and offset of 8 bytes each, the
// record's length of 2, the type of 1, the name up to a NUL.
func (f fdFolder) parse(b []byte, out []Entry) []Entry {
	const header = 19
	text := string(b) // the names are parts of it
	for len(b) > header {
		size := int(binary.NativeEndian.Uint16(b[16:]))
		if size <= header || size > len(b) {
			return out
		}
		name := text[header:size]
		if i := strings.IndexByte(name, 0); i >= 0 {
			name = name[:i]
		}
		if name != "." && name != ".." {
			if mode, ok := f.typeOf(b[18], name); ok {
				out = append(out, Entry{name, mode, binary.NativeEndian.Uint64(b)})
			}
		}
		b, text = b[size:], text[size:]
	}
	return out
}

// typeOf returns the type bits of an entry; ok is false if it is gone.
func (f fdFolder) typeOf(kind byte, name string) (mode fs.FileMode, ok bool) {
	switch kind {
	case unix.DT_REG:
		return 0, true
	case unix.DT_DIR:
		return fs.ModeDir, true
	case unix.DT_LNK:
		return fs.ModeSymlink, true
	case unix.DT_FIFO:
		return fs.ModeNamedPipe, true
	case unix.DT_SOCK:
		return fs.ModeSocket, true
	case unix.DT_CHR, unix.DT_BLK:
		return fs.ModeDevice, true
	}
	var st unix.Stat_t // a file system that does not say
	if err := unix.Fstatat(int(f), name, &st, unix.AT_SYMLINK_NOFOLLOW); err != nil {
		return 0, false
	}
	return typeBits(st.Mode), true
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

func (f fdFolder) Look(name string) (Info, error) {
	var st unix.Stat_t
	for {
		err := unix.Fstatat(int(f), name, &st, unix.AT_SYMLINK_NOFOLLOW)
		if err == nil {
			return infoOf(&st), nil
		}
		if err != unix.EINTR {
			return Info{}, failure("stat", name, err)
		}
	}
}

func (f fdFolder) Self() (Info, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f), &st); err != nil {
		return Info{}, failure("stat", ".", err)
	}
	return infoOf(&st), nil
}

func infoOf(st *unix.Stat_t) Info {
	return Info{Mode: typeBits(st.Mode) | fs.FileMode(st.Mode&0o777), Size: st.Size, Links: uint64(st.Nlink), Dev: uint64(st.Dev), Stamp: stampIn(st)}
}

func stampIn(st *unix.Stat_t) mdstore.Stamp {
	return mdstore.Stamp{Size: st.Size, Mtime: st.Mtim.Nano(), Ctime: st.Ctim.Nano(), Inode: st.Ino}
}

func (f fdFolder) Read(name string, limit int64) ([]byte, mdstore.Stamp, error) {
	p := mdstore.Path(name)
	for range rounds {
		data, stamp, ok, err := f.readOnce(p, limit)
		if err != nil || ok {
			return data, stamp, err
		}
	}
	return nil, mdstore.Stamp{}, unstable(p)
}

func (f fdFolder) readOnce(p mdstore.Path, limit int64) (data []byte, stamp mdstore.Stamp, ok bool, err error) {
	fd, err := openat(int(f), string(p), nonblock)
	switch {
	case err == unix.ELOOP:
		return nil, stamp, false, CheckRegular(p, fs.ModeSymlink, 0, limit)
	case err == unix.ENXIO: // a socket, or a device that is not there
		return nil, stamp, false, CheckRegular(p, fs.ModeDevice, 0, limit)
	case err != nil:
		return nil, stamp, false, readError(p, failure("open", string(p), err))
	}
	defer unix.Close(fd)
	var before, after unix.Stat_t
	if err := unix.Fstat(fd, &before); err != nil {
		return nil, stamp, false, readError(p, err)
	}
	if err := CheckRegular(p, typeBits(before.Mode), before.Size, limit); err != nil {
		return nil, stamp, false, err
	}
	data, err = readAll(fdReader(fd), before.Size, limit)
	if err != nil {
		return nil, stamp, false, readError(p, err)
	}
	if err := unix.Fstat(fd, &after); err != nil {
		return nil, stamp, false, readError(p, err)
	}
	if int64(len(data)) > limit {
		return nil, stamp, false, tooLarge(p, after.Size, limit)
	}
	ok = before.Size == int64(len(data)) && after.Size == before.Size && after.Mtim == before.Mtim
	return slices.Clip(data), stampIn(&after), ok, nil
}

type fdReader int

func (r fdReader) Read(b []byte) (int, error) {
	for {
		n, err := unix.Read(int(r), b)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return 0, err
		case n == 0 && len(b) > 0:
			return 0, io.EOF
		}
		return n, nil
	}
}
