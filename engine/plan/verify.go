package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// Verified says that all tools in the verify of a node have passed.
type Verified struct {
	Basis  mdstore.Version // mdstore.Basis of the node when the tools began
	Events []string        // the log entries: mdstore.Verification.String
}

// verified adds to the log of a node to be completed which tools passed. It refuses if they have not run, or if what
// they verified has changed since: see mdstore.Basis. With Force it returns a reason for the log instead.
func (t Transition) verified(
	d *Draft, n *mdstore.Node, edit *Edit, step statemachine.Action,
) (forced string, err error) {
	items := mdstore.Verifies(d.View.Workspace(), n)
	switch {
	case step != statemachine.Complete || len(items) == 0:
	case t.Verified == nil && t.Force:
		return "forced: not verified: " + strings.Join(items, ", "), nil
	case t.Verified == nil && !d.act.DryRun:
		return "", errs.New(errs.VerificationUnavailable, "%s is completed when these pass: %s; {node_transition} runs them",
			view.Named(n), strings.Join(items, ", "))
	case t.Verified == nil:
	case t.Verified.Basis != mdstore.Basis(d.View.Workspace(), n):
		return "", errs.New(errs.Conflicting,
			"%s: what it asks for changed while it was verified; complete it again", view.Named(n)).
			With(errs.Details{NodeID: string(n.ID), Paths: []string{string(n.Path)}})
	default:
		for _, event := range t.Verified.Events {
			d.Log(edit, event)
		}
	}
	return "", nil
}

// NoteFailed adds to the log of a node that a tool of its verify did not pass.
type NoteFailed struct {
	Node  mdstore.ID
	Event string // mdstore.Verification.String
}

// Plan plans the entry.
func (x NoteFailed) Plan(d *Draft) (None, error) {
	n, edit, err := d.editNode(x.Node)
	if err != nil {
		return None{}, err
	}
	d.Log(edit, x.Event)
	edit.Did(view.Change{ID: n.ID, Key: "log", Do: view.Plus, To: "1"})
	return None{}, nil
}

// KeepsVerify refuses changes by an assistant that take something out of the verify of a node or of the workspace. It
// is called after Finish.
func (d *Draft) KeepsVerify() error {
	if d.act.Person {
		return nil
	}
	w := d.View.Workspace()
	whole := slices.ContainsFunc(d.extra, func(p planned) bool {
		return p.change.Path == w.Dir && p.change.To.Under(mdstore.TrashDir)
	})
	if whole {
		if err := keepsVerify(string(w.ID), w.Verify(), nil); err != nil {
			return err
		}
	}
	if whole || len(d.Gone) > 0 {
		for n := range d.View.All() {
			if whole || d.Gone[n.ID] {
				if err := keepsVerify(view.Named(n), n.Verify, nil); err != nil {
					return err
				}
			}
		}
	}
	for _, f := range d.written() {
		var err error
		if f.Path == w.Path {
			err = keepsVerify(string(w.ID), w.Verify(), mdstore.ParseWorkspace(f).Verify())
		} else if n, ok := d.View.File(f.Path); ok {
			err = keepsVerify(view.Named(n), n.Verify, mdstore.ParseNode(f).Verify)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// VerifyKept is KeepsVerify for an undo: was are the files as they are now, and is as they will be. Files that move to
// the trash count as gone.
func VerifyKept(was, is []mdstore.File) error {
	then := map[string][]string{}
	for _, f := range is {
		if key, _, items := verifyOf(f); key != "" {
			then[key] = items
		}
	}
	for _, f := range was {
		if key, who, items := verifyOf(f); key != "" {
			if err := keepsVerify(who, items, then[key]); err != nil {
				return err
			}
		}
	}
	return nil
}

// verifyOf returns the verify of a node's or a workspace's file. key identifies the node or workspace wherever its file
// is; "" for other files.
func verifyOf(f mdstore.File) (key, who string, items []string) {
	key = mdstore.WorkspaceDir(f.Path).Base() + "/"
	switch kind := mdstore.AllKinds().Of(f.Path); {
	case f.Version.IsZero():
	case kind == mdstore.NodeKind:
		n := mdstore.ParseNode(f)
		return key + string(n.ID), view.Named(n), n.Verify
	case kind == mdstore.WorkspaceKind:
		w := mdstore.ParseWorkspace(f)
		return key, string(w.ID), w.Verify()
	}
	return "", "", nil
}

func keepsVerify(who string, was, is []string) error {
	for _, item := range was {
		if !slices.Contains(is, item) {
			return errs.New(errs.ToolRefused, "%s: verify has %q, and only a person can take that out, or delete what has it: "+
				"on the page, or at a terminal (arbor set, arbor rm, arbor ws set, arbor ws rm)", who, item)
		}
	}
	return nil
}

// inherited adds to a new node what siblings of its title have in their verify, unless a person makes it: making a node
// again does not get around its verify.
func (s *seed) inherited(d *Draft, parent mdstore.ID) {
	if d.act.Person {
		return
	}
	for _, k := range d.View.Below(parent) {
		for _, item := range k.Verify {
			if k.Title == s.Title && !slices.Contains(s.Verify, item) {
				s.Verify = append(slices.Clip(s.Verify), item)
			}
		}
	}
}
