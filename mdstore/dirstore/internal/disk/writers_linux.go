package disk

import (
	"os"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// Writers asks for a lease on reading, which the system grants only while nobody has the file open for writing, and gives it back at once.
func (r Root) Writers(p mdstore.Path) Writers {
	if fd, err := r.short.open(p, unix.O_RDONLY|unix.O_NOFOLLOW|nonblock); err == nil {
		defer unix.Close(fd)
		return leased(uintptr(fd))
	}
	f, err := r.R.OpenFile(native(p), os.O_RDONLY|nonblock, 0)
	if err != nil {
		return Unknown
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return Unknown
	}
	out := Unknown
	_ = conn.Control(func(fd uintptr) { out = leased(fd) })
	return out
}

func leased(fd uintptr) Writers {
	_, err := unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_RDLCK)
	switch err {
	case nil:
		_, _ = unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_UNLCK)
		return Nobody
	case unix.EAGAIN:
		return Somebody
	}
	return Unknown // a file of another user, or a file system that has no leases
}
