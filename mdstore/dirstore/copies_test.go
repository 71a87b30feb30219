package dirstore_test

import (
	"path/filepath"
	"testing"

	"arbor/mdstore"
)

// A file with the id of Node.md beside it, and a name that begins or ends with that, is a copy, whatever program made it.
func TestCopiesAreKnownByTheirForm(t *testing.T) {
	dir := newVault(t)
	put := func(p, text string) { write(t, filepath.Join(dir, filepath.FromSlash(p)), text) }
	node := "---\nid: a\ntitle: A\n---\n"
	put("ws/nodes/a/Node.md", node)
	copies := []string{"Node-DESKTOP7.md", "Copy of Node.md", "Node_conf(1).md", "Node - Ann's phone.md", "[Conflict] Node.md"}
	for _, name := range copies {
		put("ws/nodes/a/"+name, node+"\nother\n")
	}
	put("ws/nodes/a/Node plan.md", "# Plan\n")
	put("ws/nodes/a/Node-b.md", "---\nid: b\n---\n")
	put("ws/nodes/a/notes.md", node)
	got, err := open(t, dir).Strays(t.Context(), "ws")
	if err != nil || len(got) != len(copies) {
		t.Fatal(got, err)
	}
	for _, s := range got {
		if s.Kind != mdstore.StrayConflictCopy || s.Of != "ws/nodes/a/Node.md" {
			t.Errorf("%+v", s)
		}
	}
}

// What servers and operating systems put into every folder is left alone.
func TestFoldersOfTheSystemAreLeftAlone(t *testing.T) {
	dir := newVault(t)
	for _, name := range []string{"@eaDir", "#recycle", "lost+found", "$RECYCLE.BIN"} {
		for _, in := range []string{"", "ws/", "ws/nodes/", "ws/nodes/a/", "ws/memory/"} {
			write(t, filepath.Join(dir, filepath.FromSlash(in), name, "Node.md"), "x")
		}
	}
	write(t, filepath.Join(dir, "ws", "nodes", "a", "Node.md"), "---\nid: a\n---\n")
	s := open(t, dir)
	for _, under := range []mdstore.Path{"", "ws"} {
		for e, err := range s.List(t.Context(), under) {
			if e.Path != "ws/nodes/a/Node.md" && e.Path != "ws/Workspace.md" || err != nil && e.Path != "ws/Workspace.md" {
				t.Errorf("%s: %v", e.Path, err)
			}
		}
	}
	if got, err := s.Strays(t.Context(), "ws"); len(got) > 0 || err != nil {
		t.Error(got, err)
	}
}
