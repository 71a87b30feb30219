package app

import (
	"os"
	"syscall"
)

// isUnread reports whether nobody can read a pipe any more: its end for writing is ready for reading then, which it never is otherwise.
func isUnread(pipe *os.File) bool {
	conn, err := pipe.SyscallConn()
	if err != nil {
		return false
	}
	var set syscall.FdSet
	unread := false
	_ = conn.Control(func(fd uintptr) {
		if fd > 30 { // stdout is 1
			return
		}
		set.Bits[0] |= 1 << fd
		n, err := syscall.Select(int(fd)+1, &set, nil, nil, &syscall.Timeval{})
		unread = err == nil && n > 0
	})
	return unread
}
