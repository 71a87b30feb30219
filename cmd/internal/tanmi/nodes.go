package tanmi

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/statemachine"
)

// nodes takes over the nodes of the graph and of the folders that it does not know, and all that hangs on them: memos, references, focus.
func (w *workspace) nodes(g *graph, rootKey string) {
	folders := w.nodeFolders(g)
	for _, n := range folders.nodes {
		settleTimes(n, folders.of[n])
	}
	t := w.plant(folders.nodes, rootKey)
	memos := w.memos(g.memos)
	w.imp.Nodes = make([]engine.ImportNode, 0, len(t.order))
	for _, n := range t.order {
		w.imp.Nodes = append(w.imp.Nodes, w.node(n, folders.of[n], t, memos))
	}
	root := &w.imp.Nodes[0]
	root.Note = paragraphs(append([]string{root.Note}, w.rootNote...)...)
	if g.focus == "" {
		return
	}
	if id, ok := t.ids[g.focus]; ok {
		w.imp.Focus = id
	} else {
		w.rep.warn(w.dir.at(graphJSON), "the focus is on %s, which does not exist: there is none now", quote(g.focus))
	}
}

// node makes a node of what the graph and the folders say of it. folders[0] is its own; others are leftovers that belong to it.
func (w *workspace) node(n *graphNode, folders []*nodeFolder, t *tree, memos map[string]mdstore.Ref) engine.ImportNode {
	in := &info{}
	file := w.dir.at(graphJSON) // what warnings speak of
	has, ownText := false, ""
	out := engine.ImportNode{ID: t.ids[n.key], Order: math.NaN(), Isolated: n.isolated, CreatedAt: n.createdAt, UpdatedAt: n.updatedAt}
	var note []string
	for _, f := range folders {
		switch {
		case f.info != nil && !has:
			in, has, file, ownText = f.info, true, f.dir.at(infoMD), f.text
		case f.info != nil:
			if text := trimBlank(f.text); text != trimBlank(ownText) {
				note = append(note, under(infoMD+" of "+oneLine(f.name, 80), fenced("markdown", text)))
				w.rep.warn(f.dir.at(infoMD), "is a second file of node %s: kept in the note", n.key)
			}
		}
		out.Log = mergeLogs(out.Log, f.log)
		if out.Problem.IsZero() {
			out.Problem = f.problem
		} else if !f.problem.IsZero() && f.problem != out.Problem {
			note = append(note, under(problemMD+" of "+oneLine(f.name, 80), f.problem.Body()))
		}
	}
	if !has {
		w.rep.warn(file, "node %s has no %s: what stands here is all there is of it", quote(n.key), infoMD)
	}
	w.utc(out.Log)
	if n != t.root {
		out.Parent = t.ids[t.parent[n].key]
		out.Order = t.place[n]
	}
	full := ""
	if out.Title, full = title(w.titleOf(n, in, n == t.root), string(out.ID)); full != "" {
		note = append(note, under("Title", full))
		w.rep.warn(file, "the title does not fit on a line of %d characters: it is shortened, and whole in the note", maxName)
	}
	w.state(&out, n, in, file)
	out.Requirement = paragraphs(in.requirement, in.acceptance(n.criteria))
	out.Conclusion = w.conclusion(n, in, file)
	note = append([]string{in.note, in.more}, note...)
	if in.more != "" {
		w.rep.warn(file, "holds text that has no place of its own: kept in the note")
	}
	note = append(note, w.references(&out, n, in, t, memos, file)...)
	if fields := w.fields(n, in); fields != "" {
		note = append(note, under("Imported fields", fenced("yaml", fields)))
	}
	out.Note = paragraphs(note...)
	return out
}

// titleOf returns a node's title: only Info.md and, in another spelling, the name of the folder hold it.
func (w *workspace) titleOf(n *graphNode, in *info, root bool) string {
	switch {
	case in.title != "":
		return in.title
	case root:
		return w.imp.Name
	case n.dirName != "" && n.dirName != n.key:
		return withoutSuffix(n.dirName)
	}
	return n.key
}

// state settles type, status and role.
func (w *workspace) state(out *engine.ImportNode, n *graphNode, in *info, file string) {
	kind := n.kind
	if kind == "" {
		kind = in.kind
	}
	out.Type, out.Status = statemachine.Type(kind), statemachine.Status(n.status)
	if !slices.Contains(statemachine.Types(), out.Type) {
		if kind != "" {
			n.rest = append(n.rest, member{key: "type", raw: []byte(jsonText(kind)), said: true})
		}
		out.Type = statemachine.Execution
		if out.ID == mdstore.Root || len(n.children) > 0 {
			out.Type = statemachine.Planning
		}
		w.rep.warn(file, "the type of node %s is %s: taken as %s, by its place in the tree", quote(n.key), orMissing(kind), out.Type)
		if out.Type == statemachine.Planning && n.status == "implementing" { // as the original does with its oldest files
			n.status, in.status = string(statemachine.InPlanning), ""
			if len(n.children) > 0 {
				n.status = string(statemachine.Monitoring)
			}
			out.Status = statemachine.Status(n.status)
		}
	}
	switch {
	case n.status == "" && in.status != "":
		out.Status = statemachine.Status(in.status)
	case n.status == "":
		out.Status = statemachine.Initial(out.Type)
		w.rep.warn(file, "node %s has no status: taken as %s", quote(n.key), out.Status)
	case in.status != "" && in.status != n.status:
		w.rep.warn(file, "the status is %s here and %s in graph.json, which counts", quote(in.status), quote(n.status))
	}
	if !statemachine.Valid(out.Type, out.Status) {
		w.rep.warn(file, "%s is no status of a node of type %s: kept as it is", quote(string(out.Status)), out.Type)
	}
	r, ok := role(n.role)
	if out.Role = r; !ok {
		out.Role = mdstore.RoleNone
		n.rest = append(n.rest, member{key: "role", raw: []byte(jsonText(n.role))})
	}
}

func orMissing(s string) string {
	if s == "" {
		return "missing"
	}
	return quote(s)
}

// settleTimes fills in the times that the graph lacks: from Info.md, or from the id, which holds the time of creation.
func settleTimes(n *graphNode, folders []*nodeFolder) {
	for _, f := range folders {
		if f.info != nil {
			n.createdAt = cmp.Or(n.createdAt, f.info.createdAt)
			n.updatedAt = cmp.Or(n.updatedAt, f.info.updatedAt)
		}
	}
	n.createdAt = cmp.Or(n.createdAt, idTime(n.key))
	n.updatedAt = max(n.updatedAt, n.createdAt)
}

// conclusion settles the conclusion. The graph's counts; where Info.md has another one, both are kept.
func (w *workspace) conclusion(n *graphNode, in *info, file string) string {
	a, b := n.conclusion, in.conclusion
	switch flat := squeeze(strings.ReplaceAll(a, `\n`, "\n")); {
	case b == "" || a == b || flat == squeeze(b) || squeeze(a) == squeeze(b):
		return a
	case a == "" && n.orphan:
		return b
	case a == "":
		w.rep.warn(file, "the conclusion stands only here and not in graph.json: taken over")
		return b
	case strings.Contains(b, a):
		w.rep.warn(file, "the conclusion is longer here than in graph.json: this one is taken over")
		return b
	case strings.Contains(a, b):
		w.rep.warn(file, "the conclusion is shorter here than in graph.json: that one is taken over")
		return a
	}
	w.rep.warn(file, "the conclusion differs from the one in graph.json: both are kept")
	return paragraphs(a, under("Conclusion in "+infoMD, b))
}

// fields returns what Arbor has no place for, as YAML.
func (w *workspace) fields(n *graphNode, in *info) string {
	for _, m := range n.rest {
		if m.said {
			continue
		}
		if w.odd[m.key] == nil {
			w.oddKeys = append(w.oddKeys, m.key)
		}
		w.odd[m.key] = append(w.odd[m.key], n.key)
	}
	s := yamlMembers(n.rest)
	if in.fields != "" {
		const label = "front matter"
		if w.odd[label] == nil {
			w.oddKeys = append(w.oddKeys, label)
		}
		w.odd[label] = append(w.odd[label], n.key)
		s = in.fields + "\n" + s
	}
	return strings.TrimSpace(s)
}
