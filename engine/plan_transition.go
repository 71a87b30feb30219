package engine

import (
	"context"
	"fmt"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Transition are the arguments of a status change.
type Transition struct {
	Node       mdstore.ID
	Action     statemachine.Action
	Conclusion string // blank: the one that stands in the file counts
	Reason     string // for the log
	Cascade    bool   // reopen completed and cancelled ancestors
}

// Transitioned is what a status change did.
type Transitioned struct {
	*Outcome
	From, To   statemachine.Status
	Conclusion string // as it stands in the file then
	TakesFocus bool   // the node has the workspace's focus now, as that of an action that begins work
	Cascades   []Cascade
	Archived   *Archived // what a completed info_collection node brought into the workspace; nil for others

	concluded *edit // of the node's file, where a conclusion was given
}

// Transition moves a node along its life cycle: status, conclusion, problem, log, focus, ancestors and the archive of rules and documents, all in one
// commit.
func (e *Engine) Transition(ctx context.Context, ws mdstore.ID, t Transition, act Act) (*Transitioned, error) {
	var out *Transitioned
	o, err := e.update(ctx, ws, act, func(d *draft) (err error) {
		out, err = d.transition(t)
		return err
	})
	if err != nil {
		return nil, err
	}
	out.Outcome = o
	if out.concluded != nil && out.concluded.after != nil {
		out.Conclusion = out.concluded.after.Text(mdstore.SecConclusion) // its headings may have moved down
	}
	return out, nil
}

func (d *draft) transition(t Transition) (*Transitioned, error) {
	if err := d.writable(); err != nil {
		return nil, err
	}
	n, err := d.node(t.Node)
	if err != nil {
		return nil, err
	}
	if err := d.match(n.Path, n.Version()); err != nil {
		return nil, err
	}
	if err := oneLine("reason", t.Reason, mdstore.MaxEvent/2); err != nil {
		return nil, err
	}
	up, whole := d.snap.Ancestors(n.ID)
	if !whole {
		return nil, d.loose(n)
	}
	dec, err := statemachine.Decide(statemachine.Standing{Type: n.Type, Status: n.Status}, t.Action, d.snap.facts(n, t.Conclusion))
	if err != nil {
		return nil, mendable(n, named(n, err))
	}
	if err := d.thawed(n.ID, up, t.Cascade); err != nil {
		return nil, err
	}
	if err := d.untaken(n); err != nil {
		return nil, err
	}
	d.turned = n.ID
	if statemachine.TakesChildren(n.Type) && statemachine.Terminal(dec.To) {
		for _, k := range d.snap.kidsOf(n.ID) {
			d.relied(k)
		}
	}
	out := &Transitioned{From: dec.From, To: dec.To, TakesFocus: dec.TakesFocus, Conclusion: n.Conclusion()}
	edit := d.onNode(n)
	if strings.TrimSpace(t.Conclusion) != "" {
		if edit.write(mdstore.SecConclusion, t.Conclusion) {
			edit.did("%s conclusion", n.ID)
		}
		out.Conclusion, out.concluded = t.Conclusion, edit
	}
	if dec.ClearsProblem && !n.Problem().IsZero() {
		edit.write(mdstore.SecProblem, "")
		edit.did("%s problem cleared", n.ID)
	}
	d.step(n, *dec, t.Reason)
	if dec.TakesFocus {
		if err := d.focus(n.ID); err != nil {
			return nil, err
		}
	}
	if frozen := anyFrozen(up); dec.Runs || frozen {
		if out.Cascades, err = d.raise(up, t.Cascade, string(t.Action)+" of "+string(n.ID)); err != nil {
			return nil, err
		}
	}
	if dec.To == statemachine.Completed && n.Role == mdstore.RoleInfoCollection {
		if out.Archived, err = d.archive(n, out.Conclusion); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func anyFrozen(up []*mdstore.Node) bool {
	for _, a := range up {
		if statemachine.Frozen(a.Status) {
			return true
		}
	}
	return false
}

// facts gathers what the state machine asks about a node; conclusion is one that is given with the call.
func (s *Snapshot) facts(n *mdstore.Node, conclusion string) statemachine.Facts {
	f := statemachine.Facts{Conclusion: strings.TrimSpace(conclusion) != "" || n.Conclusion() != ""}
	for _, k := range s.kidsOf(n.ID) {
		if !statemachine.Terminal(k.Status) {
			f.OpenChildren = append(f.OpenChildren, string(k.ID))
		}
	}
	return f
}

// named puts the node before what is refused about it.
func named(n *mdstore.Node, err error) *Error {
	e := AsError(fmt.Errorf("%s (%s): %w", n.ID, n.Title, err))
	e.Details.NodeID = string(n.ID)
	return e
}

// mendable adds to the refusal of a transition which place of the node's file keeps it from any.
func mendable(n *mdstore.Node, e *Error) error {
	why, bad := unplaced(n)
	if !bad {
		return e
	}
	if err := n.Editable(); err != nil { // it says what is wrong with all of the file
		return err
	}
	e.Message += fmt.Sprintf(" before somebody corrects %s:%d by hand", why.File, why.Line)
	e.Details.Problems = []mdoc.Diagnostic{why}
	return e
}

// Archived is what a completed info_collection node brought into its workspace.
type Archived struct {
	Rules []string      `json:"rules"`
	Docs  []mdstore.Ref `json:"docs"`
}

// archive takes what a conclusion lists under headings of rules and of documents into the workspace, none twice.
func (d *draft) archive(n *mdstore.Node, conclusion string) (*Archived, error) {
	out := &Archived{Rules: []string{}, Docs: []mdstore.Ref{}}
	have := map[string]bool{}
	rules := d.snap.ws.Rules()
	for _, r := range rules {
		have[r] = true
	}
	for _, r := range mdoc.ListsUnder(conclusion, "Rules", "规则") {
		r, _, err := mdoc.ItemText(r)
		if err != nil {
			return nil, err
		}
		if !have[r] {
			have[r] = true
			out.Rules = append(out.Rules, r)
		}
	}
	known := map[string]bool{}
	for _, r := range d.snap.ws.Docs() {
		known[r.Target] = true
	}
	for _, item := range mdoc.ListsUnder(conclusion, "Docs", "文档") {
		if r := mdstore.ParseRef(item); r.Target != "" && !known[r.Target] {
			known[r.Target] = true
			out.Docs = append(out.Docs, r)
		}
	}
	if len(out.Rules)+len(out.Docs) == 0 {
		return out, nil
	}
	e := d.onWorkspace()
	for _, r := range out.Rules {
		e.append(mdstore.SecRules, r)
	}
	if len(out.Rules) > 0 {
		e.set(mdstore.KeyRulesHash, mdoc.Text(mdstore.RulesHash(append(rules, out.Rules...))))
		e.did("%s rules + %d", d.snap.ws.ID, len(out.Rules))
	}
	for _, r := range out.Docs {
		item, ok := r.Format()
		if !ok {
			return nil, Fail(InvalidContent, "%s: the document %q of the conclusion cannot be kept as a list item", n.ID, r.Target)
		}
		e.append(mdstore.SecDocs, item)
	}
	if len(out.Docs) > 0 {
		e.did("%s docs + %d", d.snap.ws.ID, len(out.Docs))
	}
	d.log(e, fmt.Sprintf("archived %d rules and %d docs of %s (%s)", len(out.Rules), len(out.Docs), n.ID, n.Title))
	return out, nil
}
