package ui

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// ticking shows the criteria of the node to tick them.
func (m *Model) ticking() tea.Cmd {
	if m.plan.selected() == "" {
		return nil
	}
	if err := m.lookAt(m.plan.selected()); err != nil {
		m.fail(err)
		return nil
	}
	boxes := m.node.info.Criteria
	if len(boxes) == 0 {
		m.say(m.node.info.Title + " has no criteria; e opens its file to write some")
		return nil
	}
	m.focus, m.aside = nodePane, nodePane
	m.node.tick = max(0, slices.IndexFunc(boxes, func(c mdstore.Criterion) bool { return !c.Done }))
	m.prompt = &prompt{what: promptTick, label: "criteria:", help: "↓ ↑ go, Space ticks, Esc ends", node: m.node.id}
	return nil
}

// tick answers a key while criteria are ticked.
func (m *Model) tick(key string) tea.Cmd {
	boxes := m.node.info.Criteria
	if m.node.id != m.prompt.node {
		m.prompt, m.focus = nil, outlinePane
		m.say("the node is gone")
		return nil
	}
	switch key {
	case "down", "j":
		m.node.tick = min(m.node.tick+1, len(boxes)-1)
	case "up", "k":
		m.node.tick = max(m.node.tick-1, 0)
	case "space", "x", "t", "enter":
		return m.tickAt(m.node.id, m.node.tick)
	default:
		m.prompt, m.focus = nil, outlinePane
	}
	return nil
}

// tickAt ticks the criterion at a place of a node, or no longer.
func (m *Model) tickAt(id string, at int) tea.Cmd {
	if at >= len(m.node.info.Criteria) {
		return nil
	}
	box := m.node.info.Criteria[at]
	word := "tick " + strconv.Itoa(box.N)
	if m.again(word, id) {
		return nil
	}
	// same reports whether the place still has the criterion as the person saw it.
	same := func() bool {
		if m.node.id != id || m.node.stale {
			if err := m.lookAt(id); err != nil {
				m.fail(err)
				return false
			}
		}
		now := m.node.info.Criteria
		return at < len(now) && now[at].Text == box.Text && now[at].Done == box.Done
	}
	fresh := func() {
		if err := m.lookAt(m.plan.selected()); err != nil {
			m.fail(err)
		}
	}
	said := "ticked: " + box.Text
	if box.Done {
		said = "no longer ticked: " + box.Text
	}
	return m.perform(change{
		word: word, nodes: []string{id}, said: said, op: "node_update",
		ready: func(c *change) bool {
			if !same() {
				return false
			}
			in := ops.NodeUpdateIn{In: m.in(), NodeID: id, Match: ops.Match{IfMatch: m.node.info.Version}}
			if n := []string{strconv.Itoa(box.N)}; box.Done {
				in.Unchecked = n
			} else {
				in.Checked = n
			}
			c.in = &in
			return true
		},
		then: func(any) { fresh() },
		back: func(e *errs.Error) tea.Cmd {
			fresh()
			if e.Code == errs.Conflicting && same() {
				return m.tickAt(id, at) // something else in the file changed
			}
			return nil
		},
	})
}
