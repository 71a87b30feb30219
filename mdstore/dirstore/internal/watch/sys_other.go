//go:build !linux && !darwin

package watch

import (
	"errors"
	"fmt"
	"io/fs"
)

// eventsMissing says that there are no events: a watch holds its folder open, and Windows does not rename a folder
// while anything in it is open. With a watch on each folder people could hardly move anything in their own vault.
func eventsMissing(string) error {
	return fmt.Errorf("events of files: watches would keep folders from being renamed: %w", errors.ErrUnsupported)
}

func maxWatched() int { return 0 }

// changeOf returns zeros: it is not known here.
func changeOf(fs.FileInfo) (changed int64, inode uint64) { return 0, 0 }
