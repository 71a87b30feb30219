package ops_test

import (
	"fmt"
	"testing"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore/memstore"
)

// BenchmarkClaims measures what claims cost without a disk: an ordinary write beside none, a few and very many of them, and a claim, among 10,000 nodes.
func BenchmarkClaims(b *testing.B) {
	for _, n := range []int{0, 10, 5000} {
		b.Run(fmt.Sprintf("write beside %d", n), func(b *testing.B) {
			env := benchEnv(b)
			if n > 0 {
				must(b, env, "node_next", map[string]any{"claim": true, "count": n, "sessionId": "other"})
			}
			for i := 0; b.Loop(); i++ {
				must(b, env, "node_update", map[string]any{"nodeId": "n09999", "note": fmt.Sprint(i)})
			}
		})
		if n > 10 {
			continue
		}
		b.Run(fmt.Sprintf("claim beside %d", n), func(b *testing.B) {
			env := benchEnv(b)
			env.Session, env.Presence = "s", env.Engine.Presence()
			defer env.Presence.End()
			if n > 0 {
				must(b, env, "node_next", map[string]any{"claim": true, "count": n, "sessionId": "other"})
			}
			for b.Loop() {
				must(b, env, "node_next", map[string]any{"claim": true})
			}
		})
	}
}

func benchEnv(b *testing.B) *ops.Env {
	b.Helper()
	nodes := map[string][2]string{"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
	for i := range 10000 {
		nodes[fmt.Sprintf("n%05d", i)] = [2]string{fmt.Sprintf("title: N\ntype: execution\nstatus: pending\nparentId: root\ncreatedAt: %d", i+1), ""}
	}
	e, err := engine.Open(b.Context(), memstore.New(vault("", nodes)), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	env := &ops.Env{Engine: e}
	must(b, env, "node_get", map[string]any{"nodeId": "root"})
	return env
}
