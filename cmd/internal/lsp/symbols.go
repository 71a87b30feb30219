package lsp

import (
	"context"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/fold"
	"arbor/statemachine"
)

// The kinds of symbols that this server uses, and kinds of items of completion.
const (
	symbolFile   = 1
	symbolString = 15
	symbolItem   = 7
	symbolTask   = 24

	itemEnum      = 13
	itemField     = 5
	itemReference = 18
	itemText      = 1
	itemModule    = 9
	itemFile      = 17
	itemFolder    = 19
)

// documentSymbols returns the sections of a document, with those below them and their items.
func documentSymbols(s *server, p textParams) (any, error) {
	d := s.docs[p.Doc.URI]
	if d == nil {
		return nil, nil
	}
	doc := d.doc()
	all := []symbol{}
	ends := func(i int) int { // where the part of a heading ends
		hs := doc.Headings()
		for _, h := range hs[i+1:] {
			if h.Level <= hs[i].Level {
				return h.Span.Start
			}
		}
		return len(d.text.s)
	}
	items := map[int][]symbol{}
	for _, sec := range doc.Sections() {
		if sec.Name == mdstore.SecLog {
			continue
		}
		for _, it := range doc.Items(sec.Name) {
			if !it.Listed || it.Span.Start < sec.Body.Start || it.Span.Start >= sec.Body.End {
				continue
			}
			first, _, _ := strings.Cut(it.Text, "\n")
			at := d.text.span(it.Span.Start, it.Span.End)
			items[sec.Heading.Start] = append(items[sec.Heading.Start],
				symbol{Name: short(first), Kind: symbolItem, Range: at, Selection: at})
		}
	}
	stack := []*[]symbol{&all}
	levels := []int{0}
	for i, h := range doc.Headings() {
		for len(levels) > 1 && levels[len(levels)-1] >= h.Level {
			stack, levels = stack[:len(stack)-1], levels[:len(levels)-1]
		}
		into := stack[len(stack)-1]
		*into = append(*into, symbol{Name: short(h.Title), Kind: symbolString, Range: d.text.span(h.Span.Start, ends(i)),
			Selection: d.text.span(h.Span.Start, h.Span.End), Children: items[h.Span.Start]})
		stack, levels = append(stack, &(*into)[len(*into)-1].Children), append(levels, h.Level)
	}
	return all, nil
}

// short returns a text for a line of a list; it is never empty.
func short(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return "…"
	}
	if r := []rune(s); len(r) > 80 {
		return string(r[:79]) + "…"
	}
	return s
}

// mostSymbols bounds a reply of workspace symbols.
const mostSymbols = 200

// workspaceSymbols returns the nodes whose title or id has the query in it, whatever the case of its letters.
func workspaceSymbols(s *server, p struct {
	Query string `json:"query"`
}) (any, error) {
	all, low := []workspaceSymbol{}, fold.Name(p.Query)
	err := s.everywhere(func(_ context.Context, v *vault, w *view.View) error {
		for _, n := range w.Candidates() {
			if len(all) == mostSymbols {
				break
			}
			if strings.Contains(fold.Name(n.Title), low) || strings.Contains(string(n.ID), p.Query) {
				kind := symbolTask
				if statemachine.TakesChildren(n.Type) {
					kind = symbolFile
				}
				all = append(all, workspaceSymbol{Name: n.Title, Kind: kind,
					Container: w.Workspace().Name + " · " + string(n.Status), Location: location{URI: v.uri(n.Path)}})
			}
		}
		return nil
	})
	return all, err
}

// everywhere calls f once with the view of each active workspace of each vault.
func (s *server) everywhere(f func(ctx context.Context, v *vault, w *view.View) error) error {
	for _, v := range s.vaults {
		all, err := v.engine.Workspaces(s.ctx)
		if err != nil {
			return err
		}
		for _, w := range all {
			if w.Status == mdstore.StatusArchived {
				continue
			}
			now, err := v.engine.View(s.ctx, w.ID)
			if err == nil {
				err = f(s.ctx, v, now)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}
