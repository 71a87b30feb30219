package plan

import (
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NodeTexts are new texts of a node; nil leaves one as it is.
type NodeTexts struct {
	Node                                 mdstore.ID
	Title, Requirement, Note, Conclusion *string
	Docs                                 []mdstore.Ref // all of them; nil leaves them
	Criteria                             []string      // all of them; nil leaves them
	Ticks
	mdstore.Fields
	Keys    []KeyEdit // changes of own keys
	NewKeys bool      // a new key may look like one that Arbor knows
}

// Plan gives a node other texts.
func (t NodeTexts) Plan(d *Draft) (None, error) {
	n, edit, err := d.editNode(t.Node)
	if err != nil {
		return None{}, err
	}
	if t.Title != nil {
		if err := title(errs.InvalidTitle, "title", *t.Title); err != nil {
			return None{}, err
		}
		if f, _ := n.Doc().Field(mdstore.KeyTitle); f.Value != *t.Title {
			edit.Set(mdstore.KeyTitle, mdoc.Text(*t.Title))
			edit.Did(view.Change{ID: n.ID, Key: mdstore.KeyTitle, From: n.Title, To: *t.Title})
			warnTitle(d, *t.Title, n.Parent, n.ID)
		}
	}
	if t.Requirement != nil && strings.TrimSpace(*t.Requirement) == "" {
		return None{}, errs.New(errs.InvalidParams, "%s: requirement would be empty; say what is to be done", n.ID).With(errs.Details{Param: "requirement"})
	}
	if t.Conclusion != nil && strings.TrimSpace(*t.Conclusion) == "" && n.Conclusion() != "" && needsConclusion(n) {
		return None{}, errs.New(errs.ConclusionRequired, "%s: a %s node keeps a conclusion; give another one, or reopen the node first", n.ID, n.Status).
			With(errs.Details{NodeID: string(n.ID), Status: string(n.Status)})
	}
	for _, x := range []struct {
		section string
		text    *string
	}{{mdstore.SecRequirement, t.Requirement}, {mdstore.SecNote, t.Note}, {mdstore.SecConclusion, t.Conclusion}} {
		if x.text != nil && edit.write(x.section, *x.text) {
			edit.Did(view.Change{ID: n.ID, Key: strings.ToLower(x.section)})
		}
	}
	keys, err := d.take(n, &t.Fields, t.Keys)
	if err != nil {
		return None{}, err
	}
	if err := d.checkFields(&t.Fields, nil); err != nil {
		return None{}, err
	}
	edit.setFields(n, &t.Fields)
	if err := d.setOwn(edit, n, keys, t.NewKeys); err != nil {
		return None{}, err
	}
	if t.Criteria != nil {
		err = d.setCriteria(n, edit, t.Criteria, t.Ticks)
	} else {
		_, err = d.tick(n, edit, t.Ticks)
	}
	if err != nil {
		return None{}, err
	}
	if t.Docs == nil {
		return None{}, nil
	}
	return None{}, editDocs(edit, string(n.ID), n.Docs(), t.Docs)
}

// checkFields refuses a value that its field cannot have. Titles of nodes that are made in the same commit, with their
// ids, name these.
func (d *Draft) checkFields(x *mdstore.Fields, made map[string][]mdstore.ID) error {
	if key, err := x.Check(); err != nil {
		return errs.New(errs.InvalidParams, "%v", err).With(errs.Details{Param: key})
	}
	for f, id := range x.Nodes() {
		if made[id] != nil {
			continue // a node that is made along with it
		}
		if to, ok := d.View.Node(mdstore.ID(id)); ok {
			d.Settle(to)
		} else {
			e := errs.As(errs.Recoded(d.View.Unknown(id), errs.ReferenceNotFound))
			e.Details.Param = f.Key
			return e
		}
	}
	return nil
}

// setFields gives a node the fields that are given.
func (e *Edit) setFields(n *mdstore.Node, x *mdstore.Fields) {
	for f, text := range x.Given() {
		if was := n.Text(f); was != text {
			e.Set(f.Key, scalar(e.doc, f, text))
			e.Did(view.Change{ID: n.ID, Key: f.Key, From: f.Scalar(was).String(), To: f.Scalar(text).String()})
		}
	}
}

// needsConclusion asks the table whether a node in its status must have a conclusion.
func needsConclusion(n *mdstore.Node) bool {
	for _, r := range statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, "", statemachine.Facts{}) {
		if r.Code == statemachine.CodeConclusionMissing {
			return true
		}
	}
	return false
}

// editNode returns a node that is to be changed, in the version that the caller has read: its id is its own, its parent
// exists, and its file can be edited.
func (d *Draft) editNode(id mdstore.ID) (*mdstore.Node, *Edit, error) {
	if err := d.Writable(); err != nil {
		return nil, nil, err
	}
	n, err := d.View.Known(id)
	if err != nil {
		return nil, nil, err
	}
	if err := d.Editable(n); err != nil {
		return nil, nil, err
	}
	if err := d.misplaced(n); err != nil {
		return nil, nil, err
	}
	return n, d.OnNode(n), d.match(n.Path, n.Version())
}

// editWorkspace returns the workspace's own file, in the version that the caller has read.
func (d *Draft) editWorkspace() (*mdstore.Workspace, *Edit, error) {
	if err := d.Writable(); err != nil {
		return nil, nil, err
	}
	w := d.View.Workspace()
	if err := w.Doc.Editable(); err != nil {
		return nil, nil, err
	}
	return w, d.OnWorkspace(), d.match(w.Path, w.Version)
}

// Focus moves the focus that everybody shares to a node.
type Focus struct{ Node mdstore.ID }

// Plan plans the change.
func (x Focus) Plan(d *Draft) (None, error) {
	if err := d.Writable(); err != nil {
		return None{}, err
	}
	n, err := d.View.Known(x.Node)
	if err != nil {
		return None{}, err
	}
	w := d.View.Workspace()
	if err := d.match(w.Path, w.Version); err != nil {
		return None{}, err
	}
	d.Rely(n)
	d.Settle(n)
	return None{}, d.MoveFocus(n.ID)
}

// owner returns the file that a log entry or problem belongs to: a node's, or the workspace's for no id.
func (d *Draft) owner(id mdstore.ID) (*Edit, string, error) {
	if id == "" {
		w, e, err := d.editWorkspace()
		if err != nil {
			return nil, "", err
		}
		return e, string(w.ID), nil
	}
	n, e, err := d.editNode(id)
	if err != nil {
		return nil, "", err
	}
	return e, string(n.ID), nil
}

// AppendLog adds an entry to the log of a node, or of the workspace if Node is empty. Its result is the entry's time.
type AppendLog struct {
	Node  mdstore.ID
	Event string
}

// Plan plans the entry.
func (x AppendLog) Plan(d *Draft) (string, error) {
	edit, who, err := d.owner(x.Node)
	if err != nil {
		return "", err
	}
	if err := loggable(who, "event", x.Event); err != nil {
		return "", err
	}
	if n, ok := d.View.Node(x.Node); ok && !d.act.Person && mdstore.IsAnswer(x.Event) && len(n.OpenQuestions()) > 0 {
		d.noAnswer()
	}
	d.Log(edit, strings.Trim(x.Event, "\r\n"))
	edit.Did(view.Change{ID: mdstore.ID(who), Key: "log", Do: view.Plus, To: "1"})
	return d.now.Format(mdstore.TimeLayout), nil
}

// loggable returns an error for a text that cannot be the event of a log entry.
func loggable(who, param, event string) error {
	switch {
	case strings.TrimSpace(event) == "":
		return errs.New(errs.InvalidParams, "%s: the %s is empty; say what happened", who, param).With(errs.Details{Param: param})
	case mdstore.IsVerification(event):
		return errs.New(errs.InvalidContent,
			"%s: the %s reads as one of a verification, which complete writes by itself", who, param).
			With(errs.Details{Param: param})
	case len(event) > mdstore.MaxEvent:
		return errs.New(errs.InvalidContent, "%s: the %s has %d bytes; at most %d are allowed: log one line and "+
			"put the rest into the note ({node_update})",
			who, param, len(event), mdstore.MaxEvent).With(errs.Details{Param: param})
	}
	return nil
}

// SetProblem sets the problem of a node, or of the workspace if Node is empty; the zero Problem clears it.
type SetProblem struct {
	Node    mdstore.ID
	Problem mdstore.Problem
}

// Plan plans the change.
func (x SetProblem) Plan(d *Draft) (None, error) {
	edit, who, err := d.owner(x.Node)
	if err != nil {
		return None{}, err
	}
	p := x.Problem
	if p.Text == "" && p.NextStep != "" {
		return None{}, errs.New(errs.InvalidParams, "%s: a next step needs a problem", who).With(errs.Details{Param: "problem"})
	}
	body, adapted, err := p.Body(edit.doc)
	if err != nil {
		return None{}, err
	}
	was := (&mdstore.Workspace{Doc: edit.doc}).Problem() // a node's problem is written as a workspace's is
	if edit.write(mdstore.SecProblem, body) {
		edit.adapted = append(edit.adapted, adapted...)
		if p.IsZero() {
			d.logText(edit, was.Cleared())
			edit.Did(view.Change{ID: mdstore.ID(who), Key: "problem", Do: "cleared"})
		} else {
			d.logText(edit, p.Raised())
			edit.Did(view.Change{ID: mdstore.ID(who), Key: "problem"})
		}
	}
	return None{}, nil
}
