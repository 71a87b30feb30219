package ops

import (
	"cmp"
	"context"
	"strings"

	"arbor/engine/check"
	"arbor/engine/view"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
)

// ConflictsIn asks for what merges of git have left.
type ConflictsIn struct{}

// ConflictsOut lists the files with a conflict.
type ConflictsOut struct {
	Files []ConflictFile    `json:"files"`
	Saves []mdoc.Diagnostic `json:"saves,omitempty"` // conflict copies, and what git or another program took out of files
	Out
}

// A ConflictFile is a file that a merge has left for people.
type ConflictFile struct {
	Path      string         `json:"path"`
	NodeID    string         `json:"nodeId,omitempty"`
	Title     string         `json:"title,omitempty"`
	Gone      string         `json:"deleted,omitempty"`   // the side that has deleted the file: ours or theirs
	Lines     bool           `json:"lines,omitempty"`     // it can be merged as lines alone
	Settles   bool           `json:"settles,omitempty"`   // arbor check --fix ends it
	Conflicts []ConflictPart `json:"conflicts,omitempty"` // what people decide
}

// A ConflictPart is a field or section that both sides changed differently.
type ConflictPart struct {
	What   string `json:"what"` // the key of the field, or the name of the section; text for what is in none
	Ours   string `json:"ours"`
	Theirs string `json:"theirs"`
	Base   string `json:"base"`
}

var conflictsOp = op("conflicts", reads|repeats, Conflicts, Help{
	Summary: "list what merges of git and saves by other programs have left for you to decide",
	Use:     "conflicts",
	Text: `For each file: the fields and sections that both sides changed differently, with
what each side says and what they were before; or that one side deleted what the
other changed. Ours is what was checked out when the merge began; in a rebase
that is the branch that you rebase onto. arbor resolve-conflict ends one. Then
the conflict copies, and what git or another program took out of files within
the last day (TAKEN_OUT), with the command that writes it again.`,
	Example: "arbor conflicts\narbor resolve-conflict \"Sign-in endpoint\" --theirs",
})

// Conflicts returns the files that a merge of git has left for people, and what saves by other programs have left.
func Conflicts(ctx context.Context, env *Env, _ ConflictsIn) (*ConflictsOut, error) {
	_, all, views, found, err := conflictsOfVault(ctx, env)
	if err != nil {
		return nil, err
	}
	out := &ConflictsOut{Files: []ConflictFile{}}
	for _, d := range found {
		if d.Code == check.CodeTakenOut || d.Code == check.CodeStray && strings.HasPrefix(d.Text, check.ConflictCopy) {
			out.Saves = append(out.Saves, d)
		}
	}
	out.Hint = "arbor resolve-conflict NODE --ours|--theirs|-e ends one"
	for _, c := range all {
		f := ConflictFile{Path: string(c.path), Gone: c.gone(), Lines: c.lines && c.gone() == "", Settles: c.settles()}
		for _, v := range views {
			if n, ok := v.File(c.path); ok {
				f.NodeID, f.Title = string(n.ID), n.Title
			} else if w := v.Workspace(); w.Path == c.path {
				f.Title = w.Name
			}
		}
		for _, x := range c.merged.Conflicts {
			f.Conflicts = append(f.Conflicts, ConflictPart{cmp.Or(x.What, wholeText), x.Ours, x.Theirs, x.Base})
		}
		out.Files = append(out.Files, f)
	}
	if len(all) == 0 {
		out.Hint = ""
	}
	if len(all)+len(out.Saves) == 0 {
		out.Hint = "nothing is in conflict"
	}
	return out, nil
}

// conflictsOfVault returns all conflicts, the workspaces that they may be in, and what check finds in those.
func conflictsOfVault(ctx context.Context, env *Env) (r *gitrepo.Repo, all []*conflict, views []*view.View, found []mdoc.Diagnostic, err error) {
	workspaces, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, nil, nil, nil, fail(err)
	}
	for _, w := range workspaces {
		if v, ds, err := env.Engine.Check(ctx, w.ID); err == nil { // of two with one id neither is one
			views, found = append(views, v), append(found, ds...)
		}
	}
	r, all, err = conflicts(ctx, env, "", found)
	return r, all, views, found, err
}
