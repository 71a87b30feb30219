//go:build unix

package dirstore_test

import "syscall"

func mkfifo(path string) bool { return syscall.Mkfifo(path, 0o644) == nil }
