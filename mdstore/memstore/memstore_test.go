package memstore_test

import (
	"context"
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
		if _, err := s.ReadDoc(t.Context(), target, mdstore.MaxFileSize); !errors.Is(err, want) {
			t.Errorf("ReadDoc(%q): error %v, want %v", target, err, want)
		}
	}
}

// A decorated store hides every capability of the store that it wraps but for Unwrap.
type decorated struct{ mdstore.Store }

func (d decorated) Unwrap() mdstore.Store { return d.Store }

// A counting store has a capability of its own.
type counting struct {
	decorated
	scans int
}

func (c *counting) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	c.scans++
	inner, _ := mdstore.AsStore[mdstore.Scanner](c.Store)
	return inner.Scan(ctx, workspace, kinds...)
}

func TestCapabilitiesAreFoundThroughDecorators(t *testing.T) {
	inner := memstore.New(nil)
	counts := &counting{decorated: decorated{decorated{inner}}}
	outer := decorated{counts}
	if _, ok := mdstore.Store(outer).(mdstore.Local); ok {
		t.Fatal("the decorator forwards a capability by itself")
	}
	if got, ok := mdstore.AsStore[mdstore.Local](outer); !ok || got != mdstore.Local(inner) {
		t.Errorf("Local: %v, %v, want that of the innermost store", got, ok)
	}
	scanner, ok := mdstore.AsStore[mdstore.Scanner](outer)
	if !ok || scanner != mdstore.Scanner(counts) {
		t.Fatalf("Scanner: %v, %v, want the outermost", scanner, ok)
	}
	if _, err := scanner.Scan(t.Context(), "ws"); err != nil || counts.scans != 1 {
		t.Errorf("%d scans, error %v", counts.scans, err)
	}
	if got, ok := mdstore.AsStore[mdstore.Watcher](outer); ok {
		t.Errorf("Watcher: %v of a store that has none", got)
	}
	if _, ok := mdstore.AsStore[mdstore.Local](nil); ok {
		t.Error("no store has a capability")
	}
}
