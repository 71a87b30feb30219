package view

import (
	"fmt"
	"testing"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// Of pages with one name the newest by its own time is meant, whatever its id or file is.
func TestTheNewestOfOneNameIsMeant(t *testing.T) {
	at := func(id, name string, made int) mdstore.File {
		f := mdstore.File{Path: mdstore.Path("w/states/" + id + ".md"), Data: fmt.Appendf(nil, "---\nid: %s\nname: %s\ncreatedAt: %d\n---\n", id, name, made)}
		f.Version = mdstore.VersionOf(f.Data)
		return f
	}
	ps := New(workspaceOf("w"), nil, nil).With(at("state-a", "x", 2), at("state-b", "x", 3), at("state-c", "x", 1), at("state-d", "y", 9)).Pages()
	for ref, want := range map[string]string{"x": "state-b 2", "state-a": "state-a 0", "y": "state-d 0", "state-c": "state-c 0"} {
		p, others, err := ps.Resolve(mdstore.StateKind, ref, errs.StateNotFound)
		if err != nil || fmt.Sprint(p.ID, " ", others) != want {
			t.Errorf("%s: %v and %d others, error %v; want %s", ref, p, others, err, want)
		}
	}
	for ref, want := range map[string]errs.Code{"state-": errs.AmbiguousID, "": errs.StateNotFound, "z": errs.StateNotFound} {
		if _, _, err := ps.Resolve(mdstore.StateKind, ref, errs.StateNotFound); errs.As(err).Code != want {
			t.Errorf("%q: error %v, want %s", ref, err, want)
		}
	}
}
