package lsp

import (
	"context"
	"fmt"
	"strings"
	"time"

	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// now returns the time by the clock of a vault, in the person's zone.
func (s *server) now(v *vault) time.Time { return v.engine.Now().Local() }

// hoverAt says what is at a place: the node that is named there, the meaning of a status, or the document's own node.
func hoverAt(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(ctx context.Context, d *document, w *view.View, at int) error {
		out = nil
		if r, ok := d.refAt(at); ok {
			if to, ok := s.lead(d, w, r); ok && to.node != nil {
				in := d.text.span(r.start, r.end)
				out = hover{markup{"markdown", s.card(ctx, d.vault, w, to.node)}, &in}
			}
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
				text = ways(n)
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

// ways says what a status means: to which others its actions lead.
func ways(n *mdstore.Node) string {
	var b strings.Builder
	fmt.Fprintf(&b, "**%s**", n.Status)
	if statemachine.Terminal(n.Status) {
		b.WriteString(", the work is over")
	}
	b.WriteString("\n")
	for _, r := range statemachine.Rules() {
		if r.Type != n.Type || r.From != n.Status || r.Automatic {
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
	for m := range w.All() {
		if m.ID != n.ID && m.Parent != n.ID && mayName(w, m, n) {
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
