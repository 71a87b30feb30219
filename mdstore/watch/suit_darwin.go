package watch

import (
	"errors"
	"fmt"
	"syscall"
)

// unsuited says why no events are to be had of what is below root, or not of everything.
func unsuited(root string) error {
	const local = 0x1000 // MNT_LOCAL in sys/mount.h
	var st syscall.Statfs_t
	if err := syscall.Statfs(root, &st); err != nil || st.Flags&local != 0 {
		return nil // if there was an error, what is the matter will show
	}
	return fmt.Errorf("events of files: none of what others change on a remote file system: %w", errors.ErrUnsupported)
}
