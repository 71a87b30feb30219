package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NewWorkspace are the arguments of a workspace's creation.
type NewWorkspace struct {
	Name, Goal string
	Rules      []string
	Docs       []mdstore.Ref
}

// Initialised is what a workspace's creation did.
type Initialised struct {
	*Outcome
	ID    mdstore.ID
	Dir   mdstore.Path
	Rules []string
}

// Init makes a workspace with its root node.
func (e *Engine) Init(ctx context.Context, w NewWorkspace, act Act) (*Initialised, error) {
	rules, adapted, err := wanted("rules", nil, ReplaceRules, w.Rules)
	if err != nil {
		return nil, err
	}
	if err := title(InvalidName, "name", w.Name); err != nil {
		return nil, err
	}
	if err := distinct(w.Docs); err != nil {
		return nil, err
	}
	if strings.TrimSpace(w.Goal) == "" {
		return nil, Fail(InvalidParams, "goal is empty; say what the work is for").with(Details{Param: "goal"})
	}
	id, err := e.opt.NewID("ws")
	if err != nil {
		return nil, err
	}
	now := e.opt.Now().UTC()
	op := act.Operator
	if op == "" {
		op = mdstore.OperatorAI
	}
	imp := Import{ID: id, Name: w.Name, Goal: strings.TrimSpace(w.Goal), Rules: rules, Docs: w.Docs, CreatedAt: now.UnixMilli(), UpdatedAt: now.UnixMilli(),
		Log:   []mdstore.LogEntry{{Time: now.Format(mdstore.TimeLayout), Operator: op, Event: "created the workspace"}},
		Nodes: []ImportNode{rootNode(w.Name, w.Goal, now, logged{By: byCreation}, op)},
	}
	o, err := e.Import(ctx, imp, act.DryRun)
	if err != nil {
		return nil, err
	}
	for _, a := range adapted {
		if !slices.Contains(o.Adapted, a) {
			o.Adapted = append(o.Adapted, a)
		}
	}
	return &Initialised{o, id, imp.dir(), rules}, nil
}

// rootNode returns a workspace's root as it is born.
func rootNode(title, goal string, now time.Time, event logged, operator string) ImportNode {
	return ImportNode{ID: mdstore.Root, Type: statemachine.Planning, Status: statemachine.Initial(statemachine.Planning), Title: title, Order: math.NaN(),
		CreatedAt: now.UnixMilli(), UpdatedAt: now.UnixMilli(), Requirement: strings.TrimSpace(goal),
		Log: []mdstore.LogEntry{{Time: now.Format(mdstore.TimeLayout), Operator: operator, Event: event.String()}}}
}

// UpdateWorkspace renames a workspace or gives it another goal; nil leaves one as it is.
func (e *Engine) UpdateWorkspace(ctx context.Context, ws mdstore.ID, name, goal *string, act Act) (*Outcome, error) {
	return e.update(ctx, ws, act, func(d *draft) error {
		w, edit, err := d.editWorkspace()
		if err != nil {
			return err
		}
		if name != nil {
			if err := title(InvalidName, "name", *name); err != nil {
				return err
			}
			if f, _ := w.Doc.Field(mdstore.KeyName); f.Value != *name {
				edit.set(mdstore.KeyName, mdoc.Text(*name))
				edit.did("%s name %s → %s", w.ID, w.Name, *name)
			}
		}
		if goal != nil {
			if strings.TrimSpace(*goal) == "" {
				return Fail(InvalidParams, "%s: the goal would be empty; say what the work is for", w.ID).with(Details{Param: "goal"})
			}
			if w.Goal != *goal {
				edit.set(mdstore.KeyGoal, mdoc.Text(*goal))
				edit.did("%s goal", w.ID)
			}
		}
		return nil
	})
}

// Archive moves a workspace with all it holds into the archive, and Restore takes it out again. They return the workspace's folder.
func (e *Engine) Archive(ctx context.Context, ws mdstore.ID, act Act) (mdstore.Path, *Outcome, error) {
	return e.shelve(ctx, ws, mdstore.StatusArchived, act)
}

// Restore is the way back from Archive.
func (e *Engine) Restore(ctx context.Context, ws mdstore.ID, act Act) (mdstore.Path, *Outcome, error) {
	return e.shelve(ctx, ws, mdstore.StatusActive, act)
}

func (e *Engine) shelve(ctx context.Context, ws mdstore.ID, status string, act Act) (mdstore.Path, *Outcome, error) {
	var to mdstore.Path
	o, err := e.update(ctx, ws, act, func(d *draft) error {
		w := d.snap.ws
		if to = w.Dir; w.Status == status {
			return nil
		}
		if err := d.match(w.Path, w.Version); err != nil {
			return err
		}
		if w.Newer() {
			return &mdoc.UnreadableError{Problem: newerProblem(w)}
		}
		if err := w.Doc.Editable(); err != nil {
			return err
		}
		to = e.freeDir(ctx, w.Dir.Base(), status)
		edit := d.onWorkspace()
		edit.set(mdstore.KeyStatus, mdoc.Text(status))
		d.log(edit, "workspace: "+w.Status+" → "+status)
		edit.did("%s status %s → %s", w.ID, w.Status, status)
		d.extra = append(d.extra, planned{change: mdstore.Change{Path: w.Dir, To: to}})
		return nil
	})
	return to, o, err
}

// freeDir returns the folder for a workspace in that status, named as it is now where nothing else has that name.
func (e *Engine) freeDir(ctx context.Context, name, status string) mdstore.Path {
	in := mdstore.Path("")
	if status == mdstore.StatusArchived {
		in = mdstore.ArchiveDir
	}
	to := in.Join(name)
	for i := 2; ; i++ {
		if _, err := e.st.Read(ctx, to); errors.Is(err, fs.ErrNotExist) || ctx.Err() != nil {
			return to
		}
		to = in.Join(fmt.Sprintf("%s-%d", name, i))
	}
}

// DeleteWorkspace moves a workspace to the trash. An active one needs force.
func (e *Engine) DeleteWorkspace(ctx context.Context, ws mdstore.ID, force bool, act Act) (*Deleted, error) {
	var out *Deleted
	o, err := e.update(ctx, ws, act, func(d *draft) error {
		w := d.snap.ws
		if w.Newer() {
			return &mdoc.UnreadableError{Problem: newerProblem(w)}
		}
		if err := d.match(w.Path, w.Version); err != nil {
			return err
		}
		if w.Status == mdstore.StatusActive && !force {
			return Fail(WorkspaceActive, "%s (%s): the workspace is active; archive it first (workspace_archive), or repeat the call with force: true (--force)", w.ID, w.Name)
		}
		out = &Deleted{Count: d.snap.Len(), Trash: mdstore.TrashPath(d.now.Format("20060102T150405.000")+"-"+string(w.ID), w.Dir)}
		d.extra = append(d.extra, planned{change: mdstore.Change{Path: w.Dir, To: out.Trash}, what: string(w.ID) + " deleted: " + w.Name})
		return nil
	})
	if err != nil {
		return nil, err
	}
	out.Outcome = o
	return out, nil
}
