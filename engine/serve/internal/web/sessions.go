package web

import (
	"net/http"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

type sessionsPage struct {
	Open, Ended []sessionRow
	Next        string // the cursor of the next page; "" for none
	States      *ops.StateListOut
}

type sessionRow struct {
	ops.SessionHead
	First string // the first line of the goal
}

func (s *Site) sessions(r *http.Request, v *screen) error {
	v.Title = "Sessions"
	b := sessionsPage{}
	v.Body = &b
	if len(v.All) == 0 {
		return nil
	}
	in := ops.In{WorkspaceID: v.Workspace}
	part := func(cursor string) ops.Wanted { return ops.Wanted{Limit: sessionsOnPage, Cursor: r.FormValue(cursor)} }
	out, err := ops.SessionList(r.Context(), s.env(), ops.SessionListIn{In: in, Wanted: part("cursor")})
	if err != nil {
		return err
	}
	if b.States, err = ops.StateList(r.Context(), s.env(), ops.StateListIn{In: in, Wanted: part("states")}); err != nil {
		return err
	}
	b.Next = out.Cursor
	first := map[string]string{}
	err = s.pages(r, v, func(snap *view.View) {
		for _, head := range out.Sessions {
			if p, ok := snap.Pages().Get(mdstore.SessionKind, mdstore.ID(head.ID)); ok {
				first[head.ID] = firstLine(p.Doc().Text(mdstore.SecGoal))
			}
		}
	})
	if err != nil {
		return err
	}
	for _, head := range out.Sessions {
		row := sessionRow{head, first[head.ID]}
		if head.EndedAt > 0 {
			b.Ended = append(b.Ended, row)
		} else {
			b.Open = append(b.Open, row)
		}
	}
	return nil
}

func (s *Site) session(r *http.Request, v *screen) error {
	no := false
	of := ops.SessionRef{In: ops.In{WorkspaceID: v.Workspace}, SessionID: r.PathValue("id")}
	in := ops.SessionLoadIn{SessionRef: of, Continue: &no}
	out, err := ops.SessionLoad(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	for i, e := range out.Log {
		out.Log[i].Event = s.titled(r.Context(), v.Workspace, e.Event)
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
