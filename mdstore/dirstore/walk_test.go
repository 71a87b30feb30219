package dirstore_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

// An I/O error does not make a folder unreadable, so that no operation treats it as one without nodes.
func TestFailingDiskMakesNoFolderUnreadable(t *testing.T) {
	for _, why := range []error{syscall.EIO, syscall.ESTALE} {
		err := dirstore.FolderError("ws/nodes/a", &fs.PathError{Op: "open", Path: "ws/nodes/a", Err: why})
		if _, unreadable := errors.AsType[*mdoc.UnreadableError](err); unreadable || !errors.Is(err, why) {
			t.Errorf("a folder that is opened with %v: %v", why, err)
		}
	}
}
