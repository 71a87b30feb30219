package watch

import (
	"errors"
	"fmt"
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
