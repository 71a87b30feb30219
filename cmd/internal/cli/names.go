package cli

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// A names has the titles and short ids by which people name the nodes of a workspace. Without a view it knows no
// titles.
type names struct {
	view *view.View // nil if the workspace cannot be read
	id   func(id string) string
	gone map[string]string // titles of deleted nodes
	long bool              // ids are whole
}

// namesOf returns the names of a workspace; "" means the one that the flags name. With --verbose and --quiet, ids are
// whole.
func namesOf(sh *shell, workspace string) names {
	ctx, n := context.Background(), names{id: view.Short} // not the command's: its nodes are read or written already
	if env, err := sh.env(ctx, MustExist); err == nil {
		if v, err := env.In(ctx, cmp.Or(workspace, sh.flags.workspace)); err == nil {
			node := sync.OnceValue(func() func(string) string { return view.ShortIDs(v) })
			n = names{view: v, id: func(id string) string {
				if id == string(v.Workspace().ID) {
					return view.Short(id)
				}
				return node()(id)
			}}
		}
	}
	if n.long = wholeIDs(sh); n.long {
		n.id = whole
	}
	return n
}

// short returns an id in a few characters, unless ids are whole.
func (n names) short(id string) string {
	if n.long {
		return id
	}
	return view.Short(id)
}

func wholeIDs(sh *shell) bool { return sh.flags.verbose || sh.flags.quiet }

func whole(id string) string { return id }

// of returns the title and the status of a node, or the name of the workspace; "" if unknown.
func (n names) of(id string) (title string, status statemachine.Status) {
	if node, ok := n.node(id); ok {
		return node.Title, node.Status
	}
	if n.view != nil && string(n.view.Workspace().ID) == id {
		return n.view.Workspace().Name, ""
	}
	return n.gone[id], ""
}

func (n names) node(id string) (*mdstore.Node, bool) {
	if n.view == nil {
		return nil, false
	}
	return n.view.Node(mdstore.ID(id))
}

// titled returns the title of a node with its short id, or just id if the title is unknown.
func (n names) titled(id string) string {
	if title, _ := n.of(id); title != "" {
		return title + "  " + n.id(id)
	}
	return id
}

// nodeID matches a text that may be the id of a node.
var nodeID = pattern.Of(`\bnode-[0-9A-Za-z._-]*[0-9A-Za-z]`)

// renamed returns a text in which by has replaced the ids of known nodes, except in paths. If the title follows an id
// in parentheses, it is replaced with the id.
func (n names) renamed(text string, by func(id, title string) string) string {
	var b strings.Builder
	at := 0
	for _, m := range nodeID().FindAllStringIndex(text, -1) {
		id, end := text[m[0]:m[1]], m[1]
		title, _ := n.of(id)
		if title == "" || m[0] > 0 && text[m[0]-1] == '/' || strings.HasPrefix(text[end:], "/") {
			continue
		}
		if rest, ok := strings.CutPrefix(text[end:], " ("+title+")"); ok {
			end = len(text) - len(rest)
		}
		b.WriteString(text[at:m[0]] + by(id, title))
		at = end
	}
	return b.String() + text[at:]
}

// withTitles returns a text in which ids of nodes are replaced by their titles and short ids.
func (n names) withTitles(text string) string {
	return n.renamed(text, func(id, title string) string { return title + " (" + n.id(id) + ")" })
}

// shorten puts the short ids into the rows of a tree.
func (n names) shorten(rows []render.TreeRow) []render.TreeRow {
	for i := range rows {
		rows[i].ID = n.id(rows[i].ID)
	}
	return rows
}

// shortWorkspaces returns a function for the short ids of workspaces, as namesOf has for nodes.
func shortWorkspaces(sh *shell, all []ops.WorkspaceHead) func(id string) string {
	return names{long: wholeIDs(sh)}.workspaces(view.Candidates(all, len(all), func(w ops.WorkspaceHead) errs.Candidate {
		return errs.Candidate{ID: w.ID, Title: w.Name}
	}))
}

func (n names) workspaces(all []errs.Candidate) func(id string) string {
	if n.long {
		return whole
	}
	return view.Shorts(all)
}
