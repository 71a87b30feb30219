package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// eventsMissing says why there are no events for files below root, or not for all of them.
func eventsMissing(root string) error {
	const local = 0x1000 // MNT_LOCAL in sys/mount.h
	var st syscall.Statfs_t
	if err := syscall.Statfs(root, &st); err != nil || st.Flags&local != 0 {
		return nil // an error shows when the root is read
	}
	return fmt.Errorf("events of files: none of what others change on a remote file system: %w", errors.ErrUnsupported)
}

// maxWatched returns the number of files that may be watched: each of them takes a descriptor, of which watching may
// take half.
func maxWatched() int {
	const least = 256
	var r syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &r); err != nil {
		return least / 2
	}
	return int(min(max(r.Cur, least), 1<<16) / 2)
}

// changeOf returns when the file or its attributes last changed, in Unix nanoseconds, which no program can set, and the
// file's inode.
func changeOf(info fs.FileInfo) (changed int64, inode uint64) {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ctimespec.Nano(), st.Ino
	}
	return 0, 0
}
