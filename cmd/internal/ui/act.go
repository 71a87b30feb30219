package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"arbor/engine/errs"
	"arbor/engine/exchange"
	"arbor/engine/ops"
	"arbor/statemachine"
)

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// takes reports whether a node takes new ones below it.
func takes(n *ops.TreeNode) bool {
	return statemachine.TakesChildren(n.Type) && !statemachine.Terminal(n.Status) && !n.Damaged
}

// add begins a new node: with below, below the node under the cursor if it takes one, or else after it.
func (m *Model) add(below bool) tea.Cmd {
	p := &prompt{what: promptAdd, draft: "add", above: root, label: "add:",
		help: "Enter adds a task, Tab a group, Shift+Tab goes one level up, Esc ends"}
	if m.plan.at < len(m.plan.rows) {
		if r := m.plan.rows[m.plan.at]; r.above == nil || below && takes(r.TreeNode) {
			p.above = r.ID
			delete(m.plan.folded, r.ID)
			m.plan.flatten()
		} else {
			p.above, p.after = r.above.ID, r.ID
		}
	}
	p.set(m.drafts["add"])
	m.prompt, m.focus = p, outlinePane
	return nil
}

// rename begins a new title for the node under the cursor.
func (m *Model) rename() tea.Cmd {
	id := m.plan.selected()
	if id == "" {
		return nil
	}
	p := &prompt{what: promptRename, draft: "rename " + id, node: id, label: "rename:", help: "Enter saves, Esc leaves"}
	if p.set(m.plan.rows[m.plan.at].Title); m.drafts[p.draft] != "" {
		p.set(m.drafts[p.draft])
	}
	m.prompt, m.focus = p, outlinePane
	return nil
}

// enter saves what was typed.
func (m *Model) enter() tea.Cmd {
	p := m.prompt
	switch p.what {
	case promptFilter:
		if m.wrong != "" {
			return nil
		}
		m.filter, m.prompt = p.text(), nil
		return nil
	case promptAdd:
		return m.create(statemachine.Execution)
	case promptRename:
		if r := m.plan.row(p.node); r >= 0 && m.plan.rows[r].Title == p.text() {
			m.prompt = nil
			delete(m.drafts, p.draft)
			return nil
		}
		m.prompt = nil
		title := p.text()
		return m.perform(change{
			word: "rename", nodes: []string{p.node}, said: "renamed: " + p.text(),
			op: "node_update", in: &ops.NodeUpdateIn{In: m.in(), NodeID: p.node, Title: &title},
			then: func(any) { m.saved(p) }, back: func(*errs.Error) tea.Cmd { m.giveBack(p); return nil },
		})
	}
	return m.perform(m.transition(p, false))
}

// create makes the node that was typed, and goes on after it, or below it if it takes nodes. Without a title it ends.
func (m *Model) create(kind statemachine.Type) tea.Cmd {
	p := m.prompt
	if strings.TrimSpace(p.text()) == "" {
		return m.leave()
	}
	in := ops.NodeCreateIn{In: m.in(), ParentID: p.above, After: p.after, Title: p.text(), Type: string(kind),
		RulesRead: true}
	p.saving = true
	return m.perform(change{
		word: "add", said: "added: " + p.text(),
		op: "node_create", in: &in,
		then: func(out any) {
			m.saved(p)
			p.saving = false
			id := out.(*ops.NodeCreateOut).NodeID
			if p.set(""); kind == statemachine.Planning {
				p.above, p.after = id, ""
			} else {
				p.after = id
			}
			m.plan.reveal(id)
		},
		back: func(*errs.Error) tea.Cmd { m.giveBack(p); return nil },
	})
}

// indent makes what was typed a group and goes on below it. Without a title the new node moves into the group before
// it.
func (m *Model) indent() tea.Cmd {
	p := m.prompt
	if strings.TrimSpace(p.text()) != "" {
		return m.create(statemachine.Planning)
	}
	if i := m.plan.row(p.after); i >= 0 && takes(m.plan.rows[i].TreeNode) {
		p.above, p.after = p.after, ""
	}
	return nil
}

// outdent moves the new node one level up, behind its parent.
func (m *Model) outdent() tea.Cmd {
	p := m.prompt
	if i := m.plan.row(p.above); i >= 0 && m.plan.rows[i].above != nil {
		p.above, p.after = m.plan.rows[i].above.ID, p.above
	}
	return nil
}

// pasted puts a pasted text into the prompt. Several lines in place of a title become nodes, as on the page.
func (m *Model) pasted(text string) tea.Cmd {
	p := m.prompt
	switch {
	case p.what == promptTick || p.what == promptPick:
		return nil
	case p.what != promptAdd || !strings.Contains(strings.TrimSpace(text), "\n"):
		if p.what != promptText {
			text = strings.Join(strings.Fields(text), " ")
		}
		if p.insert(text); p.what == promptFilter {
			return m.reload()
		}
		return nil
	}
	whole := p.text() + text
	read := func(string) ([]byte, error) { return []byte(whole), nil }
	in := &ops.ImportIn{In: m.in(), Path: "-", From: "markdown", Into: p.above, RulesRead: true,
		Source: exchange.Source{Read: read}}
	p.saving = true
	return m.perform(change{
		word: "add", said: "added what you pasted",
		op: "import", in: in,
		then: func(any) { m.saved(p); p.set(""); p.after, p.saving = "", false },
		back: func(*errs.Error) tea.Cmd { p.insert(text); m.giveBack(p); return nil },
	})
}

// chosen says that nodes need not be chosen any longer.
func (m *Model) chosen(done []string) {
	for _, id := range done {
		delete(m.selected, id)
	}
}

// needsText reports whether an action asks for a conclusion.
func needsText(do string) bool {
	return do == string(statemachine.Drop) || slices.ContainsFunc(statemachine.Rules(), func(r statemachine.Rule) bool {
		return string(r.Do) == do && r.Need&statemachine.NeedConclusion != 0
	})
}

// act does an action with the nodes that are meant now.
func (m *Model) act(do string) tea.Cmd {
	first, more, title := m.targets()
	if first == "" {
		return nil
	}
	return m.actOn(do, first, more, title)
}

// actOn does an action with nodes, and asks for the conclusion first if the action needs one.
func (m *Model) actOn(do, first string, more []string, title string) tea.Cmd {
	p := &prompt{what: promptText, do: do, node: first, more: more, title: title, draft: do + " " + first,
		label: do + " " + title + ":", help: "the conclusion; Enter saves, Ctrl+E opens your editor, Esc leaves"}
	if m.w < oneBelow {
		p.label = do + ":"
	}
	if !needsText(do) {
		if m.again(do, append(more, first)...) {
			return nil
		}
		return m.perform(m.transition(p, false))
	}
	p.set(m.drafts[p.draft])
	m.prompt = p
	return nil
}

// transition is the action of a prompt as a change.
func (m *Model) transition(p *prompt, force bool) change {
	asked := m.prompt == p
	in := ops.NodeTransitionIn{In: m.in(), NodeID: p.node, Several: ops.Several{Nodes: p.more}, Action: p.do,
		Conclusion: strings.TrimSpace(p.text()), Force: force, Begin: p.do == string(statemachine.Complete)}
	m.prompt = nil
	nodes := append([]string{p.node}, p.more...)
	return change{
		word: p.do, nodes: nodes,
		op: "node_transition", in: &in,
		then: func(out any) {
			m.saved(p)
			m.chosen(nodes)
			moved := out.(*ops.NodeTransitionOut)
			said := moved.CurrentStatus + ": " + p.title
			if moved.Next != nil {
				said += "; next: " + moved.Next.Title
			}
			m.say(said)
		},
		back: func(e *errs.Error) tea.Cmd {
			p.force = e.Code == errs.CriteriaOpen || e.Code == errs.DependenciesOpen
			m.said = openBoxes(e, m.said)
			if (asked || p.force) && m.giveBack(p) && p.force {
				p.help = "Ctrl+O does it anyway; Enter tries again, Esc leaves"
				m.said = "Ctrl+O does it anyway; " + m.said
			}
			return nil
		},
	}
}

// openBoxes says which criteria keep a node open, and how to tick them here; otherwise it returns the message as it is.
func openBoxes(e *errs.Error, message string) string {
	if e.Code != errs.CriteriaOpen || e.Details == nil || len(e.Details.Criteria) == 0 {
		return message
	}
	var all []string
	for _, c := range e.Details.Criteria {
		if !c.Done {
			all = append(all, c.Text)
		}
	}
	return "open criteria: " + strings.Join(all, "; ") + " (Esc, then t ticks them)"
}

// offer asks which of the actions that the node allows is meant.
func (m *Model) offer() tea.Cmd {
	first, more, title := m.targets()
	if first == "" {
		return nil
	}
	if err := m.lookAt(first); err != nil {
		m.fail(err)
		return nil
	}
	p := &prompt{what: promptPick, label: title + ":", picks: map[string]func() tea.Cmd{}}
	for i, do := range m.node.info.Allowed {
		p.label += fmt.Sprintf("  %d %s", i+1, do)
		p.picks[strconv.Itoa(i+1)] = func() tea.Cmd { return m.actOn(do, first, more, title) }
	}
	if len(p.picks) == 0 {
		m.say(title + " allows no action now")
		return nil
	}
	m.prompt = p
	return nil
}

// remove asks whether the nodes that are meant are to be deleted.
func (m *Model) remove() tea.Cmd {
	first, more, what := m.targets()
	if first == "" {
		return nil
	}
	in := ops.NodeDeleteIn{In: m.in(), NodeID: first, Several: ops.Several{Nodes: more}}
	m.prompt = &prompt{what: promptPick, label: "delete " + what + " and all below?  y deletes, any other key does not"}
	nodes := append([]string{first}, more...)
	m.prompt.picks = map[string]func() tea.Cmd{"y": func() tea.Cmd {
		return m.perform(change{
			word: "delete", nodes: nodes, shifts: true, said: "deleted: " + what + "; u brings it back",
			op: "node_delete", in: &in,
			then: func(any) { m.chosen(nodes) },
		})
	}}
	return nil
}

// move moves the nodes that are meant: up or down among their siblings, into the sibling before them, or out of their
// parent. The place follows from the plan as it is when the changes before are done.
func (m *Model) move(where string) tea.Cmd {
	first, more, what := m.targets()
	if first == "" {
		return nil
	}
	return m.perform(change{
		word: "move", nodes: append([]string{first}, more...), along: first, shifts: true,
		said: "moved: " + what, op: "node_move",
		ready: func(c *change) bool {
			in := m.moved(where, first, more)
			if in == nil {
				m.say(what + " cannot go further " + where)
				return false
			}
			c.in = in
			return true
		},
	})
}

// moved returns the move of a node and those behind it; nil if there is no such place.
func (m *Model) moved(where, first string, more []string) *ops.NodeMoveIn {
	if m.plan.row(first) < 0 && !m.plan.reveal(first) {
		return nil
	}
	r := m.plan.rows[m.plan.row(first)]
	if r.above == nil {
		return nil // the root
	}
	siblings := r.above.Children
	last := r.place
	for last+1 < len(siblings) && slices.Contains(more, siblings[last+1].ID) {
		last++
	}
	in := ops.NodeMoveIn{In: m.in(), NodeID: first, Several: ops.Several{Nodes: more}, NewParentID: r.above.ID}
	switch {
	case where == "up" && r.place > 0:
		in.Before = siblings[r.place-1].ID
	case where == "down" && last+1 < len(siblings):
		in.After = siblings[last+1].ID
	case where == "in" && r.place > 0:
		in.NewParentID = siblings[r.place-1].ID
	case where == "out" && m.plan.row(r.above.ID) >= 0 && m.plan.rows[m.plan.row(r.above.ID)].above != nil:
		in.NewParentID, in.After = m.plan.rows[m.plan.row(r.above.ID)].above.ID, r.above.ID
	default:
		return nil
	}
	return &in
}
