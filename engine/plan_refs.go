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

// Reference changes the references of a node. Target is a node's id or a document's path; a node must exist to be added.
func (e *Engine) Reference(ctx context.Context, ws, id mdstore.ID, do RefAction, r mdstore.Ref, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		n, edit, err := d.editNode(id)
		if err != nil {
			return err
		}
		if do == AddRef {
			if r.Target == string(n.ID) {
				return Fail(InvalidParams, "%s: a node cannot refer to itself", n.ID)
			}
			if _, ok := d.snap.Node(mdstore.ID(r.Target)); !ok && strings.HasPrefix(r.Target, "node-") && !strings.ContainsAny(r.Target, "./\\") {
				return recode(d.snap.unknown(r.Target), ReferenceNotFound)
			}
		}
		return editRefs(edit, string(n.ID), mdstore.SecReferences, n.References(), do, r)
	})
}

// WorkspaceDoc changes the documents of a workspace.
func (e *Engine) WorkspaceDoc(ctx context.Context, ws mdstore.ID, do RefAction, r mdstore.Ref, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		w, edit, err := d.editWorkspace()
		if err != nil {
			return err
		}
		return editRefs(edit, string(w.ID), mdstore.SecDocs, w.Docs(), do, r)
	})
}

func editRefs(e *edit, who, section string, have []mdstore.Ref, do RefAction, r mdstore.Ref) error {
	if do == AddRef {
		r.Expired = false
	}
	item, err := formatRef("target", r)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(have, func(x mdstore.Ref) bool { return x.Target == r.Target })
	if do == AddRef {
		if at >= 0 {
			how := "it stands there already"
			if have[at].Expired {
				how = "it stands there as expired: activate it instead"
			}
			return Fail(ReferenceExists, "%s: %s in %s: %s", who, r.Target, section, how)
		}
		e.append(section, item)
		e.did("%s %s + %s", who, strings.ToLower(section), r.Target)
		return nil
	}
	if at < 0 {
		return Fail(ReferenceNotFound, "%s: no %s in %s; there are: %s", who, r.Target, section, targets(have)).with(Details{Candidates: refCandidates(have)})
	}
	old := have[at]
	switch do {
	case RemoveRef:
		e.remove(section, old.Index)
		e.did("%s %s - %s", who, strings.ToLower(section), r.Target)
	case ExpireRef, ActivateRef:
		if expired := do == ExpireRef; old.Expired != expired {
			e.replace(section, old.Index, mdstore.Marked(e.doc.Items(section)[old.Index].Text, expired))
			e.did("%s %s %s %sd", who, strings.ToLower(section), r.Target, do)
		}
	default:
		return Fail(InvalidParams, "action %q: add, remove, expire and activate are the actions", do).with(Details{Param: "action"})
	}
	return nil
}

func refCandidates(rs []mdstore.Ref) []Candidate {
	out := make([]Candidate, 0, len(rs))
	for _, r := range rs {
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
