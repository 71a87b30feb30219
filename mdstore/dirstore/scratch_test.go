package dirstore_test

import (
	"os"
	"path/filepath"
	"testing"

	"arbor/mdstore/dirstore"
)

// Nothing is named or removed beyond a link, wherever it leads.
func TestScratchFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	for _, at := range []string{".local/seen", "ws"} {
		if err := os.MkdirAll(filepath.Join(dir, at), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	person := filepath.Join(dir, "ws", "0")
	if err := os.WriteFile(person, []byte("a person's"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("../../ws", filepath.Join(dir, ".local/seen/link")); err != nil {
		t.Skip(err)
	}
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if names, err := st.Notes(t.Context(), ".local/seen/link"); err != nil || len(names) > 0 {
		t.Errorf("Notes: %v, %v", names, err)
	}
	if err := st.Discard(t.Context(), ".local/seen/link/0"); err != nil {
		t.Errorf("Discard: %v", err)
	}
	if _, err := os.Stat(person); err != nil {
		t.Errorf("what a link led to is gone: %v", err)
	}
}
