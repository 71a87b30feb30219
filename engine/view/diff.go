package view

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"arbor/mdstore"
)

// A Difference is what changed in one file of a workspace.
type Difference struct {
	Path     mdstore.Path
	Node     mdstore.ID // "" for the workspace's own file
	Title    string
	Kind     string       // Added, Altered, Removed, Relocated
	From     mdstore.Path // where a moved file was
	Fields   []string     // front matter keys that differ; none where that is not known
	Sections []string     // sections that differ
}

// The kinds of differences.
const (
	Added     = "created"
	Altered   = "changed"
	Removed   = "removed"
	Relocated = "moved"
)

// A State is what one view of a workspace holds, short enough to be kept: the digests of each of its files.
type State map[mdstore.Path]Digest

// A Digest is what a State keeps of a file.
type Digest struct {
	Version mdstore.Version // zero for a file that cannot be read
	Node    mdstore.ID      // "" for the workspace's own file
	Title   string
	Parts   mdstore.Digests // of the fields and sections; "" where they are not known
}

// State returns the digests of the view.
func (v *View) State() State {
	out := make(State, len(v.nodes)+1)
	for _, n := range v.nodes {
		out[n.Path] = digest(n)
	}
	maps.Copy(out, v.others())
	return out
}

// others is the part of the state that is no node: the workspace's own file, and files that cannot be read.
func (v *View) others() State {
	out := State{}
	if !v.ws.Version.IsZero() {
		out[v.ws.Path] = Digest{Version: v.ws.Version, Title: v.ws.Name, Parts: mdstore.DigestsOf(v.ws.Doc).Digests()}
	}
	for p, d := range v.broken {
		if id := mdstore.ID(p.Dir().Base()); d.Code != CodeFileMissing {
			out[p] = Digest{Node: id, Title: string(id)}
		}
	}
	return out
}

// digest returns the digest of a node's file.
func digest(n *mdstore.Node) Digest {
	return Digest{Version: n.Version(), Node: n.ID, Title: n.Title, Parts: n.Facts().Digests()}
}

// Diff returns how one state of a workspace became another, in the order of paths. A node is known by its id, wherever its file lies;
// where a file got another id, its place counts. A file that cannot be read is the node that lay in its place.
func Diff(old, now State) []Difference {
	left, came := map[mdstore.Path]Digest{}, map[mdstore.Path]Digest{} // files that differ or are not in both
	for p, is := range now {
		if was, had := old[p]; !had {
			came[p] = is
		} else if was.Version != is.Version {
			came[p], left[p] = is, was
		}
	}
	for p, was := range old {
		if _, has := now[p]; !has {
			left[p] = was
		}
	}
	return differences(left, came)
}

// DiffFrom is Diff of a state and the view's own, without the digests of files that are the same in both.
func (v *View) DiffFrom(old State) []Difference {
	left, came := map[mdstore.Path]Digest{}, map[mdstore.Path]Digest{}
	same := 0
	for _, n := range v.nodes {
		switch was, had := old[n.Path]; {
		case had && was.Version == n.Version():
			same++
		case had:
			left[n.Path] = was
			fallthrough
		default:
			came[n.Path] = digest(n)
		}
	}
	for p, is := range v.others() {
		switch was, had := old[p]; {
		case had && was.Version == is.Version:
			same++
		case had:
			left[p] = was
			fallthrough
		default:
			came[p] = is
		}
	}
	if same+len(left) < len(old) {
		for p, was := range old {
			if !v.has(p) {
				left[p] = was
			}
		}
	}
	return differences(left, came)
}

// has reports whether the view's state has a file.
func (v *View) has(p mdstore.Path) bool {
	if _, node := v.find(p); node {
		return true
	}
	_, other := v.others()[p]
	return other
}

// differences names what became of files. left are those that differ or went, came those that differ or are new.
func differences(left, came map[mdstore.Path]Digest) []Difference {
	from := pair(left, came)
	var out []Difference
	for p, is := range came {
		d := Difference{Path: p, Node: is.Node, Title: is.Title, Kind: Added}
		if q, ok := from[p]; ok {
			was := left[q]
			delete(left, q)
			d.Kind = Altered
			if p != q {
				d.Kind, d.From = Relocated, q
			}
			if is.Version.IsZero() {
				d.Node, d.Title = was.Node, was.Title
			}
			d.Fields, d.Sections = mdstore.DiffDigests(was.Parts, is.Parts)
		}
		out = append(out, d)
	}
	for p, was := range left {
		out = append(out, Difference{Path: p, Node: was.Node, Title: was.Title, Kind: Removed})
	}
	slices.SortFunc(out, func(a, b Difference) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(b.Kind, a.Kind)) })
	return out
}

// pair says for each file that came which one it was; it was none of those that left where it is not in the result.
func pair(left, came map[mdstore.Path]Digest) map[mdstore.Path]mdstore.Path {
	from, taken := map[mdstore.Path]mdstore.Path{}, map[mdstore.Path]bool{}
	match := func(p, q mdstore.Path) { from[p], taken[q] = q, true }
	unread := func(d Digest) bool { return d.Version.IsZero() }
	for p, is := range came {
		if was, ok := left[p]; ok && (was.Node == is.Node || unread(was) || unread(is)) {
			match(p, p)
		}
	}
	byNode := map[mdstore.ID][]mdstore.Path{}
	for _, q := range slices.Sorted(maps.Keys(left)) {
		if was := left[q]; !taken[q] && !unread(was) {
			byNode[was.Node] = append(byNode[was.Node], q)
		}
	}
	fresh := slices.Sorted(maps.Keys(came))
	for _, same := range []bool{true, false} { // of several files of one node first those whose bytes are the same
		for _, p := range fresh {
			is, ps := came[p], byNode[came[p].Node]
			i := slices.IndexFunc(ps, func(q mdstore.Path) bool { return !taken[q] && (!same || left[q].Version == is.Version) })
			if _, done := from[p]; !done && !unread(is) && i >= 0 {
				match(p, ps[i])
			}
		}
	}
	for p := range came {
		if _, done := from[p]; done || taken[p] {
			continue
		}
		if _, ok := left[p]; ok { // it got another id
			match(p, p)
		}
	}
	return from
}

// Moved returns the state with the files below one folder at their places below another.
func (s State) Moved(from, to mdstore.Path) State {
	if from == to {
		return s
	}
	out := make(State, len(s))
	for p, d := range s {
		if p.Under(from) {
			p = to + p[len(from):]
		}
		out[p] = d
	}
	return out
}

// Since returns the files whose updatedAt is later than t, in the order of paths: what operations changed. A hand edit that left
// updatedAt alone does not show.
func (v *View) Since(t time.Time) []Difference {
	kind := func(created int64) string {
		if created > t.UnixMilli() {
			return Added
		}
		return Altered
	}
	out := []Difference{}
	if v.ws.UpdatedAt > t.UnixMilli() {
		out = append(out, Difference{Path: v.ws.Path, Title: v.ws.Name, Kind: kind(v.ws.CreatedAt)})
	}
	for _, n := range v.nodes {
		if n.UpdatedAt > t.UnixMilli() {
			out = append(out, Difference{Path: n.Path, Node: n.ID, Title: n.Title, Kind: kind(n.CreatedAt)})
		}
	}
	return out
}

// Altered returns the nodes of which a file differs between two views of a workspace, came or went; "" stands for the workspace's own
// file.
func (v *View) Altered(since *View) map[mdstore.ID]bool {
	out := map[mdstore.ID]bool{}
	if v.ws.Version != since.ws.Version || v.ws.Path != since.ws.Path {
		out[""] = true
	}
	for _, n := range v.nodes {
		i, had := since.find(n.Path)
		if had && since.nodes[i].Version() == n.Version() {
			continue
		}
		out[n.ID] = true
		if had {
			out[since.nodes[i].ID] = true
		}
	}
	for _, n := range since.nodes {
		if _, has := v.find(n.Path); !has {
			out[n.ID] = true
		}
	}
	return out
}
