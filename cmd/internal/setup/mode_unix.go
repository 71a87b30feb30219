//go:build unix

package setup

import "syscall"

// nonblock opens a pipe that was put in the place of a file without waiting for somebody to write to it.
const nonblock = syscall.O_NONBLOCK
