package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/internal/search"
	"arbor/mdstore"
)

type SearchIn struct {
	Query       string   `json:"query" req:"true" arg:"QUERY"`
	In          string   `json:"in,omitempty" enum:"plan,memory,sessions,states,docs,all" help:"search only this PLACE"`
	WorkspaceID string   `json:"workspaceId,omitempty" flag:"-" listed:"memory"`
	Tags        []string `json:"tags,omitempty" flag:"tag" listed:"memory" help:"only what has this TAG; repeat it to allow several"`
	ExcludeTags []string `json:"excludeTags,omitempty" flag:"without" listed:"memory" help:"only what does not have this TAG"`
	Type        string   `json:"type,omitempty" listed:"memory" help:"only entries or nodes of this TYPE"`
	Since       string   `json:"since,omitempty" listed:"memory" help:"since this TIME, such as yesterday, 2026-01-31 or 2h30m"`
	Until       string   `json:"until,omitempty" listed:"memory" help:"until this TIME, a day with its end"`
	Limit       int      `json:"limit,omitempty" min:"0" flag:"limit,n" listed:"memory" help:"at most N results; default 20"`
	Cursor      string   `json:"cursor,omitempty" listed:"memory" help:"the CURSOR of an earlier page"`
}

type SearchOut struct {
	Query   string  `json:"query,omitempty"`
	Total   int     `json:"total"`
	TookMs  int64   `json:"tookMs" only:"verbose"`
	Results []Found `json:"results" always:"true"`
	Cursor  string  `json:"cursor,omitempty"` // for the next page; "" at the end

	Unread []string `json:"unread,omitempty"` // files that cannot be read and were skipped, with the reason
	Out
}

// Found is a node, an entry or a section that matches.
type Found struct {
	Snippet string `json:"snippet"`
	Source
	Score      float64            `json:"score" only:"verbose"`
	Matched    []string           `json:"matchedTerms,omitempty" only:"verbose"`
	Highlights []search.Highlight `json:"highlights,omitempty" only:"verbose"`
	Tags       []string           `json:"tags,omitempty" only:"verbose"`
	Group      string             `json:"group,omitempty" only:"verbose"`
	Time       string             `json:"time,omitempty" only:"verbose"` // UTC, RFC 3339
}

// Source says where something stands.
type Source struct {
	Kind        string `json:"kind" usual:"node"`
	ID          string `json:"id,omitempty"` // of the node, session, state, workspace or slot
	WorkspaceID string `json:"workspaceId"`
	Slot        string `json:"slot,omitempty"`
	EntryID     string `json:"entryId,omitempty"`
	Title       string `json:"title"`
	Path        string `json:"path" only:"verbose"`
	Line        int    `json:"line"` // in brief replies of documents only; the place of the first matching word, or of the part's beginning
}

const foundShown = 20 // default number of results

var searchOp = both(SetMemory, op("search", reads|repeats, Search, Help{
	Summary: "search plan, memory, sessions, states and documents",
	Use:     "search QUERY...",
	Text: `All words must match; the last one matches as a prefix. You can use "phrases",
AND, OR, NOT or -word (after -- if it comes first), parentheses, and fields:
tag: group: type: status: in: is: title:, the fields of nodes, and any key that
a file has; dates and numbers also with < <= > >= (see docs/search.md). The best
results come first.`,
	Example: `arbor search "token bucket"
arbor search 'login -draft tag:backend' --in memory
arbor search '(登录 OR login) status:completed' --open`,
}))

// Search finds words in the files as they are now.
func Search(ctx context.Context, env *Env, in SearchIn) (*SearchOut, error) {
	begin := env.Engine.Now()
	skip, err := strconv.Atoi(cmp.Or(in.Cursor, "0"))
	if err != nil || skip < 0 {
		return nil, badCursor(in.Cursor, "is none of an earlier answer")
	}
	all, unread, err := sources(ctx, env, in.WorkspaceID, in.In)
	if err != nil {
		return nil, err
	}
	q, err := search.Parse(in.Query, env.language(ctx, func(yield func(*mdstore.Node) bool) {
		for _, s := range all {
			if s.node != nil && !yield(s.node) {
				return
			}
		}
	}))
	if err != nil {
		return nil, badParam("query", "%v", err)
	}
	keep, err := in.filter(env, q)
	if err != nil {
		return nil, err
	}
	p := search.NewPass(q, keep)
	if err := lookAt(ctx, env, all, p.Look); err != nil {
		return nil, err
	}
	limit := cmp.Or(in.Limit, foundShown)
	best, total := p.Best(skip+limit, func(i int) mdstore.Path { return all[i].path() })
	out := &SearchOut{Query: in.Query, Total: total, Unread: unreadShown(unread)}
	out.ws = workspaceOf(all)
	if env.Detail == DetailBrief {
		out.Query = "" // the caller knows it
	}
	var found []Found
	for _, h := range best[min(skip, len(best)):] {
		f, data, err := all[h.File].read(ctx, env)
		if err != nil {
			continue // it was deleted meanwhile
		}
		if s, ok := q.Show(&f, h.Part, data); ok {
			found = append(found, Found{Source: all[h.File].source(env, &f, s), Score: float64(int(h.Score*1e6)) / 1e6, Snippet: s.Snippet,
				Matched: s.Matched, Highlights: s.Highlights, Tags: s.Tags, Group: s.Group, Time: timeText(s.Time)})
		}
	}
	out.TookMs = env.Engine.Now().Sub(begin).Milliseconds()
	env.fit(out, len(found), func(n int) {
		out.Results, out.Cursor, out.Hint = nonNil(found[:n]), "", "{node_get} and {memory_read} bring all of one"
		switch {
		case skip+n < total && n > 0:
			out.Cursor = strconv.Itoa(skip + n)
			out.Hint = shownOf(skip+n, total, "results", "cursor "+out.Cursor+" brings the next; more words narrow it")
		case n == 0 && len(q.Terms) > 1:
			out.Hint = "nothing matches all words; put OR between them to match any"
			if len(q.Terms) > 3 || strings.HasSuffix(strings.TrimSpace(in.Query), "?") {
				out.Hint += ", or ask it as a question: " + env.Voice.Named("ask", "QUESTION")
			}
		case n == 0:
			out.Hint = "nothing matches"
		}
		if hint := doubt(q); hint != "" && n == 0 {
			out.Hint = hint
		}
	})
	return out, nil
}

// timeText returns a time as results have it whose member is called time; "" for none.
func timeText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.RFC3339)
}

// filter returns the conditions on a part besides matching. Entries that summarize rolled-up ones are found only by
// their type.
func (in SearchIn) filter(env *Env, q *search.Query) (func(*search.Head) bool, error) {
	var times [2]int64
	if in.Since != "" {
		from, _, err := env.when("since", in.Since)
		if err != nil {
			return nil, err
		}
		times[0] = from.UnixMilli()
	}
	if in.Until != "" {
		_, to, err := env.when("until", in.Until)
		if err != nil {
			return nil, err
		}
		times[1] = to.UnixMilli()
	}
	typed := in.Type != "" || slices.ContainsFunc(q.Terms, func(t *search.Term) bool { return t.Field == "type" })
	keep := tagged(in.Tags, in.ExcludeTags, in.Type, times[0], times[1])
	return func(h *search.Head) bool { return (typed || h.Type != mdstore.EntryRolled) && keep(h) }, nil
}

// source returns the place of a part of a file.
func (s source) source(env *Env, f *search.File, p search.Shown) Source {
	out := Source{Kind: s.kind(), ID: f.ID, WorkspaceID: string(s.ws.ID), Title: p.Title, Path: env.path(f.Path), Line: p.Line}
	switch {
	case s.doc != "":
		out.Path = s.doc
	case s.kind() == "entry":
		out.Slot, out.EntryID = f.Title, p.ID
	}
	if p.Title != f.Title && f.Title != "" {
		out.Title = fmt.Sprintf("%s: %s", f.Title, p.Title)
	}
	return out
}
