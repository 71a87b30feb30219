package lsp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// now returns the time by the clock of a vault, in the person's zone.
func (s *server) now(v *vault) time.Time { return v.engine.Now().Local() }

// hoverAt says what is at a place: the node that is named there, the meaning of a status, or the document's own node.
func hoverAt(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(ctx context.Context, d *document, w *view.View, at int) error {
		out = nil
		if r, ok := d.refAt(at); ok {
			if to, ok := s.lead(d.vault, d.path, w, r); ok && to.node != nil {
				in := d.text.span(r.start, r.end)
				out = hover{markup{"markdown", s.card(ctx, d.vault, w, to.node)}, &in}
			}
			return nil
		}
		if text, in, ok := word(d, w, at); ok {
			out = hover{markup{"markdown", text}, &in}
			return nil
		}
		keys, _ := front(d.text.s)
		for _, k := range keys {
			if at < k.start-len(k.name)-1 || at >= k.end {
				continue
			}
			in := d.text.span(k.start-len(k.name)-1, k.start+len(strings.TrimRight(d.text.s[k.start:k.end], " \r\n")))
			text := ""
			switch n, ok := w.File(d.path); {
			case ok && k.name == mdstore.KeyStatus:
				text = ways(n.Type, n.Status)
			case ok && (k.name == mdstore.KeyTitle || k.name == mdstore.KeyID):
				text = s.card(ctx, d.vault, w, n)
			default:
				if key := d.kind.Key(k.name); key != nil {
					text = fmt.Sprintf("`%s`: %s", key.Name, key.Help)
				}
			}
			if text != "" {
				out = hover{markup{"markdown", text}, &in}
			}
		}
		return nil
	})
	return out, err
}

// word says what a rule of the workspace is for, or what a status in the body of a node means.
func word(d *document, w *view.View, at int) (text string, in span, ok bool) {
	if _, body := front(d.text.s); at < body {
		return "", in, false
	}
	rules := slices.DeleteFunc(d.doc().Items(mdstore.SecRules), func(it mdoc.Item) bool {
		return !it.Listed || it.Text == ""
	})
	for i, it := range rules {
		if d.kind == mdstore.WorkspaceKind && it.Span.Start <= at && at <= it.Span.End {
			return fmt.Sprintf("**rule %d of %d** of %s\n\nAssistants read it with each context, and give the "+
					"`%s`, when they make a node: so nobody makes one without knowing it.\n\n> %s",
					i+1, len(rules), w.Workspace().Name, w.Workspace().RulesHash(), strings.ReplaceAll(it.Text, "\n", "\n> ")),
				d.text.span(it.Span.Start, it.Span.End), true
		}
	}
	n, ok := w.File(d.path)
	if !ok {
		return "", in, false
	}
	_, before, after := d.text.line(at)
	letter := func(r rune) bool { return r < 'a' || r > 'z' }
	start := at - len(before) + strings.LastIndexFunc(before, letter) + 1
	end := at + len(after)
	if i := strings.IndexFunc(after, letter); i >= 0 {
		end = at + i
	}
	status := statemachine.Status(d.text.s[start:end])
	if !slices.Contains(statemachine.Statuses(n.Type), status) {
		return "", in, false
	}
	return ways(n.Type, status), d.text.span(start, end), true
}

// ways says what a status means: whether the work is over, and to which others its actions lead.
func ways(t statemachine.Type, st statemachine.Status) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", st)
	switch {
	case statemachine.Terminal(st):
		b.WriteString(", the work is over")
	case st == statemachine.Pending:
		b.WriteString(", the work has not begun")
	default:
		b.WriteString(", the work is under way")
	}
	b.WriteString("\n")
	for _, r := range statemachine.Rules() {
		if r.Type != t || r.From != st || r.Automatic {
			continue
		}
		fmt.Fprintf(&b, "- %s → %s", r.Do, r.To)
		if r.Need&statemachine.NeedConclusion != 0 {
			b.WriteString(", with a conclusion")
		}
		if r.Need&statemachine.NeedChildrenTerminal != 0 {
			b.WriteString(", when all children are over")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// shownLines bounds a text in a card.
const shownLines = 12

// card returns what a person wants to know of a node that is named somewhere, in Markdown.
func (s *server) card(ctx context.Context, v *vault, w *view.View, n *mdstore.Node) string {
	var b strings.Builder
	day := s.now(v).Format(mdstore.DayLayout)
	head := w.HeadOn(n, day)
	fmt.Fprintf(&b, "**%s** · %s", n.Title, strings.Join(append([]string{string(n.Status)}, head.AllMarks()...), " · "))
	if open := w.Open(n); len(open) > 0 {
		fmt.Fprintf(&b, "\n\nwaits for %s", view.WaitsText(open))
	}
	for _, part := range [][2]string{{mdstore.SecRequirement, n.Requirement()}, {mdstore.SecConclusion, n.Conclusion()}} {
		if part[1] == "" {
			continue
		}
		lines := strings.SplitN(part[1], "\n", shownLines+1)
		if len(lines) > shownLines {
			lines[shownLines] = "…"
		}
		fmt.Fprintf(&b, "\n\n**%s**\n\n%s", part[0], strings.Join(lines, "\n"))
	}
	var by []string
	for m := range w.Heads() {
		if m.ID != n.ID && m.Parent != n.ID && len(s.naming(v, w, m, target{node: n})) > 0 {
			by = append(by, m.Title)
		}
	}
	if len(by) > 0 {
		fmt.Fprintf(&b, "\n\nnamed by %s", strings.Join(by[:min(len(by), 8)], ", "))
	}
	env := s.env(v)
	out, err := ops.ContextGet(ctx, env, ops.ContextGetIn{
		In: ops.In{WorkspaceID: string(w.Workspace().ID)}, NodeID: string(n.ID), Format: "markdown"})
	if err == nil {
		fmt.Fprintf(&b, "\n\nits context has about %d tokens", (len(out.Markdown)+3)/4)
	}
	return b.String()
}
