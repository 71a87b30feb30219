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

// marked cuts a snippet where its words begin and end.
func marked(f ops.Found) (pieces []piece) {
	all := []rune(f.Snippet)
	at := 0
	for _, h := range f.Highlights {
		if h.Start < at || h.End > len(all) || h.Start >= h.End {
			continue
		}
		pieces = append(pieces, piece{Text: string(all[at:h.Start])}, piece{string(all[h.Start:h.End]), true})
		at = h.End
	}
	return append(pieces, piece{Text: string(all[at:])})
}

// How many items a page has; a link brings the others.
const (
	slotsOnPage    = 500
	sessionsOnPage = 200
)

type slots struct {
	*ops.MemoryListOut
	Query    string
	Archived bool
}

func (s *Site) memory(r *http.Request, v *screen) error {
	v.Title = "Memory"
	b := slots{Query: strings.TrimSpace(r.FormValue("q")), Archived: r.FormValue("archived") != ""}
	in := ops.MemoryListIn{Query: b.Query, Archived: b.Archived}
	in.Limit, in.Cursor = slotsOnPage, r.FormValue("cursor")
	in.WorkspaceID = v.Workspace
	var err error
	if len(v.All) > 0 {
		b.MemoryListOut, err = ops.MemoryList(r.Context(), s.env(), in)
	}
	v.Body = b
	return err
}

func (s *Site) slot(r *http.Request, v *screen) error {
	in := ops.MemoryReadIn{SlotRef: ops.SlotRef{In: ops.In{WorkspaceID: v.Workspace}, Slot: r.PathValue("id")}, Limit: 200}
	out, err := ops.MemoryRead(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	v.Title, v.Body = out.Slot, out
	return nil
}

type sessionsPage struct {
	*ops.SessionListOut
	States *ops.StateListOut
}

func (s *Site) sessions(r *http.Request, v *screen) (err error) {
	v.Title = "Sessions"
	var b sessionsPage
	in := ops.In{WorkspaceID: v.Workspace}
	if len(v.All) > 0 {
		part := func(cursor string) ops.Wanted { return ops.Wanted{Limit: sessionsOnPage, Cursor: r.FormValue(cursor)} }
		b.SessionListOut, err = ops.SessionList(r.Context(), s.env(), ops.SessionListIn{In: in, Wanted: part("cursor")})
		if err == nil {
			b.States, err = ops.StateList(r.Context(), s.env(), ops.StateListIn{In: in, Wanted: part("states")})
		}
	}
	v.Body = b
	return err
}

func (s *Site) session(r *http.Request, v *screen) error {
	no := false
	of := ops.SessionRef{In: ops.In{WorkspaceID: v.Workspace}, SessionID: r.PathValue("id")}
	in := ops.SessionLoadIn{SessionRef: of, Continue: &no}
	out, err := ops.SessionLoad(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	v.Title, v.Body = out.Name, out
	return nil
}

func (s *Site) state(r *http.Request, v *screen) error {
	no := false
	of := ops.SessionRef{In: ops.In{WorkspaceID: v.Workspace}}
	in := ops.StateLoadIn{SessionRef: of, State: r.PathValue("id"), Continue: &no}
	out, err := ops.StateLoad(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	v.Title, v.Body = out.State.Name, out
	return nil
}
