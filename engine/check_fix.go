package engine

import (
	"context"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// Fix mends what can be mended in a workspace without losing text: the diagnostics that name a fix. It returns those it
// mended; doing it again changes nothing.
func (e *Engine) Fix(ctx context.Context, ws mdstore.ID, act Act) ([]mdoc.Diagnostic, *Outcome, error) {
	var fixed []mdoc.Diagnostic
	if _, err := e.Reload(ctx, ws); err != nil {
		return nil, nil, err
	}
	o, err := e.update(ctx, ws, act, func(d *draft) error {
		fixed = nil
		w := d.snap.ws
		if w.Newer() {
			return &mdoc.UnreadableError{Problem: newerProblem(w)}
		}
		for _, x := range d.snap.Diagnostics() {
			if x.Fix == "" {
				continue
			}
			done, err := d.fix(x)
			if err != nil {
				return err
			}
			if done {
				fixed = append(fixed, x)
			}
		}
		return nil
	})
	return fixed, o, err
}

// fix plans the repair of one diagnostic. It reports false for a file that takes no edits.
func (d *draft) fix(x mdoc.Diagnostic) (bool, error) {
	w := d.snap.ws
	if x.File == string(w.Path) {
		if w.Doc.Editable() != nil {
			return false, nil
		}
		e := d.onWorkspace()
		switch x.Code {
		case mdstore.CodeIDMissing:
			e.set(mdstore.KeyID, mdoc.Text(string(w.ID)))
			e.did("%s id mended", w.ID)
		case CodeHashStale:
			e.set(mdstore.KeyRulesHash, mdoc.Text(w.RulesHash()))
			e.did("%s rulesHash mended", w.ID)
		case mdstore.CodeStatusInvalid:
			e.set(mdstore.KeyStatus, mdoc.Text(w.Status))
			e.did("%s status mended", w.ID)
		case CodeFocusDangling:
			if _, ok := d.snap.Node(mdstore.Root); !ok {
				return false, nil
			}
			return true, d.focus(mdstore.Root)
		default:
			return false, nil
		}
		return true, nil
	}
	n, ok := d.snap.files.Get(mdstore.Path(x.File))
	if !ok || d.editable(n) != nil {
		return false, nil
	}
	e := d.onNode(n)
	switch x.Code {
	case mdstore.CodeIDMissing:
		e.set(mdstore.KeyID, mdoc.Text(string(n.ID)))
		e.did("%s id mended", n.ID)
	case CodeDangling:
		refs := n.References()
		at := slices.IndexFunc(refs, func(r mdstore.Ref) bool { return r.Line == x.Line })
		if at < 0 {
			return false, nil
		}
		e.mark(string(n.ID), mdstore.SecReferences, refs[at], true)
	case mdstore.CodeFieldInvalid: // of those only the root's parent has a repair
		e.set(mdstore.KeyParent, mdoc.NullValue())
		e.did("%s parentId mended", n.ID)
	case string(statemachine.CodeStatusUnreachable):
		_, err := d.raise([]*mdstore.Node{n}, false, "mended: it has children")
		return true, err
	default:
		return false, nil
	}
	return true, nil
}
