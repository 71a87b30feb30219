package ops

import (
	"context"

	"arbor/engine/plan"
	"arbor/engine/view"
)

// MemoryCompressIn names a slot, and says what is to become of its file.
type MemoryCompressIn struct {
	SlotRef
	Action string `json:"action,omitempty" enum:"analyze,compress,decompress" arg:"ACTION" help:"compress unless given; without a slot analyze, which only tells sizes"`
	Force  bool   `json:"force,omitempty" help:"compress also what is small, or does not get smaller"`
	Write
	Match
}

// MemoryCompressOut says how large slots are, in bytes.
type MemoryCompressOut struct {
	Slots []SlotSizeOut `json:"slots"`
	Wrote
}

// SlotSizeOut is a slot with its sizes as text and compressed.
type SlotSizeOut struct {
	Slot           string  `json:"slot"`
	Compressed     bool    `json:"compressed"` // its file is
	OriginalSize   int     `json:"originalSize"`
	CompressedSize int     `json:"compressedSize"`
	Ratio          float64 `json:"ratio"`
	Kept           string  `json:"kept,omitempty"` // why compress leaves its file as it is
	Path           string  `json:"path,omitempty"`
}

var memoryCompress = op("memory_compress", writes|repeats, MemoryCompress, Help{
	Summary: "compress the file of a slot, or open it",
	Use:     "memory compress [SLOT] [ACTION]",
	Text: `ACTION is compress unless it is given, decompress, or analyze, which only
tells sizes; without SLOT it is analyze, of all slots. A compressed slot is
SLOT.md.gz, which zcat reads; it is read, searched and added to as any
other. A file of less than 1,024 bytes, and one that does not get smaller,
stays as it is without --force.`,
	Example: "arbor memory compress\narbor memory compress meetings\narbor memory compress meetings decompress",
})

// MemoryCompress compresses the file of a slot or decompresses it, or tells what that would do.
func MemoryCompress(ctx context.Context, env *Env, in MemoryCompressIn) (*MemoryCompressOut, error) {
	env = env.As(in.SessionID)
	if in.Action == "" && in.Slot != "" {
		in.Action = "compress"
	}
	switch in.Action {
	case "", "analyze":
		return analyzeSlots(ctx, env, in)
	case "compress", "decompress":
	default:
		return nil, badParam("action", "action is %q; analyze, compress and decompress are known", short(in.Action))
	}
	if err := needSlot(in.SlotRef, in.Action+"ed"); err != nil {
		return nil, err
	}
	v, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	x := plan.CompressSlot{Slot: refOf(v, p), Open: in.Action == "decompress", Force: in.Force}
	s, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, in.Match), x, "it is read and added to as before")
	if err != nil {
		return nil, err
	}
	out := &MemoryCompressOut{Slots: []SlotSizeOut{sizeOut(s, env.path(s.Path))}, Wrote: w}
	if s.Keep != "" {
		out.Hint = "the file stays as it is: " + s.Keep
	}
	return out, nil
}

// analyzeSlots tells sizes, of one slot or of all.
var analyzeSlots = reading(func(ctx context.Context, env *Env, in MemoryCompressIn) (*MemoryCompressOut, error) {
	all := []SlotSizeOut{}
	if in.Slot != "" {
		_, p, err := slotIn(ctx, env, in.SlotRef, false)
		if err != nil {
			return nil, err
		}
		all = append(all, sizeOut(plan.SizeOf(p, in.Force), ""))
	} else {
		views, err := memoryOf(ctx, env, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		for _, v := range views {
			for _, p := range view.Slots(v) {
				all = append(all, sizeOut(plan.SizeOf(p, in.Force), ""))
			}
		}
	}
	out := &MemoryCompressOut{Wrote: Wrote{Success: true}}
	env.fit(out, len(all), func(n int) {
		out.Slots, out.Hint = all[:n], "those without kept would get smaller; action compress does it"
		if n < len(all) {
			out.Hint = shownOf(n, len(all), "slots", "slot names one")
		}
	})
	return out, nil
})

func sizeOut(s plan.SlotSize, path string) SlotSizeOut {
	return SlotSizeOut{s.Name, s.Zipped, s.Original, s.Compressed, ratio(s.Compressed, s.Original), s.Keep, path}
}
