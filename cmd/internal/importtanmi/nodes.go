package importtanmi

import (
	"math"
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// nodes takes over the nodes of the graph and of the folders that it does not know, and all that hangs on them: memos, references, focus.
func (w *workspace) nodes(g *graph, folders *nodeFolders, rootKey string) {
	for _, n := range folders.nodes {
		settleTimes(n, folders.of[n])
	}
	t := w.plant(folders.nodes, rootKey)
	memos := w.memos(g.memos)
	w.imp.Nodes = make([]engine.ImportNode, 0, len(t.order))
	for _, n := range t.order {
		w.imp.Nodes = append(w.imp.Nodes, w.node(w.gather(n, folders.of[n]), t, memos))
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

// A source is what the graph and the folders say of one node.
type source struct {
	*graphNode
	in      *info  // of the node's own folder; empty without Info.md
	file    string // what warnings speak of: Info.md, or graph.json without it
	has     bool   // there is an Info.md
	log     []mdstore.LogEntry
	problem mdstore.Problem
	more    []string // text of further folders, for the note
}

// gather reads the folders of a node: its own, and leftovers that belong to it.
func (w *workspace) gather(n *graphNode, folders []*nodeFolder) *source {
	s := &source{graphNode: n, in: &info{}, file: w.dir.at(graphJSON)}
	text := ""
	for _, f := range folders {
		switch {
		case f.info == nil:
		case !s.has:
			s.in, s.has, s.file, text = f.info, true, f.dir.at(infoMD), f.text
		case trimBlank(f.text) != trimBlank(text):
			s.more = append(s.more, under(infoMD+" of "+oneLine(f.name, 80), fenced("markdown", trimBlank(f.text))))
			w.rep.warn(f.dir.at(infoMD), "is a second file of node %s: kept in the note", n.key)
		}
		s.log = mergeLogs(s.log, f.log)
		if s.problem.IsZero() {
			s.problem = f.problem
		} else if !f.problem.IsZero() && f.problem != s.problem {
			s.more = append(s.more, under(problemMD+" of "+oneLine(f.name, 80), paragraphs(f.problem.Text, under(mdstore.NextStep, f.problem.NextStep))))
			w.rep.warn(f.dir.at(problemMD), "is a second file of node %s: kept in the note", n.key)
		}
	}
	if !s.has {
		w.rep.warn(s.file, "node %s has no %s: what stands here is all there is of it", quote(n.key), infoMD)
	}
	w.utc(s.log)
	return s
}

// node makes a node of its sources.
func (w *workspace) node(s *source, t *tree, memos map[string]mdstore.Ref) engine.ImportNode {
	out := engine.ImportNode{
		ID: t.ids[s.key], Order: math.NaN(), Isolated: s.isolated, CreatedAt: s.createdAt, UpdatedAt: s.updatedAt,
		Requirement: paragraphs(s.in.requirement, s.in.acceptance(s.criteria)), Conclusion: w.conclusion(s), Log: s.log, Problem: s.problem,
	}
	if s.graphNode != t.root {
		out.Parent = t.ids[t.parent[s.graphNode].key]
		out.Order = t.place[s.graphNode]
	}
	note := []string{s.in.note, s.in.more}
	if s.in.more != "" {
		w.rep.warn(s.file, "holds text that has no place of its own: kept in the note")
	}
	note = append(note, s.more...)
	full := ""
	if out.Title, full = title(w.titleOf(s, s.graphNode == t.root), string(out.ID)); full != "" {
		note = append(note, under("Title", full))
		w.rep.warn(s.file, "the title does not fit on a line of %d characters: it is shortened, and whole in the note", maxName)
	}
	w.state(&out, s)
	note = append(note, w.references(&out, s, t, memos)...)
	if fields := w.fields(s); fields != "" {
		note = append(note, under("Imported fields", fenced("yaml", fields)))
	}
	out.Note = paragraphs(note...)
	return out
}

// titleOf returns a node's title: only Info.md and, in another spelling, the name of the folder hold it.
func (w *workspace) titleOf(s *source, root bool) string {
	switch {
	case s.in.title != "":
		return s.in.title
	case root:
		return w.imp.Name
	case s.dirName != "" && s.dirName != s.key:
		return withoutSuffix(s.dirName)
	}
	return s.key
}

// conclusion settles the conclusion. The graph's counts; where Info.md has another one, both are kept.
func (w *workspace) conclusion(s *source) string {
	a, b := s.conclusion, s.in.conclusion
	switch flat := squeeze(strings.ReplaceAll(a, `\n`, "\n")); {
	case b == "" || a == b || flat == squeeze(b) || squeeze(a) == squeeze(b):
		return a
	case a == "" && s.orphan:
		return b
	case a == "":
		w.rep.warn(s.file, "the conclusion stands only here and not in graph.json: taken over")
		return b
	case strings.Contains(b, a):
		w.rep.warn(s.file, "the conclusion is longer here than in graph.json: this one is taken over")
		return b
	case strings.Contains(a, b):
		w.rep.warn(s.file, "the conclusion is shorter here than in graph.json: that one is taken over")
		return a
	}
	w.rep.warn(s.file, "the conclusion differs from the one in graph.json: both are kept")
	return paragraphs(a, under("Conclusion in "+infoMD, b))
}

// fields returns what Arbor has no place for, as YAML.
func (w *workspace) fields(s *source) string {
	note := func(key string) {
		if w.odd[key] == nil {
			w.oddKeys = append(w.oddKeys, key)
		}
		w.odd[key] = append(w.odd[key], s.key)
	}
	for _, m := range s.rest {
		if !m.said {
			note(m.key)
		}
	}
	if s.in.fields != "" {
		note("front matter")
	}
	return strings.TrimSpace(s.in.fields + "\n" + yamlMembers(s.rest))
}
