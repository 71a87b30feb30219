package view

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"arbor/mdstore"
)

// A stateCase draws states of a workspace with few paths, ids and contents, so that files often move, twin and swap.
type stateCase struct{ *rand.Rand }

func (r stateCase) state() State {
	s := State{}
	for range r.IntN(6) {
		p := mdstore.Path(fmt.Sprintf("w/nodes/%c/Node.md", 'a'+rune(r.IntN(5))))
		d := Digest{Version: mdstore.VersionOf([]byte{byte(r.IntN(4))}), Node: mdstore.ID(fmt.Sprintf("node-%d", r.IntN(4))), Title: "T"}
		if r.IntN(8) == 0 {
			d = Digest{Node: mdstore.ID(p.Dir().Base()), Title: p.Dir().Base()} // cannot be read
		}
		s[p] = d
	}
	return s
}

// The difference of two states leads from the one to the other: without what went or moved away, and with what came in
// its place.
func TestDiffLeadsFromOneStateToTheOther(t *testing.T) {
	r := stateCase{rand.New(rand.NewPCG(5, 6))}
	kinds := map[string]int{}
	for range 5000 {
		old, now := r.state(), r.state()
		ds := Diff(old, now)
		left, came := map[mdstore.Path]bool{}, map[mdstore.Path]bool{}
		for i, d := range ds {
			if i > 0 && ds[i-1].Path > d.Path {
				t.Errorf("the differences are not in the order of paths")
			}
			kinds[d.Kind]++
			from := d.Path
			if d.Kind == Relocated {
				from = d.From
			}
			if d.Kind != Added {
				if _, was := old[from]; !was || left[from] {
					t.Errorf("%s of %s: it was not there, or left twice", d.Kind, from)
				}
				left[from] = true
			}
			if d.Kind != Removed {
				if _, is := now[d.Path]; !is || came[d.Path] {
					t.Errorf("%s of %s: it is not there, or came twice", d.Kind, d.Path)
				}
				came[d.Path] = true
			}
			if d.Kind == Altered && old[d.Path].Version == now[d.Path].Version {
				t.Errorf("%s is as it was", d.Path)
			}
			readable := !old[from].Version.IsZero() && !now[d.Path].Version.IsZero()
			if d.Kind == Relocated && readable && old[from].Node != now[d.Path].Node {
				t.Errorf("%s is another node than %s was", d.Path, from)
			}
		}
		for p, was := range old {
			if is, still := now[p]; !left[p] && (!still || is.Version != was.Version) {
				t.Errorf("nothing is said of %s, which differs", p)
			}
		}
		for p, is := range now {
			if was, there := old[p]; !came[p] && (!there || is.Version != was.Version) {
				t.Errorf("nothing is said of %s, which came or differs", p)
			}
		}
		if again := Diff(old, now); !reflect.DeepEqual(again, ds) {
			t.Errorf("said a second time: %+v", again)
		}
		if same := Diff(now, now); len(same) > 0 {
			t.Errorf("a state differs from itself: %+v", same)
		}
		if t.Failed() {
			t.Fatalf("from %+v\n to %+v\n got %+v", old, now, ds)
		}
	}
	for _, k := range []string{Added, Altered, Removed, Relocated} {
		if kinds[k] < 500 {
			t.Errorf("only %d differences are %s", kinds[k], k)
		}
	}
}

// A state compared with a later one that only lies in another folder differs in nothing.
func TestAMovedStateDiffersInNothing(t *testing.T) {
	r := stateCase{rand.New(rand.NewPCG(7, 8))}
	for range 100 {
		s := r.state()
		moved := State{}
		for p, d := range s {
			moved["archive/"+p] = d
		}
		if ds := Diff(s.Moved("w", "archive/w"), moved); len(ds) > 0 {
			t.Errorf("moved, %+v differs in %+v", s, ds)
		}
	}
}

func stateOf(files ...mdstore.File) State {
	var nodes []*mdstore.Node
	for _, f := range files {
		f.Version = mdstore.VersionOf(f.Data)
		nodes = append(nodes, mdstore.ParseNode(f))
	}
	return New(workspaceOf("w"), nodes, nil).State(true)
}

func file(p, id, body string) mdstore.File {
	return mdstore.File{Path: mdstore.NodePath("w", mdstore.ID(p)),
		Data: []byte("---\nid: " + id + "\ntitle: T\ntype: execution\nstatus: pending\nparentId: root\n---\n\n" + body)}
}

// Of several files with one id, the one whose bytes are the same is the one that moved.
func TestMovedTwinsAreToldApart(t *testing.T) {
	was := stateOf(file("a", "dup", "## Note\n\none\n"), file("b", "dup", "## Note\n\ntwo\n"))
	is := stateOf(file("d", "dup", "## Note\n\none\n"), file("c", "dup", "## Note\n\ntwo\n"))
	for range 20 {
		var got []string
		for _, d := range Diff(was, is) {
			got = append(got, fmt.Sprint(d.Kind, " ", d.From.Dir().Base(), " to ", d.Path.Dir().Base()))
		}
		if want := []string{"moved b to c", "moved a to d"}; !slices.Equal(got, want) {
			t.Errorf("told of %q, want %q", got, want)
		}
	}
}

// A change names the fields and sections that differ, and no other.
func TestDiffNamesFieldsAndSections(t *testing.T) {
	was := file("a", "node-1", "## Note\n\nn\n\n## Requirement\n\nr\n")
	for _, tt := range []struct {
		is               mdstore.File
		fields, sections []string
	}{
		{file("a", "node-1", "## Note\n\nm\n\n## Requirement\n\nr\n"), nil, []string{"Note"}},
		{file("a", "node-1", "## Requirement\n\nr\n\n## Note\n\nn\n"), nil, nil},
		{file("a", "node-1", "## Note\n\nn\n\n## Requirement\n\nr\n\n## Log\n\n- x\n"), nil, []string{"Log"}},
		{file("a", "node-1", "## Requirement\n\nr\n"), nil, []string{"Note"}},
		{file("a", "node-2", "## Note\n\nn\n\n## Requirement\n\nr\n"), []string{"id"}, nil},
	} {
		ds := Diff(stateOf(was), stateOf(tt.is))
		if len(ds) != 1 || ds[0].Kind != Altered || !slices.Equal(ds[0].Fields, tt.fields) {
			t.Errorf("%s: %+v, want the fields %q", tt.is.Data, ds, tt.fields)
			continue
		}
		for _, name := range tt.sections {
			if !slices.Contains(ds[0].Sections, name) {
				t.Errorf("%s: %q differ, want %q", tt.is.Data, ds[0].Sections, tt.sections)
			}
		}
	}
}
