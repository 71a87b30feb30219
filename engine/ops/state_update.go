package ops

import (
	"context"
	"fmt"

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
	Summary: "change the name, description or tags of a state",
	Use:     "state update STATE",
	Text:    "All else stays as it was saved.",
	Example: `arbor state update "Before the review" --tag ui --tag done`,
})

// StateUpdate changes the name, the description or the tags of a state.
func StateUpdate(ctx context.Context, env *Env, in StateUpdateIn) (*StateUpdateOut, error) {
	t, p, hint := env.state(ctx, in.WorkspaceID, in.State)
	if t.err == nil && in.Name == nil && in.Description == nil && in.Tags == nil {
		return nil, errs.New(errs.InvalidParams, "nothing is to be updated; give name, description or tags")
	}
	x := plan.UpdateState{State: p.ID, Name: in.Name, Description: in.Description, Tags: in.Tags}
	w, err := done(ctx, env, t, env.act(in.Write, in.Match), x, "state_load (arbor state load) takes it up")
	if err != nil {
		return nil, err
	}
	if hint != "" {
		w.Hint = hint
	}
	return &StateUpdateOut{StateID: string(p.ID), Wrote: *w}, nil
}

// state returns the state that ref names, as what a writing operation is about. Where it has the name of others, the hint says so.
func (env *Env) state(ctx context.Context, workspace, ref string) (t target, p *mdstore.Page, hint string) {
	p = &mdstore.Page{}
	s, err := env.In(ctx, workspace)
	if err != nil {
		return target{err: err}, p, ""
	}
	found, others, err := s.Pages().Resolve(mdstore.StateKind, ref, errs.StateNotFound)
	if err != nil {
		return target{err: fail(err)}, p, ""
	}
	return target{ws: s.Workspace().ID, view: s}, found, namesakes(others, found)
}

// namesakes is the hint of a state that others share a name with.
func namesakes(others int, p *mdstore.Page) string {
	if others == 0 {
		return ""
	}
	return fmt.Sprintf("%d more states are named %q; this is the newest of them, %s: state_list names the others", others, short(p.Name()), p.ID)
}
