package engine

import (
	"context"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NodeTexts are new texts of a node; nil leaves one as it is.
type NodeTexts struct {
	Title, Requirement, Note, Conclusion *string
}

// UpdateNode gives a node other texts.
func (e *Engine) UpdateNode(ctx context.Context, ws, id mdstore.ID, t NodeTexts, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		n, edit, err := d.editNode(id)
		if err != nil {
			return err
		}
		if t.Title != nil {
			if err := title(InvalidTitle, "title", *t.Title); err != nil {
				return err
			}
			if f, _ := n.Doc().Field(mdstore.KeyTitle); f.Value != *t.Title {
				edit.set(mdstore.KeyTitle, mdoc.Text(*t.Title))
				edit.did("%s title %s → %s", n.ID, n.Title, *t.Title)
			}
		}
		if t.Requirement != nil && strings.TrimSpace(*t.Requirement) == "" {
			return Fail(InvalidParams, "%s: requirement would be empty; say what is to be done", n.ID).with(Details{Param: "requirement"})
		}
		if t.Conclusion != nil && strings.TrimSpace(*t.Conclusion) == "" && n.Conclusion() != "" && needsConclusion(n) {
			return Fail(ConclusionRequired, "%s: a %s node keeps a conclusion; give another one, or reopen the node first", n.ID, n.Status).
				with(Details{NodeID: string(n.ID), Status: string(n.Status)})
		}
		for _, x := range []struct {
			section string
			text    *string
		}{{mdstore.SecRequirement, t.Requirement}, {mdstore.SecNote, t.Note}, {mdstore.SecConclusion, t.Conclusion}} {
			if x.text != nil && edit.write(x.section, *x.text) {
				edit.did("%s %s", n.ID, strings.ToLower(x.section))
			}
		}
		return nil
	})
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

// editNode returns a node that is to be changed by itself, in the version that the caller has read.
func (d *draft) editNode(id mdstore.ID) (*mdstore.Node, *edit, error) {
	if err := d.writable(); err != nil {
		return nil, nil, err
	}
	n, err := d.node(id)
	if err != nil {
		return nil, nil, err
	}
	return n, d.onNode(n), d.match(n.Path, n.Version())
}

// editWorkspace returns the workspace's own file, in the version that the caller has read.
func (d *draft) editWorkspace() (*mdstore.Workspace, *edit, error) {
	if err := d.writable(); err != nil {
		return nil, nil, err
	}
	w := d.snap.ws
	if err := w.Doc.Editable(); err != nil {
		return nil, nil, err
	}
	return w, d.onWorkspace(), d.match(w.Path, w.Version)
}

// Isolate cuts a node's context off from its ancestors, or joins it again.
func (e *Engine) Isolate(ctx context.Context, ws, id mdstore.ID, isolate bool, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		n, edit, err := d.editNode(id)
		if err != nil || n.Isolated == isolate {
			return err
		}
		edit.set(mdstore.KeyIsolated, mdoc.Boolean(isolate))
		edit.did("%s isolated %t → %t", n.ID, n.Isolated, isolate)
		return nil
	})
}

// Focus moves a workspace's focus to a node.
func (e *Engine) Focus(ctx context.Context, ws, id mdstore.ID, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		if err := d.writable(); err != nil {
			return err
		}
		n, err := d.snap.Known(id)
		if err != nil {
			return err
		}
		if err := d.match(d.snap.ws.Path, d.snap.ws.Version); err != nil {
			return err
		}
		d.relied(n)
		return d.focus(n.ID)
	})
}

// owner returns the file that a log entry or problem belongs to: a node's, or the workspace's for no id.
func (d *draft) owner(id mdstore.ID) (*edit, string, error) {
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

// AppendLog adds an entry to the log of a node, or of the workspace where id is empty. It returns the entry's time.
func (e *Engine) AppendLog(ctx context.Context, ws, id mdstore.ID, event string, act Act) (string, *Outcome, error) {
	at := ""
	o, err := e.update(ctx, ws, act, func(d *draft) error {
		edit, who, err := d.owner(id)
		if err != nil {
			return err
		}
		if strings.TrimSpace(event) == "" {
			return Fail(InvalidParams, "%s: the event is empty; say what happened", who).with(Details{Param: "event"})
		}
		if len(event) > mdstore.MaxEvent {
			return Fail(InvalidContent, "%s: the event has %d bytes; at most %d are allowed: log one line and put the rest into the note (node_update)", who, len(event), mdstore.MaxEvent).
				with(Details{Param: "event"})
		}
		at = d.now.Format(mdstore.TimeLayout)
		d.log(edit, strings.Trim(event, "\r\n"))
		edit.did("%s log + 1", who)
		return nil
	})
	return at, o, err
}

// SetProblem says what is wrong with a node, or with the workspace where id is empty; the zero Problem clears it.
func (e *Engine) SetProblem(ctx context.Context, ws, id mdstore.ID, p mdstore.Problem, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		edit, who, err := d.owner(id)
		if err != nil {
			return err
		}
		if p.Text == "" && p.NextStep != "" {
			return Fail(InvalidParams, "%s: a next step needs a problem", who).with(Details{Param: "problem"})
		}
		body, adapted, err := p.Body(edit.doc)
		if err != nil {
			return err
		}
		if edit.write(mdstore.SecProblem, body) {
			edit.adapted = append(edit.adapted, adapted...)
			if p.IsZero() {
				edit.did("%s problem cleared", who)
			} else {
				edit.did("%s problem", who)
			}
		}
		return nil
	})
}
