package ops

import (
	"context"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/internal/people"
	"arbor/engine/plan"
	"arbor/mdstore"
)

type LogAppendIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"default: the focus; the workspace's id is the workspace itself"`
	Operator string `json:"operator,omitempty" flag:"-" listed:"never" enum:"AI,Human"`
	Event    string `json:"event" req:"true" text:"the event"`
	Question bool   `json:"question,omitempty" help:"ask a person; the node is blocked until answered"`
	Write
	Several
}

type LogAppendOut struct {
	Timestamp string `json:"timestamp" only:"verbose"`
	Answer    string `json:"answer,omitempty"` // of a person whom the client asked the question at once
	Asked     *Asked `json:"-"`                // the question that the call wrote; nil for none
	Wrote
}

var logAppend = op("log_append", writes, LogAppend, Help{
	Summary: "add a log entry to a node or the workspace",
	Advice:  "Default: the focus; the workspace by its id as nodeId.",
	Use:     "log [NODE...] [EVENT | -]",
	Text: `With an EVENT, or with -m, -F, - or -e, it adds an entry: the time in UTC, who
(--as), and the event, which may have several lines. Without a text it prints
the log, oldest entry first. Without NODE it uses the workspace's log.

For several nodes, give the EVENT by -m, -F, - or -e; all entries go in one
commit. An EVENT that is the id or title of a node is refused, because the text
was probably forgotten.

An assistant asks a question with --question. The entry then begins with "? ",
and arbor next skips the node. A person answers the node's newest open question
with a text that begins with "! ", or another one with "! re HH:MM:SS ": at a
terminal, on the page, or in the file.`,
	Example: `arbor log node-mj2hz4gy "The limit is 5 tries a minute"
arbor log "Sign-in endpoint" Limits -m "Both wait for the new server"
arbor log "Sign-in endpoint" -m "Which port?" --question --as AI
arbor log "Sign-in endpoint" -m "! 8443"
arbor log -m "Moved the release to Friday"
git log -1 --format=%B | arbor log node-mj2hz4gy -
arbor log node-mj2hz4gy`,
})

// LogAppend adds to the log of a node, or of the workspace.
func LogAppend(ctx context.Context, env *Env, in LogAppendIn) (*LogAppendOut, error) {
	act := env.act(in.Write, Match{})
	if mdstore.IsAnswer(in.Event) {
		in.Event = strings.TrimLeft(in.Event, " \r\n")
	}
	if env.Who != nil && in.Operator != "" && in.Operator != act.By() {
		return nil, errs.New(errs.NotAllowed, "operator %q: the token says who writes, %s (%s); leave the parameter out",
			in.Operator, env.Who, act.By())
	}
	if act.By() == mdstore.OperatorHuman && mdstore.IsAnswer(in.Event) && !env.Who.May(people.Decide) {
		return nil, lacks(env.Who, "an answer to a question", people.Decide)
	}
	switch in.Operator {
	case mdstore.OperatorAI, mdstore.OperatorHuman:
		act.Operator = in.Operator
	case "":
	default:
		return nil, badParam("operator", "operator %q: AI and Human are the operators", in.Operator)
	}
	t := env.owner(ctx, in.WorkspaceID, in.NodeID)
	asks := in.Event
	if in.Question {
		switch {
		case act.By() != mdstore.OperatorAI:
			const how = "only an assistant asks a question (--as AI); a person notes what is open with {problem_update}, and " +
				"answers a question with a text that begins with !"
			return nil, badParam("question", how)
		case t.err == nil && t.node == "":
			return nil, badParam("question", "a question belongs to the node that waits for its answer; name it")
		case strings.TrimSpace(in.Event) != "":
			in.Event = mdstore.AskedEvent(in.Event)
		}
	}
	ids := []mdstore.ID{t.node}
	switch {
	case t.err != nil || len(in.Nodes) == 0:
	case t.view == nil:
		const how = "%s is the workspace, and further nodes are named: give its log an entry of its own"
		t.err = badParam("nodeId", how, in.NodeID)
	default:
		ids, t.err = env.others(t.view, t.node, in.Nodes, Match{})
	}
	var entries plan.Each[plan.AppendLog, string]
	for _, id := range ids {
		entries = append(entries, plan.AppendLog{Node: id, Event: in.Event})
	}
	hint := "every context that has this log shows its newest entries"
	if in.Question {
		hint = waiting(t.node)
	} else if answer, ok := env.answered(t, act, in.Event); ok {
		hint = answer
	}
	at, w, err := apply(ctx, env, t, act, entries, hint)
	if err != nil {
		return nil, err
	}
	w.about = ids
	out := &LogAppendOut{Timestamp: at[0], Wrote: w}
	if in.Question && !in.DryRun {
		if len(w.Met) == 0 {
			out.Hint = hint // also in a brief reply
		}
		out.Asked = &Asked{Workspace: t.ws, Node: t.node, Time: at[0], Text: asks}
		if n, ok := t.view.Node(t.node); ok {
			out.Asked.Title = n.Title
		}
	}
	return out, nil
}

type ProblemUpdateIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"default: the focus; the workspace's id is the workspace itself"`
	Problem  string `json:"problem" req:"true" text:"the problem"`
	NextStep string `json:"nextStep,omitempty" flag:"next" empty:"ok" help:"what to do about it: the next STEP"`
	Match
	Write
}

var problemUpdate = op("problem_update", writes|repeats, ProblemUpdate, Help{
	Summary: "set the open problem of a node or the workspace",
	Advice:  "Default: the focus; the workspace by its id as nodeId.",
	Use:     "problem [NODE] [TEXT | -]",
	Text: `A problem says what is wrong now and what to do about it; it is part of the
context of all nodes below. With a TEXT, or with -m, -F, - or -e, it replaces
the open problem. Without a text it prints the problem. Without NODE it uses the
workspace's problem.`,
	Example: `arbor problem node-mj2hz4gy "No test server" --next "Ask ops on Monday"
arbor problem -m "The release date is at risk"
arbor problem node-mj2hz4gy --clear`,
})

// ProblemUpdate replaces the open problem of a node, or of the workspace. An empty problem is an error.
func ProblemUpdate(ctx context.Context, env *Env, in ProblemUpdateIn) (*Wrote, error) {
	if strings.TrimSpace(in.Problem) == "" {
		return nil, badParam("problem", "problem is empty; say what is wrong, or clear it with {problem_clear}")
	}
	t := env.owner(ctx, in.WorkspaceID, in.NodeID)
	p := mdstore.Problem{Text: strings.Trim(in.Problem, "\r\n"), NextStep: strings.Trim(in.NextStep, "\r\n")}
	return done(ctx, env, t, env.act(in.Write, in.Match), plan.SetProblem{Node: t.node, Problem: p},
		"{problem_clear} says that it is solved")
}

type ProblemClearIn struct {
	In
	NodeID string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"default: the focus; the workspace's id is the workspace itself"`
	Match
	Write
}

var problemClear = op("problem_clear", writes|repeats, ProblemClear, Help{
	Summary: "clear the open problem of a node or the workspace",
	Use:     "problem --clear",
})

// ProblemClear clears the open problem of a node, or of the workspace.
func ProblemClear(ctx context.Context, env *Env, in ProblemClearIn) (*Wrote, error) {
	t := env.owner(ctx, in.WorkspaceID, in.NodeID)
	return done(ctx, env, t, env.act(in.Write, in.Match), plan.SetProblem{Node: t.node}, "no problem is open here any more")
}
