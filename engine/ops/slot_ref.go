package ops

import (
	"context"
	"path"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

// SlotRef names a slot, and the session and the workspace in which to look for it.
type SlotRef struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-"`
	Slot      string `json:"slot,omitempty" arg:"SLOT" is:"slot" help:"name or id; default: the session's current slot"`
}

func (r SlotRef) caller() string { return r.SessionID }

// MemoryIn names the workspace and the session of a call about memory that is not about a single slot.
type MemoryIn struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-"`
}

func (r MemoryIn) caller() string { return r.SessionID }

// memorySession returns the file of the caller's session; ok is false if it has none.
func memorySession(ctx context.Context, env *Env) (v *view.View, p *mdstore.Page, ok bool) {
	if env.Session == "" {
		return nil, nil, false
	}
	ids := []mdstore.ID{}
	b, bound, err := env.Engine.Binding(ctx, env.Session)
	if err == nil && bound && env.ownKey(ctx, env.Session) == nil {
		ids = append(ids, b.WorkspaceID)
	} else if all, err := env.Workspaces(ctx); err == nil {
		for _, w := range all {
			ids = append(ids, w.ID)
		}
	}
	for _, id := range ids {
		if v, err := env.Engine.WithPages(ctx, id); err == nil {
			if p, ok := env.Engine.SessionFile(ctx, v, env.Session); ok {
				return v, p, true
			}
		}
	}
	return nil, nil, false
}

// memoryOn returns the error MEMORY_OFF if the caller's session, or the session named by the call, uses the slot none.
func memoryOn(ctx context.Context, env *Env, named string) error {
	_, p, ok := memorySession(ctx, env)
	if off := ok && p.Field(mdstore.KeySlot) == plan.NoSlotName; !off && named != "" {
		_, p, ok = memorySession(ctx, env.As(named))
	}
	if !ok || p.Field(mdstore.KeySlot) != plan.NoSlotName {
		return nil
	}
	return errs.New(errs.MemoryOff, "%s: this session uses the slot none: its memory writes are refused, and nothing was written; "+
		"{memory_use} with a slot turns memory on", p.ID)
}

// slotName returns the name of the slot that a call means: the one it gives, or else the session's current slot.
func slotName(ctx context.Context, env *Env, ref string) (string, error) {
	if ref != "" {
		return ref, nil
	}
	const how = "name a slot, or make one the session's current one ({memory_use})"
	_, p, ok := memorySession(ctx, env)
	switch slot := ""; {
	case !ok:
		return "", badParam("slot", "slot is missing, and no session is active here; %s", how)
	default:
		if slot = p.Field(mdstore.KeySlot); slot == "" || slot == plan.NoSlotName {
			return "", badParam("slot", "slot is missing, and session %s uses none; %s", p.ID, how)
		}
		return slot, nil
	}
}

// searched returns the workspaces in which to look for a slot, in groups: the first group that has the slot counts. If
// the call names no workspace, the groups are the one that it means, the one with the id default, and the other active
// ones.
func searched(ctx context.Context, env *Env, workspace string) (groups [][]*view.View, err error) {
	if workspace != "" {
		v, err := env.WithPages(ctx, workspace)
		return [][]*view.View{{v}}, err
	}
	own := mdstore.ID("")
	if v, err := env.WithPages(ctx, ""); err == nil {
		own = v.Workspace().ID
		groups = append(groups, []*view.View{v})
	} else if e := errs.As(err); e.Code != errs.AmbiguousID && e.Code != errs.WorkspaceNotFound {
		return nil, err
	}
	all, err := env.Workspaces(ctx)
	if err != nil {
		return nil, errs.As(err)
	}
	var rest, other []*view.View
	others := env.ofOthers(ctx, all)
	for _, w := range all {
		if w.ID == own || others[w.ID] != "" || w.Status != mdstore.StatusActive {
			continue
		}
		v, err := env.Engine.WithPages(ctx, w.ID)
		switch {
		case err != nil: // two files have one id
		case w.ID == mdstore.DefaultWorkspace:
			rest = append(rest, v)
		default:
			other = append(other, v)
		}
	}
	return append(groups, rest, other), nil
}

// slotIn returns the slot that a call is about, with its workspace. With archived it looks for archived slots instead.
func slotIn(ctx context.Context, env *Env, in SlotRef, archived bool) (*view.View, *mdstore.Page, error) {
	env = env.As(in.SessionID)
	name, err := slotName(ctx, env, in.Slot)
	if err != nil {
		return nil, nil, err
	}
	groups, err := searched(ctx, env, in.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	var met []*view.View
	for _, g := range groups {
		var in []*view.View
		for _, v := range g {
			if met = append(met, v); len(view.SlotsNamed(v, name, archived)) > 0 {
				in = append(in, v)
			}
		}
		switch len(in) {
		case 0:
		case 1:
			p, err := view.Slot(in[0], name, archived)
			return in[0], p, fail(err)
		default:
			d := errs.Details{Param: "workspaceId"}
			for _, v := range in {
				d.Candidates = append(d.Candidates, errs.Candidate{ID: string(v.Workspace().ID), Title: v.Workspace().Name})
			}
			return nil, nil, errs.New(errs.AmbiguousID, "%s: %d workspaces have a slot with this name; name one of "+
				"them ({.workspaceId}, "+
				"--workspace): %s", name, len(in), view.List(d.Candidates)).With(d)
		}
	}
	return nil, nil, fail(view.NoSlot(name, met, archived))
}

// slotsIn returns the slots of one workspace that a call is about: the one that it names, several with commas between,
// or those whose names a pattern matches, such as old-*. A call that has ifMatch is about one.
func slotsIn(ctx context.Context, env *Env, in SlotRef, m Match) (v *view.View, all []*mdstore.Page, err error) {
	for ref := range strings.SplitSeq(in.Slot, ",") {
		one := in
		one.Slot = strings.TrimSpace(ref)
		w, pages, err := slotsLike(ctx, env, one)
		switch {
		case err != nil:
			return nil, nil, err
		case v != nil && v.Workspace().ID != w.Workspace().ID:
			return nil, nil, badParam("slot", "%s: these slots are of the workspaces %s and %s; one call is about one of "+
				"them: name it ({.workspaceId}, --workspace)", in.Slot, v.Workspace().ID, w.Workspace().ID)
		}
		v = w
		for _, p := range pages {
			if !slices.ContainsFunc(all, func(o *mdstore.Page) bool { return o.Path == p.Path }) {
				all = append(all, p)
			}
		}
	}
	if len(all) > 1 && m.IfMatch != "" {
		return nil, nil, badParam("ifMatch", "{.ifMatch} is the version of one slot, and the call names %d", len(all))
	}
	return v, all, nil
}

// slotsLike returns the slot that a call names, or all slots that its pattern matches in the first workspace that has
// any.
func slotsLike(ctx context.Context, env *Env, in SlotRef) (*view.View, []*mdstore.Page, error) {
	if !strings.Contains(in.Slot, "*") {
		v, p, err := slotIn(ctx, env, in, false)
		return v, []*mdstore.Page{p}, err
	}
	groups, err := searched(ctx, env.As(in.SessionID), in.WorkspaceID)
	if err != nil {
		return nil, nil, err
	}
	for _, v := range slices.Concat(groups...) {
		var all []*mdstore.Page
		for _, p := range view.Slots(v) {
			name := mdstore.SlotName(p)
			if g := mdstore.SlotGroup(p); strings.Contains(in.Slot, "/") && g != "" {
				name = g + "/" + name
			}
			fits, err := path.Match(fold.Name(in.Slot), fold.Name(name))
			if err != nil {
				return nil, nil, badParam("slot", "%s is no pattern; * stands for any part of a name, as in old-*", in.Slot)
			}
			if fits {
				all = append(all, p)
			}
		}
		if all != nil {
			return v, all, nil
		}
	}
	return nil, nil, errs.New(errs.SlotNotFound, "%s: no slot has such a name; {memory_list} lists them", in.Slot).
		With(errs.Details{Param: "slot"})
}

// SlotOf returns the slot that a call is about, with its workspace.
func SlotOf(ctx context.Context, env *Env, in SlotRef) (*view.View, *mdstore.Page, error) {
	return slotIn(ctx, env, in, false)
}

// slotHome returns the workspace for a new slot: the one that the call names or means, or else the one with the id
// default, which it makes if it is missing.
func slotHome(ctx context.Context, env *Env, in SlotRef, w Write) (mdstore.ID, error) {
	id, err := env.As(in.SessionID).workspace(ctx, in.WorkspaceID)
	if e := errs.As(err); e == nil || in.WorkspaceID != "" || e.Code != errs.AmbiguousID && e.Code != errs.WorkspaceNotFound {
		return id, err
	}
	if w.DryRun {
		if _, missing := env.Engine.View(ctx, mdstore.DefaultWorkspace); missing != nil {
			return "", errs.New(errs.WorkspaceNotFound, "the workspace default, in which the slot would be made, is not there yet; it is made by the "+
				"call without {.dryRun}, or name another workspace ({.workspaceId})")
		}
	}
	id, err = env.Engine.UserDefault(ctx, env.act(w, Match{}))
	return id, fail(err)
}

// slotTarget returns the workspace of the slot that a call names, and the name. For a slot that does not exist it is
// the workspace in which the slot is made.
func slotTarget(ctx context.Context, env *Env, in SlotRef, w Write) (ws mdstore.ID, name string, err error) {
	v, p, err := slotIn(ctx, env, in, false)
	if e := errs.As(err); e != nil {
		if e.Code != errs.SlotNotFound {
			return "", "", err
		}
		gone := err
		if name, err = slotName(ctx, env.As(in.SessionID), in.Slot); err == nil {
			err = plan.CheckSlotName(name)
		}
		if in.Slot == "" && mdstore.ID(name).Generated("slot") { // the session's current slot, given by id, is gone
			return "", "", gone
		}
		if err != nil {
			return "", "", fail(err)
		}
		ws, err = slotHome(ctx, env, in, w)
		return ws, name, err
	}
	return v.Workspace().ID, refOf(v, p), nil
}

// refOf returns a reference to a slot in its workspace: its id, or its name if the id does not find just this slot.
func refOf(v *view.View, p *mdstore.Page) string {
	if own := view.SlotsNamed(v, string(p.ID), !p.Kind.IsSlot()); len(own) == 1 && own[0].Path == p.Path {
		return string(p.ID)
	}
	return mdstore.SlotName(p)
}
