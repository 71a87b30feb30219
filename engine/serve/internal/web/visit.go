package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"arbor/engine/env/trust"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
)

// choose finds the workspaces, the number of open requests, and the workspace that the request is about: the one that
// it names, or else the one that the person uses, or the first of the list.
func (s *Site) choose(r *http.Request, v *screen) error {
	all, err := ops.WorkspaceList(r.Context(), s.env(), ops.WorkspaceListIn{})
	if err != nil {
		return err
	}
	v.All, v.Workspace = all.Workspaces, r.FormValue("ws")
	if v.Workspace == "" && len(v.All) > 0 {
		v.Workspace = v.All[0].ID
		if len(v.All) > 1 {
			if used, err := ops.WorkspaceOwn(r.Context(), s.env(), ops.WorkspaceGetIn{}); err == nil {
				v.Workspace = used.Workspace.ID
			}
		}
	}
	v.Waits = len(s.waiting(r.Context())) + s.alsoWaits(r.Context())
	return nil
}

// waiting returns the ids of the requests that wait for a decision.
func (s *Site) waiting(ctx context.Context) (ids []string) {
	out, err := ops.ApprovalList(ctx, s.env(), ops.ApprovalListIn{})
	if err != nil {
		return nil
	}
	for _, r := range open(out.Requests) {
		ids = append(ids, r.ID)
	}
	return ids
}

// alsoWaits returns how many questions, problems and nodes in validation wait for the server's own user; 0 for others.
func (s *Site) alsoWaits(ctx context.Context) int {
	if people.From(ctx) != nil {
		return 0
	}
	return int(s.waits.Load())
}

// open returns the requests that are not decided yet.
func open(all []trust.Request) (waiting []trust.Request) {
	for _, q := range all {
		if q.State == trust.Open {
			waiting = append(waiting, q)
		}
	}
	return waiting
}

// away is the pause after which a new visit begins.
const away = 30 * time.Minute

// visit returns when this browser's previous visit ended, in Unix milliseconds; 0 for none. opened says that a person
// opened the page, which a cookie notes; a page that refreshes itself is not opened.
func visit(w http.ResponseWriter, r *http.Request, now time.Time, opened bool) int64 {
	var before, last int64
	if c, err := r.Cookie(visitName(r)); err == nil {
		from, to, _ := strings.Cut(c.Value, ".")
		before, _ = strconv.ParseInt(from, 10, 64) // a cookie that is not ours counts as none
		last, _ = strconv.ParseInt(to, 10, 64)
	}
	if !opened {
		return before
	}
	if now.UnixMilli()-last > away.Milliseconds() {
		before = last
	}
	noteVisit(w, r, before, now)
	return before
}

// seen begins a new visit: what others did before it is no longer listed.
func seen(w http.ResponseWriter, r *http.Request) {
	var none struct{}
	if readJSON(w, r, &none) {
		noteVisit(w, r, time.Now().UnixMilli(), time.Now())
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte("{}")) // if this fails, the client is gone
	}
}

func noteVisit(w http.ResponseWriter, r *http.Request, before int64, now time.Time) {
	http.SetCookie(w, &http.Cookie{Name: visitName(r), Value: fmt.Sprintf("%d.%d", before, now.UnixMilli()), Path: "/",
		MaxAge: 365 * 24 * 3600, HttpOnly: true, SameSite: http.SameSiteStrictMode})
}

func visitName(r *http.Request) string {
	return strings.Replace(cookieName(r), "arbor", "arbor-visit", 1)
}
