package ops

import (
	"cmp"
	"context"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore"
)

// StateUpdateIn changes what can be changed of a state; what is absent stays.
type StateUpdateIn struct {
	In
	State       string   `json:"state" req:"true" arg:"STATE"`
	Name        *string  `json:"name,omitempty" help:"the new NAME"`
	Description *string  `json:"description,omitempty" empty:"ok" help:"the new description, as TEXT"`
	Tags        []string `json:"tags,omitempty" flag:"tag" help:"the tags, all of them, each as a TAG; may be repeated"`
	Match
	Write
}

// StateUpdateOut names the state that is changed.
type StateUpdateOut struct {
	StateID string `json:"stateId"`
	Wrote
}

var stateUpdate = op("state_update", writes|repeats, StateUpdate, Help{
	Summary: "change a state's name, description or tags",
	Use:     "state update STATE",
	Text:    "All else stays as it was saved.",
	Example: `arbor state update "Before the review" --tag ui --tag done`,
})

// StateUpdate changes the name, the description or the tags of a state.
func StateUpdate(ctx context.Context, env *Env, in StateUpdateIn) (*StateUpdateOut, error) {
	if in.Name == nil && in.Description == nil && in.Tags == nil {
		return nil, errs.New(errs.InvalidParams, "nothing is to be updated; give name, description or tags")
	}
	x := plan.UpdateState{State: in.State, Name: in.Name, Description: in.Description, Tags: in.Tags}
	of, w, err := apply(ctx, env, env.whole(ctx, in.WorkspaceID), env.act(in.Write, in.Match), x, "state_load (arbor state load) takes it up")
	if err != nil {
		return nil, err
	}
	w.Hint = cmp.Or(namesakes(mdstore.StateKind, of.Others, of.ID), w.Hint)
	return &StateUpdateOut{StateID: string(of.ID), Wrote: w}, nil
}
