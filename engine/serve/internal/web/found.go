package web

import (
	"net/http"
	"strings"

	"arbor/engine/ops"
)

type results struct {
	Query, Place string
	Places       []string
	Out          *ops.SearchOut
	Why          string // why there are none, such as a missing quote
}

// search finds words in the plan, the memory, sessions, states and documents.
func (s *Site) search(r *http.Request, v *screen) error {
	v.Title = "Search"
	b := results{Query: strings.TrimSpace(r.FormValue("q")), Place: r.FormValue("in"),
		Places: []string{"plan", "memory", "sessions", "states", "docs"}}
	if b.Query != "" {
		in := ops.SearchIn{Query: b.Query, In: b.Place, WorkspaceID: v.Workspace, Limit: 50}
		out, err := ops.Search(r.Context(), s.env(), in)
		b.Out, b.Why = out, why(err)
	}
	v.Body = b
	return nil
}

// A piece is a part of a snippet.
type piece struct {
	Text   string
	Marked bool // it is a word that was looked for
}

// What stands before and after a word that was looked for while Markdown is taken out. No text has them.
const (
	beforeMark = "\uE000"
	afterMark  = "\uE001"
)

// marked cuts a snippet, without its Markdown, where its words begin and end.
func marked(f ops.Found) (pieces []piece) {
	all := []rune(f.Snippet)
	var b strings.Builder
	at := 0
	for _, h := range f.Highlights {
		if h.Start < at || h.End > len(all) || h.Start >= h.End {
			continue
		}
		b.WriteString(string(all[at:h.Start]) + beforeMark + string(all[h.Start:h.End]) + afterMark)
		at = h.End
	}
	b.WriteString(string(all[at:]))
	text := plain(b.String())
	for text != "" {
		edge := strings.IndexAny(text, beforeMark+afterMark)
		if edge < 0 {
			return append(pieces, piece{Text: text})
		}
		pieces = append(pieces, piece{text[:edge], strings.HasPrefix(text[edge:], afterMark)})
		text = text[edge+len(beforeMark):]
	}
	return pieces
}
