package engine_test

import (
	"fmt"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// BenchmarkFeed is what a feed does about one changed file among 10,000: it compares two snapshots and their diagnostics.
func BenchmarkFeed(b *testing.B) {
	files := map[mdstore.Path][]byte{
		"ws-a/Workspace.md":       []byte("---\nid: ws-a\nname: A\ngoal: g\nstatus: active\n---\n"),
		"ws-a/nodes/root/Node.md": []byte("---\nid: root\ntitle: A\ntype: planning\nstatus: monitoring\n---\n"),
	}
	for i := range 10_000 {
		files[mdstore.Path(nodeFile(i))] = []byte(node(fmt.Sprint("node-", i), "pending", "\n## Requirement\n\nx\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] Created\n"))
	}
	e, err := engine.Open(b.Context(), memstore.New(files), engine.Options{})
	if err != nil {
		b.Fatal(err)
	}
	was, err := e.Snapshot(b.Context(), "ws-a")
	if err != nil {
		b.Fatal(err)
	}
	was.Diagnostics()
	saved := func(i int) *engine.Snapshot {
		data := []byte(node("node-7", "implementing", fmt.Sprint("\n", i, "\n")))
		return was.With(mdstore.File{Path: mdstore.Path(nodeFile(7)), Version: mdstore.VersionOf(data), Data: data})
	}
	b.Run("Compare", func(b *testing.B) {
		is := saved(0)
		for b.Loop() {
			if got := engine.Compare(was, is); len(got) != 1 {
				b.Fatal(got)
			}
		}
	})
	b.Run("Diagnostics", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			saved(i).Diagnostics()
		}
	})
}
