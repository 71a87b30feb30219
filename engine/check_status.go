package engine

import (
	"slices"

	"arbor/mdstore"
	"arbor/statemachine"
)

// status audits a status that somebody may have written by hand. Nothing is undone: what stands is named.
func (c *checker) status(n *mdstore.Node) {
	if len(n.Problems) > 0 {
		return
	}
	c.unlogged(n)
	facts, kids := c.s.facts(n, ""), c.s.kidsOf(n.ID)
	if len(kids) > 0 && !c.owns(n) {
		facts.OpenChildren, kids = nil, nil
	}
	for _, r := range statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, "", facts) {
		c.field(n.Doc(), mdstore.KeyStatus, string(r.Code), repair{}, "%s; %s", r.Text, remedies[r.Code])
	}
	// A reopened node is in planning with the children it had; one that never started has none.
	if len(kids) > 0 && statemachine.TakesChildren(n.Type) && n.Status == statemachine.Initial(n.Type) {
		c.field(n.Doc(), mdstore.KeyStatus, string(statemachine.CodeStatusUnreachable), c.on(n, "move it to "+string(statemachine.Monitoring), func(d *draft, _ *edit) error {
			_, err := d.raise([]*mdstore.Node{n}, false, "mended: it has children")
			return err
		}), "status is %s, but the node has children (%s); it is %s from the first of them on", n.Status, kids[0].ID, statemachine.Monitoring)
	}
}

// owns reports whether the children that name an id hang below this one of the files with that id.
func (c *checker) owns(n *mdstore.Node) bool {
	same := c.s.Files(n.ID)
	if len(same) == 1 {
		return true
	}
	if orig := c.s.original(n.ID); orig != nil {
		return n == orig
	}
	return n == same[0]
}

// remedies are what a person does about what the table says of a status.
var remedies = map[statemachine.Code]string{
	statemachine.CodeConclusionMissing: "write one",
	statemachine.CodeChildrenOpen:      "finish what is open, or reopen this node",
	statemachine.CodeStatusUnreachable: "write another status",
	statemachine.CodeInvalidNodeType:   "write another type",
}

// unlogged reports a status to which no single action leads from the last one in the log. A node whose log tells of none is not judged.
func (c *checker) unlogged(n *mdstore.Node) {
	was, why, strange := strangeStatus(n)
	if !strange {
		return
	}
	led := "the log's last transition led to " + string(was.To)
	if was.By == byCreation {
		led = "the log knows of no transition since the node was created"
	}
	c.field(n.Doc(), mdstore.KeyStatus, string(statemachine.CodeStatusUnreachable), c.on(n, "record it in the log", func(d *draft, e *edit) error {
		d.log(e, logged{By: byHand, From: was.To, To: n.Status}.String())
		e.did("%s status %s recorded", n.ID, n.Status)
		return nil
	}), "status is %s, but %s, and %s", n.Status, led, why)
}

// strangeStatus returns the last change of its status that the log of a node tells, and why its status cannot follow.
func strangeStatus(n *mdstore.Node) (was logged, why string, strange bool) {
	last := lastLogged(n)
	if len(last) == 0 {
		return logged{}, "", false
	}
	for _, l := range slices.Backward(last) {
		if l.To == n.Status {
			return logged{}, "", false
		}
		audit := statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, l.To, statemachine.Facts{})
		i := slices.IndexFunc(audit, func(r statemachine.Refusal) bool { return r.Code == statemachine.CodeStatusUnreachable })
		if i < 0 {
			return logged{}, "", false
		}
		why = audit[i].Text
	}
	return last[0], why, true
}
