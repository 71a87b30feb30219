package ops

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

type ChangesGetIn struct {
	In
	SessionID string `json:"sessionId,omitempty" flag:"-" listed:"never" help:"since this session's last look"`
	Since     string `json:"since,omitempty" help:"since this TIME, such as yesterday, 2026-01-31 or 2h30m"`
}

type ChangesGetOut struct {
	Changes []FileChange `json:"changes"`
	Hidden  int          `json:"hidden,omitempty"` // changes that a bounded result leaves out
	First   bool         `json:"first,omitempty"`  // the session looks for the first time: there is nothing to compare with

	// saves that met commits, and what became, or will become, of both
	Met []mdstore.Collision `json:"conflicts,omitempty" only:"rarely"`
	Out
}

// FileChange says what changed in one file.
type FileChange struct {
	Path     string   `json:"path"`
	NodeID   string   `json:"nodeId,omitempty"`
	Title    string   `json:"title,omitempty"`
	Kind     string   `json:"kind" enum:"created,changed,removed,moved" usual:"changed"`
	From     string   `json:"from,omitempty"`     // the old path of a moved file
	By       string   `json:"by,omitempty"`       // "AI SESSION", "Human", "git AUTHOR", "editor"; "" if unknown
	Text     []string `json:"text,omitempty"`     // what changed: "status: pending → completed", "Requirement + …"
	Fields   []string `json:"fields,omitempty"`   // front matter keys concerned
	Sections []string `json:"sections,omitempty"` // sections concerned

	path, from mdstore.Path // within the vault
	page       bool         // it is no file of the plan
}

var changesGet = op("changes_get", writes|looks, ChangesGet, Help{
	Summary: "list changes by others since your last look",
	Use:     "changes",
	Text: `For each file: who changed it, and which text. Who is a session, "editor" for a
save without Arbor, or the author of a git commit. The period begins at the
session's last look, or at --since. What a session has seen is remembered for 14
days after its last look, for the 64 most recent sessions. The list is never
cut, because everything printed counts as seen.`,
	Example: `arbor changes --session alice
arbor changes --since 2h30m
arbor changes --since "2026-01-01 10:00:00"`,
})

// ChangesGet lists what others changed.
func ChangesGet(ctx context.Context, env *Env, in ChangesGetIn) (*ChangesGetOut, error) {
	env = env.As(in.SessionID)
	ws, err := env.workspace(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	hint, rest := "they count as seen now", "those shown count as seen, the next call names the others"
	if in.Since != "" {
		hint, rest = "without a session, hand edits that keep updatedAt are not listed", "a later time narrows it"
	}
	out := &ChangesGetOut{Changes: []FileChange{}, Out: Out{Hint: hint}}
	out.Met = append(env.Engine.Live().Told(), env.Engine.Live().Late(ctx, false)...)
	show := func(diffs []view.Difference) (shown int) {
		all := make([]FileChange, len(diffs))
		for i, d := range diffs {
			all[i] = env.change(d)
		}
		env.tell(ctx, diffs, all)
		return env.fit(out, len(all), func(n int) {
			out.Changes, out.Hidden, out.Hint = all[:n], len(all)-n, hint
			if len(all) == 0 && in.Since == "" {
				out.Hint = "nothing has changed since the session's last look"
			}
			if out.Hidden > 0 {
				out.Hint = shownOf(n, len(all), "changes", rest)
			}
		})
	}
	lost := env.Engine.Live().TakenOut(ctx)
	if in.Since != "" {
		t, _, err := env.when("since", in.Since)
		if err != nil {
			return nil, err
		}
		for _, c := range lost {
			if c.Time >= t.UnixNano() {
				out.Met = append(out.Met, c)
			}
		}
		s, err := env.Engine.View(ctx, ws)
		if err != nil {
			return nil, fail(err)
		}
		show(s.Since(t))
		return out, nil
	}
	if env.Session == "" {
		return nil, badParam("sessionId", "no session is named; name one ({.sessionId}, or ARBOR_SESSION), "+
			"whose last look is remembered, or a time ({.since})")
	}
	take := show
	if env.May == MayLook {
		hint, take = "they do not count as seen: nothing is noted here", nil
	}
	for _, c := range env.Engine.Untold(ctx, env.Session, lost, env.May != MayLook) {
		if !slices.ContainsFunc(out.Met, func(m mdstore.Collision) bool { return m.Path == c.Path && m.Text == c.Text }) {
			out.Met = append(out.Met, c)
		}
	}
	seen, err := env.Engine.Changes(ctx, ws, env.Session, take)
	if err != nil {
		return nil, fail(err)
	}
	if take == nil {
		show(seen.Differences)
	}
	if out.First = seen.First; out.First {
		out.Hint = "this is the session's first look; the next call lists changes from now on"
	}
	if seen.Unnoted != nil {
		out.Hint = "the session's last look could not be saved, so these changes are listed again next time: " +
			seen.Unnoted.Error()
	}
	return out, nil
}

func (env *Env) change(d view.Difference) FileChange {
	return FileChange{Path: env.path(d.Path), From: env.path(d.From), NodeID: string(d.Node), Title: d.Title, Kind: d.Kind,
		Fields: d.Fields, Sections: d.Sections, path: d.Path, from: d.From, page: d.Page != ""}
}

// when reads the time that a person or a program gives to a parameter: its first and last moment.
func (env *Env) when(param, text string) (from, to time.Time, err error) {
	if from, to, err = mdstore.When(text, env.today()); err == nil {
		return from, to, nil
	}
	if _, ok := mdstore.Nth(text); ok {
		return from, to, badParam(param, "%s: %q counts the entries of one slot, which {memory_read} does; "+
			"a time is expected here", param, text)
	}
	return from, to, badParam(param, "%s: %v", param, err)
}

// Sends says that the result may carry texts of these nodes; "" is the workspace itself.
func (o *Out) Sends(ws mdstore.ID, nodes ...mdstore.ID) *Out {
	o.ws, o.nodes = ws, append(o.nodes, nodes...)
	return o
}

// criteriaIn adds the criteria that stand in a text with their numbers.
func criteriaIn(text string, to map[string]bool) {
	for line := range strings.SplitSeq(text, "\n") {
		if c := mdstore.CutNumber(line); c != line {
			to[c] = true
		}
	}
}

func (o *Out) out() *Out { return o }

// Sent notes which texts the reply r has brought to the caller's session in full. It reads the texts of the nodes that
// the result may carry (see Sends) and notes those that are strings of the reply's data or stand in its text. So it
// need not know what shortened the others, and a text that changed since is not noted, as the reply did not have it.
// Empty texts always count as sent.
func (env *Env) Sent(ctx context.Context, result any, r Reply) {
	of, ok := result.(interface{ out() *Out })
	if !ok || env.Session == "" || of.out().ws == "" {
		return
	}
	ws, nodes, inData := of.out().ws, of.out().nodes, map[string]bool{"": true}
	short, lines := env.shortOf(result), map[string]string{} // by their first word
	data := json.NewDecoder(bytes.NewReader(r.Data))
	for token, err := data.Token(); err == nil; token, err = data.Token() {
		if s, is := token.(string); is {
			inData[s] = true
			if id, line, is := strings.Cut(strings.TrimLeft(s, " "), " "); is {
				lines[id] = line
			}
			criteriaIn(s, inData)
		}
	}
	criteriaIn(r.Text, inData)
	page := ""
	if r.Text != string(r.Data) { // Markdown, with and without the marks of quotes
		page = "\n" + strings.ReplaceAll(r.Text, "\r\n", "\n") + "\n"
		page += strings.ReplaceAll(page, "\n> ", "\n")
	}
	cut := func(s string) bool {
		item := "- " + strings.ReplaceAll(s, "\n", "\n  ")
		return !inData[s] && !strings.Contains(page, "\n"+s+"\n") && !strings.Contains(page, ": "+s+"\n") &&
			!strings.Contains(page, "\n"+item+"\n")
	}
	titles := env.titlesIn(ws, inData, lines, short)
	var sent []plan.Text
	err := env.Engine.Live().ReadAgain(ctx, func(ctx context.Context) error {
		v, err := env.Engine.View(ctx, ws)
		if err != nil {
			return err
		}
		sent = slices.Clone(titles)
		for _, id := range nodes {
			doc := v.Workspace().Doc
			if n, ok := v.Node(id); ok {
				doc = n.Doc()
			} else if id != "" {
				continue
			}
			texts := plan.TextsOf(id, doc)
			sent = append(sent, slices.DeleteFunc(texts, func(t plan.Text) bool { return slices.ContainsFunc(t.Parts, cut) })...)
		}
		return nil
	})
	if err == nil { // otherwise the texts count as unread, and a replacement keeps them
		_ = env.Engine.NoteSent(ctx, ws, env.Session, sent)
	}
}
