package ops

import (
	"context"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// TranscriptAppendIn is a message of a session.
type TranscriptAppendIn struct {
	SessionRef
	Role string `json:"role" req:"true" arg:"ROLE" enum:"user,assistant,system"`
	Text string `json:"text" req:"true" text:"the message"`
	Write
}

// TranscriptAppendOut is the result of transcript_append.
type TranscriptAppendOut struct{ Wrote }

var transcriptAppend = op("transcript_append", writes, TranscriptAppend, Help{
	Summary: "add a message to a session's transcript",
	Use:     "transcript append ROLE [TEXT | -]",
	Text: `The transcript is Transcript.md beside the session's file: a heading of level 2
for each message, User, Assistant or System, and the message below it, byte by
byte. A message that would read as something else stands in a fence.`,
	Example: `arbor transcript append user "Where were we?"
arbor transcript append assistant -F answer.md`,
})

// TranscriptAppend adds a message to a session's transcript.
func TranscriptAppend(ctx context.Context, env *Env, in TranscriptAppendIn) (*TranscriptAppendOut, error) {
	if !slices.Contains(mdstore.MessageRoles(), in.Role) {
		return nil, badParam("role", "role is %q; %s are known", short(in.Role), strings.Join(mdstore.MessageRoles(), ", "))
	}
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	x := plan.AppendTranscript{Session: p.ID, Messages: []mdstore.Message{{Role: in.Role, Text: in.Text}}}
	w, err := done(ctx, env, target{ws: v.Workspace().ID}, env.act(in.Write, Match{}), x, "transcript_read brings it back")
	if err != nil {
		return nil, err
	}
	return &TranscriptAppendOut{*w}, nil
}
