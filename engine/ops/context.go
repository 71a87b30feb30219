package ops

import (
	"context"
	"strings"

	"arbor/context/assemble"
	"arbor/context/render"
	"arbor/engine"
	"arbor/mdstore"
)

// ContextGet returns what somebody working on a node must know.
func ContextGet(ctx context.Context, env *Env, in ContextGetIn) (*ContextGetOut, error) {
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
	if in.NodeID != "" {
		if id, err = env.resolve(s, in.NodeID, "nodeId"); err != nil {
			return nil, err
		}
	} else if env.Session != "" {
		if b, ok, err := env.Engine.Binding(ctx, env.Session); err == nil && ok && b.WorkspaceID == ws {
			if _, there := s.Node(b.FocusedNodeID); there {
				id = b.FocusedNodeID
			}
		}
	}
	opt := assemble.Options{OmitLog: in.IncludeLog != nil && !*in.IncludeLog, MaxLogEntries: in.MaxLogEntries, ReverseLog: in.ReverseLog,
		OmitProblem: in.IncludeProblem != nil && !*in.IncludeProblem, Budget: in.Budget, Form: assemble.JSON}
	if in.Format == "markdown" {
		opt.Form = assemble.Markdown
	}
	if most := env.mostContext(); most > 0 && (opt.Budget == 0 || opt.Budget > most) {
		opt.Budget = most
	}
	b, err := env.Engine.Context(ctx, ws, id, opt)
	if err != nil {
		return nil, fail(err)
	}
	out := &ContextGetOut{Bundle: b, Out: Out{Hint: "log_append tells what you find, problem_update what is in the way, node_transition what is done"}}
	if env.Session != "" {
		seen, err := env.Engine.Changes(ctx, ws, env.Session, nil)
		if err != nil {
			return nil, fail(err)
		}
		if out.Changes = len(seen.Differences); out.Changes > 0 {
			out.Hint = "others changed files since you last looked: changes_get names them"
		}
	}
	if in.Format == "markdown" {
		out.Markdown, out.Bundle = string(render.Markdown(b)), nil
	}
	return out, nil
}

// mostContext returns the largest budget that a bounded result has room for, in tokens; 0 for any.
func (env *Env) mostContext() int {
	const beside = 300 // bytes of a result besides the bundle
	return max(0, env.MaxBytes-beside) / 4
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
