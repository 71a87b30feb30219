package engine

import (
	"context"
	"slices"
	"strings"

	"arbor/mdstore"
)

// A RefAction is what can be done with a document or reference in a list.
type RefAction string

// The actions.
const (
	AddRef      RefAction = "add"
	RemoveRef   RefAction = "remove"
	ExpireRef   RefAction = "expire"
	ActivateRef RefAction = "activate"
)

// Reference changes the references of a node and returns them as they are then. Target is a node's id or a document's path; a node must exist to be
// added.
func (e *Engine) Reference(ctx context.Context, ws, id mdstore.ID, do RefAction, r mdstore.Ref, act Act) ([]mdstore.Ref, *Outcome, error) {
	var now []mdstore.Ref
	o, err := e.update(ctx, ws, act, func(d *draft) error {
		n, edit, err := d.editNode(id)
		if err != nil {
			return err
		}
		if do == AddRef && r.Target == string(n.ID) {
			return Fail(InvalidParams, "%s: a node cannot refer to itself", n.ID)
		}
		if do == AddRef || do == ActivateRef {
			if _, ok := d.snap.Node(mdstore.ID(r.Target)); !ok && mdstore.ID(r.Target).Valid() && strings.HasPrefix(r.Target, "node-") { // who adds it now can say another id
				return recoded(d.snap.unknown(r.Target), ReferenceNotFound)
			}
		}
		now, err = editRefs(edit, string(n.ID), mdstore.SecReferences, n.References(), do, r)
		return err
	})
	return now, o, err
}

// WorkspaceDoc changes the documents of a workspace and returns them as they are then.
func (e *Engine) WorkspaceDoc(ctx context.Context, ws mdstore.ID, do RefAction, r mdstore.Ref, act Act) ([]mdstore.Ref, *Outcome, error) {
	var now []mdstore.Ref
	o, err := e.update(ctx, ws, act, func(d *draft) error {
		w, edit, err := d.editWorkspace()
		if err != nil {
			return err
		}
		now, err = editRefs(edit, string(w.ID), mdstore.SecDocs, w.Docs(), do, r)
		return err
	})
	return now, o, err
}

// editRefs plans a change of the entries of one target and returns all entries as they will be.
func editRefs(e *edit, who, section string, have []mdstore.Ref, do RefAction, r mdstore.Ref) ([]mdstore.Ref, error) {
	at := -1
	for i, x := range have {
		if x.Target == r.Target && (at < 0 || have[at].Expired) { // an active one stands for all of them
			at = i
		}
	}
	now := slices.Clone(have)
	switch do {
	case AddRef:
		r.Expired = false
		item, err := formatRef("target", r)
		if err != nil {
			return nil, err
		}
		if at >= 0 {
			how := "it stands there already"
			if have[at].Expired {
				how = "it stands there as expired: activate it instead"
			}
			return nil, Fail(ReferenceExists, "%s: %s in %s: %s", who, r.Target, section, how)
		}
		e.append(section, item)
		e.did("%s %s + %s", who, strings.ToLower(section), r.Target)
		return append(now, r), nil
	case RemoveRef, ExpireRef, ActivateRef:
	default:
		return nil, Fail(InvalidParams, "action %q: add, remove, expire and activate are the actions", do).with(Details{Param: "action"})
	}
	if at < 0 {
		return nil, Fail(ReferenceNotFound, "%s: no %s in %s; there are: %s", who, r.Target, section, targets(have)).with(Details{Candidates: refCandidates(have)})
	}
	for i, x := range slices.Backward(have) {
		if x.Target != r.Target {
			continue
		}
		if do == RemoveRef {
			e.remove(section, x.Index)
			now = slices.Delete(now, i, i+1)
			e.did("%s %s - %s", who, strings.ToLower(section), x.Target)
			continue
		}
		e.mark(who, section, x, do == ExpireRef)
		now[i].Expired = do == ExpireRef
	}
	return now, nil
}

// mark writes or removes the mark of an expired entry.
func (e *edit) mark(who, section string, r mdstore.Ref, expired bool) {
	if r.Expired == expired {
		return
	}
	items := e.doc.Items(section)
	if r.Index >= len(items) {
		return // the reference is of another state of the file than the edit; the plan is made anew
	}
	e.replace(section, r.Index, mdstore.Marked(items[r.Index].Text, expired))
	how := "activated"
	if expired {
		how = "expired"
	}
	e.did("%s %s %s %s", who, strings.ToLower(section), r.Target, how)
}

func refCandidates(rs []mdstore.Ref) []Candidate {
	out := make([]Candidate, 0, min(len(rs), candidatesShown))
	for _, r := range rs[:cap(out)] {
		out = append(out, Candidate{r.Target, r.Description})
	}
	return out
}

func targets(rs []mdstore.Ref) string {
	if len(rs) == 0 {
		return "none"
	}
	var out []string
	for _, r := range rs[:min(len(rs), candidatesShown)] {
		out = append(out, r.Target)
	}
	if len(rs) > candidatesShown {
		out = append(out, "…")
	}
	return strings.Join(out, ", ")
}
