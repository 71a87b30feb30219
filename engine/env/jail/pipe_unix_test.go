//go:build unix

package jail_test

import (
	"path/filepath"
	"syscall"
	"testing"
)

// A pipe that nobody writes to is refused at once, and so are devices.
func TestPipesAreNoFiles(t *testing.T) {
	r, dir := world(t)
	if syscall.Mkfifo(filepath.Join(dir, "root/pipe"), 0o666) != nil {
		t.Skip("pipes cannot be made here")
	}
	for name, call := range calls {
		if _, err := call(t.Context(), r, "pipe"); name != "search" && err == nil {
			t.Errorf("%s: a pipe is taken for a file", name)
		}
	}
}
