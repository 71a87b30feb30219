package ops

import (
	"context"

	"arbor/engine/env/act"
	"arbor/engine/env/jail"
	"arbor/engine/errs"
	"arbor/mdstore"
)

// EnvUndoIn names a change of a file.
type EnvUndoIn struct {
	ID string `json:"id" req:"true" arg:"ID"`
}

var envUndo = op("env_undo", writes, EnvUndo, Help{
	Summary: "take back what a tool did to a file", Use: "env undo ID",
	Text:    "The id is that which file_write, file_edit and file_delete return as undo.",
	Example: "arbor env undo k2v8m4qe",
})

// EnvUndo brings a file back that a tool replaced or deleted.
func EnvUndo(ctx context.Context, env *Env, in EnvUndoIn) (*FileChanged, error) {
	if !env.Person || env.Operator == mdstore.OperatorAI {
		return nil, errs.New(errs.ToolRefused, "only a person takes a change back: arbor env undo %s", in.ID)
	}
	s, err := act.StoreOf(env.Engine)
	if err != nil {
		return nil, err
	}
	c, undo, err := jail.Undo(ctx, s.Trash(), in.ID, func(root string) (*jail.Root, error) {
		return jail.Open(root, jail.Options{Trash: s.Trash()})
	})
	if err != nil {
		return nil, act.Jailed(err)
	}
	return &FileChanged{Path: c.Path, Version: string(c.Now()), Undo: undo}, nil
}
