package ops_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// A copy has every key and text of the original that people wrote, byte for byte, and what the original depends on and
// refers to inside of the copy leads to the copies. It is pending, its boxes are open, and it has no history. No other
// file changes.
func TestACopyIsLikeItsOriginal(t *testing.T) {
	for seed := range uint64(60) {
		rnd := rand.New(rand.NewPCG(seed, 5))
		nodes := map[string][2]string{
			"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""},
			"out":  {"title: Out\ntype: execution\nstatus: completed\nparentId: root", "## Conclusion\n\nc\n"},
			"tmpl": {"title: Template\ntype: planning\nstatus: monitoring\nparentId: root", "## Requirement\n\nof it\n"},
		}
		ids := []string{"tmpl"}
		for i := range 5 {
			id := fmt.Sprint("e", i)
			var deps []string
			for j := range i {
				if rnd.IntN(2) == 0 {
					deps = append(deps, fmt.Sprint("e", j))
				}
			}
			inside := len(deps)
			if rnd.IntN(2) == 0 {
				deps = append(deps, "out")
			}
			front := "title: T" + id + "\ntype: execution\nstatus: completed\nparentId: tmpl\nmine: [a, " + id +
				"]  # own\nnested:\n  x: 1\norder: " + fmt.Sprint(
				i,
			)
			if len(deps) > 0 {
				front += "\ndependencies: [" + strings.Join(deps, ", ") + "]\ncount: " + fmt.Sprint(inside)
			}
			nodes[id] = [2]string{
				front,
				"Above all.\n\n## Requirement\n\ndo " + id + "\n\n## Acceptance Criteria\n\n- [x] one\n- [ ] two\n\n" +
					"## Conclusion\n\nwas done\n\n## My section\n\n> kept  \n\n## References\n\n- e0: inside\n- out: outside\n\n" +
					"## Log\n\n- [2026-01-01 10:00:00] [AI] created\n- [2026-01-01 10:00:00] [AI] ? old\n\n## Problem\n\nno server\n",
			}
			ids = append(ids, id)
		}
		w := enginetest.New(t, vault("", nodes))
		before := w.Store.Files()
		out := must(
			t,
			&ops.Env{Engine: w.Engine},
			"node_create",
			map[string]any{"parentId": "root", "title": "Copy", "type": "planning", "like": "tmpl"},
		)
		copies := map[string]string{"tmpl": out["nodeId"].(string)}
		for i, k := range out["children"].([]any) {
			copies[fmt.Sprint("e", i)] = k.(map[string]any)["nodeId"].(string)
		}
		files := w.Store.Files()
		for p, data := range before {
			if now := string(files[p]); now != string(data) && !p.Under(mdstore.LocalDir) {
				t.Errorf("seed %d: %s changed:\n%s", seed, p, now)
			}
		}
		for _, id := range ids[1:] {
			text, _ := nodes[id], 0
			got := string(files[mdstore.NodePath(ws, mdstore.ID(copies[id]))])
			for _, want := range []string{"\nmine: [a, " + id + "]  # own\nnested:\n  x: 1\norder: ",
				"Above all.\n\n## Requirement\n\ndo " + id + "\n",
				"- [ ] one\n- [ ] two\n", "## My section\n\n> kept  \n", "- " + copies["e0"] + ": inside\n- out: outside\n",
				"\nstatus: pending\n", "\nparentId: " + copies["tmpl"] + "\n", "\nid: " + copies[id] + "\n", "[AI] created\n"} {
				if id == "e0" && strings.Contains(want, "inside") {
					want = "- " + copies["e0"] + ": inside\n"
				}
				if !strings.Contains(got, want) {
					t.Errorf("seed %d: the copy of %s lacks %q:\n%s", seed, id, want, got)
				}
			}
			for _, not := range []string{"Conclusion", "was done", "Problem", "no server", "? old"} {
				if strings.Contains(got, not) {
					t.Errorf("seed %d: the copy of %s has %q:\n%s", seed, id, not, got)
				}
			}
			n := mdstore.ParseNode(mdstore.File{Path: mdstore.NodePath(ws, mdstore.ID(copies[id])), Data: []byte(got)})
			var want []string
			if _, after, ok := strings.Cut(text[0], "dependencies: ["); ok {
				list, _, _ := strings.Cut(after, "]")
				for _, dep := range strings.Split(list, ", ") {
					if copies[dep] != "" {
						want = append(want, copies[dep])
					}
				}
			}
			if !slices.Equal(n.Dependencies, want) || len(n.Problems) > 0 {
				t.Errorf("seed %d: the copy of %s depends on %v, want %v; %v\n%s", seed, id, n.Dependencies, want, n.Problems, got)
			}
		}
		if t.Failed() {
			return
		}
	}
}
