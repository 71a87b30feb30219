package watch

import (
	"errors"
	"fmt"
)

// unsuited says that there are no events: a watch holds its folder open, and as
// long as anything in a folder is held open nobody can rename it. With a watch on each folder people could
// hardly move anything in their own vault.
func unsuited(string) error {
	return fmt.Errorf("events of files: watches would keep folders from being renamed: %w", errors.ErrUnsupported)
}

func mostWatched() int { return 0 }
