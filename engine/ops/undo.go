package ops

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/config"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type UndoIn struct {
	Operation string `json:"operation,omitempty" arg:"N" flag:"-" help:"number or id in the list; default: the last one"`
	Again     bool   `json:"again,omitempty" help:"write again what git or another program removed from the files"`
	List      bool   `json:"list,omitempty" help:"list the last operations"`
	Diff      bool   `json:"diff,omitempty" listed:"never" help:"list operations with what each changed"`
	Write
}

func (in UndoIn) planned() bool { return in.DryRun || in.List || in.Diff }

type UndoOut struct {
	Undone     string     `json:"undone,omitempty"` // a description of the operation
	ID         string     `json:"id,omitempty"`     // the id of the undone operation
	Operations []Undoable `json:"operations,omitempty"`
	Hidden     int        `json:"hidden,omitempty"` // operations that a bounded result leaves out
	Wrote
}

// Undoable is an operation in a list.
type Undoable struct {
	N        int    `json:"n"` // 1 is the newest
	ID       string `json:"id"`
	Time     int64  `json:"time"` // Unix milliseconds
	Text     string `json:"text"`
	Operator string `json:"operator,omitempty"`
	Who      string `json:"who,omitempty"` // the person, or person/assistant, by whose token it was made
	Session  string `json:"sessionId,omitempty"`
	Undone   bool   `json:"undone,omitempty"`
	TooLarge bool   `json:"tooLarge,omitempty"` // the operation is too large to be undone
	Diff     string `json:"diff,omitempty"`
}

// takesBack is the hint of an operation that moves something to the trash.
const takesBack = "arbor undo takes it back"

var undo = op("undo", writes, UndoOperation, Help{
	Summary: "undo the last operation",
	Advice:  "Whoever made it with Arbor: list names the last ones, and operation takes a number or id of them. An undo is one too, and can be undone.",
	Use:     "undo [N]",
	Text: `An operation is what one command, or one call of an assistant, changed in the
files of this vault, by anyone on this machine. Saves by other programs, claims,
bindings and changes by git are not operations. N is the operation's number in
--list, or its id there, which does not change. Without N the newest operation
is undone that is not itself an undo and not yet undone, so undoing twice
reverts the last two.

Files get their previous bytes. A file that changed since is merged; what cannot
be merged is reported and left alone. Deleted or moved nodes come back; new ones
go to the trash. The whole undo is refused if something newer depends on the
operation. An undo is an operation too: arbor undo N repeats what it reverted.
--again writes what the operation wrote and git or another program removed
(TAKEN_OUT in arbor check). The last 100 operations are kept, at most 64 MB; git
is not needed.`,
	Example: `arbor undo
arbor undo --list
arbor undo 3 --dry-run
arbor undo 3 --again`,
})

// UndoOperation takes an operation back, or writes again what others took out of its files, or lists the last
// operations.
func UndoOperation(ctx context.Context, env *Env, in UndoIn) (*UndoOut, error) {
	if in.List || in.Diff {
		return undoList(ctx, env, in)
	}
	if in.Again && in.Operation == "" {
		const how = "operation is missing: the number or id of what is to be written again ({.list: true} names them)"
		return nil, badParam("operation", how)
	}
	if env.apart() {
		all, err := env.deeds(ctx)
		if err != nil {
			return nil, err
		}
		d, err := engine.DeedOf(all, in.Operation)
		if err != nil {
			return nil, fail(err)
		}
		in.Operation = d.ID
	}
	d, u, err := env.Engine.Undo(ctx, in.Operation, in.Again, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	mask(u.Outcome.Files)
	slices.SortStableFunc(u.Outcome.Files, func(a, b plan.FileChange) int { // moves first: they are what it is about
		return cmp.Compare(b.To, "") - cmp.Compare(a.To, "")
	})
	for i, f := range u.Outcome.Files {
		if f.To != "" {
			u.Outcome.Files[i].What = broughtBy(f, u.Files)
			continue
		}
		k := mdstore.AllKinds().Of(f.Path)
		if f.Old == nil || f.New == nil || k != mdstore.NodeKind && k != mdstore.WorkspaceKind {
			continue
		}
		var e HistoryEntry
		is := view.EditionOf(f.Path, f.New)
		e.tell(view.EditionOf(f.Path, f.Old), is)
		for j := range e.What {
			e.What[j].ID = is.ID
		}
		u.Outcome.Files[i].What = e.What
	}
	for _, left := range u.Left {
		u.Outcome.Warned = append(u.Outcome.Warned, "not undone: "+left)
	}
	hint := "undo again goes one further back; undo this undo, which {.list: true} names, to redo it"
	if in.Again {
		hint = "written again what was missing of it; undo takes that back"
	}
	if d.Session != "" && d.Session != env.Session {
		hint = strings.TrimSpace(d.Operator+" "+d.Session) + " had done this; " + hint
	}
	return &UndoOut{Undone: d.Text, ID: d.ID, Wrote: env.wrote(ctx, u.Workspace, &u.Outcome, hint)}, nil
}

// broughtBy names the workspace or the nodes that the move of a folder into the trash deletes, or the move out of it
// restores. after has the files after the move.
func broughtBy(move plan.FileChange, after []mdstore.File) (what []view.Change) {
	trash := mdstore.Path(mdstore.TrashDir)
	do := "restored"
	switch deletes, restores := move.To.Under(trash), move.Path.Under(trash); {
	case deletes == restores:
		return nil // the changed parentId tells of a node that was moved within the plan
	case deletes:
		do = view.Deleted
	}
	for _, f := range after {
		switch {
		case f.Version.IsZero() || !f.Path.Under(move.To):
		case f.Path.Base() == mdstore.WorkspaceFile:
			w := view.EditionOf(mdstore.WorkspacePath(mdstore.Path(f.Path.Dir().Base())), f.Data)
			return []view.Change{{ID: w.ID, Do: do, Name: w.Title}}
		case f.Path.Base() == mdstore.NodeFile:
			n := view.EditionOf(f.Path, f.Data)
			what = append(what, view.Change{ID: n.ID, Do: do, Name: n.Title})
		}
	}
	if do == view.Deleted {
		slices.Reverse(what) // descendants first, as every deletion
	}
	return what
}

// deeds returns the last operations, without those that changed a workspace that the caller does not see.
func (env *Env) deeds(ctx context.Context) ([]engine.Deed, error) {
	all, err := env.Engine.Deeds(ctx)
	if err != nil {
		return nil, fail(err)
	}
	hidden, err := env.hidden(ctx)
	if err != nil {
		return nil, err
	}
	in := func(s mdstore.Step) bool {
		for _, dir := range hidden {
			if s.Path.Under(dir) || s.To.Under(dir) {
				return true
			}
		}
		return false
	}
	return slices.DeleteFunc(all, func(d engine.Deed) bool { return slices.ContainsFunc(d.Steps, in) }), nil
}

// undoList lists the last operations, or the one that is named.
func undoList(ctx context.Context, env *Env, in UndoIn) (*UndoOut, error) {
	all, err := env.deeds(ctx)
	if err != nil {
		return nil, err
	}
	var list []Undoable
	for i, d := range all {
		if in.Operation != "" && in.Operation != d.ID && in.Operation != strconv.Itoa(i+1) {
			continue
		}
		o := Undoable{N: i + 1, ID: d.ID, Time: time.Unix(0, d.Began).UnixMilli(), Text: d.Text,
			Operator: d.Operator, Who: d.Who,
			Session: d.Session, Undone: d.Undone, TooLarge: d.Large}
		if in.Diff {
			was := plan.OutcomeOf(d.Operation)
			mask(was.Files)
			o.Diff = was.Diff()
		}
		list = append(list, o)
	}
	if in.Operation != "" && len(list) == 0 {
		_, err := engine.DeedOf(all, in.Operation) // says which there are
		return nil, fail(err)
	}
	out := &UndoOut{Wrote: Wrote{Success: true}}
	env.fit(out, len(list), func(n int) { out.Operations, out.Hidden = list[:n], len(list)-n })
	return out, nil
}

// mask removes secrets from the diffs of settings files.
func mask(files []plan.FileChange) {
	for i, f := range files {
		if f.Path.Base() != mdstore.ConfigFile {
			continue
		}
		if f.Old != nil {
			files[i].Old = config.Masked(f.Old)
		}
		if f.New != nil {
			files[i].New = config.Masked(f.New)
		}
	}
}

type NodeRestoreIn struct {
	In
	NodeID  string // id or title; of several deleted nodes the last is meant
	Parent  string // the new parent; "" for the old one
	Cascade bool   // reopen completed or cancelled ancestors
	Write
}

type NodeRestoreOut struct {
	*plan.Restored
	Wrote
}

// NodeRestore brings a node and all nodes below it back from the trash. Only the command line has it: an assistant has
// no list of what people deleted.
func NodeRestore(ctx context.Context, env *Env, in NodeRestoreIn) (*NodeRestoreOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	ws := s.Workspace().ID
	r, err := env.Engine.Deleted(ctx, ws, in.NodeID)
	if err != nil {
		return nil, fail(err)
	}
	r.Cascade = in.Cascade
	if in.Parent != "" {
		if r.Parent, err = env.resolve(s, in.Parent, "parent"); err != nil {
			return nil, err
		}
	}
	done, w, err := apply(ctx, env, target{ws: ws, view: s}, env.act(in.Write, Match{}), r,
		"references to what was deleted stay expired; {node_reference} makes them active again")
	if err != nil {
		return nil, err
	}
	return &NodeRestoreOut{done, w}, nil
}

type TrashOut struct {
	Nodes []TrashedNode `json:"nodes"` // the topmost of each deletion, the last one first
	Out
}

type TrashedNode struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Nodes int    `json:"nodes"` // with those below it
}

// Trash returns the nodes of a workspace that NodeRestore can bring back.
func Trash(ctx context.Context, env *Env, in In) (*TrashOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	all, err := env.Engine.Trash(ctx, s.Workspace().ID)
	if err != nil {
		return nil, fail(err)
	}
	out := &TrashOut{Nodes: []TrashedNode{}, Out: Out{Hint: "nothing was deleted"}}
	for _, r := range all {
		out.Hint = "arbor restore NODE restores one, with its subtree"
		out.Nodes = append(out.Nodes, TrashedNode{string(r.Node), r.Title, len(r.Nodes)})
	}
	return out, nil
}
