package ops

import (
	"context"

	"arbor/engine/plan"
)

// SessionNoteIn adds a line to a session's log.
type SessionNoteIn struct {
	SessionRef
	Text  string   `json:"text" req:"true" text:"the note"`
	Files []string `json:"files,omitempty" flag:"about" help:"a FILE that it is about; may be repeated"`
	Type  string   `json:"type,omitempty" help:"a WORD for what it is; note unless given"`
	Write
}

// SessionNoteOut is the result of session_note.
type SessionNoteOut struct{ Wrote }

var sessionNote = op("session_note", writes, SessionNote, Help{
	Summary: "add a line to the log of a session",
	Use:     "session note [TEXT | -]",
	Text:    "The log has the time in UTC, who (--as), the word of --type, and the text.",
	Example: `arbor session note "The limit is 5 tries a minute" --about docs/limits.md`,
})

// SessionNote adds a line to a session's log.
func SessionNote(ctx context.Context, env *Env, in SessionNoteIn) (*SessionNoteOut, error) {
	v, p, err := sessionOf(ctx, env, in.SessionRef)
	if err != nil {
		return nil, err
	}
	t := target{ws: v.Workspace().ID}
	note := plan.NoteSession{ID: p.ID, Type: in.Type, Text: in.Text, Files: in.Files}
	w, err := done(ctx, env, t, env.act(in.Write, Match{}), note, "session_load brings it back")
	if err != nil {
		return nil, err
	}
	return &SessionNoteOut{*w}, nil
}
