package ops

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"arbor/context/assemble"
	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type ContextGetIn struct {
	In
	NodeID         string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"default: the focused node"`
	IncludeLog     string `json:"includeLog,omitempty" flag:"include-log" enum:"true,false,all" help:"all includes the lines that Arbor wrote"`
	MaxLogEntries  int    `json:"maxLogEntries,omitempty" listed:"never" min:"0" flag:"log" help:"the newest N log entries of each node; 0 for none; default 20"`
	ReverseLog     bool   `json:"reverseLog,omitempty" listed:"never" help:"newest log entries first"`
	IncludeProblem *bool  `json:"includeProblem,omitempty" listed:"never" flag:"-" help:"default true"`
	Budget         int    `json:"budget,omitempty" min:"0" flag:"budget,b" help:"at most N tokens (4 bytes each)"`
	Format         string `json:"format,omitempty" listed:"never" flag:"-" enum:"json,markdown"`
	At             string `json:"at,omitempty" listed:"history" help:"as it was in this git REVISION"`
	// parts that the reader has come as their ids; nil: the reply names no versions
	Have []string `json:"have,omitempty" flag:"-" help:"ID@VERSION of parts that you have; [] asks for versions"`

	Bare bool `json:"-"` // short ids, and neither files nor versions nor lines, as brief replies have it
}

type ContextGetOut struct {
	*assemble.Bundle
	Changes  int    `json:"changes"`            // files that others changed since the session last looked
	Markdown string `json:"markdown,omitempty"` // with format markdown; the parts are left out then
	Out
}

var contextGet = op("context_get", reads|repeats, ContextGet, Help{
	Summary: "print the context for work on a node",
	Advice:  "Read it before work.",
	Use:     "context [NODE]",
	Text: `Prints the workspace's goal and rules, the path from the root (or the nearest
isolated node) to the node, conclusions of children, and what its references
say. Without NODE it uses the focused node. A file's path is printed only if
part of its node is left out; -v prints all paths, with versions and line
numbers. --budget limits the size, and lists what is left out with its size.
Four bytes count as one token, measured on the Markdown, or on the compact JSON
without the members changes and hint.`,
	Example: `arbor context
arbor context node-mj2hz4gy --budget 4000
arbor context . --format json`,
})

func (in *ContextGetIn) at() (string, *string) { return in.At, &in.WorkspaceID }

// ContextGet returns the context for work on a node.
var ContextGet = asOf((*ContextGetIn).at, reading(func(ctx context.Context, env *Env, in ContextGetIn) (*ContextGetOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	ws := s.Workspace().ID
	var id mdstore.ID
	var lost string // the hint for a focus that is gone
	if in.NodeID != "" {
		if id, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	} else {
		id, lost = env.Focus(ctx, s)
	}
	opt := assemble.Options{OmitLog: in.IncludeLog == "false", OwnLog: in.IncludeLog == "all",
		Places: env.Detail != DetailBrief && !in.Bare, Vault: env.vaultFolder(), MaxLogEntries: in.MaxLogEntries,
		ReverseLog: in.ReverseLog, OmitProblem: in.IncludeProblem != nil && !*in.IncludeProblem, Budget: in.Budget}
	if opt.Have = in.Have; in.Have != nil && in.Format == "markdown" {
		return nil, badParam("have", "have and format exclude each other")
	}
	if env.Detail == DetailBrief || in.Bare {
		short := env.shortOf(&Out{ws: ws})
		opt.Name = func(id mdstore.ID) string { return short(string(id)) }
	}
	const everyday = "as you work: {log_append} for findings, {problem_update} for obstacles; then " +
		"{node_transition complete}"
	out := &ContextGetOut{Out: Out{Hint: everyday}}
	if env.Session != "" {
		seen, err := env.Engine.Changes(ctx, ws, env.Session, nil)
		if err != nil {
			return nil, fail(err)
		}
		if out.Changes = len(seen.Differences); out.Changes > 0 {
			out.Hint = "others changed files since your last look: {changes_get} lists them"
		}
	}
	tooLarge := false // the bound of the reply, and not the budget, decides what is left out
	beside := 0
	if env.bounded() {
		beside = env.besideContext(in.Format)
	}
	opt.Measure = func(b *assemble.Bundle) (size int, fits bool) {
		reply := 0
		if in.Format == "markdown" {
			page := page(b, opt)
			data, _ := encode(page) // encoded, because escapes count in the data
			size, reply = len(page), len(data)
		} else {
			data, err := env.encode(b)
			if err != nil {
				panic("a bundle cannot be encoded: " + err.Error()) // it holds strings and numbers only
			}
			size, reply = len(data), len(data)
		}
		fits = !env.bounded() || reply+beside <= env.MaxBytes
		if !fits && (in.Budget == 0 || assemble.Tokens(size) <= in.Budget) {
			tooLarge = true
		}
		return size, fits
	}
	b, err := env.Engine.Context(ctx, ws, id, opt)
	if err != nil {
		return nil, fail(err)
	}
	out.Sends(ws, "")
	for _, p := range b.Chain {
		out.Sends(ws, p.NodeID)
	}
	for _, p := range b.ChildConclusions {
		out.Sends(ws, p.NodeID)
	}
	for _, p := range b.Dependencies {
		out.Sends(ws, mdstore.ID(p.NodeID))
	}
	for _, p := range b.References {
		out.Sends(ws, mdstore.ID(p.TargetID)) // a document's path names no node
	}
	if n, ok := s.Node(b.Focus().NodeID); ok {
		if ds := check.Node(s, n, env.Engine.Off()...); len(ds) > 0 {
			out.Hint = found(ds)
		}
	}
	if lost != "" {
		out.Hint = lost
	}
	if out.Hint == everyday && env.Detail == DetailBrief {
		out.Hint = ""
	}
	if tooLarge {
		more := fmt.Sprintf("a reply holds about %d tokens of context: the rest, which omitted names, is in the files "+
			"and resources arbor://%s/nodes/NODE", b.Tokens, ws)
		if out.Hint != everyday && out.Hint != "" {
			more = out.Hint + "; " + more
		}
		out.Hint = more
	}
	if env.bounded() {
		out.Hint = beginningAs(out.Hint, env.hintRoom())
	}
	if in.Format == "markdown" {
		out.Markdown = page(b, opt)
	} else {
		out.Bundle = b
	}
	return out, nil
}))

// page returns a context as Markdown, with ids as the options name them.
func page(b *assemble.Bundle, opt assemble.Options) string {
	if opt.Name != nil {
		b = b.Named(opt.Name)
	}
	return string(render.Markdown(b))
}

// vaultFolder returns the vault's folder relative to the project. It returns "" if either is unknown, or both are the
// same.
func (env *Env) vaultFolder() mdstore.Path {
	rel, err := filepath.Rel(env.Engine.Project(), env.Engine.Vault())
	if err != nil || rel == "." || env.Engine.Project() == "" || env.Engine.Vault() == "" {
		return ""
	}
	return mdstore.Path(filepath.ToSlash(rel))
}

// ReplyText returns the context as Markdown, if the call asked for that.
func (out *ContextGetOut) ReplyText() string { return out.Markdown }

// hintRoom returns how many bytes the hint of a context may take in a bounded reply.
func (env *Env) hintRoom() int { return min(500, env.MaxBytes/20) }

// besideContext returns how many bytes of a reply are not for the bundle. It counts the largest hint and number of
// changes, so that the bundle depends on files and options only, and not on these two.
func (env *Env) besideContext(format string) int {
	out := &ContextGetOut{Changes: math.MaxInt32, Out: Out{Hint: strings.Repeat("-", env.hintRoom())}}
	if format == "markdown" {
		out.Markdown = "-"
	}
	return env.sizeOf(out)
}

// beginning returns the longest beginning of a text that has at most that many bytes and ends with a whole character.
func beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}

type ContextFocusIn struct {
	In
	NodeID string `json:"nodeId" req:"true" arg:"NODE" is:"node"`
	Match
	Write
}

type ContextFocusOut struct {
	FocusedNodeID         string `json:"focusedNodeId"`
	PreviousFocusedNodeID string `json:"previousFocusedNodeId"`
	Wrote
}

var contextFocus = op("context_focus", writes|repeats, ContextFocus, Help{
	Summary: "move the focus to a node",
	Use:     "focus [NODE]",
	Text: `The focused node is what "." names, and the default of arbor context. Starting a
node moves the focus of the session, or of this machine. arbor focus also moves
the focus in Workspace.md, which counts for everyone who has no focus of their
own. A bound session keeps its own focus. Without NODE it prints the focused
node.`,
	Example: `arbor focus node-mj2hz4gy
arbor focus`,
})

// ContextFocus moves the focus of a bound session. If the caller's session is not bound, it moves the focus in
// Workspace.md, which all share, and the focus of this machine.
func ContextFocus(ctx context.Context, env *Env, in ContextFocusIn) (*ContextFocusOut, error) {
	s, id, err := env.At(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	was, _ := env.Focus(ctx, s)
	out := &ContextFocusOut{FocusedNodeID: string(id), PreviousFocusedNodeID: string(was)}
	act := env.act(in.Write, in.Match)
	o, bound, err := env.Engine.SetFocus(ctx, env.Session, w.ID, id, plan.Act{Operator: act.Operator, DryRun: true})
	if err != nil {
		return nil, fail(err)
	}
	const hint = "{context_get} without {.nodeId} is about this node now"
	if bound {
		if in.IfMatch != "" {
			return nil, badParam("ifMatch", "the session has a focus of its own, which is in no file that has a "+
				"version; leave {.ifMatch} out")
		}
		if !in.DryRun {
			if o, _, err = env.Engine.SetFocus(ctx, env.Session, w.ID, id, act); err != nil {
				return nil, fail(err)
			}
		}
		out.Wrote = env.wrote(ctx, w.ID, o, hint)
		return out, nil
	}
	if _, o, err = engine.Apply(ctx, env.Engine, w.ID, act, plan.Focus{Node: id}); err != nil {
		return nil, fail(err)
	}
	out.Wrote = env.wrote(ctx, w.ID, o, hint)
	if out.Hint = env.refocus(ctx, w.ID, id, in.Write, out.Hint); was != id && !in.DryRun && !o.Changed() {
		what := view.Change{ID: w.ID, Key: "focus", From: string(cmp.Or(was, "nothing")), To: string(id)}
		out.Changed, out.Hint = true, hint
		out.Files = []FileDiff{{Path: mdstore.LocalDir + "/" + string(engine.MachineFile), Lines: 1, What: []view.Change{what}}}
	}
	return out, nil
}

// Focus returns the node that the caller's work is about when it names none; "" if nothing has the focus, which means
// the root. If the nearest focus is gone, lost says so and what is used instead.
func (env *Env) Focus(ctx context.Context, s *view.View) (id mdstore.ID, lost string) {
	return focusIn(s, env.Engine.FocusOf(ctx, s, env.Session, env.host))
}

func focusIn(s *view.View, f engine.Focus) (id mdstore.ID, lost string) {
	if f.Lost == "" {
		return f.Node, ""
	}
	form := "the node in focus, %s, %s, so this is about %s: {context_focus} gives the focus to another"
	if f.Own {
		form = "the session's node %s %s, so this is about %s: {context_focus}, or {session_bind nodeId}, gives " +
			"the session another"
	}
	return f.Node, fmt.Sprintf(form, f.Lost, missing(s, f.Lost), cmp.Or(f.Node, mdstore.Root))
}

// missing says why a node is not found.
func missing(s *view.View, id mdstore.ID) string {
	if _, err := s.Known(id); errs.As(err).Code == errs.FileUnreadable {
		return "cannot be read"
	}
	return "is gone"
}

// refocus moves the focus of the session, or of this machine, after a write. It returns hint, or another hint if the
// focus could not move. After a dry run it moves nothing.
func (env *Env) refocus(ctx context.Context, ws, id mdstore.ID, w Write, hint string) string {
	if w.DryRun {
		return hint
	}
	if _, _, err := env.Engine.SetFocus(ctx, env.Session, ws, id, env.act(w, Match{})); err != nil {
		return "done; but the session's own focus could not follow: " + err.Error()
	}
	return hint
}

type FocusedOut struct {
	WorkspaceID, Name string // of the workspace
	NodeID            string // "" if nothing has the focus
	Lost              string // says in words that a nearer focus is gone; "" if none is
}

// Focused returns the node that has the caller's focus in a workspace.
func Focused(ctx context.Context, env *Env, in In) (*FocusedOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	id, lost := env.Focus(ctx, s)
	return &FocusedOut{string(s.Workspace().ID), s.Workspace().Name, string(id), lost}, nil
}
