package ops

import (
	"context"

	"arbor/engine/memory"
	"arbor/engine/plan"
)

// MemoryMergeIn says which slots become one.
type MemoryMergeIn struct {
	MemoryIn
	Sources       []string `json:"sources" req:"true" arg:"SLOT" help:"two slots or more"`
	Target        string   `json:"target" req:"true" flag:"into" help:"the SLOT that gets their entries; it may be a source"`
	Similarity    *float64 `json:"similarity,omitempty" min:"0.01" max:"1" help:"N from 0 to 1: how alike texts are of which one is left out; 0.8 unless given"`
	DeleteSources bool     `json:"deleteSources,omitempty" help:"move the other sources to the trash"`
	DryRun        *bool    `json:"dryRun,omitempty" flag:"-" help:"true unless given: show it and write nothing"`
}

func (in MemoryMergeIn) planned() bool { return in.DryRun == nil || *in.DryRun }

// MemoryMergeOut says what the merge made, or would make.
type MemoryMergeOut struct {
	Target  string        `json:"target"`
	Entries int           `json:"entries"` // of the target then
	Left    []memory.Left `json:"left,omitempty"`
	Hidden  int           `json:"leftHidden,omitempty"` // further ones, where results are bounded
	Deleted []string      `json:"deleted,omitempty"`
	Wrote
}

var memoryMerge = op("memory_merge", writes, MemoryMerge, Help{
	Summary: "merge slots, without what they say twice",
	Use:     "memory merge SLOT...",
	Text: `It shows what would be done; --write does it. Entries are in the order of
time; of two that are alike the later is left out. What the target has
stays.`,
	Example: "arbor memory merge monday tuesday --into meetings\narbor memory merge monday tuesday --into meetings --delete-sources --write",
})

// MemoryMerge puts the entries of slots into one.
func MemoryMerge(ctx context.Context, env *Env, in MemoryMergeIn) (*MemoryMergeOut, error) {
	x := plan.MergeSlots{Sources: in.Sources, Target: in.Target, Similarity: 0.8, Delete: in.DeleteSources}
	if in.Similarity != nil {
		x.Similarity = *in.Similarity
	}
	if len(in.Sources) < 2 {
		return nil, badParam("sources", "sources: %d slot is named; a merge is of two or more", len(in.Sources))
	}
	v, _, err := slotIn(ctx, env, SlotRef{In: in.In, SessionID: in.SessionID, Slot: in.Sources[0]}, false)
	if err != nil {
		return nil, err
	}
	env = env.As(in.SessionID)
	act := env.act(Write{DryRun: in.planned()}, Match{})
	merged, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, act, x, "memory_read reads it")
	if err != nil {
		return nil, err
	}
	out := &MemoryMergeOut{Target: merged.Target, Entries: merged.Entries, Deleted: merged.Deleted, Wrote: w}
	if env.Brief {
		out.Diff = "" // it is as long as the slots
	}
	if in.planned() {
		out.Hint = "nothing was written; repeat the call with dryRun false to do it"
	}
	env.fit(out, len(merged.Left), func(n int) { out.Left, out.Hidden = merged.Left[:n], len(merged.Left)-n })
	return out, nil
}
