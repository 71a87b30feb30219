package ops

import (
	"context"

	"arbor/engine/view"
	"arbor/mdstore"
)

// TranscriptReadIn asks for messages of a session.
type TranscriptReadIn struct {
	SessionRef
	Last int `json:"last,omitempty" min:"0" flag:"last,n" help:"the last N messages; all unless given"`
}

// TranscriptReadOut has the messages, oldest first.
type TranscriptReadOut struct {
	Messages []mdstore.Message `json:"messages"`
	Hidden   int               `json:"hidden,omitempty"` // older messages, of those that were asked for
	Out
}

var transcriptRead = op("transcript_read", reads|repeats, TranscriptRead, Help{
	Summary: "read a session's transcript",
	Use:     "transcript read",
	Text:    "What people have written into the file between the messages is there, too.",
	Example: "arbor transcript read --last 2",
})

// TranscriptRead brings the messages of a session.
var TranscriptRead = reading(func(ctx context.Context, env *Env, in TranscriptReadIn) (*TranscriptReadOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
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
		out.Messages, out.Hidden, out.Hint = nonNil(all[len(all)-n:]), len(all)-n, "transcript_append adds to it"
		if out.Hidden > 0 {
			out.Hint = shownOf(n, len(all), "messages", "the file has all of them")
		}
	})
	return out, nil
})
