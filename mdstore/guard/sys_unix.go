//go:build unix

package guard

import "syscall"

// NonBlock is the flag with which opening a pipe does not wait for its other end.
const NonBlock = syscall.O_NONBLOCK

var scarce = []error{syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM}
