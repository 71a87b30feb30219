package ops

import (
	"cmp"
	"context"

	"arbor/engine/plan"
	"arbor/mdstore"
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
	of, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), plan.DeleteState{State: in.State},
		"its file lies in the trash; move it back to restore the state")
	if err != nil {
		return nil, err
	}
	w.Hint = cmp.Or(namesakes(mdstore.StateKind, of.Others, of.ID), w.Hint)
	return &StateDeleteOut{StateID: string(of.ID), Trash: string(of.Trash), Wrote: w}, nil
}
