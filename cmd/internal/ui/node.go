package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"arbor/context/render"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// logLines is how many entries of a node's log are shown, the newest first.
const logLines = 30

// A shownNode is the node that the pane of one node shows.
type shownNode struct {
	id      string
	info    ops.NodeInfo
	path    mdstore.Path      // of its file
	titles  map[string]string // of the nodes that it names, by id
	err     error
	stale   bool // it may have changed since
	loading bool
	top     int // the first line that is shown
	tick    int // the criterion of the cursor while boxes are ticked
	tickRow int // its line
}

// A nodeLoaded is a node that was read.
type nodeLoaded struct {
	id     string
	info   ops.NodeInfo
	path   mdstore.Path
	titles map[string]string
	err    error
}

func loadNode(ctx context.Context, env *ops.Env, ws, id string) nodeLoaded {
	l := nodeLoaded{id: id, titles: map[string]string{}}
	out, err := ops.NodeGet(ctx, env, ops.NodeGetIn{In: ops.In{WorkspaceID: ws}, NodeID: id})
	if err != nil {
		l.err = err
		return l
	}
	l.info = out.Node
	v, err := env.In(ctx, ws)
	if err != nil {
		l.err = err
		return l
	}
	up, _ := v.Ancestors(mdstore.ID(id))
	for _, n := range up {
		l.titles[string(n.ID)] = n.Title
	}
	for _, other := range slices.Concat(out.Node.BlockedBy, out.Node.Children) {
		if n, ok := v.Node(mdstore.ID(other)); ok {
			l.titles[other] = n.Title
		}
	}
	own, ok := v.Node(mdstore.ID(id))
	if !ok {
		return l
	}
	l.path = own.Path
	for _, r := range out.Node.References {
		if n, ok := v.Referred(own, r.TargetID); ok {
			l.titles[r.TargetID] = n.Title
		}
	}
	return l
}

// look asks for the node under the cursor, if it is shown and not known.
func (m *Model) look() tea.Cmd {
	id := m.plan.selected()
	shown := slices.ContainsFunc(m.places(), func(p place) bool { return p.pane == nodePane })
	if !shown || id == "" || m.node.loading || id == m.node.id && !m.node.stale {
		return nil
	}
	m.node.loading, m.node.stale = true, false
	env, ws := m.env(), string(m.plan.id)
	return func() tea.Msg { return loadNode(m.ctx, env, ws, id) }
}

// lookAt reads a node before anything else.
func (m *Model) lookAt(id string) error {
	m.node.arrived(loadNode(m.ctx, m.env(), string(m.plan.id), id))
	m.node.stale = false
	return m.node.err
}

func (s *shownNode) arrived(l nodeLoaded) {
	if s.id != l.id {
		s.top = 0
	}
	s.id, s.info, s.path, s.titles, s.err, s.loading = l.id, l.info, l.path, l.titles, l.err, false
}

// nodeLines draws the node: what it is, what it allows, and its texts.
func (m *Model) nodeLines(width int) []string {
	height := m.body()
	if m.node.id == "" {
		return m.block(nil, width, height)
	}
	all := m.nodeText(width - 2)
	if m.prompt != nil && m.prompt.what == promptTick {
		m.node.top = window(m.node.top, m.node.tickRow, height, len(all))
	}
	m.node.top = max(0, min(m.node.top, len(all)-height))
	var lines []string
	for _, l := range all[m.node.top:min(len(all), m.node.top+height)] {
		lines = append(lines, m.line(width, "", append([]span{{" ", ""}}, l...)...))
	}
	return m.block(lines, width, height)
}

// nodeText returns the lines of the node.
func (m *Model) nodeText(width int) (all [][]span) {
	n := &m.node.info
	put := func(text, sgr string) {
		for line := range strings.SplitSeq(strings.TrimRight(render.Wrap(render.VisibleLines(text), width), "\n"), "\n") {
			all = append(all, []span{{line, sgr}})
		}
	}
	part := func(name, text string) {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, nil, []span{{name, bold}})
			put(text, "")
		}
	}
	if m.node.err != nil {
		put(m.node.err.Error(), red)
		return all
	}
	put(n.Title, bold)
	all = append(all, []span{{render.SignOf(n.Status, m.style.ASCII) + " " + string(n.Status), render.ColorOf(n.Status)},
		{"  " + string(n.Type), dim}})
	if marks := n.AllMarks(); len(marks) > 0 {
		put(strings.Join(marks, "  "), dim)
	}
	if up := m.node.titles[n.ParentID]; up != "" {
		put("in "+up, dim)
	}
	if may := m.mayDo(n.Allowed); may != "" {
		put(may, dim)
	}
	for _, d := range n.Diagnostics {
		put(d.Text, red)
	}
	if n.Problem != nil {
		part("Problem", n.Problem.Text)
		part("Next step", n.Problem.NextStep)
	}
	for _, id := range n.BlockedBy {
		put("waits for "+m.node.title(id), yellow)
	}
	for _, q := range n.Questions {
		part("Question", fmt.Sprint(q.Text))
	}
	part("Requirement", n.Requirement)
	all = m.criteria(all, n.Criteria, width)
	part("Conclusion", n.Conclusion)
	part("Note", n.Note)
	for _, s := range n.OwnSections() {
		part(s.Name, s.Text)
	}
	list := func(name string, items []string) { part(name, strings.Join(items, "\n")) }
	var docs, refs, kids, log []string
	for _, d := range n.Docs {
		docs = append(docs, "- "+strings.TrimSuffix(d.Target+": "+d.Description, ": "))
	}
	for _, r := range n.References {
		refs = append(refs, "- "+strings.TrimSuffix(m.node.title(r.TargetID)+": "+r.Description, ": "))
	}
	for _, id := range n.Children {
		kids = append(kids, "- "+m.node.title(id))
	}
	for _, e := range slices.Backward(n.Log) {
		if len(log) < logLines {
			at := e.Time[:min(len(e.Time), len("2006-01-02 15:04"))]
			log = append(log, strings.TrimSpace(at+" "+e.Operator+"  "+e.Event))
		}
	}
	list("Documents", docs)
	list("References", refs)
	list("Below it", kids)
	list("Log", log)
	return all
}

// criteria adds the boxes of a node. While boxes are ticked, one has the cursor.
func (m *Model) criteria(all [][]span, cs []mdstore.Criterion, width int) [][]span {
	if len(cs) == 0 {
		return all
	}
	all = append(all, nil, []span{{"Criteria", bold}})
	for i, c := range cs {
		box, sgr := m.sign("☐ ", "[ ] "), ""
		switch {
		case m.underWay(m.node.id, "tick "+strconv.Itoa(c.N)) != "":
			box, sgr = m.sign("… ", "... "), yellow
		case c.Done:
			box, sgr = m.sign("☑ ", "[x] "), green
		}
		lead := "  "
		if m.prompt != nil && m.prompt.what == promptTick && i == m.node.tick {
			lead, m.node.tickRow, sgr = "> ", len(all), strings.TrimPrefix(sgr+";"+reversed, ";")
		}
		wrapped := strings.TrimRight(render.Wrap(render.VisibleLines(c.Text), width-2-render.Columns(box)), "\n")
		for j, line := range strings.Split(wrapped, "\n") {
			if j > 0 {
				lead, box = "  ", strings.Repeat(" ", render.Columns(box))
			}
			all = append(all, []span{{lead + box + line, sgr}})
		}
	}
	return all
}

func (s *shownNode) title(id string) string {
	if t := s.titles[id]; t != "" {
		return t
	}
	return id
}

// mayDo lists the actions that a node allows, with their keys.
func (m *Model) mayDo(allowed []string) string {
	var all []string
	for _, do := range allowed {
		key := ""
		for k, of := range actionKeys {
			if of == do {
				key = k + " "
			}
		}
		all = append(all, key+do)
	}
	if len(all) == 0 {
		return ""
	}
	return strings.Join(all, m.sign(" · ", ", "))
}
