package assemble_test

import (
	"fmt"
	"testing"

	"arbor/context/assemble"
	"arbor/mdstore"
)

// What was read of the documents is kept with them: when a context is asked for again, a node of the chain costs one allocation for its problem, and a child that is only
// counted none.
func TestAllocations(t *testing.T) {
	const deep = 10
	files := map[string]string{}
	parent := "null"
	for i := range deep {
		id := fmt.Sprintf("n%d", i)
		files[id] = node(id, parent, "planning", "monitoring",
			"## Requirement\n\nr\n\n## Conclusion\n\nc\n\n## Note\n\nn\n\n## Docs\n\n- d: e\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] x\n\n## Problem\n\np\n")
		parent = id
	}
	focus := mdstore.ID(parent)
	v := read(plainWorkspace, files)
	ask := func(v *vault, focus mdstore.ID) float64 {
		return testing.AllocsPerRun(100, func() {
			if _, err := assemble.Context(v, focus, assemble.Options{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if got := ask(v, focus); got > deep+20 {
		t.Errorf("Context makes %.0f allocations, want at most %d", got, deep+20)
	}
	few, many := childrenOf(10), childrenOf(1000)
	if a, b := ask(few, "root"), ask(many, "root"); b > a+1 {
		t.Errorf("Context makes %.0f allocations with 10 children that it only counts, and %.0f with 1000", a, b)
	}
}

func childrenOf(n int) *vault {
	files := map[string]string{"root": node("root", "null", "planning", "monitoring", "")}
	for i := range n {
		id := fmt.Sprintf("c%d", i)
		files[id] = node(id, "root", "execution", "pending", "")
	}
	return read(plainWorkspace, files)
}
