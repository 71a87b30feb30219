package ops

import (
	"context"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type TranscriptAppendIn struct {
	SessionRef
	Role string `json:"role" req:"true" arg:"ROLE" enum:"user,assistant,system"`
	Text string `json:"text" req:"true" text:"the message"`
	Write
}

type TranscriptAppendOut struct{ Wrote }

var transcriptAppend = op("transcript_append", writes, TranscriptAppend, Help{
	Summary: "add a message to a session's transcript",
	Use:     "session transcript append ROLE [TEXT | -]",
	Text: `The transcript is Transcript.md beside the session's file. Each message has a
level-2 heading, User, Assistant or System, and the text below it, byte by byte.
A message that Markdown would read differently is put in a code fence.`,
	Example: `arbor session transcript append user "Where were we?"
arbor session transcript append assistant -F answer.md`,
})

// TranscriptAppend adds a message to a session's transcript.
func TranscriptAppend(ctx context.Context, env *Env, in TranscriptAppendIn) (*TranscriptAppendOut, error) {
	if !slices.Contains(mdstore.MessageRoles(), in.Role) {
		return nil, badParam("role", "role is %q; %s are known", short(in.Role), strings.Join(mdstore.MessageRoles(), ", "))
	}
	ws, session, err := begun(ctx, env, in.SessionRef, in.Write)
	if err != nil {
		return nil, err
	}
	x := plan.AppendTranscript{Session: session, Messages: []mdstore.Message{{Role: in.Role, Text: in.Text}}}
	w, err := done(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), x, "{transcript_read} "+
		"shows it")
	if err != nil {
		return nil, err
	}
	return &TranscriptAppendOut{*w}, nil
}

type TranscriptReadIn struct {
	SessionRef
	Last int `json:"last,omitempty" min:"0" flag:"last,n" help:"the last N messages; default: all"`
}

type TranscriptReadOut struct {
	Messages []mdstore.Message `json:"messages"`
	Hidden   int               `json:"hidden,omitempty"` // older ones of the messages asked for that the reply leaves out
	Out
}

var transcriptRead = op("transcript_read", reads|repeats, TranscriptRead, Help{
	Summary: "read a session's transcript",
	Use:     "session transcript show",
	Text:    "What people have written into the file between the messages is there, too.",
	Example: "arbor session transcript show --last 2",
})

// TranscriptRead returns the messages of a session, or the last of them.
var TranscriptRead = reading(func(ctx context.Context, env *Env, in TranscriptReadIn) (*TranscriptReadOut, error) {
	v, p, err := conversation(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return &TranscriptReadOut{Messages: []mdstore.Message{}, Out: Out{Hint: "{transcript_append} adds the first"}}, nil
	}
	all, err := view.Transcript(v, p, in.Last)
	if err != nil {
		return nil, fail(err)
	}
	if in.Last > 0 {
		all = all[max(0, len(all)-in.Last):]
	}
	out := &TranscriptReadOut{}
	env.fit(out, len(all), func(n int) {
		out.Messages, out.Hidden, out.Hint = nonNil(all[len(all)-n:]), len(all)-n, "{transcript_append} adds to it"
		if out.Hidden > 0 {
			out.Hint = shownOf(n, len(all), "messages", "the file has all of them")
		}
	})
	return out, nil
})

type TranscriptClearIn struct {
	SessionRef
	Write
}

type TranscriptClearOut struct {
	Kept string `json:"kept,omitempty"`
	Wrote
}

var transcriptClear = op("transcript_clear", writes|repeats, TranscriptClear, Help{
	Summary: "clear a transcript; a copy is kept",
	Use:     "session transcript clear",
	Text:    "It is kept beside the session's file, with the time in its name.",
	Example: "arbor session transcript clear",
})

// TranscriptClear starts a session's transcript anew. It keeps the old one as a file beside the session's.
func TranscriptClear(ctx context.Context, env *Env, in TranscriptClearIn) (*TranscriptClearOut, error) {
	ws, session, err := begun(ctx, env, in.SessionRef, in.Write)
	if err != nil {
		return nil, err
	}
	kept, w, err := apply(ctx, env, target{ws: ws}, env.act(in.Write, Match{}), plan.ClearTranscript{Session: session},
		"it is kept, and can be read as a file")
	if err != nil {
		return nil, err
	}
	return &TranscriptClearOut{Kept: env.path(kept), Wrote: w}, nil
}
