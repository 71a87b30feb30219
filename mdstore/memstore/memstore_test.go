package memstore_test

import (
	"errors"
	"io/fs"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/memstore"
	"arbor/mdstore/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(*testing.T) mdstore.Store { return memstore.New(nil) })
}

func TestFilesAreCopies(t *testing.T) {
	given := map[mdstore.Path][]byte{"ws/Workspace.md": []byte("a")}
	s := memstore.New(given)
	given["ws/Workspace.md"][0] = 'b'
	got := s.Files()
	if string(got["ws/Workspace.md"]) != "a" {
		t.Errorf("a file changed with the bytes that New was given: %q", got)
	}
	got["ws/Workspace.md"][0] = 'c'
	if again := s.Files(); string(again["ws/Workspace.md"]) != "a" {
		t.Errorf("a file changed with the bytes that Files returned: %q", again)
	}
}

func TestReadDoc(t *testing.T) {
	s := memstore.New(nil)
	s.SetDoc("docs/a.md", []byte("a"))
	for target, want := range map[string]error{
		"docs/a.md": nil, "./docs/a.md": nil, "docs/b.md": fs.ErrNotExist, "https://example.org/a": fs.ErrNotExist,
		"../a.md": fs.ErrPermission, "/etc/passwd": fs.ErrPermission, "file:///etc/passwd": fs.ErrPermission,
	} {
		if _, err := s.ReadDoc(t.Context(), target); !errors.Is(err, want) {
			t.Errorf("ReadDoc(%q): error %v, want %v", target, err, want)
		}
	}
}
