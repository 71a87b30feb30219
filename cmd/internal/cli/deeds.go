package cli

import (
	"regexp"
	"slices"
	"strings"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A deed is what a write did with one node or with the workspace.
type deed struct {
	id   string
	what []string
	new  bool
	gone string // the title of what was deleted; "" for what is there
}

// deedsOf gathers what a write did: what it is about first, and then what followed from it. main is the id of what it is
// about, "" for what was changed first; all that is new is.
func deedsOf(files []ops.FileDiff, main string) (about, others []deed) {
	var all []deed
	for _, f := range files {
		for _, what := range f.What {
			id, what, _ := strings.Cut(what, " ")
			if to := focusTo.FindStringSubmatch(what); to != nil {
				id, what = to[1], "has the focus"
			}
			i := slices.IndexFunc(all, func(d deed) bool { return d.id == id })
			if i < 0 {
				i, all = len(all), append(all, deed{id: id})
			}
			all[i].what = append(all[i].what, what)
			all[i].new = all[i].new || strings.HasPrefix(what, "created: ")
			if title, gone := strings.CutPrefix(what, "deleted: "); gone {
				all[i].gone = title
			}
		}
	}
	deleted := slices.IndexFunc(all, func(d deed) bool { return d.gone != "" })
	if deleted >= 0 { // what hung below comes first
		slices.Reverse(all[deleted:])
		main = all[deleted].id
	}
	anyNew := slices.ContainsFunc(all, func(d deed) bool { return d.new })
	for i, d := range all {
		logged := len(d.what) == 1 && d.what[0] == "log + 1"
		switch {
		case d.new && d.id == "root" && len(all) > 1: // every workspace has one
		case logged && len(all) > 1:
		case d.new, !anyNew && (d.id == main || main == "" && i == 0):
			about = append(about, d)
		default:
			others = append(others, d)
		}
	}
	return about, others
}

var (
	focusTo  = regexp.MustCompile(`^focus .+ → (\S+)$`)
	statusTo = regexp.MustCompile(`^status .+ → (\S+)$`)
)

// inWords says what was done in the words of people: the status that a node came to, and what else is not part of that.
func (d deed) inWords(n names) string {
	var out []string
	status := ""
	for _, what := range d.what {
		created, isNew := strings.CutPrefix(what, "created: ")
		parent, moved := strings.CutPrefix(what, "parent ")
		to := statusTo.FindStringSubmatch(what)
		switch {
		case isNew && created != "":
			out = append(out, "added")
		case d.gone != "":
			out = append(out, "deleted")
		case to != nil:
			status = to[1]
		case moved:
			_, parent, _ = strings.Cut(parent, " → ")
			title, _ := n.of(parent)
			out = append(out, "moved below "+title)
		case strings.HasPrefix(what, "order "):
			out = append(out, "put in its place")
		case what == "isolated false → true":
			out = append(out, "isolated")
		case what == "isolated true → false":
			out = append(out, "isolated no more")
		case what == "log + 1":
			out = append(out, "logged")
		default:
			out = append(out, n.renamed(what, func(_, title string) string { return title }))
		}
	}
	if status != "" { // what comes with every step is left out
		out = slices.DeleteFunc(out, func(s string) bool { return s == "conclusion" || s == "logged" })
		out = slices.Insert(out, 0, status)
	}
	if len(out) > 1 {
		out = slices.DeleteFunc(out, func(s string) bool { return s == "logged" || s == "put in its place" })
	}
	return strings.Join(slices.Compact(out), ", ")
}

// line returns a deed in one line: sign, title, what was done, short id.
func (d deed) line(sh *shell, n names, indent string) string {
	style := sh.style()
	title, status := n.of(d.id)
	head := indent
	if status != "" {
		head += style.PaintStatus(status, render.SignOf(status, style.ASCII)) + " "
	}
	what, id := render.Visible(d.inWords(n)), "  "+render.Visible(n.id(d.id))
	if d.gone != "" && !wholeIDs(sh) {
		id = "  " + render.Visible(view.Short(d.id))
	}
	if style.ASCII {
		what = strings.ReplaceAll(what, "→", "->")
	}
	if title == "" { // it is gone, or was not read again
		return head + render.Visible(d.id) + " " + what
	}
	title = render.Visible(title)
	if style.Width > 0 {
		room := style.Width - render.Columns(indent) - 4 - render.Columns(what) - 2 - render.Columns(id)
		title = render.Truncate(title, max(12, room), style.ASCII)
	}
	return head + style.Paint("1", title) + "  " + what + style.Paint("2", id)
}

// changes tells what a write did, a line for each node: what it is about, and below it what followed. With --verbose
// the files are named.
func (sh *shell) changes(n names, files []ops.FileDiff, main string) string {
	about, others := deedsOf(files, main)
	n.gone = map[string]string{}
	for _, d := range append(about, others...) {
		n.gone[d.id] = d.gone
	}
	indent := "  "
	if len(about) == 0 {
		indent = ""
	}
	var b strings.Builder
	depth := map[mdstore.ID]int{} // below the topmost that is new
	for _, d := range about {
		if node, ok := n.node(d.id); ok && d.new {
			depth[node.ID] = depth[node.Parent] + 1
		}
		b.WriteString(d.line(sh, n, strings.Repeat("  ", max(0, depth[mdstore.ID(d.id)]-1))) + "\n")
	}
	for _, d := range others {
		b.WriteString(d.line(sh, n, indent) + "\n")
	}
	if !sh.flags.verbose && b.Len() > 0 {
		return b.String()
	}
	style := sh.style()
	for _, f := range files {
		where := counted(f.Lines, "line") + " in " + f.Path
		if f.To != "" {
			where = f.Path + " → " + f.To
		}
		if style.ASCII {
			where = strings.ReplaceAll(where, "→", "->")
		}
		b.WriteString(style.Paint("2", "  "+render.Visible(where)) + "\n")
	}
	return b.String()
}
