package cli

import (
	"cmp"
	"slices"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A deed is what a write did to one node or to the workspace.
type deed struct {
	id, status string   // status is the new one, "" if it is the same
	name       string   // from the change, for something that is not a node
	what       []string // all other changes, as people say them
	new        bool
}

// saidOf returns a change as people say it.
func saidOf(c view.Change) string {
	switch {
	case c.Key == "" && c.Do == view.Created:
		return "added"
	case c.Key == "" && c.Name != "":
		return c.Do
	case c.Key == mdstore.KeyParent:
		return "moved below " + c.To
	case c.Key == "order":
		return reordered
	case c.Key == "log" && c.Do == view.Plus && c.To == "1":
		return logged
	case c.Key == "isolated" && c.To == "true":
		return "isolated"
	case c.Key == "isolated":
		return "isolated no more"
	}
	return c.Words()
}

// Changes that usually come with others.
const (
	logged    = "logged"
	reordered = "put in its place"
)

// deedsOf collects the changes of a write by node. gone has the titles of the nodes that it deleted.
func deedsOf(files []ops.FileDiff) (all []deed, gone map[string]string) {
	gone = map[string]string{}
	for _, f := range files {
		for _, c := range f.What {
			id := string(c.ID)
			if c.Key == "focus" {
				id, c = c.To, view.Change{Do: "has the focus"}
			}
			i := slices.IndexFunc(all, func(d deed) bool { return d.id == id })
			if i < 0 {
				i, all = len(all), append(all, deed{id: id})
			}
			if c.Key == "" && c.Do == view.Deleted {
				gone[id] = c.Name
			}
			all[i].name = cmp.Or(c.Name, all[i].name)
			all[i].new = all[i].new || c.Key == "" && c.Do == view.Created
			if c.Key == mdstore.KeyStatus && c.Do == "" {
				all[i].status = c.To
				continue
			}
			if said := saidOf(c); !slices.Contains(all[i].what, said) {
				all[i].what = append(all[i].what, said)
			}
		}
	}
	return all, gone
}

// line returns a deed in one line: sign, title, changes, short id. It leaves out changes that usually come with the
// others.
func (d deed) line(sh *shell, n names, indent string) string {
	told := slices.DeleteFunc(append([]string{d.status}, d.what...), func(s string) bool {
		besides := s == logged || s == reordered
		return s == "" || besides && len(d.what) > 1 || d.status != "" && (besides || s == "conclusion")
	})
	style := sh.style()
	what := render.Visible(n.renamed(strings.Join(told, ", "), func(_, title string) string { return title }))
	if style.ASCII {
		what = strings.ReplaceAll(what, "→", "->")
	}
	title, status := n.of(d.id)
	if title == "" && d.name == "" { // it is not a node, or cannot be read now
		return indent + render.Visible(d.id) + " " + what
	}
	if title == "" {
		title = d.name
	}
	id := n.id(d.id)
	if _, gone := n.gone[d.id]; (gone || title == d.name) && !n.long {
		id = view.Short(d.id)
	}
	if status != "" {
		indent += style.PaintStatus(status, render.SignOf(status, style.ASCII)) + " "
	}
	return indent + style.Paint("1", render.Visible(title)) + "  " + what + style.Paint("2", "  "+render.Visible(id))
}

// changes returns what a write did, with a line for each node. First come the nodes that it is about: all new ones, or
// the deleted one, or else main, or the first that was changed. The others follow, indented. With --verbose it also
// names the files.
func (sh *shell) changes(n names, w ops.Wrote, main string) string {
	files := w.Files
	all, gone := deedsOf(files)
	n.gone = gone
	if i := slices.IndexFunc(all, func(d deed) bool { return gone[d.id] != "" }); i >= 0 {
		deleted := all[i:]
		if end := slices.IndexFunc(deleted, func(d deed) bool { return gone[d.id] == "" }); end >= 0 {
			deleted = deleted[:end]
		}
		slices.Reverse(deleted) // descendants are deleted first
		main = deleted[0].id
	} else if main == "" && len(all) > 0 {
		main = all[0].id
	}
	anyNew := slices.ContainsFunc(all, func(d deed) bool { return d.new })
	var about, followed []string
	depth := map[mdstore.ID]int{} // of new nodes, below the topmost new one
	for _, d := range all {
		logged := d.status == "" && slices.Equal(d.what, []string{logged})
		switch node, ok := n.node(d.id); {
		case w.About(d.id):
			about = append(about, d.line(sh, n, ""))
		case len(all) > 1 && (logged || d.new && d.id == string(mdstore.Root)): // comes with other changes
		case d.new && ok:
			depth[node.ID] = depth[node.Parent] + 1
			about = append(about, d.line(sh, n, strings.Repeat("  ", depth[node.ID]-1)))
		case d.new || !anyNew && d.id == main:
			about = append(about, d.line(sh, n, ""))
		default:
			followed = append(followed, d.line(sh, n, "  "))
		}
	}
	about = append(about, followed...)
	for _, f := range files {
		where := counted(f.Lines, "line") + " in " + sh.shown(f.Path)
		if f.To != "" {
			where = "moved: " + sh.shown(f.Path) + ", to " + sh.shown(f.To)
		}
		if sh.flags.verbose || len(all) == 0 {
			about = append(about, sh.style().Paint("2", "  "+render.Visible(where)))
		}
	}
	return strings.Join(about, "\n")
}
