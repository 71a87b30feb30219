package ops

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sort"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

type WorkspaceLoadIn struct {
	In
	ID    string `json:"id,omitempty" listed:"never" flag:"-" help:"same as workspaceId"`
	Limit int    `json:"limit,omitempty" min:"0" max:"100" flag:"limit,n" help:"the newest N entries, sessions and states; default 3"`
	Shape string `json:"shape,omitempty" enum:"data" listed:"never" flag:"-" help:"data wraps the reply"`
}

type WorkspaceLoadOut struct {
	Success bool    `json:"success,omitempty"` // only with the shape data
	Data    *Loaded `json:"data,omitempty"`    // likewise, instead of the members of Loaded
	*Loaded
	WorkspaceContext WorkspaceContext `json:"workspaceContext"`
	Out
}

// Loaded is the content of a load.
type Loaded struct {
	Context            LoadedContext `json:"context"`
	Workflows          []string      `json:"workflows"`
	WorkspaceStructure []string      `json:"workspaceStructure"`
	RecentFiles        []RecentFile  `json:"recentFiles"`
	KeyFiles           Paths         `json:"keyFiles"`
	Related            Paths         `json:"related,omitempty"`
	Preferences        string        `json:"preferences"`
	Sessions           []StateHead   `json:"sessions"` // without sessionId and tags
	States             []StateHead   `json:"states"`
	Agent              *Agent        `json:"agent,omitempty"`
	Plan               LoadedPlan    `json:"plan"`
	Warnings           []string      `json:"warnings"`
	// what the size limit left out; for the prompt, in bytes
	Omitted map[string]int `json:"omitted,omitempty"`
}

// LoadedContext is the purpose of a workspace and its recent activity.
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

// LoadedPlan is the state of the plan.
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
	loadLimit   = 3 // entries, sessions and states by default
	maxLoad     = 100
	loadNext    = 3 // ready nodes
	warnedFiles = 5 // unreadable files that a reply names
)

var workspaceLoad = op("workspace_load", reads|repeats, WorkspaceLoad, Help{
	Summary: "show a workspace's purpose, recent activity and next steps",
	Use:     "ws load [WS]",
	Text: `Shows the briefing (arbor ws set changes it), the newest log entries, sessions
and states, files below the root folder, the agent, and the state of the plan.
Later commands that name no workspace use the WS that is named here, as after
arbor use, unless their session or folder is bound to another one.
Folders whose names begin with a dot, and files that .gitignore excludes, are
not listed.`,
	Example: "arbor ws load\narbor ws load \"Job Search\" --limit 1 --json",
})

// WorkspaceLoad returns the briefing of a workspace with recent activity and next steps.
func WorkspaceLoad(ctx context.Context, env *Env, in WorkspaceLoadIn) (*WorkspaceLoadOut, error) {
	if in.WorkspaceID != "" && in.ID != "" && in.WorkspaceID != in.ID {
		return nil, badParam("id", "id is another word for {.workspaceId}; give one of them")
	}
	out, err := reading(load)(ctx, env, in)
	if err != nil {
		return nil, err
	}
	id := mdstore.ID(out.WorkspaceContext.WorkspaceID)
	if env.May != MayLook {
		env.Engine.Touched(ctx, id)
	}
	if env.Caller != ByAssistant && cmp.Or(in.WorkspaceID, in.ID) != "" && env.May == MayWrite {
		hint, err := env.use(ctx, id)
		if err != nil {
			return nil, err
		}
		out.Hint = cmp.Or(hint, out.Hint)
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
		Workflows: []string{}, WorkspaceStructure: []string{}, RecentFiles: []RecentFile{}, KeyFiles: nonNil(b.KeyFiles),
		Related: b.Related, Preferences: b.Preferences, Sessions: []StateHead{}, States: []StateHead{},
		Warnings: unread(s),
	}
	out := &WorkspaceLoadOut{Loaded: l, WorkspaceContext: WorkspaceContext{string(w.ID), []string{}}}
	for _, f := range b.Workflows {
		l.Workflows = append(l.Workflows, f.String())
	}
	sessions := s.Pages().Newest(mdstore.SessionKind)
	for _, p := range sessions[:min(len(sessions), limit)] {
		head := stateHead(p)
		head.SessionID, head.Tags, head.Created = "", nil, p.Made()
		l.Sessions = append(l.Sessions, head)
	}
	states := s.Pages().Newest(mdstore.StateKind)
	for _, p := range states[:min(len(states), limit)] {
		l.States = append(l.States, stateHead(p))
	}
	if _, begun := env.Engine.SessionFile(ctx, s, env.Session); len(states) > 0 && !begun && env.Caller == ByAssistant {
		out.Hint = "{state_load} goes on from the newest state"
	}
	if w.Agent != "" {
		var warning string
		if l.Agent, warning = agentOf(ctx, env, w.Agent); warning != "" {
			l.Warnings = append(l.Warnings, warning)
		}
	}
	absent := func(p string) bool { return env.Engine.Absent(ctx, p) }
	for _, f := range b.KeyFiles {
		if absent(f.Target) && (w.RootFolder == "" || absent(w.RootFolder+"/"+f.Target)) {
			l.Warnings = append(l.Warnings, "key file "+f.Target+": no such file in the project")
		}
	}
	if w.RootFolder != "" {
		if err := addTree(ctx, env, w.RootFolder, slices.Concat(b.KeyFiles, b.Related, w.Docs()), l, out); err != nil {
			return nil, err
		}
	}
	if l.Plan, err = planOf(ctx, env, s); err != nil {
		return nil, err
	}
	if in.Shape == "data" {
		out.Success, out.Data, out.Loaded = true, l, nil
	}
	if out.Hint == "" && env.Detail != DetailBrief {
		out.Hint = "{context_get} has everything needed to work on a node"
	}
	leaveOut(env, out, l)
	out.Sends(w.ID, "")
	return out, nil
}

// Paths are descriptions by path, in the order of the file; in JSON they are an object.
type Paths []mdstore.Ref

// MarshalJSON implements json.Marshaler. If a path occurs twice, it writes the first description.
func (p Paths) MarshalJSON() ([]byte, error) {
	var members [][]byte
	for i, r := range p {
		if slices.ContainsFunc(p[:i], func(o mdstore.Ref) bool { return o.Target == r.Target }) {
			continue
		}
		path, err := encode(r.Target)
		if err != nil {
			return nil, err
		}
		text, err := encode(r.Description)
		if err != nil {
			return nil, err
		}
		members = append(members, append(append(path, ':'), text...))
	}
	return append(append([]byte("{"), bytes.Join(members, []byte(","))...), '}'), nil
}

// unread returns warnings about unreadable files of a workspace, so that nobody believes their content does not exist.
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
	broken := s.AllBroken()
	for _, p := range slices.Sorted(maps.Keys(broken)) {
		out = append(out, broken[p].String())
	}
	if n := len(out); n > warnedFiles {
		out = append(out[:warnedFiles], "more files have something wrong with them: {workspace_check}")
	}
	if n := s.Lost() - len(s.Broken()); n > 0 {
		out = append(out, LostFiles(n))
	}
	return out
}

// planOf returns the state of the plan: counts, focus and ready nodes.
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

// leftOff returns the node that the work was on when the last session ended or the newest state was saved, whichever
// was later. It returns false if there is none, or if the node is finished.
func leftOff(s *view.View) (*mdstore.Node, bool) {
	var newest *mdstore.Page
	at := int64(-1)
	for _, of := range []struct {
		kind *mdstore.Kind
		key  string
	}{{mdstore.StateKind, mdstore.KeyCreated}, {mdstore.SessionKind, mdstore.KeyEnded}} {
		for _, p := range s.Pages().Of(of.kind) {
			if t := p.Time(of.key); t > at && view.MarkedFocus(mdstore.PlanMark(p)) != "" {
				newest, at = p, t
			}
		}
	}
	if newest == nil {
		return nil, false
	}
	n, ok := s.Node(view.MarkedFocus(mdstore.PlanMark(newest)))
	return n, ok && !statemachine.Terminal(n.Status)
}

// A loadPart is a part of a load that can be shortened.
type loadPart struct {
	name string
	n    int         // the number of its items or bytes
	show func(n int) // makes the load have the first n of them
}

func listPart[T any](name string, items *[]T) loadPart {
	all := *items
	return loadPart{name, len(all), func(n int) { *items = all[:n] }}
}

// leaveOut shortens parts of a load until the reply is within its bound, and counts in Omitted what it leaves out.
func leaveOut(env *Env, out *WorkspaceLoadOut, l *Loaded) {
	agent := cmp.Or(l.Agent, &Agent{})
	prompt := agent.SystemPrompt
	for _, part := range []loadPart{
		listPart("workspaceStructure", &l.WorkspaceStructure), listPart("workspacePath", &out.WorkspaceContext.WorkspacePath),
		{"systemPrompt", len(prompt), func(n int) { agent.SystemPrompt = strings.ToValidUTF8(prompt[:n], "") }},
		listPart("recentFiles", &l.RecentFiles), listPart("states", &l.States), listPart("sessions", &l.Sessions),
		listPart("recentActivity", &l.Context.RecentActivity),
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
