package ops

import (
	"context"
	"fmt"
	"slices"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// In names the workspace that an operation is about. If it names none, Meanings says which workspace is meant.
type In struct {
	WorkspaceID string `json:"workspaceId,omitempty" arg:"WS" flag:"-" help:"the workspace; optional if the session is bound to one or only one is active"`
}

func (in In) workspace() string { return in.WorkspaceID }

// Write has the parameters that every writing operation takes.
type Write struct {
	DryRun bool `json:"dryRun,omitempty" help:"print the change as a unified diff; write nothing"`
}

// planned reports whether the call is a dry run.
func (w Write) planned() bool { return w.DryRun }

// Match is the precondition that a file is still at the version that the caller has read.
type Match struct {
	IfMatch string `json:"ifMatch,omitempty" help:"fail if the file is not at this VERSION"`
}

// Several has the further nodes of a command that takes several: the same is done with all of them in one commit, or
// with none.
type Several struct {
	Nodes []string `json:"-"`
}

// Further returns the further nodes.
func (s *Several) Further() *[]string { return &s.Nodes }

// Out is part of every result.
type Out struct {
	Hint    string   `json:"hint"`                            // one short line on what can be done next
	Ignored []string `json:"ignored,omitempty" only:"rarely"` // parameters of the call that have no effect here
	Cut     []string `json:"cut,omitempty" only:"rarely"`     // texts and lists that the bound of the reply has shortened

	ws    mdstore.ID // set by Sends, as is nodes
	nodes []mdstore.ID
}

// Wrote is part of the result of every writing operation.
type Wrote struct {
	Success bool                `json:"success" only:"verbose"`
	Changed bool                `json:"changed" usual:"true"`              // false if everything was so already
	Adapted []string            `json:"adapted,omitempty" only:"rarely"`   // how given text was changed to fit in
	Met     []mdstore.Collision `json:"conflicts,omitempty" only:"rarely"` // saves by others that the write met, and what became of both
	Kept    []plan.Text         `json:"replaced,omitempty" only:"rarely"`  // texts that the write replaced and the caller had not read
	Warned  []string            `json:"warnings,omitempty"`                // warnings about what was done
	DryRun  bool                `json:"dryRun,omitempty" only:"rarely"`
	Diff    string              `json:"diff,omitempty" only:"rarely"` // a unified diff: of a dry run, and of any repair
	// the new version of the file that the call is about, for ifMatch
	Version string     `json:"version,omitempty" only:"version"`
	Files   []FileDiff `json:"files,omitempty" only:"verbose"`
	More    int        `json:"filesHidden,omitempty" only:"verbose"` // files that a bounded result leaves out
	Out

	about []mdstore.ID // the nodes that the call named, if these are several
	began int64
}

// Began is when the operation began, as the record of operations has it; 0 if it is not recorded.
func (w Wrote) Began() int64 { return w.began }

// Changes returns what the write did, in the order of its files.
func (w Wrote) Changes() (all []view.Change) {
	for _, f := range w.Files {
		all = append(all, f.What...)
	}
	return all
}

// Workspace returns the id of the workspace that was written to.
func (w Wrote) Workspace() string { return string(w.ws) }

// About reports whether a node is one of several that the call named.
func (w Wrote) About(node string) bool { return slices.Contains(w.about, mdstore.ID(node)) }

// wrote is how Env.said finds what was written.
func (w *Wrote) wrote() *Wrote { return w }

// Written returns w: front ends call it on the result of any writing operation.
func (w Wrote) Written() Wrote { return w }

// A FileDiff says what a writing operation changed in one file.
type FileDiff struct {
	Path    string        `json:"path"`              // relative to the project
	To      string        `json:"to,omitempty"`      // the new path, if the file or folder moved
	Version string        `json:"version,omitempty"` // the file's new version, for ifMatch
	Lines   int           `json:"lines"`             // lines that differ: the number added or removed, whichever is larger
	What    []view.Change `json:"what,omitempty"`    // "node-… status pending → implementing"
}

// wrote turns an outcome into what every writing operation returns, and notes the change as the session's own. hint is
// the operation's usual hint; a brief reply leaves it out.
func (env *Env) wrote(ctx context.Context, ws mdstore.ID, o *plan.Outcome, hint string) Wrote {
	if env.Detail == DetailBrief {
		hint = ""
	}
	w := Wrote{Success: true, Changed: o.Changed(), Adapted: o.Adapted, Met: o.Collisions, Kept: o.Replaced, Warned: o.Warned,
		DryRun: o.DryRun, Out: Out{Hint: hint, ws: ws}}
	if o.DryRun {
		w.Diff = o.Diff()
		w.Hint = "nothing was written; repeat the call without {.dryRun} to do it"
	} else if !w.Changed {
		w.Hint = "nothing to change; nothing was written"
	}
	if len(w.Met) > 0 {
		w.Hint = "done; conflicts lists saves by others that collided with this write or an earlier one"
	}
	files, hidden := first(env, o.Files, boundedItems)
	for _, f := range files {
		w.Files = append(w.Files, FileDiff{Path: env.path(f.Path), To: env.path(f.To),
			Version: f.Version.String(), Lines: f.Lines(), What: f.What})
	}
	w.More = hidden
	if op := mdstore.OperationOf(ctx); op != nil {
		w.began = op.Began
	}
	for i, f := range o.Files { // prefer a new file, else the one that changed first
		if v := f.Version.String(); i == 0 || f.Old == nil && o.Files[0].Old != nil {
			w.Version = v
		}
		if f.Old == nil {
			break
		}
	}
	if err := env.Engine.NoteOwn(ctx, ws, env.Session, o); err != nil {
		w.Hint = "done; but the session's last look could not be saved, so {changes_get} will list this change too"
	}
	return w
}

// problem returns an open problem as a result has it, null if there is none.
func problem(p mdstore.Problem) *mdstore.Problem {
	if p.IsZero() {
		return nil
	}
	return &p
}

// nonNil returns items, or an empty list for nil: a result has [] and not null in JSON.
func nonNil[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// archivedHint replaces hints that do not apply to an archived workspace.
const archivedHint = "the workspace is archived and cannot be changed: {workspace_restore} " +
	"makes it active again"

// damaged returns the hint for a node or workspace whose file is closed to edits.
func damaged(ds []mdoc.Diagnostic) string {
	return "its file is damaged and cannot be changed until a person repairs it: " + ds[0].String()
}

// found returns the hint for a file that has diagnostics: the first of them, and how many more there are.
func found(ds []mdoc.Diagnostic) string {
	s := "something is wrong with its file: " + beginning(ds[0].Code+": "+ds[0].Text, 400)
	if ds[0].Fix != "" {
		s += " ({workspace_check fix}: " + ds[0].Fix + ")"
	}
	if len(ds) > 1 {
		s += fmt.Sprintf("; and %d more", len(ds)-1)
	}
	return s
}

// LostFiles says in words that n files of nodes are nowhere in the tree.
func LostFiles(n int) string {
	if n == 1 {
		return "1 file of a node is in no place of the tree"
	}
	return fmt.Sprintf("%d files of nodes are in no place of the tree", n)
}
