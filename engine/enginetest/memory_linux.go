package enginetest

import "syscall"

const (
	shared   = "/dev/shm"
	room     = 2 << 30
	writable = 2   // W_OK of access(2)
	noExec   = 0x8 // ST_NOEXEC of statfs(2)
)

// memoryFolder returns a folder in memory that has 2 GB for files, some of them programs; "" if there is none.
func memoryFolder() string {
	var is syscall.Statfs_t
	if syscall.Statfs(shared, &is) != nil || is.Flags&noExec != 0 || is.Bavail*uint64(is.Bsize) < room {
		return ""
	}
	if syscall.Access(shared, writable) != nil {
		return ""
	}
	return shared
}
