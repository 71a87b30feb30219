package cli

import (
	"context"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A skimmer counts how often somebody looks at all nodes of a workspace, and not only takes what is known of them.
type skimmer struct {
	*memstore.Store
	all int
}

func (s *skimmer) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	if !trusting {
		s.all++
	}
	return s.Store.Skim(ctx, under, known, trusting)
}

// What is about one node, or about the workspace's own file, is told without a look at every node.
func TestFewFilesAreLookedAt(t *testing.T) {
	w := newWorld(t)
	w.ok("focus", "node-c")
	w.ok("rules", "add", "a rule")
	files := w.store.Files()
	for _, line := range [][]string{
		{"show", "."}, {"show", "node-c"}, {"context"}, {"context", "."}, {"ref", "."}, {"focus"}, {"focus", "-q"}, {"rules"}, {"docs"},
		{"log"}, {"log", "."}, {"problem"}, {"problem", "."}, {"__complete", "rules", "remove", ""}, {"__complete", "docs", "expire", ""},
	} {
		st := &skimmer{Store: memstore.New(files)}
		e, err := engine.Open(t.Context(), st, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w.engine = e
		if w.ok(line...); st.all > 0 {
			t.Errorf("arbor %v looks at all nodes %d times", line, st.all)
		}
	}
}
