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
	"arbor/engine"
	"arbor/mdstore"
)

// ContextGet returns what somebody working on a node must know.
func ContextGet(ctx context.Context, env *Env, in ContextGetIn) (*ContextGetOut, error) {
	return touching(ctx, env, in, contextGet)
}

func contextGet(ctx context.Context, env *Env, in ContextGetIn) (*ContextGetOut, error) {
	s, err := env.snapshot(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	for name, n := range map[string]int{"budget": in.Budget, "maxLogEntries": in.MaxLogEntries} {
		if n < 0 {
			e := engine.Fail(engine.InvalidParams, "%s is %d; a number above zero is expected, or none", name, n)
			e.Details = &engine.Details{Param: name}
			return nil, e
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

// alike returns a result of the same size whatever its hint says and how much others have changed: how much of a context a reply holds depends on neither, so that the same files are the same bytes.
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

// squeeze makes a result with a bundle fit that is larger than any budget: of what is never left out, which are the rules, the goal and the node's requirement, it
// has the beginning, as much of each as there is room for when none has more than another. lost is what is to be said first.
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

// squeezed returns the bundle with at most that many bytes of the rules, the goal and the node's requirement each. A bare one does without the numbers of lines,
// and what is left out for its size is one sum in it.
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

// ContextFocus moves a workspace's focus.
func ContextFocus(ctx context.Context, env *Env, in ContextFocusIn) (*ContextFocusOut, error) {
	s, id, err := env.node(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	w := s.Workspace()
	o, err := env.Engine.Focus(ctx, w.ID, id, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	hint := "context_get without nodeId is about this node now"
	if env.Session != "" && !in.DryRun {
		if err := env.Engine.Refocus(ctx, env.Session, w.ID, id); err != nil {
			hint = "done; but the session's own focus could not follow: " + err.Error()
		}
	}
	return &ContextFocusOut{FocusedNodeID: string(id), PreviousFocusedNodeID: string(w.Focus), Wrote: env.wrote(ctx, w.ID, o, hint)}, nil
}

// LogAppend adds to the log of a node, or of the workspace.
func LogAppend(ctx context.Context, env *Env, in LogAppendIn) (*LogAppendOut, error) {
	s, id, err := env.owner(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	act := env.act(in.Write, Match{})
	switch in.Operator {
	case mdstore.OperatorAI, mdstore.OperatorHuman:
		act.Operator = in.Operator
	case "":
	default:
		e := engine.Fail(engine.InvalidParams, "operator %q: AI and Human are the operators", in.Operator)
		e.Details = &engine.Details{Param: "operator"}
		return nil, e
	}
	at, o, err := env.Engine.AppendLog(ctx, s.Workspace().ID, id, in.Event, act)
	if err != nil {
		return nil, fail(err)
	}
	return &LogAppendOut{Timestamp: at, Wrote: env.wrote(ctx, s.Workspace().ID, o, "every context that has this log shows its newest entries")}, nil
}

// owner returns the workspace and the node that a log or problem call means, no node for the workspace itself.
func (env *Env) owner(ctx context.Context, ws, ref string) (*engine.Snapshot, mdstore.ID, error) {
	if ref == "" {
		s, err := env.snapshot(ctx, ws)
		return s, "", err
	}
	return env.node(ctx, ws, ref)
}

// ProblemUpdate says what is wrong now.
func ProblemUpdate(ctx context.Context, env *Env, in ProblemUpdateIn) (*ProblemUpdateOut, error) {
	if strings.TrimSpace(in.Problem) == "" {
		e := engine.Fail(engine.InvalidParams, "problem is empty; say what is wrong, or clear it with problem_clear")
		e.Details = &engine.Details{Param: "problem"}
		return nil, e
	}
	s, id, err := env.owner(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	p := mdstore.Problem{Text: strings.Trim(in.Problem, "\r\n"), NextStep: strings.Trim(in.NextStep, "\r\n")}
	o, err := env.Engine.SetProblem(ctx, s.Workspace().ID, id, p, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &ProblemUpdateOut{env.wrote(ctx, s.Workspace().ID, o, "problem_clear says that it is solved")}, nil
}

// ProblemClear says that nothing is wrong any more.
func ProblemClear(ctx context.Context, env *Env, in ProblemClearIn) (*ProblemClearOut, error) {
	s, id, err := env.owner(ctx, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	o, err := env.Engine.SetProblem(ctx, s.Workspace().ID, id, mdstore.Problem{}, env.act(in.Write, in.Match))
	if err != nil {
		return nil, fail(err)
	}
	return &ProblemClearOut{env.wrote(ctx, s.Workspace().ID, o, "no problem is open here any more")}, nil
}
