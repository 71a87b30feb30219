package ops_test

import (
	"context"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A scanCounter counts scans.
type scanCounter struct {
	*memstore.Store
	all int
}

func (s *scanCounter) Scan(ctx context.Context, under mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	s.all++
	return s.Store.Scan(ctx, under, kinds...)
}

// A check, and a repair that finds nothing to mend, scan the workspace once.
func TestCheckLooksOnce(t *testing.T) {
	sound := vault("", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}, "node-a": {"title: A\ntype: execution\nstatus: pending\nparentId: root", ""}})
	odd := vault("", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}, "node-a": {"title: A\ntype: execution\nstatus: odd\nparentId: root", ""}})
	for _, c := range []struct {
		name string
		in   map[string]any
		of   map[mdstore.Path][]byte
	}{
		{"a check", map[string]any{}, sound},
		{"a dry run of what is sound", map[string]any{"fix": true, "dryRun": true}, sound},
		{"mending what is sound", map[string]any{"fix": true}, sound},
		{"mending what only a person can", map[string]any{"fix": true}, odd},
		{"a dry run of what only a person can mend", map[string]any{"fix": true, "dryRun": true}, odd},
	} {
		var st *scanCounter
		w := enginetest.Over(t, memstore.New(c.of), func(_ *enginetest.World, m *memstore.Store) mdstore.Store {
			st = &scanCounter{Store: m}
			return st
		})
		out := must(t, &ops.Env{Engine: w.Engine}, "workspace_check", c.in)
		if st.all > 1 {
			t.Errorf("%s looks at all nodes %d times", c.name, st.all)
		}
		if out["filesChecked"] != 3.0 {
			t.Errorf("%s: %v", c.name, out)
		}
	}
}
