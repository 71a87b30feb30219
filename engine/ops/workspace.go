package ops

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/engine/view"
	"arbor/mdstore"
)

type WorkspaceInitIn struct {
	Name  string        `json:"name" req:"true" arg:"NAME" help:"1 to 200 characters in one line"`
	Goal  string        `json:"goal" req:"true" unless:"briefing" flag:"goal,g" help:"the GOAL: what the work is for"`
	Rules []string      `json:"rules,omitempty" flag:"rule" help:"a RULE for all work in this workspace; may be repeated"`
	Docs  []mdstore.Ref `json:"docs,omitempty" listed:"briefing" flag:"doc" help:"a document as PATH:DESC; may be repeated"`
	Brief *BriefingIn   `json:"briefing,omitempty" like:"briefing_update" flat:"true" listed:"briefing" flag:"-" help:"as briefing_update takes it"`
	Write
}

type WorkspaceInitOut struct {
	WorkspaceID string `json:"workspaceId"`
	Path        string `json:"path"`
	ProjectRoot string `json:"projectRoot"`
	RootNodeID  string `json:"rootNodeId"`
	RulesHash   string `json:"rulesHash"`
	Wrote
}

var workspaceInit = op("workspace_init", writes, WorkspaceInit, Help{
	Summary: "create a workspace with its root node",
	Advice:  "A project's plan.",
	Use:     "init [NAME]",
	Text: `A name is enough. The workspace goes into the vault found in this folder or
above, or named by --vault or ARBOR_VAULT. If there is none, .tanmi-workspace is
created at the top of the git repository, or here outside of one, but never in
your home folder or in /. To create a vault here although there is one above:
arbor init NAME --goal GOAL --vault .tanmi-workspace`,
	Example: `arbor init Login --goal "Users sign in with a password"
arbor init Login --goal "..." --rule "Tests first" --doc docs/api.md:"the API"`,
})

// WorkspaceInit makes a workspace with its root node.
func WorkspaceInit(ctx context.Context, env *Env, in WorkspaceInitIn) (*WorkspaceInitOut, error) {
	if env.Caller == ByAssistant && in.Brief == nil && strings.TrimSpace(in.Goal) == "" {
		return nil, badParam("goal", "goal is empty; say what the work should achieve")
	}
	made := plan.NewWorkspace{Name: in.Name, Goal: in.Goal, Rules: in.Rules, Docs: in.Docs}
	var warned []string
	if in.Brief != nil {
		made.Briefing = in.Brief.plan()
		warned = missed(ctx, env, in.Brief.Agent, made.Briefing.KeyFiles)
	}
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	w, err := env.Engine.Init(ctx, made, env.act(in.Write, Match{}))
	if err != nil {
		return nil, fail(err)
	}
	for _, other := range all {
		if other.Name == in.Name && other.Status == mdstore.StatusActive {
			w.Warned = append(w.Warned, string(other.ID)+" has the same name and is active too; "+
				"if one of them is not needed, archive it ({workspace_archive})")
		}
	}
	w.Warned = append(w.Warned, warned...)
	for _, r := range in.Docs {
		if err := env.Engine.Lacks(ctx, r.Target); err != nil {
			w.Warned = append(w.Warned, err.Error())
		}
	}
	const hint = "plan with {node_create} under root"
	out := &WorkspaceInitOut{
		WorkspaceID: string(w.ID), Path: env.path(w.Dir),
		ProjectRoot: env.shown(ctx, env.Engine.Project(), ""), RootNodeID: string(mdstore.Root),
		RulesHash: mdstore.RulesHash(w.Rules),
		Wrote:     env.wrote(ctx, w.ID, w.Outcome, hint),
	}
	out.Hint = cmp.Or(out.Hint, hint)
	if means, err := env.workspace(ctx, ""); err == nil && means != w.ID && env.Caller == ByAssistant && !in.DryRun {
		out.Hint = "calls that name no workspace still mean " + string(means) +
			"; {session_bind} binds this session to the new one"
	}
	return out, nil
}

type WorkspaceListIn struct {
	Status string `json:"status,omitempty" enum:"active,archived,all" help:"default active"`
	SortBy string `json:"sortBy,omitempty" listed:"briefing" enum:"name,created,lastAccessed" flag:"sort" help:"default lastAccessed"`
	Order  string `json:"order,omitempty" listed:"briefing" enum:"asc,desc" help:"default: asc for name, otherwise desc"`
	Limit  int    `json:"limit,omitempty" min:"-1" listed:"briefing" flag:"limit,n" help:"at most N workspaces"`
	Cursor string `json:"cursor,omitempty" listed:"never" help:"the CURSOR of an earlier page"`
	Query  string `json:"query,omitempty" listed:"briefing" help:"only workspaces with all WORDS in name and description; a path finds the workspace it lies in"`
}

type WorkspaceListOut struct {
	Workspaces []WorkspaceHead `json:"workspaces"`
	Listed
	Out
}

type WorkspaceHead struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Description   string `json:"description,omitempty"`
	Goal          string `json:"goal"`
	RootFolder    string `json:"rootFolder,omitempty"`
	Status        string `json:"status"`
	FocusedNodeID string `json:"focusedNodeId,omitempty"`
	CreatedAt     int64  `json:"createdAt"`
	UpdatedAt     int64  `json:"updatedAt"`
	Path          string `json:"path" only:"verbose"`
	Damaged       bool   `json:"damaged,omitempty"`
	LastAccessed  int64  `json:"lastAccessed,omitempty"` // on this machine, Unix milliseconds; 0 if unknown
	SessionCount  int    `json:"sessionCount,omitempty"` // sessions with a file
	TraceCount    int    `json:"traceCount,omitempty"`   // entries of their logs
	Bound         bool   `json:"bound,omitempty"`        // the caller's session is bound to it
	Default       bool   `json:"-"`                      // of this machine: see Use
}

var workspaceList = op("workspace_list", reads|repeats, WorkspaceList, Help{
	Summary: "list the workspaces of the vault",
	Use:     "ws list",
	Text: `One line per workspace, most recently used on this machine first: id, status,
name, goal. Unreadable files are marked as damaged; arbor check says why.`,
	Example: `arbor ws list --status all
arbor ws list --query job --sort name
arbor ws list -q`,
})

// WorkspaceList lists the workspaces that match, in the order asked for. It lists all of them unless Limit is given.
var WorkspaceList = reading(func(ctx context.Context, env *Env, in WorkspaceListIn) (*WorkspaceListOut, error) {
	all, err := env.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	want := in.Status
	if want == "" {
		want = mdstore.StatusActive
	}
	out := &WorkspaceListOut{Workspaces: []WorkspaceHead{}}
	l := list[WorkspaceHead]{id: func(w WorkspaceHead) string { return w.ID }, what: "workspaces",
		hint: "{workspace_status} shows the tree of one", narrow: "{workspace_get} shows any by its id"}
	for _, w := range all {
		if want == "all" || w.Status == want {
			out.Workspaces = append(out.Workspaces, env.head(w))
		}
	}
	l.all = ordered(ctx, env, in, asked(env, in.Query, out.Workspaces))
	if used, err := env.machineDefault(ctx); used != nil && err == nil {
		for i := range l.all {
			l.all[i].Default = l.all[i].ID == string(used.ID)
		}
	}
	switch {
	case len(all) == 0:
		l.none = "the vault has no workspace yet; make one with {workspace_init}"
	case len(l.all) == 0 && in.Query != "":
		l.none = "none matches; a word is any part of a name or description, and all words must match"
	case len(l.all) == 0:
		l.none = "none is " + want + "; status all shows every one"
	}
	var uncounted error
	counted := false
	err = l.reply(env, Wanted{cmp.Or(in.Limit, -1), in.Cursor}, out, &out.Listed, &out.Hint, func(shown []WorkspaceHead) {
		if out.Workspaces = nonNil(shown); !counted {
			uncounted, counted = countSessions(ctx, env, shown), true
		}
	})
	return out, cmp.Or(err, uncounted)
})

func (env *Env) head(w *mdstore.Workspace) WorkspaceHead {
	return WorkspaceHead{ID: string(w.ID), Name: w.Name, Description: w.Description, RootFolder: w.RootFolder, Goal: w.Goal, Status: w.Status, FocusedNodeID: string(w.Focus),
		CreatedAt: w.CreatedAt, UpdatedAt: w.UpdatedAt, Path: env.path(w.Path), Damaged: w.Doc.Editable() != nil}
}

type WorkspaceResolveIn struct {
	Identifier string `json:"identifier" req:"true" arg:"IDENT" help:"a session, a device, or path:FOLDER"`
	Name       string `json:"name,omitempty" help:"the NAME if a workspace is created"`
	Write
}

type WorkspaceResolveOut struct {
	WorkspaceID   string `json:"workspaceId"`
	WorkspaceName string `json:"workspaceName"`
	Wrote
}

var workspaceResolve = op("workspace_resolve", writes|repeats, WorkspaceResolve, Help{
	Summary: "find or create an identifier's workspace",
	Use:     "session for IDENT",
	Text: `An identifier has 1 to 256 bytes: the name of a session or device, or
path:FOLDER. It is bound to one workspace; a workspace may have several
identifiers. For an unbound identifier a new workspace is created. Commands in a
bound folder or below it use its workspace if they name none and no session is
bound; the nearest bound folder counts. arbor use WS --bind binds an identifier
to an existing workspace.`,
	Example: `arbor session for laptop --name "Things at hand"
arbor session for path:.
arbor use Login --bind path:../login`,
})

// WorkspaceResolve returns the workspace of an identifier. If the identifier is bound to none, it makes one.
func WorkspaceResolve(ctx context.Context, env *Env, in WorkspaceResolveIn) (*WorkspaceResolveOut, error) {
	if env.apart() && in.Identifier != env.Where.Own {
		return nil, badParam("identifier", "the connection is that of %s, and sees no workspace of other identifiers, "+
			"unless the server was started with --all-identifiers", env.Where.Own)
	}
	r, err := resolveIdentifier(ctx, env, wholeIdentifier(env, in.Identifier), in.Name, env.Where.MayMake, in.Write)
	if err != nil {
		return nil, err
	}
	return &WorkspaceResolveOut{WorkspaceID: string(r.ID), WorkspaceName: r.Name,
		Wrote: env.wrote(ctx, r.ID, r.Outcome, "{workspace_update} gives it a goal")}, nil
}

// resolveIdentifier returns the workspace of an identifier. If it would have to make one, may can refuse that by an
// error.
func resolveIdentifier(
	ctx context.Context, env *Env, identifier, name string, may func() error, w Write,
) (*engine.Resolved, error) {
	of := engine.Resolve{Identifier: identifier, Name: name, May: may}
	r, err := env.Engine.ResolveWorkspace(ctx, of, env.act(w, Match{}))
	return r, fail(err)
}

// wholeIdentifier returns an identifier in the form for bindings: a folder that a person names relatively gets its
// whole path.
func wholeIdentifier(env *Env, identifier string) string {
	folder, is := strings.CutPrefix(identifier, sessions.FolderPrefix)
	if !is || env.Where.Dir == "" {
		return identifier
	}
	if folder = filepath.FromSlash(folder); !filepath.IsAbs(folder) {
		folder = filepath.Join(filepath.FromSlash(env.Where.Dir), folder)
	}
	return sessions.FolderPrefix + filepath.ToSlash(filepath.Clean(folder))
}

type WorkspaceMoveIn struct {
	In
	Match
	Write
}

type WorkspaceMoveOut struct {
	Path string `json:"path"`
	Wrote
}

var workspaceArchive = op("workspace_archive", writes|repeats, WorkspaceArchive, Help{
	Summary: "archive a workspace",
	Use:     "ws archive [WS]",
	Text:    "It can be read there. Nothing in it can be changed until it is restored.",
	Example: "arbor ws archive Login",
})

// WorkspaceArchive moves a workspace into the archive.
func WorkspaceArchive(ctx context.Context, env *Env, in WorkspaceMoveIn) (*WorkspaceMoveOut, error) {
	return env.archive(ctx, in, false, "{workspace_restore} restores it")
}

// archive moves a workspace into the archive, or out of it.
func (env *Env) archive(ctx context.Context, in WorkspaceMoveIn, restore bool, hint string) (*WorkspaceMoveOut, error) {
	p := plan.Archive{Restore: restore, Taken: env.Engine.Taken(ctx)}
	dir, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), p, hint)
	if err != nil {
		return nil, err
	}
	return &WorkspaceMoveOut{Path: env.path(dir), Wrote: w}, nil
}

var workspaceRestore = op("workspace_restore", writes|repeats, WorkspaceRestore, Help{
	Summary: "restore a workspace from the archive",
	Use:     "ws restore [WS]",
	Text:    "Its folder moves back, and it is active again.",
	Example: "arbor ws restore Login",
})

// WorkspaceRestore takes a workspace out of the archive.
func WorkspaceRestore(ctx context.Context, env *Env, in WorkspaceMoveIn) (*WorkspaceMoveOut, error) {
	if in.WorkspaceID == "" { // the call means the archived workspace, not the active one
		all, err := env.Workspaces(ctx)
		if err != nil {
			return nil, fail(err)
		}
		if in.WorkspaceID, err = archivedOne(all); err != nil {
			return nil, err
		}
	}
	return env.archive(ctx, in, true, "it is active again")
}

// archivedOne returns the id of the only archived workspace. It is an error if none is archived, or several are.
func archivedOne(all []*mdstore.Workspace) (string, error) {
	all = slices.DeleteFunc(all, func(w *mdstore.Workspace) bool { return w.Status != mdstore.StatusArchived })
	switch len(all) {
	case 1:
		return string(all[0].ID), nil
	case 0:
		return "", errs.New(errs.WorkspaceNotFound, "no workspace is archived, so there is none to restore")
	}
	heads := view.Heads(all)
	return "", errs.New(errs.AmbiguousID, "%d workspaces are archived: %s; name the one to restore", len(all), view.List(heads)).
		With(errs.Details{Param: "workspaceId", Candidates: heads})
}

type WorkspaceDeleteIn struct {
	WorkspaceID string `json:"workspaceId" req:"true" arg:"WS" flag:"-"`
	Force       bool   `json:"force,omitempty" help:"also if it is active and has open nodes"`
	Match
	Write
}

type WorkspaceDeleteOut struct {
	DeletedCount int    `json:"deletedCount"`
	Trash        string `json:"trash"`
	Wrote
}

// confirmText is part of the help of every command that deletes.
const confirmText = `At a terminal it asks first, unless there is --yes; elsewhere it does not ask.
The trash (.local/trash) keeps what is deleted until you empty it.`

var workspaceDelete = op("workspace_delete", writes|destroys, WorkspaceDelete, Help{
	Summary: "move a workspace to the trash",
	Advice:  "An active one only with force.",
	Use:     "ws rm WS",
	Text: `Its bindings and sessions end.
` + confirmText,
	Example: `arbor ws rm Login --force --dry-run
arbor ws rm Login --force --yes`,
})

// WorkspaceDelete moves a workspace to the trash. The call must name it; bindings to it end.
func WorkspaceDelete(ctx context.Context, env *Env, in WorkspaceDeleteIn) (*WorkspaceDeleteOut, error) {
	if in.WorkspaceID == "" {
		return nil, badParam("workspaceId", "{.workspaceId} is missing; a workspace is deleted by name only")
	}
	id, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	d, o, err := env.Engine.DeleteWorkspace(ctx, id, env.act(in.Write, in.Match), in.Force, nil)
	if err != nil {
		return nil, fail(err)
	}
	w := env.wrote(ctx, id, o, "it lies in the trash, whole; "+takesBack)
	return &WorkspaceDeleteOut{DeletedCount: d.Count, Trash: env.path(d.Trash), Wrote: w}, nil
}
