package jail

import (
	"os"

	"golang.org/x/sys/unix"
)

// mountOfFile returns the mount that an open file lies on; 0 where the system does not
// tell: before Linux 5.8, and where a filter of system calls forbids to ask.
func mountOfFile(f *os.File) (mount uint64, err error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var s unix.Statx_t
	failed := raw.Control(func(fd uintptr) {
		err = unix.Statx(int(fd), "", unix.AT_EMPTY_PATH, unix.STATX_MNT_ID, &s)
	})
	switch {
	case failed != nil:
		return 0, failed
	case err == unix.ENOSYS, err == unix.EPERM, err == nil && s.Mask&unix.STATX_MNT_ID == 0:
		return 0, nil
	}
	return s.Mnt_id, err
}
