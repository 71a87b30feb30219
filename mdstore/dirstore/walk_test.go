package dirstore_test

import (
	"errors"
	"io/fs"
	"syscall"
	"testing"

	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

// A disk that fails says nothing about a folder, so that no operation takes it for one that holds no nodes.
func TestFailingDiskMakesNoFolderUnreadable(t *testing.T) {
	for _, why := range []error{syscall.EIO, syscall.ESTALE} {
		err := dirstore.FolderError("ws/nodes/a", &fs.PathError{Op: "open", Path: "ws/nodes/a", Err: why})
		if _, unreadable := errors.AsType[*mdoc.UnreadableError](err); unreadable || !errors.Is(err, why) {
			t.Errorf("a folder that is opened with %v: %v", why, err)
		}
	}
}
