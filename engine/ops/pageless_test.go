package ops_test

import (
	"context"
	"slices"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A pageCounter counts the scans that look for pages.
type pageCounter struct {
	*memstore.Store
	pages int
}

func (s *pageCounter) Scan(ctx context.Context, under mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	if kinds == nil || slices.Contains(kinds, mdstore.SlotKind) {
		s.pages++
	}
	return s.Store.Scan(ctx, under, kinds...)
}

// An operation about nodes looks at no slot, session or transcript, however many there are; one about pages looks once.
func TestWhatIsAskedDecidesWhatIsLookedAt(t *testing.T) {
	for _, c := range []struct {
		name  string
		in    map[string]any
		pages int
	}{
		{"workspace_get", nil, 0},
		{"workspace_status", nil, 0},
		{"node_list", nil, 0},
		{"node_get", map[string]any{"nodeId": "node-a"}, 0},
		{"node_next", nil, 0},
		{"context_get", map[string]any{"nodeId": "node-a"}, 0},
		{"node_create", map[string]any{"parentId": "root", "title": "B", "type": "execution", "rulesHash": "none"}, 0},
		{"node_update", map[string]any{"nodeId": "node-a", "note": "n"}, 0},
		{"node_transition", map[string]any{"nodeId": "node-a", "action": "start"}, 0},
		{"node_move", map[string]any{"nodeId": "node-a", "newParentId": "root"}, 0},
		{"node_delete", map[string]any{"nodeId": "node-a"}, 0},
		{"log_append", map[string]any{"nodeId": "node-a", "event": "e"}, 0},
		{"problem_update", map[string]any{"nodeId": "node-a", "problem": "p"}, 0},
		{"workspace_list", nil, 1}, // which counts sessions
		{"workspace_check", nil, 1},
		{"memory_list", nil, 1},
		{"session_list", nil, 1},
		{"search", map[string]any{"query": "A"}, 1},
	} {
		var st *pageCounter
		of := vault("", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}, "node-a": {"title: A\ntype: execution\nstatus: pending\nparentId: root", ""}})
		w := enginetest.Over(t, memstore.New(of), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
			st = &pageCounter{Store: m}
			return st
		})
		in := c.in
		if in["rulesHash"] != nil {
			in["rulesHash"] = must(t, &ops.Env{Engine: w.Engine}, "workspace_get", nil)["workspace"].(map[string]any)["rulesHash"]
		}
		must(t, &ops.Env{Engine: w.Engine}, c.name, in)
		if st.pages != c.pages {
			t.Errorf("%s looks for pages %d times, not %d", c.name, st.pages, c.pages)
		}
	}
}
