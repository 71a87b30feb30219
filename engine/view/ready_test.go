package view_test

import (
	"slices"
	"testing"

	"arbor/mdstore"
)

// What is ready: steps that wait, planning nodes without children or with all of them done, and nothing below a node
// that is completed or cancelled, however deep, nor what has a problem.
func TestWhatIsReady(t *testing.T) {
	for _, c := range []struct {
		name  string
		nodes []string // "id parent type status"
		want  []string
	}{
		{"steps that wait", []string{"a root execution pending", "b root execution implementing", "c root execution completed"}, []string{"a"}},
		{"a planning node without children", []string{"p root planning planning"}, []string{"p"}},
		{"one whose children are done", []string{"p root planning monitoring", "a p execution completed", "b p execution failed"}, []string{"p"}},
		{"one with an open child", []string{"p root planning monitoring", "a p execution completed", "b p execution validating"}, nil},
		{"below a cancelled node", []string{"p root planning cancelled", "q p planning monitoring", "a q execution pending", "z root execution pending"}, []string{"z"}},
		{"below a completed node", []string{"p root planning completed", "a p execution pending", "z root execution pending"}, []string{"z"}},
		{"what has a problem", []string{"a root execution sleeping", "z root execution pending"}, []string{"z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := planOf(c.nodes)
			var got []string
			for n := range v.Ready(func(*mdstore.Node) bool { return false }) {
				got = append(got, string(n.ID))
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("ready are %q, want %q", got, c.want)
			}
		})
	}
}
