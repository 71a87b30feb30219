package engine_test

import (
	"fmt"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
)

// BenchmarkDiagnostics looks for everything that is wrong in a workspace whose files are parsed already.
func BenchmarkDiagnostics(b *testing.B) {
	for _, n := range sizes {
		e := opened(b, onDisk(b, sized(n)))
		s, err := e.Snapshot(b.Context(), benchWorkspace)
		if err != nil {
			b.Fatal(err)
		}
		node, _ := s.Node(mdstore.Root)
		file := mdstore.File{Path: node.Path, Version: node.Version(), Data: node.Doc().Bytes()}
		s.Diagnostics()
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if ds := s.With(file).Diagnostics(); len(ds) > 0 {
					b.Fatal(ds)
				}
			}
		})
		_ = engine.Options{}
	}
}

// BenchmarkDiagnosticsFirst includes parsing bodies.
func BenchmarkDiagnosticsFirst(b *testing.B) {
	for _, n := range sizes[2:] {
		st := onDisk(b, sized(n))
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				e := opened(b, st)
				s, err := e.Snapshot(b.Context(), benchWorkspace)
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				s.Diagnostics()
			}
		})
	}
}
