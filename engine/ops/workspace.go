package ops

import (
	"context"
	"path/filepath"

	"arbor/engine"
	"arbor/mdstore"
)

// WorkspaceInit makes a workspace with its root node.
func WorkspaceInit(ctx context.Context, env *Env, in WorkspaceInitIn) (*WorkspaceInitOut, error) {
	w, err := env.Engine.Init(ctx, engine.NewWorkspace{Name: in.Name, Goal: in.Goal, Rules: in.Rules, Docs: refs(in.Docs)}, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceInitOut{
		WorkspaceID: string(w.ID), Path: string(w.Dir), ProjectRoot: env.Engine.Project(), RootNodeID: string(mdstore.Root),
		RulesHash: mdstore.RulesHash(w.Rules),
		Wrote:     env.wrote(ctx, w.ID, w.Outcome, "plan with node_create under root (arbor add TITLE --parent root)"),
	}, nil
}

// WorkspaceList lists workspaces, oldest first.
func WorkspaceList(ctx context.Context, env *Env, in WorkspaceListIn) (*WorkspaceListOut, error) {
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	want := in.Status
	if want == "" {
		want = mdstore.StatusActive
	}
	out := &WorkspaceListOut{Workspaces: []WorkspaceHead{}, Out: Out{Hint: "workspace_status shows the tree of one"}}
	for _, w := range all {
		if want == "all" || w.Status == want {
			out.Workspaces = append(out.Workspaces, env.head(w))
		}
	}
	shown, found := fitting(env, out.Workspaces, besideList), len(out.Workspaces)
	out.Workspaces, out.Hidden = out.Workspaces[:shown], found-shown
	switch {
	case len(all) == 0:
		out.Hint = "the vault has no workspace yet; make one with workspace_init (arbor init)"
	case found == 0:
		out.Hint = "none is " + want + "; status all shows every one"
	case out.Hidden > 0:
		out.Hint = shownOf(shown, found, "workspaces", "workspace_get shows any by its id, arbor ws list all of them; workspace_archive makes the list shorter")
	}
	return out, nil
}

func (env *Env) head(w *mdstore.Workspace) WorkspaceHead {
	return WorkspaceHead{ID: string(w.ID), Name: w.Name, Goal: w.Goal, Status: w.Status, FocusedNodeID: string(w.Focus),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Damaged: len(w.Problems) > 0}
}

// path returns a path of the vault as people can open it, where the vault's place is known.
func (env *Env) path(p mdstore.Path) string {
	if v := env.Engine.Vault(); v != "" {
		return filepath.Join(v, filepath.FromSlash(string(p)))
	}
	return string(p)
}

// pathOrNone is path, "" for no path.
func (env *Env) pathOrNone(p mdstore.Path) string {
	if p == "" {
		return ""
	}
	return env.path(p)
}

// logShown is how many entries of a workspace's log workspace_get returns.
const logShown = 20

// WorkspaceGet returns a workspace.
func WorkspaceGet(ctx context.Context, env *Env, in WorkspaceGetIn) (*WorkspaceGetOut, error) {
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	out := env.workspaceOut(s.Workspace())
	out.Counts = counts(s, len(s.Diagnostics()))
	return out, nil
}

// WorkspaceOwn is WorkspaceGet without the counts: it looks at the workspace's own file and at no node.
func WorkspaceOwn(ctx context.Context, env *Env, in WorkspaceGetIn) (*WorkspaceGetOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	w, err := env.Engine.Workspace(ctx, id)
	if err != nil {
		return nil, fail(err)
	}
	return env.workspaceOut(w), nil
}

func (env *Env) workspaceOut(w *mdstore.Workspace) *WorkspaceGetOut {
	log := logs(w.Log())
	out := &WorkspaceGetOut{Workspace: env.info(w), Problem: problem(w.Problem()), Diagnostics: w.Problems}
	out.Log, _ = env.newest(log[max(0, len(log)-logShown):])
	out.LogHidden = len(log) - len(out.Log)
	out.Hint = "workspace_status shows the tree, context_get what a node's work needs"
	switch {
	case w.Doc.Editable() != nil:
		out.Hint = damaged(out.Diagnostics)
	case len(out.Workspace.Rules) > 0:
		out.Hint = "node_create asks for this rulesHash, as the proof that the rules were read"
	}
	return out
}

func (env *Env) info(w *mdstore.Workspace) WorkspaceInfo {
	i := WorkspaceInfo{ID: string(w.ID), Name: w.Name, Goal: w.Goal, Status: w.Status, Rules: w.Rules(), Docs: docs(w.Docs()), FocusedNodeID: string(w.Focus),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Version: w.Version.String()}
	i.RulesHash = w.RulesHash()
	i.RulesHashStale = i.RulesHash != w.StoredHash && w.Doc.Editable() == nil
	if i.Rules == nil {
		i.Rules = []string{}
	}
	return i
}

// WorkspaceUpdate renames a workspace or gives it another goal.
func WorkspaceUpdate(ctx context.Context, env *Env, in WorkspaceUpdateIn) (*WorkspaceUpdateOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	if in.Name == nil && in.Goal == nil {
		return nil, engine.Fail(engine.InvalidParams, "nothing is to be updated; give name or goal")
	}
	o, err := env.Engine.UpdateWorkspace(ctx, id, in.Name, in.Goal, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceUpdateOut{env.wrote(ctx, id, o, "workspace_get shows it")}, nil
}

// WorkspaceUpdateRules changes the rules.
func WorkspaceUpdateRules(ctx context.Context, env *Env, in WorkspaceUpdateRulesIn) (*WorkspaceUpdateRulesOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	rules := in.Rules
	if in.Rule != "" {
		rules = append([]string{in.Rule}, rules...)
	}
	if in.Action == string(engine.ReplaceRules) && rules == nil {
		e := engine.Fail(engine.InvalidParams, "rules is missing; replace takes all rules, an empty list for none")
		e.Details = &engine.Details{Param: "rules"}
		return nil, e
	}
	now, o, err := env.Engine.Rules(ctx, id, engine.RulesAction(in.Action), rules, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	if now == nil {
		now = []string{}
	}
	hint := "whoever creates nodes now needs the new rulesHash"
	if len(now) == 0 {
		hint = "no rules are left, and nodes are created without rulesHash"
	}
	return &WorkspaceUpdateRulesOut{Rules: now, RulesHash: mdstore.RulesHash(now), Wrote: env.wrote(ctx, id, o, hint)}, nil
}

// WorkspaceUpdateDocs changes the documents of a workspace.
func WorkspaceUpdateDocs(ctx context.Context, env *Env, in WorkspaceUpdateDocsIn) (*WorkspaceUpdateDocsOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	now, o, err := env.Engine.WorkspaceDoc(ctx, id, engine.RefAction(in.Action), mdstore.Ref{Target: in.Path, Description: in.Description}, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceUpdateDocsOut{Docs: docs(now), Wrote: env.wrote(ctx, id, o, "every context of this workspace names its active documents")}, nil
}

// WorkspaceArchive moves a workspace into the archive.
func WorkspaceArchive(ctx context.Context, env *Env, in WorkspaceArchiveIn) (*WorkspaceMoveOut, error) {
	return env.shelve(ctx, in.In, env.act(in.Write, in.Match), env.Engine.Archive, "workspace_restore brings it back")
}

// WorkspaceRestore takes a workspace out of the archive.
func WorkspaceRestore(ctx context.Context, env *Env, in WorkspaceRestoreIn) (*WorkspaceMoveOut, error) {
	if in.WorkspaceID == "" { // the one that is archived is meant, not the one that is active
		list, err := WorkspaceList(ctx, env, WorkspaceListIn{Status: mdstore.StatusArchived})
		if err != nil {
			return nil, err
		}
		if in.WorkspaceID, err = theOne(list.Workspaces); err != nil {
			return nil, err
		}
	}
	return env.shelve(ctx, in.In, env.act(in.Write, in.Match), env.Engine.Restore, "it is active again")
}

// theOne returns the id of the only archived workspace.
func theOne(archived []WorkspaceHead) (string, error) {
	switch len(archived) {
	case 1:
		return archived[0].ID, nil
	case 0:
		return "", engine.Fail(engine.WorkspaceNotFound, "no workspace is archived, so there is none to restore")
	}
	e := engine.Fail(engine.AmbiguousID, "%d workspaces are archived; name the one to restore", len(archived))
	e.Details = &engine.Details{Param: "workspaceId"}
	for _, w := range archived[:min(len(archived), 8)] {
		e.Message += "; " + w.ID + " (" + w.Name + ")"
		e.Details.Candidates = append(e.Details.Candidates, engine.Candidate{ID: w.ID, Title: w.Name})
	}
	return "", e
}

func (env *Env) shelve(ctx context.Context, in In, act engine.Act, do func(context.Context, mdstore.ID, engine.Act) (mdstore.Path, *engine.Outcome, error), hint string) (*WorkspaceMoveOut, error) {
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	dir, o, err := do(ctx, id, act)
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceMoveOut{Path: string(dir), Wrote: env.wrote(ctx, id, o, hint)}, nil
}

// WorkspaceDelete moves a workspace to the trash.
func WorkspaceDelete(ctx context.Context, env *Env, in WorkspaceDeleteIn) (*WorkspaceDeleteOut, error) {
	if in.WorkspaceID == "" {
		e := engine.Fail(engine.InvalidParams, "workspaceId is missing; a workspace is deleted by name only")
		e.Details = &engine.Details{Param: "workspaceId"}
		return nil, e
	}
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	d, err := env.Engine.DeleteWorkspace(ctx, id, in.Force, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &WorkspaceDeleteOut{DeletedCount: d.Count, Trash: string(d.Trash), Wrote: env.wrote(ctx, id, d.Outcome, "it lies in the trash, whole; move the folder back to restore it")}, nil
}
