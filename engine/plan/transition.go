package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Transition are the arguments of a status change.
type Transition struct {
	Node       mdstore.ID
	Action     statemachine.Action
	Conclusion string    // if blank, the conclusion in the file counts
	Reason     string    // for the line in the log
	Log        string    // an entry of its own before that line; "" for none
	Cascade    bool      // reopen completed and cancelled ancestors
	Begin      bool      // Complete starts a pending execution node first
	Force      bool      // take the step though guards object; the log says so
	Verified   *Verified // for Complete: the tools in its verify have passed; nil if it has none
	Ticks                // ticks of its criteria, before the step
}

// Transitioned is the result of a status change.
type Transitioned struct {
	From, To   statemachine.Status
	Conclusion string // in the file afterwards
	TakesFocus bool   // the caller's focus moves to the node, because the action begins work
	Cascades   []Cascade
	Archived   *Archived // what a completed info_collection node added to the workspace; nil for other nodes
}

// Plan moves a node along its life cycle: status, conclusion, problem, log, ancestors and the archive of rules and
// documents, all in one commit. An action of several steps (statemachine.Steps) takes all of them. The reason of a Drop
// without a conclusion is its conclusion.
func (t Transition) Plan(d *Draft) (*Transitioned, error) {
	n, _, err := d.editNode(t.Node)
	if err != nil {
		return nil, err
	}
	if t.Action == statemachine.Drop && strings.TrimSpace(t.Conclusion) == "" {
		t.Conclusion, t.Reason = t.Reason, ""
	}
	at := statemachine.Standing{Type: n.Type, Status: d.StatusOf(n)}
	steps := statemachine.Steps(at, t.Action, t.Begin)
	if t.Action == statemachine.Drop && len(steps) > 0 && !d.facts(n, t.Conclusion).Conclusion {
		return nil, named(n, &statemachine.RefusedError{Standing: at, Do: t.Action, Unmet: []statemachine.Refusal{{
			Code: statemachine.CodeConclusionRequired, Text: "conclusion missing, which says why; reason does, too"}},
			Allowed: []statemachine.Action{t.Action}})
	}
	if len(steps) < 2 {
		return t.take(d, append(steps, t.Action)[0])
	}
	first := t
	first.Conclusion, first.Reason, first.Log, first.Ticks = "", "", "", Ticks{}
	begun, err := first.take(d, steps[0])
	if err != nil {
		return nil, err
	}
	t.Cascade = false // the first step has reopened the ancestors already
	out, err := t.take(d, steps[1])
	if err != nil {
		return nil, err
	}
	out.From, out.Cascades = begun.From, begun.Cascades
	return out, nil
}

// take takes one step along the life cycle.
func (t Transition) take(d *Draft, step statemachine.Action) (*Transitioned, error) {
	n, edit, err := d.editNode(t.Node)
	if err != nil {
		return nil, err
	}
	if err := oneLine("reason", t.Reason, mdstore.MaxEvent/2); err != nil {
		return nil, err
	}
	if t.Log != "" {
		if err := loggable(string(n.ID), "log", t.Log); err != nil {
			return nil, err
		}
	}
	up, whole := d.View.Ancestors(n.ID)
	if !whole {
		return nil, d.loose(n)
	}
	at := statemachine.Standing{Type: n.Type, Status: d.StatusOf(n)}
	dec, err := statemachine.Decide(at, step, d.facts(n, t.Conclusion))
	if err != nil {
		return nil, mendable(n, named(n, d.offered(n, err)))
	}
	if err := d.thawed(n.ID, up, t.Cascade); err != nil {
		return nil, err
	}
	if d.criteria[n.ID], err = d.tick(n, edit, t.Ticks); err != nil {
		return nil, err
	}
	if step == statemachine.Complete {
		for _, q := range n.OpenQuestions() {
			d.warn("its question stays unanswered: %s", q.Text)
		}
	}
	reason := t.Reason
	if t.Action != statemachine.Drop {
		if err := d.guarded(n, step); err != nil && !t.Force {
			return nil, err
		}
		unverified, err := t.verified(d, n, edit, step)
		if err != nil {
			return nil, err
		}
		reason = strings.Join(slices.DeleteFunc(append([]string{reason, unverified}, d.forced(n, step)...),
			func(s string) bool { return s == "" }), "; ")
	}
	told, err := d.opt.Claimed(n)
	if err != nil {
		return nil, err
	}
	if told != "" && !slices.Contains(d.warnings, told) {
		d.warnings = append(d.warnings, told)
	}
	d.Advanced[n.ID] = true
	if statemachine.TakesChildren(n.Type) && statemachine.Terminal(dec.To) {
		if err := d.View.Unread(); err != nil { // it may be an open child
			return nil, err
		}
		for _, k := range d.View.Below(n.ID) {
			d.Rely(k)
		}
	}
	out := &Transitioned{From: dec.From, To: dec.To, TakesFocus: dec.TakesFocus, Conclusion: n.Conclusion()}
	old := moved(d, n, dec.From)
	if old != "" {
		out.Conclusion = ""
	}
	switch {
	case strings.TrimSpace(t.Conclusion) != "":
		if edit.write(mdstore.SecConclusion, t.Conclusion) {
			edit.Did(view.Change{ID: n.ID, Key: "conclusion"})
		}
		if out.Conclusion, _, err = mdoc.Nest(t.Conclusion, 2); err != nil { // its headings may move down
			return nil, err
		}
	case old != "":
		edit.write(mdstore.SecConclusion, "")
	}
	if p := n.Problem(); dec.ClearsProblem && !p.IsZero() {
		edit.write(mdstore.SecProblem, "")
		d.logText(edit, p.Cleared())
		edit.Did(view.Change{ID: n.ID, Key: "problem", Do: "cleared"})
	}
	if t.Log != "" {
		d.Log(edit, strings.Trim(t.Log, "\r\n"))
	}
	d.step(n, *dec, reason, old)
	if dec.Runs || anyFrozen(up) {
		if out.Cascades, err = d.Raise(up, t.Cascade, string(step)+" of "+string(n.ID)); err != nil {
			return nil, err
		}
	}
	if dec.To == statemachine.Completed && mdstore.ValueOf(n.Role) == mdstore.RoleInfoCollection {
		if out.Archived, err = d.archive(n, out.Conclusion); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// moved returns the conclusion that a step moves into the node's log. Reopening or retrying removes the conclusion, so
// that the node cannot be finished again with the old one.
func moved(d *Draft, n *mdstore.Node, from statemachine.Status) string {
	if !statemachine.Terminal(from) || n.Conclusion() == "" {
		return ""
	}
	d.Moved[n.ID] = true
	return n.Conclusion()
}

func anyFrozen(up []*mdstore.Node) bool {
	return slices.ContainsFunc(up, func(a *mdstore.Node) bool { return statemachine.Frozen(a.Status) })
}

// facts collects the facts that the life cycle asks for. conclusion is the one that the call gives.
func (d *Draft) facts(n *mdstore.Node, conclusion string) statemachine.Facts {
	given := strings.TrimSpace(conclusion) != "" || n.Conclusion() != ""
	return statemachine.Facts{Conclusion: given, OpenChildren: d.OpenChildren(n.ID)}
}

// named puts the node's id before the text of a refusal.
func named(n *mdstore.Node, err error) *errs.Error {
	e := errs.As(fmt.Errorf("%s (%s): %w", n.ID, n.Title, err))
	e.Details.NodeID = string(n.ID)
	return e
}

// mendable adds to the refusal of a transition the place in the node's file that prevents all transitions, if there is
// one.
func mendable(n *mdstore.Node, e *errs.Error) error {
	why, bad := unplaced(n)
	if !bad {
		return e
	}
	if err := n.Editable(); err != nil { // this error says why the whole file is closed to edits
		return err
	}
	if e.Code == errs.InvalidNodeType { // the caller gave no type: it is the state of the node that refuses
		e.Code = errs.InvalidTransition
	}
	e.Message += fmt.Sprintf(" before somebody corrects %s:%d by hand", why.File, why.Line)
	e.Details.Problems = []mdoc.Diagnostic{why}
	return e
}

// Archived is what a completed info_collection node added to its workspace.
type Archived struct {
	Rules []string      `json:"rules"`
	Docs  []mdstore.Ref `json:"docs"`
}

// archive adds the lists under the headings of rules and documents in a conclusion to the workspace, without
// duplicates.
func (d *Draft) archive(n *mdstore.Node, conclusion string) (*Archived, error) {
	out := &Archived{Rules: []string{}, Docs: []mdstore.Ref{}}
	rules := slices.Concat(d.View.Workspace().Rules(), d.archived.Rules) // with those of other nodes of the command
	docs := slices.Concat(d.View.Workspace().Docs(), d.archived.Docs)
	for _, r := range mdoc.ListsUnder(conclusion, mdstore.CollectedRules...) {
		r, _, err := mdoc.ItemText(r)
		if err != nil {
			return nil, err
		}
		if !slices.Contains(rules, r) && !slices.Contains(out.Rules, r) {
			out.Rules = append(out.Rules, r)
		}
	}
	for _, item := range mdoc.ListsUnder(conclusion, mdstore.CollectedDocs...) {
		r := mdstore.ParseRef(item)
		same := func(x mdstore.Ref) bool { return x.Target == r.Target }
		if r.Target != "" && !slices.ContainsFunc(docs, same) && !slices.ContainsFunc(out.Docs, same) {
			out.Docs = append(out.Docs, r)
		}
	}
	if len(out.Rules)+len(out.Docs) == 0 {
		all := slices.Concat(mdstore.CollectedRules, mdstore.CollectedDocs)
		if mdoc.ListsUnder(conclusion, all...) != nil {
			d.warn("the workspace has all rules and documents of the conclusion already")
		} else {
			d.warn("no rules or documents were collected: the conclusion has no list below a heading %s",
				strings.Join(all, ", "))
		}
		return out, nil
	}
	d.archived.Rules, d.archived.Docs = append(d.archived.Rules, out.Rules...), append(d.archived.Docs, out.Docs...)
	e := d.OnWorkspace()
	for _, r := range out.Rules {
		e.append(mdstore.SecRules, r)
	}
	if len(out.Rules) > 0 {
		e.Set(mdstore.KeyRulesHash, mdoc.Text(mdstore.RulesHash(append(rules, out.Rules...))))
		e.Did(view.Change{ID: d.View.Workspace().ID, Key: "rules", Do: view.Plus, To: strconv.Itoa(len(out.Rules))})
	}
	for _, r := range out.Docs {
		item, ok := r.Format()
		if !ok {
			return nil, errs.New(errs.InvalidContent, "%s: the document %q of the conclusion cannot be kept as a list item", n.ID, r.Target)
		}
		e.append(mdstore.SecDocs, item)
	}
	if len(out.Docs) > 0 {
		e.Did(view.Change{ID: d.View.Workspace().ID, Key: "docs", Do: view.Plus, To: strconv.Itoa(len(out.Docs))})
	}
	d.Log(e, fmt.Sprintf("archived %d rules and %d docs of %s (%s)", len(out.Rules), len(out.Docs), n.ID, n.Title))
	return out, nil
}
