package ops

import (
	"context"

	"arbor/engine"
	"arbor/mdstore"
)

// LogAppendIn adds to the log of a node, or of the workspace.
type LogAppendIn struct {
	In
	NodeID   string `json:"nodeId,omitempty" help:"the workspace itself unless said otherwise"`
	Operator string `json:"operator" req:"true" enum:"AI,Human"`
	Event    string `json:"event" req:"true"`
	Write
}

// LogAppendOut carries the entry's time, UTC.
type LogAppendOut struct {
	Timestamp string `json:"timestamp"`
	Wrote
}

var logAppend = op("log_append", "add to the log of a node or of the workspace", writes, LogAppend)

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
