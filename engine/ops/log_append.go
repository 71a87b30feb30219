package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// LogAppendIn adds to the log of a node, or of the workspace.
type LogAppendIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"the workspace itself unless given"`
	Operator string `json:"operator,omitempty" flag:"-" listed:"never" enum:"AI,Human"`
	Event    string `json:"event" req:"true" text:"the event"`
	Write
}

// LogAppendOut carries the entry's time, UTC.
type LogAppendOut struct {
	Timestamp string `json:"timestamp"`
	Wrote
}

var logAppend = op("log_append", writes, LogAppend, Help{
	Summary: "add to the log of a node or of the workspace",
	Use:     "log [NODE] [EVENT | -]",
	Text: `With an EVENT, or with -m, -F, - or -e, it adds an entry: the time in UTC, who
(--as), and the event, which may have several lines. Without a text it prints
the log, oldest entry first. Without NODE it is the log of the workspace.`,
	Example: `arbor log node-mj2hz4gy "The limit is 5 tries a minute"
arbor log -m "Moved the release to Friday"
git log -1 --format=%B | arbor log node-mj2hz4gy -
arbor log node-mj2hz4gy`,
})

// LogAppend adds to the log of a node, or of the workspace.
func LogAppend(ctx context.Context, env *Env, in LogAppendIn) (*LogAppendOut, error) {
	act := env.act(in.Write, Match{})
	switch in.Operator {
	case mdstore.OperatorAI, mdstore.OperatorHuman:
		act.Operator = in.Operator
	case "":
	default:
		return nil, badParam("operator", "operator %q: AI and Human are the operators", in.Operator)
	}
	t := env.owner(ctx, in.WorkspaceID, in.NodeID)
	at, w, err := apply(ctx, env, t, act, plan.AppendLog{Node: t.node, Event: in.Event},
		"every context that has this log shows its newest entries")
	if err != nil {
		return nil, err
	}
	return &LogAppendOut{Timestamp: at, Wrote: w}, nil
}
