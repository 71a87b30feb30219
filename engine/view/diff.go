package view

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"arbor/mdstore"
)

// A Difference is the change of one file of a workspace.
type Difference struct {
	Path     mdstore.Path
	Node     mdstore.ID // "" for the workspace's own file; the id of a page
	Page     string     // the name of a page's kind; "" for a node and the workspace's own file
	Title    string
	Kind     string       // Added, Altered, Removed, Relocated
	From     mdstore.Path // the old path of a moved file
	Fields   []string     // front matter keys that differ; none if unknown
	Sections []string     // sections that differ

	Was, Is mdstore.Version // of the file; zero if it is missing, unreadable or unknown
}

// The kinds of differences.
const (
	Added     = "created"
	Altered   = "changed"
	Removed   = "removed"
	Relocated = "moved"
)

// A State is a short form of a view that can be stored: the digests of each of its files.
type State map[mdstore.Path]Digest

// A Digest is a State's entry for a file.
type Digest struct {
	Version mdstore.Version // zero for a file that cannot be read
	Node    mdstore.ID      // "" for the workspace's own file; the id of a page
	Page    string          // the name of a page's kind; "" for a node and the workspace's own file
	Title   string
	Parts   mdstore.Digests // digests of the fields and sections; "" if unknown
}

// State returns the digests of the view; without quiet, only those of files that are not of a Quiet kind.
func (v *View) State(quiet bool) State {
	pages := v.Pages()
	out := make(State, len(v.nodes)+len(pages.list)+1)
	for _, p := range pages.list {
		if quiet || !p.Kind.Quiet {
			out[p.Path] = digestOfPage(p)
		}
	}
	for _, n := range v.nodes {
		out[n.Path] = digestOfNode(n)
	}
	if !v.ws.Version.IsZero() {
		out[v.ws.Path] = digestOfWorkspace(v.ws)
	}
	for p, d := range v.AllBroken() {
		if k := mdstore.AllKinds().Of(p); k != nil && k.Quiet && !quiet {
			continue
		}
		if id := mdstore.ID(p.Dir().Base()); d.Code != CodeFileMissing {
			out[p] = Digest{Node: id, Title: string(id)}
		}
	}
	return out
}

func digestOfPage(p *mdstore.Page) Digest {
	return Digest{Version: p.Version(), Node: p.ID, Page: p.Kind.Name, Title: p.Name(), Parts: p.Facts().Digests()}
}

func digestOfNode(n *mdstore.Node) Digest {
	return Digest{Version: n.Version(), Node: n.ID, Title: n.Title, Parts: n.Facts().Digests()}
}

func digestOfWorkspace(w *mdstore.Workspace) Digest {
	return Digest{Version: w.Version, Title: w.Name, Parts: mdstore.DigestsOf(w.Doc).Digests()}
}

// DigestOf returns the digest of a file of a kind.
func DigestOf(f mdstore.File) Digest {
	switch k := mdstore.AllKinds().Of(f.Path); k {
	case mdstore.WorkspaceKind:
		return digestOfWorkspace(mdstore.ParseWorkspace(f))
	case mdstore.NodeKind:
		return digestOfNode(mdstore.ParseNode(f))
	default:
		return digestOfPage(mdstore.ParsePage(k, f))
	}
}

// Diff returns the differences between two states of a workspace, in the order of paths. A node is identified by its
// id, wherever its file lies, or by its path if its id changed. An unreadable file counts as the node that was at its
// path.
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
	from := pair(left, came)
	var out []Difference
	for p, is := range came {
		d := Difference{Path: p, Node: is.Node, Page: is.Page, Title: is.Title, Kind: Added, Is: is.Version}
		if q, ok := from[p]; ok {
			was := left[q]
			delete(left, q)
			d.Kind, d.Was = Altered, was.Version
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
		d := Difference{Path: p, Node: was.Node, Page: was.Page, Title: was.Title, Kind: Removed, Was: was.Version}
		out = append(out, d)
	}
	slices.SortFunc(out, func(a, b Difference) int { return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(b.Kind, a.Kind)) })
	return out
}

// pair returns, for each file that came, the path of the same file among those that left. A file that is not in the
// result is new.
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
	for _, same := range []bool{true, false} { // of several files of one node, pair first those with equal bytes
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

// MovedTo returns the place of a file after a folder above it has moved.
func MovedTo(p, from, to mdstore.Path) mdstore.Path {
	if from == to || !p.Under(from) {
		return p
	}
	return to + p[len(from):]
}

// Moved returns the state with the files below one folder moved to another.
func (s State) Moved(from, to mdstore.Path) State {
	out := make(State, len(s))
	for p, d := range s {
		out[MovedTo(p, from, to)] = d
	}
	return out
}

// Since returns the files whose updatedAt is later than t, in the order of paths. Edits by hand that leave updatedAt
// unchanged are not among them.
func (v *View) Since(t time.Time) []Difference {
	kind := func(created int64) string {
		if created > t.UnixMilli() {
			return Added
		}
		return Altered
	}
	out := []Difference{}
	if v.ws.UpdatedAt > t.UnixMilli() {
		out = append(out, Difference{Path: v.ws.Path, Title: v.ws.Name, Kind: kind(v.ws.CreatedAt), Is: v.ws.Version})
	}
	for _, n := range v.nodes {
		if n.UpdatedAt > t.UnixMilli() {
			out = append(out, Difference{Path: n.Path, Node: n.ID, Title: n.Title, Kind: kind(n.CreatedAt), Is: n.Version()})
		}
	}
	return out
}

// Altered returns the nodes whose files differ between two views of a workspace, or exist in only one; "" stands for
// the workspace's own file.
func (v *View) Altered(since *View) map[mdstore.ID]bool {
	out := map[mdstore.ID]bool{}
	if v.ws.Version != since.ws.Version || v.ws.Path != since.ws.Path {
		out[""] = true
	}
	differ := func(v, from *View) {
		for _, n := range v.nodes {
			if i, has := from.find(n.Path); !has || from.nodes[i].Version() != n.Version() {
				out[n.ID] = true
			}
		}
	}
	differ(v, since)
	differ(since, v)
	return out
}
