package ops

import (
	"context"

	"arbor/engine/plan"
)

// StateDeleteIn moves a state to the trash.
type StateDeleteIn struct {
	In
	State string `json:"state" req:"true" arg:"STATE"`
	Match
	Write
}

// StateDeleteOut says where the state went.
type StateDeleteOut struct {
	StateID string `json:"stateId"`
	Trash   string `json:"trash"`
	Wrote
}

var stateDelete = op("state_delete", writes|destroys, StateDelete, Help{
	Summary: "move a state to the trash",
	Use:     "state delete STATE",
	Aliases: "rm remove",
	Text:    confirmText,
	Example: "arbor state delete v2 --dry-run\narbor state delete v2 --yes",
})

// StateDelete moves a state to the trash.
func StateDelete(ctx context.Context, env *Env, in StateDeleteIn) (*StateDeleteOut, error) {
	t, p, hint := env.state(ctx, in.WorkspaceID, in.State)
	trash, w, err := apply(ctx, env, t, env.act(in.Write, in.Match), plan.DeleteState{State: p.ID},
		"its file lies in the trash; move it back to restore the state")
	if err != nil {
		return nil, err
	}
	if hint != "" {
		w.Hint = hint
	}
	return &StateDeleteOut{StateID: string(p.ID), Trash: string(trash), Wrote: w}, nil
}
