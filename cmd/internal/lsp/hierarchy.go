package lsp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// prepareHierarchy returns the node at a place as the top of a tree: what waits for it comes in, what it waits for goes
// out.
func prepareHierarchy(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		out = nil
		if n, ok := s.nodeAt(d, w, at); ok {
			out = []hierarchyItem{s.hierarchyItem(d.vault, n)}
		}
		return nil
	})
	return out, err
}

func (s *server) hierarchyItem(v *vault, n *mdstore.Node) hierarchyItem {
	at := s.titled(v, n.Path)
	id, _ := json.Marshal(n.ID)
	return hierarchyItem{Name: n.Title, Kind: symbolTask, Detail: string(n.Status), URI: at.URI, Range: at.Range,
		Selection: at.Range, Data: id}
}

type hierarchyParams struct {
	Item hierarchyItem `json:"item"`
}

// calls makes a handler of a function that returns nodes by the node of an item; member names them in the reply.
func calls(member string, of func(w *view.View, n *mdstore.Node) []*mdstore.Node) handler {
	return decoded(func(s *server, p hierarchyParams) (any, error) {
		v, dir, err := s.workspaceOf(p.Item.URI)
		if err != nil {
			return nil, err
		}
		var id mdstore.ID
		if err := json.Unmarshal(p.Item.Data, &id); err != nil {
			return nil, err
		}
		all := []map[string]any{}
		err = s.over(v, dir, func(_ context.Context, w *view.View) error {
			all = all[:0]
			if n, ok := w.Node(id); ok {
				for _, m := range of(w, n) {
					it := s.hierarchyItem(v, m)
					all = append(all, map[string]any{member: it, "fromRanges": []span{it.Selection}})
				}
			}
			return nil
		})
		return all, err
	})
}

// waitedFor returns the nodes that one waits for by its own dependencies.
func waitedFor(w *view.View, n *mdstore.Node) (all []*mdstore.Node) {
	for _, x := range w.Dependencies(n) {
		if x.Node != nil {
			all = append(all, x.Node)
		}
	}
	return all
}

// waiting returns the nodes whose own dependencies name one.
func waiting(w *view.View, n *mdstore.Node) (all []*mdstore.Node) {
	for m := range w.All() {
		for _, x := range w.Dependencies(m) {
			if x.Node != nil && x.Node.ID == n.ID {
				all = append(all, m)
				break
			}
		}
	}
	return all
}

// inlayHints returns the titles beside ids.
func inlayHints(s *server, p textParams) (any, error) {
	all := []inlayHint{}
	ok, err := s.at(p, func(_ context.Context, d *document, w *view.View, _ int) error {
		all = all[:0]
		from, to := d.text.offset(p.Range.Start), d.text.offset(p.Range.End)
		for _, r := range refsIn(d.text.s, d.doc()) {
			if s.set.NoHints || r.end < from || r.start > to || r.wiki && d.text.s[r.end] == '|' {
				continue
			}
			if lead, ok := s.lead(d.vault, d.path, w, r); ok && lead.node != nil && lead.node.Title != r.target {
				all = append(all, inlayHint{d.text.position(r.end), short(lead.node.Title), true})
			}
		}
		return nil
	})
	if !ok || err != nil {
		return nil, err
	}
	return all, nil
}

// codeLenses returns what stands above the front matter of a node: how far it is and what it waits for, the
// actions that it allows now, its context and the page.
func codeLenses(s *server, p textParams) (any, error) {
	all := []codeLens{}
	ok, err := s.at(p, func(_ context.Context, d *document, w *view.View, _ int) error {
		all = all[:0]
		n, node := w.File(d.path)
		if s.set.NoLens || !node {
			return nil
		}
		if text := progress(w, n); text != "" {
			all = append(all, codeLens{Command: &command{Title: text}})
		}
		a := &acting{s: s, d: d, w: w, n: n}
		if a.transitions(); n.Editable() != nil {
			return nil
		}
		for _, x := range a.all {
			all = append(all, codeLens{Command: x.Command})
		}
		if s.can.Window.ShowDocument.Support {
			show := []any{deed{URI: d.uri}}
			all = append(all, codeLens{Command: &command{"context", commandContext, show}})
			if s.opt.Page != nil {
				all = append(all, codeLens{Command: &command{"open on the page", commandPage, show}})
			}
		}
		return nil
	})
	if !ok || err != nil {
		return nil, err
	}
	return all, nil
}

// progress says how many of the children or boxes of a node are done, and for how many nodes it waits.
func progress(w *view.View, n *mdstore.Node) string {
	var parts []string
	if kids := w.Below(n.ID); len(kids) > 0 {
		done := 0
		for _, k := range kids {
			if statemachine.Terminal(k.Status) {
				done++
			}
		}
		parts = append(parts, fmt.Sprintf("%d of %d done", done, len(kids)))
	}
	if n.Ticked != "" {
		parts = append(parts, strings.Replace(n.Ticked, "/", " of ", 1)+" ticked")
	}
	if open := w.Open(n); len(open) > 0 {
		parts = append(parts, fmt.Sprintf("waits for %d", len(open)))
	}
	return strings.Join(parts, " · ")
}
