package mdstore

import (
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Gaps are what the file of a node leaves out, so that a view fills it in. A person needs to write a title only: the
// parent is the nearest node in a folder above, the id is the folder's name, and the type is planning if the node has
// children. The first edit of the file writes what they then are: see Node.Missing.
type Gaps struct {
	ID     bool // no id
	Parent bool // no parent, and it is not the root
	Life   bool // neither type nor status
}

// Gaps returns what the file leaves out. A file that is closed to edits has no gaps, because nothing is known of it.
func (n *Node) Gaps() Gaps { return n.gaps }

// Stated returns what the file states as the parent: an id, a title, a link.
func (n *Node) Stated() string { return n.stated }

// Filled returns the node with another id, parent and type, as a view resolves them. A type that the file states stays.
func (n *Node) Filled(id, parent ID, t statemachine.Type) *Node {
	m := *n
	m.ID, m.Parent = id, parent
	if m.gaps.Life {
		m.Type = t
	}
	return &m
}

// FolderID returns the id that the node has while its file states none: the folder's name or, if that is no id, one
// that is made of it. alone is false if another node has that id: then it is made of the whole path below nodes/.
func (n *Node) FolderID(alone bool) ID {
	if alone {
		return placeID(n.Path.Dir().Base())
	}
	dir := string(n.Path.Dir())
	if _, below, ok := strings.Cut(dir, "/"+NodesDir+"/"); ok {
		dir = below
	}
	return madeID(dir)
}

// Missing returns the keys that the file leaves out, with their values, in the order of a new file.
func (n *Node) Missing() (keys []mdoc.FieldValue) {
	add := func(missing bool, key, value string) {
		if missing {
			keys = append(keys, mdoc.FieldValue{Key: key, Value: mdoc.Text(value)})
		}
	}
	add(n.gaps.ID, KeyID, string(n.ID))
	add(n.gaps.Parent, KeyParent, string(n.Parent))
	add(n.gaps.Life, KeyType, string(n.Type))
	add(n.gaps.Life, KeyStatus, string(n.Status))
	return keys
}

// lacks reports whether a key is missing or has no value.
func (r *reader) lacks(key string) bool {
	f, ok := r.doc.Field(key)
	return !ok || f.Value == "" && f.Kind != mdoc.Nested
}

// setGaps completes the gaps, and sets what depends on no other node: the type that a node without children has, and
// its status. The root has no parent, and children sooner or later.
func (n *Node) setGaps() {
	n.gaps.Parent = n.gaps.Parent && n.ID != Root
	if n.gaps.Life {
		n.Type, n.Status = statemachine.Execution, statemachine.Pending
		if n.ID == Root {
			n.Type = statemachine.Planning
		}
	}
}

// letters returns the gaps as records keep them; set undoes it.
func (g Gaps) letters() (s string) {
	for _, x := range []struct {
		gap    bool
		letter string
	}{{g.ID, "i"}, {g.Parent, "p"}, {g.Life, "l"}} {
		if x.gap {
			s += x.letter
		}
	}
	return s
}

func (g *Gaps) set(letters string) {
	has := func(letter string) bool { return strings.Contains(letters, letter) }
	g.ID, g.Parent, g.Life = has("i"), has("p"), has("l")
}
