package ops

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"arbor/context/assemble"
	"arbor/context/render"
	"arbor/mdstore"
)

// ContextGetIn asks for the context for work on a node.
type ContextGetIn struct {
	In
	NodeID         string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"the focused node unless given"`
	IncludeLog     *bool  `json:"includeLog,omitempty" flag:"-" help:"true unless given"`
	MaxLogEntries  int    `json:"maxLogEntries,omitempty" flag:"log" help:"the newest N log entries of each node, 0 for none; 20 unless given"`
	ReverseLog     bool   `json:"reverseLog,omitempty" help:"newest log entries first"`
	IncludeProblem *bool  `json:"includeProblem,omitempty" flag:"-" help:"true unless given"`
	Budget         int    `json:"budget,omitempty" flag:"budget,b" help:"at most N tokens of four bytes each"`
	Format         string `json:"format,omitempty" flag:"-" enum:"json,markdown"`
}

// ContextGetOut is the context of a node.
type ContextGetOut struct {
	*assemble.Bundle
	Changes  int    `json:"changes"`            // files that others changed since the session last looked
	Markdown string `json:"markdown,omitempty"` // with format markdown; the parts are left out then
	Out
}

var contextGet = op("context_get", reads|repeats, ContextGet, Help{
	Summary: "gather the context for work on a node",
	Advice:  "Read it before work.",
	Use:     "context [NODE]",
	Aliases: "ctx",
	Text: `The goal and rules of the workspace, the way from the root (or the nearest
isolated node) to the node, the conclusions of its children and what it refers
to; nothing else. Without NODE it is the focused one. --budget keeps it short:
what is left out is listed with its size. Four bytes count as a token, of the
Markdown, or of the JSON without its indentation and the members changes and
hint. This reads the files that it shows; after nodes were moved by hand, arbor
list reads every file.`,
	Example: `arbor context
arbor context node-mj2hz4gy --budget 4000
arbor context . --format json`,
})

// ContextGet returns the context for work on a node.
func ContextGet(ctx context.Context, env *Env, in ContextGetIn) (*ContextGetOut, error) {
	return touching(ctx, env, in, readContext)
}

func readContext(ctx context.Context, env *Env, in ContextGetIn) (*ContextGetOut, error) {
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	for name, n := range map[string]int{"budget": in.Budget, "maxLogEntries": in.MaxLogEntries} {
		if n < 0 {
			return nil, badParam(name, "%s is %d; a number above zero is expected, or none", name, n)
		}
	}
	ws := s.Workspace().ID
	var id mdstore.ID
	var lost string // what is to be said first
	if in.NodeID != "" {
		if id, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	} else {
		id, lost = focus(s, env.ownFocus(ctx, ws))
	}
	opt := assemble.Options{OmitLog: in.IncludeLog != nil && !*in.IncludeLog, MaxLogEntries: in.MaxLogEntries, ReverseLog: in.ReverseLog,
		OmitProblem: in.IncludeProblem != nil && !*in.IncludeProblem, Budget: in.Budget, Form: assemble.JSON}
	if in.Format == "markdown" {
		opt.Form = assemble.Markdown
	}
	const everyday = "log_append tells what you find, problem_update what is in the way, node_transition what is done"
	out := &ContextGetOut{Out: Out{Hint: everyday}}
	if env.Session != "" {
		seen, err := env.Engine.Changes(ctx, ws, env.Session, nil)
		if err != nil {
			return nil, fail(err)
		}
		if out.Changes = len(seen.Differences); out.Changes > 0 {
			out.Hint = "others changed files since you last looked: changes_get names them"
		}
	}
	if env.bounded() && (opt.Budget == 0 || opt.Budget > env.MaxBytes/8) {
		opt.Budget = max(1, env.MaxBytes/8) // a reply has it twice, and a token is four bytes
	}
	hint := out.Hint
	if lost != "" {
		hint = lost
	}
	for {
		b, err := env.Engine.Context(ctx, ws, id, opt)
		if err != nil {
			return nil, fail(err)
		}
		if n, ok := s.Node(b.Focus().NodeID); ok && lost == "" {
			if ds := s.DiagnosticsOf(n); len(ds) > 0 {
				hint = found(ds)
			}
		}
		if out.Hint = hint; (in.Budget == 0 || opt.Budget < in.Budget) && slices.ContainsFunc(b.Omitted, func(o assemble.Omission) bool { return o.Reason == assemble.ReasonBudget }) {
			out.Hint = fmt.Sprintf("a reply holds about %d tokens of context: the rest, which omitted names, is in the files (at) and resources arbor://%s/nodes/NODE", opt.Budget, ws)
			if hint != everyday {
				out.Hint = hint + "; " + out.Hint
			}
		}
		out.show(b, opt.Form)
		alike := env.alike(out)
		switch {
		case env.fits(alike):
			out.Hint = env.brief(out.Hint)
			return out, nil
		case b.OverBudget: // whatever the budget
			env.squeeze(out, b, opt.Form, lost)
			return out, nil
		}
		opt.Budget = env.fewer(opt.Budget, alike)
	}
}

// hintMost is how many bytes of a bounded reply with a context are for its hint.
const hintMost = 500

// alike returns a result of the same size whatever its hint says and how much others have changed: how much of a
// context a reply holds depends on neither, so that the same files are the same bytes.
func (env *Env) alike(out *ContextGetOut) *ContextGetOut {
	if !env.bounded() {
		return out
	}
	is := *out
	is.Hint, is.Changes = strings.Repeat("-", min(hintMost, env.MaxBytes/8)), math.MaxInt32
	return &is
}

// brief returns a hint, or as much of it as there is room for in a bounded reply.
func (env *Env) brief(hint string) string {
	if most := min(hintMost, env.MaxBytes/8); env.bounded() && sizeOf(hint) > most {
		return beginning(hint, most*2/3) + "…"
	}
	return hint
}

// show makes the result tell of a bundle.
func (out *ContextGetOut) show(b *assemble.Bundle, f assemble.Form) {
	if out.Bundle = b; f == assemble.Markdown {
		out.Markdown, out.Bundle = string(render.Markdown(b)), nil
	}
}

// squeeze makes a result with a bundle fit that is larger than any budget: of what is never left out, which are the
// rules, the goal and the node's requirement, it has the beginning, as much of each as there is room for when none
// has more than another. lost is what is to be said first.
func (env *Env) squeeze(out *ContextGetOut, b *assemble.Bundle, f assemble.Form, lost string) {
	out.Hint = "too large for a reply: omitted counts what is missing, the files (at) have it"
	if lost != "" {
		out.Hint = lost + "; " + out.Hint
	}
	out.Hint = env.brief(out.Hint)
	for _, bare := range []bool{false, true} {
		most := sort.Search(env.MaxBytes, func(n int) bool {
			out.show(squeezed(b, f, n+1, bare), f)
			return !env.fits(env.alike(out))
		})
		if out.show(squeezed(b, f, most, bare), f); most >= leftLeast {
			return
		}
	}
}

// leftLeast is how many bytes of the rules are worth more than what a bare bundle does without.
const leftLeast = 64

// squeezed returns the bundle with at most that many bytes of the rules, the goal and the node's requirement each. A
// bare one does without the numbers of lines, and what is left out for its size is one sum in it.
func squeezed(b *assemble.Bundle, f assemble.Form, most int, bare bool) *assemble.Bundle {
	c := *b
	c.Chain, c.Omitted = slices.Clone(b.Chain), slices.Clone(b.Omitted)
	if bare {
		c.Workspace.Lines, c.Focus().Lines = assemble.Lines{}, assemble.Lines{}
		c.Focus().Title = beginning(c.Focus().Title, most+leftLeast)
	}
	leave := func(what, role string, id mdstore.ID, count, bytes int) {
		last := len(c.Omitted) - 1
		switch {
		case count == 0:
		case bare && last >= 0 && c.Omitted[last].Reason == assemble.ReasonBudget:
			was := c.Omitted[last]
			c.Omitted[last] = assemble.Omission{What: assemble.WhatText, Reason: was.Reason, Count: was.Count + count, Bytes: was.Bytes + bytes, Tokens: assemble.Tokens(was.Bytes + bytes)}
		default:
			c.Omitted = append(c.Omitted, assemble.Omission{What: what, Role: role, NodeID: id, Reason: assemble.ReasonBudget, Count: count, Bytes: bytes, Tokens: assemble.Tokens(bytes)})
		}
	}
	w, focus := &c.Workspace, c.Focus()
	kept, size := 0, 0
	for _, r := range w.Rules {
		if size += len(r); size > most {
			break
		}
		kept++
	}
	leave("rule", assemble.RoleWorkspace, "", len(w.Rules)-kept, bytesOf(w.Rules[kept:]))
	w.Rules = w.Rules[:kept]
	for _, t := range []struct {
		text       *string
		what, role string
		id         mdstore.ID
	}{{&w.Goal, "goal", assemble.RoleWorkspace, ""}, {&focus.Requirement, assemble.WhatRequirement, assemble.RoleFocus, focus.NodeID}} {
		if kept := beginning(*t.text, most); len(kept)+leftLeast < len(*t.text) {
			left := len(*t.text) - len(kept)
			leave(t.what, t.role, t.id, 1, left)
			*t.text = kept + fmt.Sprintf("\n[… %d bytes left out]", left)
		}
	}
	c.Tokens = assemble.Tokens(c.Size(f))
	return &c
}

func bytesOf(list []string) (n int) {
	for _, s := range list {
		n += len(s)
	}
	return n
}

// beginning returns the first bytes of a text, at most that many, and no part of a character.
func beginning(s string, most int) string {
	if len(s) <= most {
		return s
	}
	for most > 0 && !utf8.RuneStart(s[most]) {
		most--
	}
	return s[:most]
}
