package ops

import (
	"context"

	"arbor/engine/plan"
)

// TranscriptClearIn names the session whose transcript begins anew.
type TranscriptClearIn struct {
	SessionRef
	Write
}

// TranscriptClearOut says where the transcript is kept.
type TranscriptClearOut struct {
	Kept string `json:"kept,omitempty"`
	Wrote
}

var transcriptClear = op("transcript_clear", writes|repeats, TranscriptClear, Help{
	Summary: "clear a session's transcript; the old one is kept",
	Use:     "transcript clear",
	Text:    "It is kept beside the session's file, with the time in its name.",
	Example: "arbor transcript clear",
})

// TranscriptClear begins a session's transcript anew.
func TranscriptClear(ctx context.Context, env *Env, in TranscriptClearIn) (*TranscriptClearOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	kept, w, err := apply(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, Match{}), plan.ClearTranscript{Session: p.ID},
		"it is kept, and can be read as a file")
	if err != nil {
		return nil, err
	}
	return &TranscriptClearOut{Kept: env.path(kept), Wrote: w}, nil
}
