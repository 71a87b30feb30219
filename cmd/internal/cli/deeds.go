package cli

import (
	"regexp"
	"slices"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// A deed is what a write did with one node or with the workspace.
type deed struct {
	id, status string   // status is the one that it came to, "" for the same
	name       string   // of what is no node, where the change tells it
	what       []string // all else that was done, in the words of people
	new        bool
}

// deedWords are how people say what a change of a file is called.
var deedWords = []struct {
	is   func() *regexp.Regexp
	said string
}{
	{pattern.Of(`^(created|deleted|ended|noted|said|cleared): .*`), "$1"}, {pattern.Of(`^created$`), "added"},
	{pattern.Of(`^parent .* → `), "moved below "}, {pattern.Of(`^order .*`), "put in its place"},
	{pattern.Of(`^log \+ 1$`), "logged"}, {pattern.Of(`^isolated .*true$`), "isolated"},
	{pattern.Of(`^isolated .*false$`), "isolated no more"},
}

var reached = pattern.Of(`^(status|focus) .+ → (\S+)$`)

// deedsOf gathers what a write did with each node, and the titles of those that it deleted.
func deedsOf(files []ops.FileDiff) (all []deed, gone map[string]string) {
	gone = map[string]string{}
	for _, f := range files {
		for _, what := range f.What {
			id, what, _ := strings.Cut(what, " ")
			to := reached().FindStringSubmatch(what)
			if to != nil && to[1] == "focus" {
				id, what = to[2], "has the focus"
			}
			i := slices.IndexFunc(all, func(d deed) bool { return d.id == id })
			if i < 0 {
				i, all = len(all), append(all, deed{id: id})
			}
			if title, deleted := strings.CutPrefix(what, "deleted: "); deleted {
				gone[id] = title
			}
			if verb, name, named := strings.Cut(what, ": "); named && !strings.Contains(verb, " ") {
				all[i].name = name
			}
			if all[i].new = all[i].new || strings.HasPrefix(what, "created: "); to != nil && to[1] == "status" {
				all[i].status = to[2]
				continue
			}
			for _, w := range deedWords {
				what = w.is().ReplaceAllString(what, w.said)
			}
			all[i].what = append(all[i].what, what)
		}
	}
	return all, gone
}

// line returns a deed in one line: sign, title, what was done, short id. What comes with every other change is not
// told.
func (d deed) line(sh *shell, n names, indent string) string {
	told := slices.DeleteFunc(append([]string{d.status}, d.what...), func(s string) bool {
		besides := s == "logged" || s == "put in its place"
		return s == "" || besides && len(d.what) > 1 || d.status != "" && (besides || s == "conclusion")
	})
	style := sh.style()
	what := render.Visible(n.renamed(strings.Join(told, ", "), func(_, title string) string { return title }))
	if style.ASCII {
		what = strings.ReplaceAll(what, "→", "->")
	}
	title, status := n.of(d.id)
	if title == "" && d.name == "" { // it is no node, or was not read again
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

// changes tells what a write did, a line for each node: first what it is about (all that is new, what was deleted, else
// main or what was changed first), and indented what followed. With --verbose the files are named.
func (sh *shell) changes(n names, files []ops.FileDiff, main string) string {
	all, gone := deedsOf(files)
	n.gone = gone
	if i := slices.IndexFunc(all, func(d deed) bool { return gone[d.id] != "" }); i >= 0 {
		slices.Reverse(all[i:]) // what hung below is deleted first
		main = all[i].id
	} else if main == "" && len(all) > 0 {
		main = all[0].id
	}
	anyNew := slices.ContainsFunc(all, func(d deed) bool { return d.new })
	var about, followed []string
	depth := map[mdstore.ID]int{} // below the topmost that is new
	for _, d := range all {
		logged := d.status == "" && slices.Equal(d.what, []string{"logged"})
		switch node, ok := n.node(d.id); {
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
		where := counted(f.Lines, "line") + " in " + f.Path
		if f.To != "" {
			where = "moved: " + f.Path + ", to " + f.To
		}
		if sh.flags.verbose || len(all) == 0 {
			about = append(about, sh.style().Paint("2", "  "+render.Visible(where)))
		}
	}
	return strings.Join(about, "\n")
}
