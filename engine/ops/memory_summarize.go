package ops

import (
	"cmp"
	"context"

	"arbor/engine/plan"
)

// MemorySummarizeIn says what is summarized.
type MemorySummarizeIn struct {
	SlotRef
	Text         string   `json:"text,omitempty" text:"the text"`
	EntryIDs     []string `json:"entryIds,omitempty" flag:"entry" help:"the ID of an entry, in place of a text; may be repeated"`
	Ratio        *float64 `json:"ratio,omitempty" min:"0.05" max:"0.5" help:"N from 0.05 to 0.5, of the length; 0.15 unless given"`
	Summary      string   `json:"summary,omitempty" help:"your SUMMARY; unless given, sentences of the text are chosen"`
	MaxSummaries int      `json:"maxSummaries,omitempty" min:"2" help:"N summaries, 5 unless given: beyond it the oldest become one"`
	Write
}

var memorySummarize = op("memory_summarize", writes, MemorySummarize, Help{
	Summary: "append a summary to a slot",
	Use:     "memory summarize [SLOT] [TEXT | -]",
	Text: `Summarized is the text, or the entries that are named, or else all entries
since the last summary. The summary is yours (--summary), or sentences of
the text that are chosen without a model. Where the slot has five summaries
already, the oldest become one entry; the file as it was is kept.`,
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
	saved, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), x, "memory_read reads it")
	if err != nil {
		return nil, err
	}
	return savedOut(ctx, env, ws, saved, name, w), nil
}
