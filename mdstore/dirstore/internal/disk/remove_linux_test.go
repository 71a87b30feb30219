package disk

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"arbor/mdstore"
)

// However many files are removed, few of them are held open until what they take up is given back.
func TestRemoveAllHoldsFew(t *testing.T) {
	dir, r, _ := tree(t)
	open := func() int {
		fds, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Skip("there is no /proc: ", err)
		}
		return len(fds)
	}
	var files []mdstore.Path
	for i := range 5 * heldMost {
		p := mdstore.Path("empty").Join(fmt.Sprint(i))
		files = append(files, p)
		if err := os.WriteFile(filepath.Join(dir, string(p)), []byte("text"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	before := open()
	errs, release := RemoveAll(r, files)
	during := open()
	release()
	for i, err := range errs {
		if err != nil {
			t.Errorf("%s: %v", files[i], err)
		}
	}
	if during <= before || during > before+heldMost {
		t.Errorf("%d are open; %d were, and %d are to be held at most", during, before, heldMost)
	}
	if after := open(); after != before {
		t.Errorf("%d are open after all; %d were", after, before)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "empty")); err != nil || len(left) > 0 {
		t.Errorf("left: %v, error %v", left, err)
	}
}
