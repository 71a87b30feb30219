package mdstore_test

import (
	"errors"
	"io/fs"
	"testing"

	"arbor/mdstore"
)

func TestCheckChanges(t *testing.T) {
	base := mdstore.VersionOf([]byte("x"))
	set := func(p mdstore.Path) mdstore.Change { return mdstore.Change{Path: p, New: []byte("x")} }
	move := func(p, to mdstore.Path) mdstore.Change { return mdstore.Change{Path: p, To: to} }
	for _, c := range []struct {
		name    string
		changes []mdstore.Change
		ok      bool
	}{
		{"none", nil, true},
		{"one of each kind", []mdstore.Change{set("a"), {Path: "b", Base: base}, {Path: "c", Base: base, Keep: true}, move("d", "e")}, true},
		{"kept absent", []mdstore.Change{{Path: "a", Keep: true}}, true},
		{"an empty file", []mdstore.Change{{Path: "a", New: []byte{}}}, true},
		{"removed but absent", []mdstore.Change{{Path: "a"}}, false},
		{"an invalid path", []mdstore.Change{set("../a")}, false},
		{"an invalid target", []mdstore.Change{move("a", "/b")}, false},
		{"twice", []mdstore.Change{set("a"), set("a")}, false},
		{"a path and a target", []mdstore.Change{set("a"), move("b", "a")}, false},
		{"two kinds", []mdstore.Change{{Path: "a", New: []byte("x"), Keep: true}}, false},
		{"below a file", []mdstore.Change{set("a/b"), set("a")}, false},
		{"names that only begin alike", []mdstore.Change{set("a"), set("ab"), move("c", "cd"), move("d", "dd/x")}, true},
		{"below a move, before it", []mdstore.Change{set("a/b"), move("a/c", "c"), move("a", "z")}, true},
		{"below a move, after it", []mdstore.Change{move("a", "z"), set("a/b")}, false},
		{"below the target of a move", []mdstore.Change{move("a", "z"), set("z/b")}, false},
		{"into itself", []mdstore.Change{move("a", "a/b")}, false},
		{"onto what holds it", []mdstore.Change{move("a/b", "a")}, false},
		{"into a folder that moves", []mdstore.Change{move("a", "b/a"), move("b", "z")}, false},
		{"too large", []mdstore.Change{{Path: "a", New: make([]byte, mdstore.MaxFileSize+1)}}, false},
	} {
		err := mdstore.CheckChanges(c.changes)
		if (err == nil) != c.ok || err != nil && !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("%s: error %v, want ok %v", c.name, err, c.ok)
		}
	}
}
