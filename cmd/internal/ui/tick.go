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
		if m.node.tick >= len(boxes) {
			return nil
		}
		box := boxes[m.node.tick]
		in := ops.NodeUpdateIn{In: m.in(), NodeID: m.node.id, Match: ops.Match{IfMatch: m.node.info.Version}}
		said := "ticked: " + box.Text
		if n := []string{strconv.Itoa(box.N)}; box.Done {
			in.Unchecked, said = n, "no longer ticked: "+box.Text
		} else {
			in.Checked = n
		}
		again := func() {
			if err := m.lookAt(m.plan.selected()); err != nil {
				m.fail(err)
			}
		}
		return m.perform(change{
			said: said,
			op:   "node_update", in: &in,
			then: func(any) { again() },
			back: func(e *errs.Error) tea.Cmd {
				again()
				at, now := m.node.tick, m.node.info.Criteria
				if e.Code == errs.Conflicting && at < len(now) && now[at].Text == box.Text && now[at].Done == box.Done {
					return m.tick(key) // something else in the file changed
				}
				return nil
			},
		})
	default:
		m.prompt, m.focus = nil, outlinePane
	}
	return nil
}
