package plan

import (
	"cmp"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A RefAction is a change of a document or reference in a list.
type RefAction string

// The actions of node_reference.
const (
	AddRef      RefAction = "add"
	RemoveRef   RefAction = "remove"
	ExpireRef   RefAction = "expire"
	ActivateRef RefAction = "activate"
)

// Reference changes the references of a node; its result are the references as they are then. The target is a node's id
// or a document's path; a node must exist to be added.
type Reference struct {
	Node mdstore.ID
	Do   RefAction
	Ref  mdstore.Ref
}

// Plan plans the change.
func (x Reference) Plan(d *Draft) ([]mdstore.Ref, error) {
	n, edit, err := d.editNode(x.Node)
	if err != nil {
		return nil, err
	}
	if to, ok := d.View.Referred(n, x.Ref.Target); ok {
		x.Ref.Target = string(to.ID)
	}
	if x.Do == AddRef && x.Ref.Target == string(n.ID) {
		return nil, errs.New(errs.InvalidParams, "%s: a node cannot refer to itself", n.ID)
	}
	if x.Do == AddRef || x.Do == ActivateRef {
		if err := refersTo(d, x.Ref.Target); err != nil {
			return nil, err
		}
	}
	return editRefs(edit, string(n.ID), mdstore.SecReferences, view.References(d.View, n), x.Do, x.Ref)
}

// WorkspaceDoc changes the documents of a workspace; its result are the documents as they are then.
type WorkspaceDoc struct {
	Do  RefAction
	Doc mdstore.Ref
}

// Plan plans the change.
func (x WorkspaceDoc) Plan(d *Draft) ([]mdstore.Ref, error) {
	w, edit, err := d.editWorkspace()
	if err != nil {
		return nil, err
	}
	return editRefs(edit, string(w.ID), mdstore.SecDocs, w.Docs(), x.Do, x.Doc)
}

// editRefs plans a change of the entries of one target and returns all entries as they will be.
func editRefs(e *Edit, who, section string, have []mdstore.Ref, do RefAction, r mdstore.Ref) ([]mdstore.Ref, error) {
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
			return nil, errs.New(errs.ReferenceExists, "%s: %s in %s: %s", who, r.Target, section, how)
		}
		e.append(section, item)
		e.Did(view.Change{ID: mdstore.ID(who), Key: strings.ToLower(section), Do: view.Plus, To: r.Target})
		return append(now, r), nil
	case RemoveRef, ExpireRef, ActivateRef:
	default:
		return nil, errs.New(errs.InvalidParams, "action %q: add, remove, expire and activate are the actions", do).With(errs.Details{Param: "action"})
	}
	if at < 0 {
		there := view.List(view.Candidates(have, len(have), refCandidate))
		return nil, errs.New(errs.ReferenceNotFound, "%s: no %s in %s; there are: %s", who, r.Target, section, cmp.Or(there, "none")).
			With(errs.Details{Candidates: view.Candidates(have, view.CandidatesShown, refCandidate)})
	}
	for i, x := range slices.Backward(have) {
		if x.Target != r.Target {
			continue
		}
		if do == RemoveRef {
			e.remove(section, x.Index)
			now = slices.Delete(now, i, i+1)
			e.Did(view.Change{ID: mdstore.ID(who), Key: strings.ToLower(section), Do: view.Minus, To: x.Target})
			continue
		}
		e.Mark(who, section, x, do == ExpireRef)
		now[i].Expired = do == ExpireRef
	}
	return now, nil
}

// editDocs plans to replace the documents of a node by want. Unchanged ones keep their lines; the others are changed,
// removed or added.
func editDocs(e *Edit, who string, have, want []mdstore.Ref) error {
	if err := distinct("doc path", want); err != nil {
		return err
	}
	items, err := formatRefs("doc path", want)
	if err != nil {
		return err
	}
	find := func(in []mdstore.Ref, target string) int {
		return slices.IndexFunc(in, func(r mdstore.Ref) bool { return strings.TrimSpace(r.Target) == target })
	}
	changed := false
	for i, r := range have {
		at := find(want, r.Target)
		switch {
		case at < 0 || find(have, r.Target) < i: // if a document has several lines, the first stays
			e.remove(mdstore.SecDocs, r.Index)
		case r.Description != strings.TrimSpace(want[at].Description) || r.Expired != want[at].Expired:
			e.replace(mdstore.SecDocs, r.Index, mdstore.Marked(items[at], bool(want[at].Expired)))
		default:
			continue
		}
		changed = true
	}
	for i, r := range want {
		if find(have, strings.TrimSpace(r.Target)) < 0 {
			e.append(mdstore.SecDocs, items[i])
			changed = true
		}
	}
	if changed {
		e.Did(view.Counts(mdstore.ID(who), mdstore.SecDocs, len(have), len(want)))
	}
	return nil
}

// Mark writes or removes the mark of an expired entry.
func (e *Edit) Mark(who, section string, r mdstore.Ref, expired bool) {
	if bool(r.Expired) == expired {
		return
	}
	items := e.doc.Items(section)
	if r.Index >= len(items) {
		return // the edit is of another version of the file; the plan is made anew
	}
	e.replace(section, r.Index, mdstore.Marked(items[r.Index].Text, expired))
	how := "activated"
	if expired {
		how = "expired"
	}
	e.Did(view.Change{ID: mdstore.ID(who), Key: strings.ToLower(section), To: r.Target, Do: how})
}

func refCandidate(r mdstore.Ref) errs.Candidate {
	return errs.Candidate{ID: r.Target, Title: r.Description}
}
