package ops

import (
	"encoding/json"
	"fmt"
	"testing"

	"arbor/engine/enginetest"
)

// A call as a server makes it for a connection that stays, from its arguments to what is noted of its reply. The log is
// that of one node each time, so its document grows with b.N.
func BenchmarkServed(b *testing.B) {
	const nodes = 10_000
	leaf := string(enginetest.Leaf(nodes))
	e := enginetest.Open(b, enginetest.OpenDir(b, enginetest.Place(b, enginetest.Sized(nodes))))
	defer e.Attend("s")()
	env := &Env{Engine: e, Session: "s", MaxBytes: 28_000, Detail: DetailBrief, Names: NamesLoose, Where: Where{Workspace: string(enginetest.Bench), Focus: true}}
	for _, c := range []struct {
		name string
		args func(i int) map[string]any
	}{
		{"context_get", func(int) map[string]any { return map[string]any{"nodeId": leaf} }},
		{"node_get", func(int) map[string]any { return map[string]any{"nodeId": leaf} }},
		{"node_next", func(int) map[string]any { return map[string]any{} }},
		{"workspace_status", func(int) map[string]any { return map[string]any{} }},
		{"log_append", func(i int) map[string]any {
			return map[string]any{"nodeId": leaf, "operator": "AI", "event": fmt.Sprint("Looked at it once more, ", i)}
		}},
		{"node_transition", func(i int) map[string]any {
			do := []string{"start", "complete", "reopen", "complete"}[min(i, 2+i%2)]
			return map[string]any{"nodeId": leaf, "action": do, "conclusion": "c"}
		}},
	} {
		b.Run(c.name, func(b *testing.B) {
			o, _ := Find(c.name)
			call := func(i int) {
				args, err := json.Marshal(c.args(i))
				if err != nil {
					b.Fatal(err)
				}
				out, err := o.Call(b.Context(), env, args)
				if err != nil {
					b.Fatal(err)
				}
				reply, err := env.ReplyOf(out)
				if err != nil {
					b.Fatal(err)
				}
				env.Sent(b.Context(), out, reply)
			}
			call(0) // reads the plan
			b.ReportAllocs()
			for i := 1; b.Loop(); i++ {
				call(i)
			}
		})
	}
}
