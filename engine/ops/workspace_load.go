package ops

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"arbor/engine"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// WorkspaceLoadIn asks for what somebody who comes back has to know.
type WorkspaceLoadIn struct {
	In
	ID    string `json:"id,omitempty" listed:"never" flag:"-" help:"another word for workspaceId"`
	Limit int    `json:"limit,omitempty" flag:"limit,n" help:"the newest N entries, sessions and states; 3 unless given"`
	Shape string `json:"shape,omitempty" enum:"data" listed:"never" flag:"-" help:"data wraps the reply"`
}

// WorkspaceLoadOut is a briefing with where things stand.
type WorkspaceLoadOut struct {
	Success bool    `json:"success,omitempty"` // with the shape data
	Data    *Loaded `json:"data,omitempty"`    // likewise, in place of the members of Loaded
	*Loaded
	WorkspaceContext WorkspaceContext `json:"workspaceContext"`
	Out
}

// Loaded is what a load tells of a workspace.
type Loaded struct {
	Context            LoadedContext     `json:"context"`
	Workflows          []string          `json:"workflows"`
	WorkspaceStructure []string          `json:"workspaceStructure"`
	RecentFiles        []RecentFile      `json:"recentFiles"`
	KeyFiles           map[string]string `json:"keyFiles"`
	Related            map[string]string `json:"related,omitempty"`
	Preferences        string            `json:"preferences"`
	Sessions           []LoadedSession   `json:"sessions"`
	States             []StateHead       `json:"states"`
	Agent              *Agent            `json:"agent,omitempty"`
	Plan               LoadedPlan        `json:"plan"`
	Warnings           []string          `json:"warnings"`
	Omitted            map[string]int    `json:"omitted,omitempty"` // what the bound left out; of the prompt in bytes
}

// LoadedContext is what a workspace is for and what happened last.
type LoadedContext struct {
	Name           string   `json:"name"`
	Description    string   `json:"description"`
	Purpose        string   `json:"purpose"`
	CurrentGoal    string   `json:"currentGoal"`
	RootFolder     string   `json:"rootFolder"`
	RecentActivity []string `json:"recentActivity"` // newest first
}

// WorkspaceContext names the workspace and the folders of its root folder.
type WorkspaceContext struct {
	WorkspaceID   string   `json:"workspaceId"`
	WorkspacePath []string `json:"workspacePath"`
}

// A LoadedSession is a session in a load; times are in Unix milliseconds.
type LoadedSession struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description,omitempty"`
	Created     int64  `json:"created"`
}

// LoadedPlan is how the plan stands.
type LoadedPlan struct {
	Counts Counts       `json:"counts"`
	Focus  *LoadedNode  `json:"focus,omitempty"`
	Next   []LoadedNode `json:"next"` // ready nodes
}

// A LoadedNode is a node in a load.
type LoadedNode struct {
	NodeID string `json:"nodeId"`
	Title  string `json:"title"`
	Status string `json:"status"`
}

const (
	loadLimit   = 3 // entries, sessions and states unless told otherwise
	maxLoad     = 100
	loadNext    = 3 // ready nodes
	warnedFiles = 5 // unreadable files that are named
)

var workspaceLoad = op("workspace_load", reads|repeats, WorkspaceLoad, Help{
	Summary: "tell what a workspace is for, what happened last and what is next",
	Use:     "load [WS]",
	Text: `The briefing (arbor briefing writes it), the newest entries of the logs, sessions
and states, files below the root folder, the agent, and how the plan stands.
Left out of the listing are folders whose names begin with a dot, and what the
.gitignore files of the project leave out.`,
	Example: "arbor load\narbor load \"Job Search\" --limit 1 --json",
})

// WorkspaceLoad returns what somebody who comes back to a workspace has to know.
func WorkspaceLoad(ctx context.Context, env *Env, in WorkspaceLoadIn) (*WorkspaceLoadOut, error) {
	if in.Limit < 0 || in.Limit > maxLoad {
		return nil, badParam("limit", "limit is %d; 1 to %d are allowed, and 3 unless it is given", in.Limit, maxLoad)
	}
	if in.WorkspaceID != "" && in.ID != "" && in.WorkspaceID != in.ID {
		return nil, badParam("id", "id is another word for workspaceId; give one of them")
	}
	out, err := reading(load)(ctx, env, in)
	if err != nil {
		return nil, err
	}
	if !env.ReadOnly {
		engine.Touched(ctx, env.Engine, mdstore.ID(out.WorkspaceContext.WorkspaceID))
	}
	return out, nil
}

func load(ctx context.Context, env *Env, in WorkspaceLoadIn) (*WorkspaceLoadOut, error) {
	s, err := env.In(ctx, cmp.Or(in.WorkspaceID, in.ID))
	if err != nil {
		return nil, err
	}
	w, limit := s.Workspace(), cmp.Or(in.Limit, loadLimit)
	b := w.Briefing()
	l := &Loaded{
		Context: LoadedContext{Name: w.Name, Description: w.Description, Purpose: cmp.Or(b.Purpose, w.Goal),
			CurrentGoal: cmp.Or(b.CurrentGoal, w.Goal), RootFolder: w.RootFolder, RecentActivity: activity(s, limit)},
		Workflows: []string{}, KeyFiles: told(b.KeyFiles), Related: told(b.Related), Preferences: b.Preferences,
		Sessions: []LoadedSession{}, States: []StateHead{}, Warnings: unread(s),
	}
	for _, f := range b.Workflows {
		l.Workflows = append(l.Workflows, f.String())
	}
	sessions := s.Pages().Newest(mdstore.SessionKind)
	for _, p := range sessions[:min(len(sessions), limit)] {
		l.Sessions = append(l.Sessions,
			LoadedSession{string(p.ID), p.Name(), p.Field(mdstore.KeyDescription), p.Time(mdstore.KeyStarted)})
	}
	states := s.Pages().Newest(mdstore.StateKind)
	for _, p := range states[:min(len(states), limit)] {
		l.States = append(l.States, stateHead(p))
	}
	if w.Agent != "" {
		var warning string
		if l.Agent, warning = agentOf(ctx, env, w.Agent); warning != "" {
			l.Warnings = append(l.Warnings, warning)
		}
	}
	listed := slices.Concat(b.KeyFiles, b.Related, w.Docs())
	t, err := treeOf(ctx, env, w.RootFolder, func(p string) bool {
		return slices.ContainsFunc(listed, func(r mdstore.Ref) bool { return inProject(env, r.Target) == p })
	})
	if err != nil {
		return nil, err
	}
	absent := func(p string) bool { return engine.Absent(ctx, env.Engine, p) }
	for _, f := range b.KeyFiles {
		if absent(f.Target) && (w.RootFolder == "" || absent(w.RootFolder+"/"+f.Target)) {
			l.Warnings = append(l.Warnings, "key file "+f.Target+": no such file in the project")
		}
	}
	if t.warning != "" {
		l.Warnings = append(l.Warnings, t.warning)
	}
	l.WorkspaceStructure, l.RecentFiles = nonNil(t.lines), nonNil(t.recent)
	if l.Plan, err = planOf(ctx, env, s); err != nil {
		return nil, err
	}
	out := &WorkspaceLoadOut{Loaded: l, WorkspaceContext: WorkspaceContext{string(w.ID), nonNil(t.folders)}}
	if in.Shape == "data" {
		out.Success, out.Data, out.Loaded = true, l, nil
	}
	switch {
	case len(t.index) > 0:
		out.Hint = "not listed yet, and maybe worth reading: " + beginning(strings.Join(t.index, ", "), 200)
	case !env.Brief:
		out.Hint = "context_get (arbor context) brings what work on a node needs"
	}
	leaveOut(env, out, l)
	out.Sends(w.ID, "")
	return out, nil
}

// told returns references as a load has them.
func told(refs []mdstore.Ref) map[string]string {
	out := map[string]string{}
	for _, r := range refs {
		out[r.Target] = r.Description
	}
	return out
}

// unread says which files of a workspace cannot be read, so that nobody takes what they hold for nothing.
func unread(s *view.View) []string {
	out := []string{}
	for _, p := range s.Workspace().Problems {
		out = append(out, p.String())
	}
	for _, p := range s.Pages().All() {
		if p.Editable() != nil {
			out = append(out, p.Problems[0].String())
		}
	}
	broken := s.Broken()
	for _, p := range slices.Sorted(maps.Keys(broken)) {
		out = append(out, broken[p].String())
	}
	if n := len(out); n > warnedFiles {
		out = append(out[:warnedFiles], "more files have something wrong with them: workspace_check (arbor check)")
	}
	if n := s.Lost() - len(broken); n > 0 {
		out = append(out, LostFiles(n))
	}
	return out
}

// planOf returns how the plan stands.
func planOf(ctx context.Context, env *Env, s *view.View) (p LoadedPlan, err error) {
	node := func(n *mdstore.Node) LoadedNode { return LoadedNode{string(n.ID), n.Title, string(n.Status)} }
	p = LoadedPlan{Counts: counts(s, 0), Next: []LoadedNode{}}
	focus, _ := env.Focus(ctx, s)
	n, ok := s.Node(focus)
	if !ok {
		n, ok = leftOff(s)
	}
	if ok {
		at := node(n)
		p.Focus = &at
	}
	if s.Workspace().Status != mdstore.StatusActive {
		return p, nil
	}
	offer, err := env.Engine.Next(ctx, s.Workspace().ID, env.act(Write{}, Match{}), loadNext, 0)
	if err != nil {
		return p, fail(err)
	}
	for _, r := range offer.Nodes {
		p.Next = append(p.Next, node(r.Node))
	}
	return p, nil
}

// leftOff returns the node that the work was on when the last session ended or the newest state was saved, unless it is over.
func leftOff(s *view.View) (*mdstore.Node, bool) {
	var newest *mdstore.Page
	at := int64(-1)
	for _, of := range []struct {
		kind *mdstore.Kind
		key  string
	}{{mdstore.StateKind, mdstore.KeyCreated}, {mdstore.SessionKind, mdstore.KeyEnded}} {
		for _, p := range s.Pages().Of(of.kind) {
			if t := p.Time(of.key); t > at && view.MarkedFocus(p.List(mdstore.KeyPlan)) != "" {
				newest, at = p, t
			}
		}
	}
	if newest == nil {
		return nil, false
	}
	n, ok := s.Node(view.MarkedFocus(newest.List(mdstore.KeyPlan)))
	return n, ok && !statemachine.Terminal(n.Status)
}

// leaveOut takes away from a load what the bound of the reply has no room for, and counts it.
func leaveOut(env *Env, out *WorkspaceLoadOut, l *Loaded) {
	all, folders := *l, out.WorkspaceContext.WorkspacePath
	structure, activity := all.WorkspaceStructure, all.Context.RecentActivity
	prompt := ""
	if l.Agent != nil {
		prompt = l.Agent.SystemPrompt
	}
	for _, part := range []struct {
		name string
		n    int
		show func(n int)
	}{
		{"workspaceStructure", len(structure), func(n int) { l.WorkspaceStructure = structure[:n] }},
		{"workspacePath", len(folders), func(n int) { out.WorkspaceContext.WorkspacePath = folders[:n] }},
		{"systemPrompt", len(prompt), func(n int) {
			if l.Agent != nil {
				l.Agent.SystemPrompt = strings.ToValidUTF8(prompt[:n], "")
			}
		}},
		{"recentFiles", len(all.RecentFiles), func(n int) { l.RecentFiles = all.RecentFiles[:n] }},
		{"states", len(all.States), func(n int) { l.States = all.States[:n] }},
		{"sessions", len(all.Sessions), func(n int) { l.Sessions = all.Sessions[:n] }},
		{"recentActivity", len(activity), func(n int) { l.Context.RecentActivity = activity[:n] }},
	} {
		if part.n == 0 || env.fits(out) {
			continue
		}
		if l.Omitted == nil {
			l.Omitted = map[string]int{}
		}
		show := func(n int) {
			part.show(n)
			l.Omitted[part.name] = part.n - n
		}
		show(max(0, sort.Search(part.n, func(n int) bool {
			show(n)
			return !env.fits(out)
		})-1))
	}
}
