package ops

import (
	"cmp"
	"context"

	"arbor/engine/errs"
	"arbor/engine/internal/memory"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/fold"
)

type MemorySaveIn struct {
	SlotRef
	Text        string         `json:"text" req:"true" text:"the text"`
	Mode        string         `json:"mode,omitempty" listed:"memory" enum:"append,replace" help:"replace replaces all entries; a copy is kept"`
	Tags        []string       `json:"tags,omitempty" flag:"tag" help:"a TAG of the slot; may be repeated"`
	Group       *string        `json:"group,omitempty" listed:"memory" help:"the GROUP of a new slot, as projects/alpha"`
	Description *string        `json:"description,omitempty" listed:"memory" help:"one line of TEXT about the slot"`
	Priority    *int           `json:"priority,omitempty" listed:"memory" help:"N from 1 (highest) to 5"`
	EntryType   string         `json:"entryType,omitempty" listed:"memory" flag:"type" help:"the TYPE; default manual_save"`
	Metadata    map[string]any `json:"metadata,omitempty" listed:"memory" flag:"-" help:"the entry's"`
	Write
	Match
}

type MemorySaveOut struct {
	Slot    string `json:"slot"`
	EntryID string `json:"entryId"`
	Created bool   `json:"created,omitempty"` // the slot is new
	Kept    string `json:"kept,omitempty"`    // the file that keeps the slot's former text, if entries were replaced
	Wrote
}

var memorySave = op("memory_save", writes, MemorySave, Help{
	Summary: "append a text to a memory slot; create the slot if needed",
	Use:     "memory save [SLOT] [TEXT | -]",
	Text: `A slot is a Markdown file, memory/GROUP/SLOT.md in the workspace; each text is
an entry with an id, a type and a time. Texts are kept byte by byte, except the
line end at the end of a file or of stdin (arbor memory import keeps it).
Without SLOT it uses the session's current slot (arbor memory use).`,
	Example: `arbor memory save decisions -m "We use JWT tokens." --tag api
git log -1 --format=%B | arbor memory save releases -`,
})

// MemorySave adds an entry to a slot. It makes the slot if it is missing.
func MemorySave(ctx context.Context, env *Env, in MemorySaveIn) (*MemorySaveOut, error) {
	if in.Mode != "" && in.Mode != "append" && in.Mode != "replace" {
		return nil, badParam("mode", "mode is %q; append and replace are known", short(in.Mode))
	}
	env = env.As(in.SessionID)
	ws, name, err := slotTarget(ctx, env, in.SlotRef, in.Write)
	if err != nil {
		return nil, err
	}
	if in.EntryType == "" {
		in.EntryType = mdstore.EntryManual
	}
	x := plan.SaveEntry{Slot: name, Replace: in.Mode == "replace",
		Facts: plan.SlotFacts{Group: in.Group, Description: in.Description, Tags: in.Tags, Priority: in.Priority},
		Entry: mdstore.SlotEntry{Type: in.EntryType, Text: in.Text, Meta: in.Metadata}}
	saved, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, in.Match), x, "{memory_read} reads it, "+
		"search finds it")
	if err != nil {
		return nil, err
	}
	return savedOut(ctx, env, ws, saved, name, w), nil
}

// savedOut returns the result of a plan that saved an entry. called is the name by which the call named the slot.
func savedOut(ctx context.Context, env *Env, ws mdstore.ID, saved *plan.SavedEntry, called string, w Wrote) *MemorySaveOut {
	out := &MemorySaveOut{Slot: slotNamed(ctx, env, ws, saved.Slot, called), EntryID: string(saved.Entry), Created: saved.Created, Wrote: w}
	if saved.Kept != "" {
		out.Kept = env.path(saved.Kept)
		out.Hint = "the slot as it was is kept in " + out.Kept + " for 30 days; undo takes this back"
	}
	return out
}

// slotNamed returns the name of the slot with an id, or the given name if a dry run made no slot.
func slotNamed(ctx context.Context, env *Env, ws, id mdstore.ID, called string) string {
	if v, err := env.Engine.WithPages(ctx, ws); err == nil {
		for _, p := range v.Pages().All() {
			if p.Kind.IsSlot() && p.ID == id {
				return mdstore.SlotName(p)
			}
		}
	}
	return called
}

type MemoryUpdateIn struct {
	SlotRef
	Name        *string        `json:"name,omitempty" help:"a new NAME"`
	Group       *string        `json:"group,omitempty" empty:"ok" help:"the GROUP to move it to; empty for none"`
	Tags        []string       `json:"tags,omitempty" flag:"tag" help:"replace all tags of the slot with TAG; may be repeated"`
	AddTags     []string       `json:"addTags,omitempty" flag:"add-tag" help:"a TAG to add; may be repeated"`
	RemoveTags  []string       `json:"removeTags,omitempty" flag:"remove-tag" help:"a TAG to remove; may be repeated"`
	Description *string        `json:"description,omitempty" empty:"ok" help:"one line of TEXT about the slot"`
	Priority    *int           `json:"priority,omitempty" help:"N from 1 (highest) to 5"`
	Metadata    map[string]any `json:"metadata,omitempty" flag:"-" help:"other keys of the front matter"`
	Write
	Match
}

var memoryUpdate = op("memory_update", writes|repeats, MemoryUpdate, Help{
	Summary: "rename, move or describe a slot",
	Use:     "memory set SLOT [KEY=VALUE...]",
	Text: severalSlots + `
The file is renamed, and moved to the folder of its group. Entries stay
unchanged.`,
	Example: "arbor memory set decisions name=api_decisions group=projects/alpha\n" +
		"arbor memory set decisions tags+=urgent\narbor memory set 'old-*' tags+=old",
})

// MemoryUpdate changes a slot's name, group, description, tags and metadata.
func MemoryUpdate(ctx context.Context, env *Env, in MemoryUpdateIn) (*MemoryMoveOut, error) {
	var err error
	env = env.As(in.SessionID)
	if in.Slot, err = slotName(ctx, env, in.Slot); err != nil {
		return nil, err
	}
	v, pages, err := slotsIn(ctx, env, in.SlotRef, in.Match)
	if err != nil {
		return nil, err
	}
	if len(pages) > 1 && in.Name != nil {
		return nil, badParam("name", "a name is for one slot, and the call is about %d", len(pages))
	}
	var x plan.Each[plan.UpdateSlot, *plan.SlotDone]
	for _, p := range pages {
		x = append(x, plan.UpdateSlot{Slot: refOf(v, p), AddTags: in.AddTags, NoTags: in.RemoveTags,
			Facts: plan.SlotFacts{Name: in.Name, Group: in.Group, Description: in.Description, Tags: in.Tags,
				Priority: in.Priority, Custom: in.Metadata}})
	}
	all, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "{memory_list} names it")
	if err != nil {
		return nil, err
	}
	return env.moved(all, w), nil
}

type MemoryDeleteIn struct {
	SlotRef
	Write
	Match
}

type MemoryDeleteOut struct {
	Slot  string `json:"slot"`
	Trash string `json:"trash"`
	Wrote
}

var memoryDelete = op("memory_delete", writes|destroys, MemoryDelete, Help{
	Summary: "move a slot to the trash",
	Use:     "memory rm SLOT",
	Text:    confirmText,
	Example: "arbor memory rm scratch --yes",
})

// MemoryDelete moves a slot to the trash. The call must name the slot: the session's current one is no default here.
func MemoryDelete(ctx context.Context, env *Env, in MemoryDeleteIn) (*MemoryDeleteOut, error) {
	env = env.As(in.SessionID)
	if err := needSlot(in.SlotRef, "deleted"); err != nil {
		return nil, err
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), plan.DeleteSlot{Slot: refOf(v, p)},
		"its file lies in the trash; "+takesBack)
	if err != nil {
		return nil, err
	}
	return &MemoryDeleteOut{Slot: s.Name, Trash: env.path(s.Trash), Wrote: w}, nil
}

type MemoryUseIn struct {
	SessionRef
	Slot string `json:"slot" req:"true" arg:"SLOT" is:"slot" help:"none refuses every memory write"`
	Write
}

type MemoryUseOut struct {
	Slot string `json:"slot"`
	Wrote
}

var memoryUse = op("memory_use", writes|repeats, MemoryUse, Help{
	Summary: "select the session's current slot",
	Use:     "memory use SLOT",
	Text: `Calls of the session that name no slot then use it. A slot that does not exist
is created by the first memory save. With none, the session cannot write to the
memory until it uses another slot; it can still work on the plan.`,
	Example: "arbor memory use decisions\narbor memory use none",
})

// MemoryUse makes a slot the current one of a session. The slot none switches the session's memory writes off. For a
// connection without a session it starts one.
func MemoryUse(ctx context.Context, env *Env, in MemoryUseIn) (*MemoryUseOut, error) {
	out, slot, missing := &MemoryUseOut{Slot: in.Slot}, in.Slot, ""
	if fold.Name(slot) == plan.NoSlotName {
		slot, out.Slot = plan.NoSlotName, plan.NoSlotName
	} else if _, there, notThere := slotIn(
		ctx, env, SlotRef{SessionID: in.SessionID, Slot: slot}, false); notThere == nil {
		out.Slot = mdstore.SlotName(there)
		if there.Field(mdstore.KeyID) != "" {
			slot = string(there.ID)
		}
	} else if errs.As(notThere).Code != errs.SlotNotFound {
		return nil, notThere
	} else if err := plan.CheckSlotName(slot); err != nil {
		return nil, fail(err)
	} else {
		missing = errs.As(notThere).Message
	}
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if e := errs.As(err); e != nil && e.Code == errs.SessionNotFound && in.SessionID == "" && env.Begun != nil &&
		env.May == MayWrite && !in.DryRun {
		var s *SessionStartOut
		if s, err = SessionStart(ctx, env, SessionStartIn{SessionRef: in.SessionRef}); err == nil {
			*env.Begun, env = s.Bound, env.As(s.Caller)
			v, p, err = sessionOf(ctx, env, in.SessionRef)
		}
	}
	if err != nil {
		return nil, err
	}
	w, err := done(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, Match{}), plan.UseSlot{Session: p.ID, Slot: slot},
		"{memory_save}, {memory_read} and {memory_export} mean it where they name none")
	if err != nil {
		return nil, err
	}
	if slot == plan.NoSlotName {
		w.Hint = "memory writes of this session are refused until {memory_use} names a slot"
	}
	if missing != "" {
		w.Warned = append(w.Warned, missing+". {memory_save} of this session will make it; if another slot is meant, "+
			"{memory_use} that one")
	}
	out.Wrote = *w
	return out, nil
}

type MemoryMergeIn struct {
	MemoryIn
	Sources       []string `json:"sources" req:"true" arg:"SLOT" help:"two slots or more"`
	Target        string   `json:"target" req:"true" flag:"into" help:"the SLOT that receives the entries; it may be one of the sources"`
	Similarity    *float64 `json:"similarity,omitempty" min:"0.01" max:"1" help:"also drop a text of this similarity N to a later one; default 1, equal texts only"`
	DeleteSources bool     `json:"deleteSources,omitempty" help:"move the other sources to the trash"`
	Write
}

type MemoryMergeOut struct {
	Target  string        `json:"target"`
	Entries int           `json:"entries"` // of the target after the merge
	Left    []memory.Left `json:"left,omitempty"`
	Hidden  int           `json:"leftHidden,omitempty"` // those that a bounded result leaves out
	Deleted []string      `json:"deleted,omitempty"`
	Wrote
}

var memoryMerge = op("memory_merge", writes, MemoryMerge, Help{
	Summary: "merge slots and drop duplicate texts",
	Use:     "memory merge SLOT...",
	Text: `Entries are sorted by time; of equal texts, one stays. With --similarity 0.8, of
texts that have most words in common only the latest stays; both are shown.
Entries of the target stay. --dry-run shows the result; arbor undo reverts a
merge.`,
	Example: `arbor memory merge monday tuesday --into meetings --dry-run
arbor memory merge monday tuesday --into meetings`,
})

// MemoryMerge merges the entries of slots into one.
func MemoryMerge(ctx context.Context, env *Env, in MemoryMergeIn) (*MemoryMergeOut, error) {
	x := plan.MergeSlots{Sources: in.Sources, Target: in.Target, Similarity: 1, Delete: in.DeleteSources}
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
	merged, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, Match{}), x,
		"{memory_read} reads it")
	if err != nil {
		return nil, err
	}
	out := &MemoryMergeOut{Target: merged.Target, Entries: merged.Entries, Deleted: merged.Deleted, Wrote: w}
	if env.Detail == DetailBrief {
		out.Diff = "" // the diff is as long as the slots
	}
	env.fit(out, len(merged.Left), func(n int) { out.Left, out.Hidden = merged.Left[:n], len(merged.Left)-n })
	return out, nil
}

type MemorySummarizeIn struct {
	SlotRef
	Text         string   `json:"text,omitempty" text:"the text"`
	EntryIDs     []string `json:"entryIds,omitempty" flag:"entry" help:"the ID of an entry, instead of a text; may be repeated"`
	Ratio        *float64 `json:"ratio,omitempty" min:"0.05" max:"0.5" help:"N, the summary's share of the text, 0.05 to 0.5; default 0.15"`
	Summary      string   `json:"summary,omitempty" help:"your SUMMARY; default: chosen sentences of the text"`
	MaxSummaries int      `json:"maxSummaries,omitempty" min:"2" help:"keep at most N summaries, default 5; older ones are combined"`
	Write
}

var memorySummarize = op("memory_summarize", writes, MemorySummarize, Help{
	Summary: "append a summary to a slot",
	Use:     "memory summarize [SLOT] [TEXT | -]",
	Text: `Summarizes the given text, the named entries, or all entries since the last
summary. The summary is yours (--summary), or sentences chosen from the text
without a model. If the slot already has five summaries, the oldest are combined
into one; a copy of the file is kept.`,
	Example: "arbor memory summarize meetings -F minutes.txt --ratio 0.1\narbor memory summarize meetings --entry entry-lr3k2a00-x81bq0",
})

// MemorySummarize appends a summary to a slot.
func MemorySummarize(ctx context.Context, env *Env, in MemorySummarizeIn) (*MemorySaveOut, error) {
	x := plan.SummarizeSlot{Text: in.Text, Entries: in.EntryIDs, Ratio: 0.15, Summary: in.Summary, Most: cmp.Or(in.MaxSummaries, 5)}
	if in.Ratio != nil {
		x.Ratio = *in.Ratio
	}
	switch {
	case in.Text != "" && len(in.EntryIDs) > 0:
		return nil, badParam("text", "text and entryIds are both given; one of them is expected, or none for all entries since the last summary")
	}
	env = env.As(in.SessionID)
	ws, name, err := slotTarget(ctx, env, in.SlotRef, in.Write)
	if err != nil {
		return nil, err
	}
	x.Slot = name
	saved, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), x, "{memory_read} reads it")
	if err != nil {
		return nil, err
	}
	return savedOut(ctx, env, ws, saved, name, w), nil
}
