package plan

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NewWorkspace are the arguments of a workspace's creation. It may do without a goal.
type NewWorkspace struct {
	Name, Goal string
	Rules      []string
	Docs       []mdstore.Ref
	Briefing   Briefing
}

// Import returns the import that makes the workspace with its root node.
func (w NewWorkspace) Import(id mdstore.ID, now time.Time, operator string) (imp Import, err error) {
	rules, adapted, err := wanted("rules", nil, ReplaceRules, w.Rules)
	if err != nil {
		return imp, err
	}
	if err := title(errs.InvalidName, "name", w.Name); err != nil {
		return imp, err
	}
	if err := distinct("doc path", w.Docs); err != nil {
		return imp, err
	}
	now = now.UTC()
	goal, event := strings.TrimSpace(w.Goal), mdstore.StatusChange{By: mdstore.ByCreation}.String()
	root := born(statemachine.Planning, w.Name, goal, now, operator, event)
	return Import{ID: id, Name: w.Name, Goal: goal, Rules: rules, Docs: w.Docs, CreatedAt: now.UnixMilli(), UpdatedAt: now.UnixMilli(),
		Briefing: w.Briefing,
		Log:      []mdstore.LogEntry{{Time: now.Format(mdstore.TimeLayout), Operator: operator, Event: "created the workspace"}},
		Nodes:    []ImportNode{root}, Adapted: adapted,
	}, nil
}

// born returns a new node in the first status of its type: the root, unless it is given another id and a parent.
func born(t statemachine.Type, title, requirement string, now time.Time, operator, event string) ImportNode {
	return ImportNode{ID: mdstore.Root, Head: mdstore.Head{Type: t, Status: statemachine.Initial(t), Title: title},
		CreatedAt: now.UnixMilli(), UpdatedAt: now.UnixMilli(), Requirement: requirement,
		Log: []mdstore.LogEntry{{Time: now.Format(mdstore.TimeLayout), Operator: operator, Event: event}}}
}

// UpdateWorkspace changes a workspace's name, its goal, what its execution nodes must pass, or parts of its briefing;
// nil keeps a value.
type UpdateWorkspace struct {
	Name, Goal *string
	Verify     []string
	Briefing   Briefing
}

// Plan plans the change.
func (x UpdateWorkspace) Plan(d *Draft) (None, error) {
	w, edit, err := d.editWorkspace()
	if err != nil {
		return None{}, err
	}
	if x.Name != nil {
		if err := title(errs.InvalidName, "name", *x.Name); err != nil {
			return None{}, err
		}
		if f, _ := w.Doc.Field(mdstore.KeyName); f.Value != *x.Name {
			edit.Set(mdstore.KeyName, mdoc.Text(*x.Name))
			edit.Did(view.Change{ID: w.ID, Key: mdstore.KeyName, From: w.Name, To: *x.Name})
		}
	}
	if x.Goal != nil {
		if strings.TrimSpace(*x.Goal) == "" {
			return None{}, errs.New(errs.InvalidParams, "%s: the goal would be empty; say what the work is for", w.ID).With(errs.Details{Param: "goal"})
		}
		if w.Goal != *x.Goal {
			edit.Set(mdstore.KeyGoal, mdoc.Text(*x.Goal))
			edit.Did(view.Change{ID: w.ID, Key: mdstore.KeyGoal})
		}
	}
	if x.Verify != nil {
		fields := mdstore.Fields{Verify: x.Verify}
		_ = fields.Adopt(d.now) // it has no date
		if was := w.Verify(); !slices.Equal(was, fields.Verify) {
			f := mdstore.FieldOf(mdstore.KeyVerify)
			edit.Set(f.Key, scalar(edit.doc, f, fields.Text(f)))
			now := mdoc.List(fields.Verify...).String()
			edit.Did(view.Change{ID: w.ID, Key: f.Key, From: mdoc.List(was...).String(), To: now})
		}
	}
	return None{}, x.Briefing.edit(edit, string(w.ID))
}

// Archive moves a workspace with all it holds into the archive, or out of it. Its result is the workspace's folder.
type Archive struct {
	Restore bool
	Taken   func(mdstore.Path) bool // reports whether anything has that name in the vault
}

// Plan plans the move.
func (x Archive) Plan(d *Draft) (mdstore.Path, error) {
	w, status, in := d.View.Workspace(), mdstore.StatusArchived, mdstore.Path(mdstore.ArchiveDir)
	if x.Restore {
		status, in = mdstore.StatusActive, ""
	}
	if w.Status == status {
		return w.Dir, nil
	}
	if err := d.match(w.Path, w.Version); err != nil {
		return "", err
	}
	if w.Newer() {
		return "", &mdoc.UnreadableError{Problem: NewerProblem(w)}
	}
	if err := w.Doc.Editable(); err != nil {
		return "", err
	}
	to := in.Join(w.Dir.Base())
	for i := 2; x.Taken(to); i++ {
		to = in.Join(fmt.Sprintf("%s-%d", w.Dir.Base(), i))
	}
	edit := d.OnWorkspace()
	edit.Set(mdstore.KeyStatus, mdoc.Text(status))
	d.Log(edit, "workspace: "+w.Status+" → "+status)
	edit.Did(view.Change{ID: w.ID, Key: mdstore.KeyStatus, From: w.Status, To: status})
	d.whole(mdstore.Change{Path: w.Dir, To: to})
	return to, nil
}
