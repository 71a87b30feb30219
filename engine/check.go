package engine

import (
	"cmp"
	"context"
	"slices"
	"sort"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Check returns every diagnostic of a workspace, in the order of files and lines.
func (e *Engine) Check(ctx context.Context, ws mdstore.ID) (*Snapshot, []mdoc.Diagnostic, error) {
	snap, err := e.Reload(ctx, ws)
	if err != nil {
		return nil, nil, err
	}
	out, err := e.findings(ctx, snap)
	return snap, diagnostics(out), err
}

// A finding is a diagnostic with the plan of its repair. mend is nil where a person has to do it; it returns false where it must be left
// for now, as something else is to be mended first.
type finding struct {
	mdoc.Diagnostic
	mend func(*draft) (bool, error)
}

func diagnostics(fs []finding) []mdoc.Diagnostic {
	out := make([]mdoc.Diagnostic, len(fs))
	for i, f := range fs {
		out[i] = f.Diagnostic
	}
	return out
}

// sortFindings orders by file and place. What stands at one place keeps its order, in which it is mended too.
func sortFindings(fs []finding) {
	sort.SliceStable(fs, func(i, j int) bool {
		a, b := &fs[i], &fs[j]
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Code, b.Code)) < 0
	})
}

// found are the findings of a snapshot, looked for when they are first asked for.
type findings struct {
	once sync.Once
	all  []finding
}

// findings returns what is wrong with the files of the snapshot and what they say together.
func (s *Snapshot) findings() []finding {
	s.found.once.Do(func() { s.found.all = s.diagnose() })
	return s.found.all
}

// Diagnostics returns what is wrong with the files of the snapshot and what they say together, in the order of files and lines.
func (s *Snapshot) Diagnostics() []mdoc.Diagnostic { return diagnostics(s.findings()) }

// DiagnosticsOf returns those that concern the file of one node, and looks at no more than that.
func (s *Snapshot) DiagnosticsOf(n *mdstore.Node) []mdoc.Diagnostic {
	c := checker{s: s, circles: map[mdstore.ID]bool{n.ID: n.ID != mdstore.Root && s.circular(n)}}
	c.node(n)
	sortFindings(c.out)
	return diagnostics(c.out)
}

func (s *Snapshot) diagnose() []finding {
	c := checker{s: s, circles: s.circles()}
	for it := s.broken.Iterator(); !it.Done(); {
		_, d, _ := it.Next()
		c.out = append(c.out, finding{Diagnostic: d})
	}
	c.workspace()
	s.Gather()
	nodes := slices.AppendSeq(make([]*mdstore.Node, 0, len(s.base.nodes)), s.All())
	suspects := make([]bool, len(nodes))
	split(len(nodes), func(i int) { suspects[i] = c.suspect(nodes[i], s.gist(nodes[i])) })
	for i, n := range nodes {
		if suspects[i] {
			c.node(n)
		}
	}
	sortFindings(c.out)
	if s.ws.Newer() {
		return leftAlone(c.out)
	}
	return c.out
}

// leftAlone returns findings of which none is mended, because what they are in must not be written.
func leftAlone(fs []finding) []finding {
	for i := range fs {
		fs[i].Fix, fs[i].mend = "", nil
	}
	return fs
}
