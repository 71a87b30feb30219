package ops

import (
	"cmp"
	"context"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/check"
	places "arbor/engine/env"
	"arbor/engine/env/act"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

type WorkspaceCheckIn struct {
	WorkspaceID string `json:"workspaceId,omitempty" arg:"WS" flag:"-" help:"default: every workspace of the vault"`
	Fix         bool   `json:"fix,omitempty" help:"repair what can be repaired without losing text"`
	Write
}

type WorkspaceCheckOut struct {
	Diagnostics []mdoc.Diagnostic `json:"diagnostics" always:"true"`
	Hidden      int               `json:"hidden,omitempty"` // diagnostics that a bounded result leaves out
	Fixed       []mdoc.Diagnostic `json:"fixed"`
	FixedHidden int               `json:"fixedHidden,omitempty"`
	Checked     int               `json:"filesChecked"`
	Wrote
}

var workspaceCheck = op("workspace_check", writes|repeats, WorkspaceCheck, Help{
	Summary: "list problems in the files, and repair them with --fix",
	Advice:  "fix loses no text.",
	Use:     "check [WS]",
	Text: `One line per problem, file:line:col: code: text, as editors and CI read it, with
what --fix does about it, or that it needs repair by hand. The exit code is 6 if
there are any. --fix repairs what it can without losing text; it prints the
diff, the repairs, and the problems that remain; --fix --dry-run writes nothing.
Paths in the diff are relative to the vault, in other lines to the working
directory. With WS it checks only that workspace, without problems of the whole
vault: sessions.json, workspaces that share an id, files between workspaces.
--sarif prints a SARIF 2.1.0 document, for code review in pull requests.`,
	Example: `arbor check
arbor check --fix --dry-run
arbor check || exit 1
arbor check --sarif > arbor.sarif`,
})

// WorkspaceCheck returns every diagnostic, of one workspace or of the whole vault. With Fix it repairs what it can
// without losing text, and returns what remains.
func WorkspaceCheck(ctx context.Context, env *Env, in WorkspaceCheckIn) (res *WorkspaceCheckOut, err error) {
	var ids []mdstore.ID
	var unread error // why one workspace is left alone while the others are repaired
	out := &WorkspaceCheckOut{Diagnostics: []mdoc.Diagnostic{}, Fixed: []mdoc.Diagnostic{}, Wrote: Wrote{Success: true}}
	defer func() { err = out.partly(err) }()
	if in.WorkspaceID != "" {
		id, err := env.workspace(ctx, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		ids = append(ids, id)
	} else {
		if in.Fix {
			fixed, o, err := env.Engine.FixVault(ctx, env.act(in.Write, Match{}))
			env.repaired(ctx, "", fixed, o, out)
			if err != nil {
				return nil, fail(err)
			}
		}
		found, err := env.Engine.CheckVault(ctx)
		if err != nil {
			return nil, fail(err)
		}
		found.Diagnostics = append(found.Diagnostics, toolDiagnostics(ctx, env)...)
		for _, d := range found.Diagnostics {
			if rel, err := filepath.Rel(env.Engine.Vault(), d.File); err == nil && filepath.IsAbs(d.File) {
				d.File = filepath.ToSlash(rel) // arbor.toml lies beside the vault
			}
			out.Diagnostics = append(out.Diagnostics, d)
		}
		ids, out.Checked = found.Workspaces, found.Files
	}
	under := mdstore.Path("")
	if in.WorkspaceID != "" {
		v, err := env.Engine.View(ctx, ids[0])
		if err != nil {
			return nil, fail(err)
		}
		under = v.Workspace().Dir
	}
	if in.Fix {
		if _, err := fixConflicts(ctx, env, under, nil, in.Write, out); err != nil {
			return nil, err
		}
	}
	loop := mdstore.LoopOf(ctx, "workspaces checked", len(ids))
	defer loop.End()
	for i, id := range ids {
		loop.Done(min(i, 1))
		env.progress(i, len(ids), string(id))
		if in.Fix {
			switch checked, err := fixWithMarks(ctx, env, id, in.Write, out); {
			case err != nil && errs.As(err).Code == errs.FileUnreadable:
				unread = cmp.Or(unread, err)
				continue
			case err != nil:
				return nil, err
			case checked:
				continue
			}
		}
		snap, ds, err := env.Engine.Check(ctx, id)
		if err != nil {
			return nil, fail(err)
		}
		out.Checked += snap.FileCount()
		out.Diagnostics = append(out.Diagnostics, ds...)
	}
	out.Diagnostics = gitDiagnostics(ctx, env, under, out.Diagnostics)
	loop.Done(min(len(ids), 1))
	env.progress(len(ids), len(ids), "checked")
	if unread != nil {
		return nil, unread
	}
	files, hidden := first(env, out.Wrote.Files, boundedItems)
	out.Wrote.Files, out.More = files, out.More+hidden
	out.Fixed, out.FixedHidden = first(env, out.Fixed, boundedItems)
	fixable := 0
	for _, d := range out.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	switch {
	case len(out.Diagnostics) == 0:
		out.Hint = "nothing is wrong"
	case fixable == 0:
		out.Hint = "each of these needs a person; its text says how to repair it"
	default:
		out.Hint = strconv.Itoa(fixable) + " of these can be repaired without losing text: {workspace_check fix}"
	}
	all, hint := out.Diagnostics, out.Hint
	env.fit(out, len(all), func(n int) {
		out.Diagnostics, out.Hidden, out.Hint = all[:n], len(all)-n, hint
		if out.Hidden > 0 {
			out.Hint = shownOf(n, len(all), "diagnostics", "repair these, or name one workspace; "+hint)
		}
	})
	return out, nil
}

// toolDiagnostics returns a finding for each wrong definition of a tool: of the vault, and of environments that are
// folders of this machine.
func toolDiagnostics(ctx context.Context, env *Env) (all []mdoc.Diagnostic) {
	c := act.Caller{Engine: env.Engine, BuiltIn: builtIn}
	var roots []*places.Place
	if s, err := act.StoreOf(env.Engine); err == nil { // else no tool can act beside this vault
		if h, err := act.Of(ctx, c, s, nil, nil); err == nil {
			roots = h.Places
		}
	}
	for _, l := range c.WrongTools(ctx, roots) {
		all = append(all, mdoc.Diagnostic{File: l.File, Code: check.CodeToolInvalid,
			Text: "no environment has the tool: " + l.Why})
	}
	return all
}

// partly adds the repairs made before a failure to the error.
func (out *WorkspaceCheckOut) partly(err error) error {
	e := errs.As(err)
	if e == nil || !out.Changed || out.DryRun || e.Details != nil && e.Details.Committed {
		return err
	}
	var files []string
	for _, d := range out.Fixed {
		files = append(files, d.File)
	}
	return errs.New(e.Code, "repaired: %s; not repaired: %s; check again", strings.Join(files, ", "), e.Message).
		With(errs.Details{Committed: true, Paths: files})
}

// fix repairs one workspace and adds what is left to the result. It reports false if a damaged file prevents that:
// check finds the file, and the other workspaces are repaired all the same.
func (env *Env) fix(ctx context.Context, id mdstore.ID, w Write, out *WorkspaceCheckOut) (checked bool, err error) {
	m, err := env.Engine.Fix(ctx, id, env.act(w, Match{}))
	if m != nil {
		env.repaired(ctx, id, m.Mended, m.Outcome, out)
	}
	switch e := errs.As(err); {
	case err == nil:
	case e.Class() == errs.Unreadable && e.Details != nil && len(e.Details.Problems) > 0 && ofFile(e.Details.Problems[0]):
		return false, nil
	default:
		return false, e
	}
	out.Checked += m.Checked
	out.Diagnostics = append(out.Diagnostics, m.Left...)
	return true, nil
}

// ofFile reports whether a problem concerns one file. A problem of the whole vault does not: nothing can be written
// then. Nor does a file that could not be read, for a reason that says nothing about the file itself.
func ofFile(d mdoc.Diagnostic) bool {
	p := mdstore.Path(d.File)
	return p != "" && p != "." && !p.Under(mdstore.LocalDir) && d.Code != string(errs.FileUnreadable)
}

// repaired adds repairs to a result, with their diff unless results are bounded.
func (env *Env) repaired(ctx context.Context, id mdstore.ID, fixed []mdoc.Diagnostic, o *plan.Outcome, out *WorkspaceCheckOut) {
	done := env.wrote(ctx, id, o, "")
	if !env.bounded() {
		done.Diff = o.Diff()
	}
	out.Fixed = append(out.Fixed, fixed...)
	out.Wrote.Files, out.More, out.Diff = append(out.Wrote.Files, done.Files...), out.More+done.More, out.Diff+done.Diff
	out.Changed, out.DryRun = out.Changed || done.Changed, done.DryRun
}

type WorkspaceGCIn struct {
	MaxAge *int `json:"maxAge,omitempty" min:"1" help:"unused for this many DAYS; default 90"`
	Shared bool `json:"shared,omitempty" help:"include workspaces that were not made by session for"`
	Write
}

type WorkspaceGCOut struct {
	Collected []CollectedWorkspace `json:"collected,omitempty"`
	Kept      []CollectedWorkspace `json:"kept,omitempty"`
	Hidden    int                  `json:"hidden,omitempty"` // kept ones that a bounded result leaves out
	Wrote
}

// A CollectedWorkspace is a workspace that the collection looked at.
type CollectedWorkspace struct {
	WorkspaceID string `json:"workspaceId"`
	Name        string `json:"name"`
	Trash       string `json:"trash,omitempty"`
	Reason      string `json:"reason,omitempty"` // why it is kept
}

var workspaceGC = op("workspace_gc", writes|destroys, WorkspaceGC, Help{
	Summary: "move unused workspaces to the trash",
	Use:     "ws gc",
	Text: `Moves those workspaces to the trash that arbor session for created on this
machine, that nobody has loaded, resolved, bound or written to for 90 days, and
whose files are as old. --shared includes workspaces created otherwise; for
these, writes by anyone count. The default workspace stays, and so does any that
cannot be read or is in use: a node is claimed, a session is open, or it was
bound since. Each workspace that stays is listed with the reason. The trash
(.local/trash) is kept until you empty it.`,
	Example: "arbor ws gc --max-age 30 --dry-run",
})

// WorkspaceGC moves workspaces to the trash that were not used for MaxAge days.
func WorkspaceGC(ctx context.Context, env *Env, in WorkspaceGCIn) (*WorkspaceGCOut, error) {
	days := 90
	if in.MaxAge != nil {
		days = min(max(*in.MaxAge, 1), 100*365) // Operation.Run refuses less than 1; a time.Duration holds at most 292 years
	}
	old := engine.Collect{MaxAge: time.Duration(days) * 24 * time.Hour, Shared: in.Shared}
	var err error
	if old.Hidden, err = env.hidden(ctx); err != nil {
		return nil, err
	}
	all, o, err := env.Engine.CollectWorkspaces(ctx, old, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	out := &WorkspaceGCOut{Wrote: env.wrote(ctx, "", o, "they lie in the trash, whole; move a folder back to restore it")}
	var kept []CollectedWorkspace
	for _, c := range all {
		one := CollectedWorkspace{WorkspaceID: string(c.ID), Name: c.Name, Trash: env.path(c.Trash), Reason: c.Kept}
		if one.Reason == "" {
			out.Collected = append(out.Collected, one)
		} else {
			kept = append(kept, one)
		}
	}
	env.fit(out, len(kept), func(n int) { out.Kept, out.Hidden = kept[:n], len(kept)-n })
	return out, nil
}
