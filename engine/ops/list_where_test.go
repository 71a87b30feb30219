package ops_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// ids returns the ids of a list in its order, without those that are only the way to others.
func ids(nodes []*ops.TreeNode) (all []string) {
	for _, n := range nodes {
		if !n.Passed {
			all = append(all, n.ID)
		}
		all = append(all, ids(n.Children)...)
	}
	return all
}

// A filtered list has the nodes that search finds, a sorted one the same nodes in a stable order, and its pages add up.
func TestFilteredAndSortedLists(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		files := enginetest.Plan(ws)
		score := map[string]int{"root": -1}
		for i := range rapid.IntRange(1, 12).Draw(rt, "nodes") {
			id := fmt.Sprintf("node-%d", i)
			front := fmt.Sprintf(
				"title: %s %d\ntype: execution\nstatus: %s\nparentId: root\norder: %d\n",
				rapid.SampledFrom([]string{"Alpha", "beta"}).Draw(rt, "title"),
				i,
				rapid.SampledFrom([]string{"pending", "implementing", "completed", "failed"}).Draw(rt, "status"),
				i,
			)
			if score[id] = rapid.IntRange(-1, 3).Draw(rt, "score"); score[id] >= 0 {
				front += fmt.Sprintf("score: %d\n", score[id])
			}
			files[mdstore.NodePath(ws, mdstore.ID(id))] = enginetest.Node(
				id,
				front,
				"## Note\n\n"+rapid.SampledFrom([]string{"sea", "land"}).Draw(rt, "note")+"\n",
			)
		}
		env := &ops.Env{Engine: enginetest.New(t, files).Engine}
		list := func(in ops.NodeListIn) *ops.NodeListOut {
			in.WorkspaceID = ws
			out, err := ops.NodeList(t.Context(), env, in)
			if err != nil {
				rt.Fatal(err)
			}
			return out
		}
		query := rapid.SampledFrom([]string{"is:terminal", "is:running OR is:ready", "type:execution -score>1",
			"title:alpha score<=2", "sea",
			"land (alpha OR is:ready)", "score:null", "-status:pending"}).Draw(rt, "query")
		whole := list(ops.NodeListIn{Where: query, Limit: -1})
		got := ids(whole.Tree)
		var want []string
		if strings.Contains(query, "score") &&
			!slices.ContainsFunc(slices.Collect(maps.Values(score)), func(n int) bool { return n >= 0 }) {
			return // no file has the key: the query means a word
		}
		found, err := ops.Search(t.Context(), env, ops.SearchIn{Query: query, In: "plan", Limit: 100, WorkspaceID: ws})
		if err != nil {
			rt.Fatal(err)
		}
		for _, f := range found.Results {
			if f.Kind == "node" {
				want = append(want, f.ID)
			}
		}
		sorted := func(all []string) []string { all = slices.Clone(all); slices.Sort(all); return all }
		if !slices.Equal(sorted(got), sorted(want)) || whole.Total != len(got) {
			rt.Fatalf("%s lists %q, and search finds %q", query, got, want)
		}
		in := ops.NodeListIn{
			Where: query,
			Sort:  []string{rapid.SampledFrom([]string{"score", "-score"}).Draw(rt, "sort")},
			Limit: -1,
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(score)), func(n int) bool { return n >= 0 }) {
			return
		}
		slices.SortStableFunc(got, func(a, b string) int { // in the order of the tree before
			switch x, y := score[a], score[b]; {
			case x < 0 || y < 0:
				return cmp.Compare(min(y, 0), min(x, 0))
			case in.Sort[0] == "score":
				return cmp.Compare(x, y)
			default:
				return cmp.Compare(y, x)
			}
		})
		if order := ids(list(in).Tree); !slices.Equal(order, got) {
			rt.Fatalf("%s by %q: %q, want %q (%v)", query, in.Sort, order, got, score)
		}
		in.Limit = rapid.IntRange(1, 4).Draw(rt, "page")
		var pages []string
		for {
			out := list(in)
			if pages = append(pages, ids(out.Tree)...); out.Cursor == "" {
				break
			}
			in.Cursor = out.Cursor
		}
		if !slices.Equal(pages, got) {
			rt.Fatalf("%s by %q in pages of %d: %q, want %q", query, in.Sort, in.Limit, pages, got)
		}
	})
}
