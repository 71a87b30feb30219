package dirstore_test

import (
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func readRaw(path string, buf []byte) error {
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	if _, err := unix.Read(fd, buf); err != nil {
		return err
	}
	return unix.Close(fd)
}

func statRaw(path string, _ []byte) error {
	var st unix.Stat_t
	return unix.Stat(path, &st)
}

// processor returns how much of the processors this process has used.
func processor() time.Duration {
	var u unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// drop has the system forget what it has read of the disk.
func drop(b *testing.B) {
	unix.Sync()
	if err := os.WriteFile("/proc/sys/vm/drop_caches", []byte("3"), 0); err != nil {
		b.Skip(err)
	}
}
