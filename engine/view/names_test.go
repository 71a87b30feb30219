package view_test

import (
	"testing"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"

	"pgregory.net/rapid"
)

// What is shown as the short id of a node names that node and no other, whatever ids and titles there are.
func TestAShortIDNamesItsNode(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ids := rapid.SliceOfNDistinct(rapid.StringMatching(`[ab]{1,3}-?[ab]{4,7}`), 1, 8, rapid.ID[string]).Draw(rt, "ids")
		var all []mdstore.ID
		for _, id := range ids {
			all = append(all, mdstore.ID(id))
		}
		v := viewOf(plan("ws-a", all...))
		short := view.ShortIDs(v)
		for _, id := range all {
			if got, err := v.Resolve(short(string(id))); err != nil || got != id {
				rt.Fatalf("%s is shown as %q, which names %q: %v", id, short(string(id)), got, err)
			}
		}
	})
}

// Where titles are ids of others, or their ends, the whole id is shown.
func TestAShortIDIsNoTitle(t *testing.T) {
	all := []errs.Candidate{{ID: "node-1-aaaaaa", Title: "bbbbbb"}, {ID: "node-1-bbbbbb", Title: "x"}, {ID: "cccccc-1", Title: "y"},
		{ID: "node-1-cccccc", Title: "z"}, {ID: "node-1-dddddd", Title: "u"}, {ID: "node-2-dddddd", Title: "v"}, {ID: "default", Title: "w"}}
	short := view.Shorts(all)
	for id, want := range map[string]string{"node-1-aaaaaa": "aaaaaa", "node-1-bbbbbb": "node-1-bbbbbb", "node-1-cccccc": "node-1-cccccc",
		"node-1-dddddd": "node-1-dddddd", "node-9-eeeeee": "node-9-eeeeee", "cccccc-1": "cccc-1", "default": "default"} {
		if got := short(id); got != want {
			t.Errorf("%s is shown as %s, want %s", id, got, want)
		}
	}
}

// A part of a title names a node for those who read, where no other name does; those who write are told which it would
// be, with the way to it.
func TestAPartOfATitleIsForReaders(t *testing.T) {
	v := viewOf(plan("ws-a", "node-one", "node-two", "node-twenty"))
	for ref, want := range map[string]mdstore.ID{"NODE-ONE": "node-one", "t node-o": "node-one", "node-two": "node-two", "root": "root"} {
		if id, err := v.Find(ref); err != nil || id != want {
			t.Errorf("Find(%q): %s, error %v; want %s", ref, id, err, want)
		}
	}
	_, err := v.Find("T NODE-TW")
	if e := errs.As(err); e == nil || e.Code != errs.AmbiguousID || len(e.Details.Candidates) != 2 {
		t.Errorf("Find of a part of two titles: %v", err)
	}
	for _, ref := range []string{"", " ", "nothing like it"} {
		if id, err := v.Find(ref); err == nil || errs.As(err).Code != errs.NodeNotFound {
			t.Errorf("Find(%q): %s, error %v", ref, id, err)
		}
	}
	_, err = v.Resolve("t node-o")
	e := errs.As(err)
	if e == nil || e.Code != errs.NodeNotFound || len(e.Details.Candidates) == 0 {
		t.Fatalf("Resolve of a part of a title: %v", err)
	}
	root, _ := v.Node(mdstore.Root)
	if c := e.Details.Candidates[0]; c.ID != "node-one" || c.Way != root.Title+view.WayMark+"T node-one" || c.Status == "" {
		t.Errorf("the first candidate is %+v", c)
	}
}
