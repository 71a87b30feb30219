package disk

import (
	"os"

	"golang.org/x/sys/unix"

	"arbor/mdstore"
)

// Writers asks for a lease on reading, which the system grants only while nobody has the file open for writing, and gives it back at once.
func (r Root) Writers(p mdstore.Path) Writers {
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
	_ = conn.Control(func(fd uintptr) {
		_, err := unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_RDLCK)
		switch err {
		case nil:
			out = Nobody
			_, _ = unix.FcntlInt(fd, unix.F_SETLEASE, unix.F_UNLCK)
		case unix.EAGAIN:
			out = Somebody
		}
		// A file of another user, or a file system that has no leases.
	})
	return out
}
