package view

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"arbor/mdstore"
	"arbor/statemachine"
)

// plans returns a view of a random plan: a tree whose nodes have any status of their types, and depend on any nodes,
// some
// of them missing.
func plans(rnd *rand.Rand) *View {
	files := map[mdstore.Path]*mdstore.Node{}
	ids := []mdstore.ID{mdstore.Root}
	for i := range 2 + rnd.IntN(12) {
		ids = append(ids, mdstore.ID(fmt.Sprint("n", i)))
	}
	planning := []mdstore.ID{}
	for i, id := range ids {
		n := &mdstore.Node{ID: id, Path: mdstore.NodePath("w", id)}
		n.Type = statemachine.Planning
		if i > 0 {
			n.Type = statemachine.Types()[rnd.IntN(2)]
			n.Parent = planning[rnd.IntN(len(planning))]
		}
		n.Title, n.CreatedAt = string(id), int64(i+1)
		all := statemachine.Statuses(n.Type)
		if n.Status = all[rnd.IntN(len(all))]; rnd.IntN(3) > 0 {
			n.Status = all[0]
		}
		if n.Type == statemachine.Planning {
			planning = append(planning, id)
		}
		for range max(0, rnd.IntN(5)-2) {
			to := ids[rnd.IntN(len(ids))]
			if rnd.IntN(20) == 0 {
				to = "none"
			}
			n.Dependencies = append(n.Dependencies, string(to))
		}
		files[n.Path] = n
	}
	return New(workspaceOf("w"), sorted(files), nil)
}

// naive is what the documentation says of a node, computed from the files alone.
func naive(v *View, n *mdstore.Node) (frozen bool, open []string) {
	for at, up := n, false; ; up = true {
		frozen = frozen || up && statemachine.Frozen(at.Status)
		for _, id := range at.Dependencies {
			if to, ok := v.Node(mdstore.ID(id)); (!ok || to.Status != statemachine.Completed) && !slices.Contains(open, id) {
				open = append(open, id)
			}
		}
		if at.ID == mdstore.Root {
			return frozen, open
		}
		at, _ = v.Node(at.Parent)
	}
}

// A node is ready if nothing above it is completed or cancelled, and it has not begun and all that it and its ancestors
// depend on is completed, or it is a planning node whose children are all over. It is blocked if it has not begun and
// some of that is open. No node is both.
func TestReadyAndBlockedAreWhatTheFilesSay(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	waits := 0
	for range 500 {
		v := plans(rnd)
		ready, blocked := map[mdstore.ID]bool{}, v.BlockedBy()
		for n := range v.Ready(func(*mdstore.Node) bool { return false }) {
			ready[n.ID] = true
		}
		for n := range v.All() {
			frozen, open := naive(v, n)
			fresh := n.Status == statemachine.Initial(n.Type)
			over := n.Type == statemachine.Planning && !fresh && !statemachine.Terminal(n.Status) &&
				len(v.OpenChildren(n.ID)) == 0
			if want := !frozen && (fresh && open == nil || over); ready[n.ID] != want {
				t.Fatalf("%s is ready: %v, want %v, in\n%s", n.ID, ready[n.ID], want, describe(v))
			}
			var by []string
			for _, x := range blocked[n.ID] {
				by = append(by, x.ID())
			}
			if frozen || !fresh {
				open = nil
			}
			if !slices.Equal(by, open) {
				t.Fatalf("%s is blocked by %q, want %q, in\n%s", n.ID, by, open, describe(v))
			}
			waits += len(by)
		}
	}
	if waits < 250 {
		t.Errorf("only %d dependencies were open", waits)
	}
}

// needs returns what must be over before a node can be, as the documentation says it.
func needs(v *View, n *mdstore.Node) []mdstore.ID {
	var ids []mdstore.ID
	up, _ := v.Ancestors(n.ID)
	for _, a := range append([]*mdstore.Node{n}, up...) {
		for _, id := range a.Dependencies {
			ids = append(ids, mdstore.ID(id))
		}
	}
	return append(ids, v.Children(n.ID)...)
}

// There are cycles exactly where a node must be over before itself, and every such node is in one of them.
func TestEveryNodeThatWaitsForItselfIsInACycle(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	with, without := 0, 0
	for range 500 {
		v := plans(rnd)
		in := map[mdstore.ID]bool{}
		for _, cycle := range v.DependencyCycles() {
			for _, n := range cycle {
				in[n.ID] = true
			}
		}
		found := false
		for n := range v.All() {
			met := map[mdstore.ID]bool{}
			for rest := needs(v, n); len(rest) > 0; rest = rest[1:] {
				if m, ok := v.Node(rest[0]); ok && !met[m.ID] {
					met[m.ID] = true
					rest = append(rest, needs(v, m)...)
				}
			}
			if found = found || met[n.ID]; met[n.ID] && !in[n.ID] {
				t.Fatalf("%s waits for itself and is in no cycle of\n%s", n.ID, describe(v))
			}
		}
		if found != (len(in) > 0) {
			t.Fatalf("cycles %v, want some: %v, in\n%s", in, found, describe(v))
		}
		if found {
			with++
		} else {
			without++
		}
	}
	if with < 50 || without < 50 {
		t.Errorf("%d plans with cycles, %d without", with, without)
	}
}

// Every piece of open work is in one wave, or stuck. What it waits for is over or in earlier waves, and something of it
// is in the wave before. The longest chain has one node of each wave.
func TestWavesComeOneAfterTheOther(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	deep := 0
	for range 500 {
		v := plans(rnd)
		o := v.Order(mdstore.Root, func(*mdstore.Node) bool { return true })
		wave := map[mdstore.ID]int{}
		for i, nodes := range o.Waves {
			for _, n := range nodes {
				if wave[n.ID] > 0 {
					t.Fatalf("%s is in two waves of\n%s", n.ID, describe(v))
				}
				wave[n.ID] = i + 1
			}
		}
		stuck := map[mdstore.ID]bool{}
		for _, n := range o.Stuck {
			stuck[n.ID] = true
		}
		for n := range v.All() {
			frozen, _ := naive(v, n)
			leaf := !statemachine.TakesChildren(n.Type) || n.ID != mdstore.Root && len(v.Below(n.ID)) == 0
			open := leaf && !statemachine.Terminal(n.Status) && !frozen
			over := o.Over[n.ID]
			if leaf && (over > 0 || wave[n.ID] > 0) && over != wave[n.ID] || leaf && (over < 0) != stuck[n.ID] ||
				over > 0 && over != lastWave(v, n, wave) {
				t.Fatalf("%s is over with %d, and in wave %d, in\n%s", n.ID, over, wave[n.ID], describe(v))
			}
			if open != (wave[n.ID] > 0 || stuck[n.ID]) || wave[n.ID] > 0 && stuck[n.ID] {
				t.Fatalf("%s is open: %v, in wave %d, stuck %v, in\n%s", n.ID, open, wave[n.ID], stuck[n.ID], describe(v))
			}
			if wave[n.ID] == 0 {
				continue
			}
			latest := 0
			for _, x := range v.Open(n) {
				latest = max(latest, lastWave(v, x.Node, wave))
			}
			if wave[n.ID] != latest+1 {
				t.Fatalf("%s is in wave %d, and what it waits for ends with %d, in\n%s", n.ID, wave[n.ID], latest, describe(v))
			}
		}
		if len(o.Chain) != len(o.Waves) {
			t.Fatalf("the longest chain has %d nodes, and there are %d waves, in\n%s", len(o.Chain), len(o.Waves), describe(v))
		}
		deep = max(deep, len(o.Waves))
	}
	if deep < 4 {
		t.Errorf("no plan had more than %d waves", deep)
	}
}

// lastWave returns the wave in which a node is over.
func lastWave(v *View, n *mdstore.Node, wave map[mdstore.ID]int) (last int) {
	if statemachine.Terminal(n.Status) {
		return 0
	}
	last = wave[n.ID]
	for _, k := range v.Below(n.ID) {
		last = max(last, lastWave(v, k, wave))
	}
	for _, x := range v.Open(n) {
		if x.Node != nil {
			last = max(last, lastWave(v, x.Node, wave))
		}
	}
	return last
}
