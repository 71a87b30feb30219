package mcpserv

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// walked is a node in the lines of a reply, with its parent in these lines, "" for the topmost ones.
func walked(lines []any, yield func(id, parent string)) {
	way := []string{""}
	for _, line := range lines {
		text := strings.TrimLeft(line.(string), " ")
		way = way[:1+len(line.(string))-len(text)]
		id, _, _ := strings.Cut(text, " ")
		yield(id, way[len(way)-1])
		way = append(way, id)
	}
}

// TestPagesHoldEveryNodeOnce follows the cursors of node_list to the end. Together, the pages equal one reply without a
// limit.
func TestPagesHoldEveryNodeOnce(t *testing.T) {
	t.Parallel()
	e, _ := large(t, scale{groups: 2, kids: 150, levels: 40, text: 5000, log: 10, rules: 10})
	for _, tt := range []struct {
		most int
		in   ops.NodeListIn
	}{
		{DefaultMaxTokens, ops.NodeListIn{In: ops.In{WorkspaceID: brood}, Limit: -1}},
		{2000, ops.NodeListIn{In: ops.In{WorkspaceID: crowd}, Limit: -1}},
		{2000, ops.NodeListIn{In: ops.In{WorkspaceID: crowd}, RootID: "group-00", Limit: 7}},
		{2000, ops.NodeListIn{In: ops.In{WorkspaceID: crowd}, Limit: -1, Status: []string{"implementing"}}},
		{LeastMaxTokens, ops.NodeListIn{In: ops.In{WorkspaceID: crowd}, Limit: -1, Depth: 1}},
		{LeastMaxTokens, ops.NodeListIn{In: ops.In{WorkspaceID: crowd}, RootID: "group-01"}},
		{DefaultMaxTokens, ops.NodeListIn{In: ops.In{WorkspaceID: bulk}, Limit: -1}},
		{2000, ops.NodeListIn{In: ops.In{WorkspaceID: bulk}, Type: "execution"}},
		{LeastMaxTokens, ops.NodeListIn{In: ops.In{WorkspaceID: bulk}, Limit: -1}},
	} {
		l := openLine(t, e, Options{MaxTokens: tt.most})
		whole := tt.in
		whole.Limit = -1
		all, err := ops.NodeList(t.Context(), &ops.Env{Engine: e}, whole)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]string{} // node → parent
		match := map[string]bool{}
		var follow func(ns []*ops.TreeNode, parent string)
		follow = func(ns []*ops.TreeNode, parent string) {
			for _, n := range ns {
				want[n.ID] = parent
				if (tt.in.Type == "" || tt.in.Type == string(n.Type)) && (len(tt.in.Status) == 0 || slices.Contains(tt.in.Status, string(n.Status))) {
					match[n.ID] = true
				}
				follow(n.Children, n.ID)
			}
		}
		follow(all.Tree, "")
		what := fmt.Sprintf("%+v in %d tokens", tt.in, tt.most)
		got, shown, pages := map[string]string{}, 0, 0
		a := args{"workspaceId": tt.in.WorkspaceID, "limit": tt.in.Limit, "depth": tt.in.Depth, "rootId": tt.in.RootID, "status": slices.Concat([]string{}, tt.in.Status)}
		if tt.in.Type != "" {
			a["type"] = tt.in.Type
		}
		for {
			page := l.do("node_list", a)
			if page["total"] == nil { // the page has all nodes
				page["total"], page["shown"] = float64(all.Total), float64(all.Total)
			}
			if cut, is := page["cut"].([]any); is && (len(cut) != 2 || !strings.HasSuffix(strings.Split(cut[0].(string), ": ")[0], ".title") || page["shown"] != 1.0) {
				t.Fatalf("%s: a page is cut, but for one title that is larger: %v", what, cut)
			}
			before := len(got)
			walked(items(page["nodes"]), func(id, parent string) {
				if p, again := got[id]; again && parent != "" && p != parent {
					t.Errorf("%s: %s hangs below %s, and on another page below %s", what, id, p, parent)
				}
				if _, again := got[id]; !again || parent != "" {
					got[id] = parent
				}
			})
			fresh := len(got) - before
			n := int(page["shown"].(float64))
			if n < 1 || n > fresh {
				t.Fatalf("%s: page %d shows %d nodes, %d of them new", what, pages, n, fresh)
			}
			if len(tt.in.Status) == 0 && tt.in.Type == "" && n != fresh {
				t.Errorf("%s: page %d shows %d nodes, and has %d that were on none before", what, pages, n, fresh)
			}
			shown += n
			if page["total"].(float64) != float64(all.Total) {
				t.Errorf("%s: total is %v, want %d", what, page["total"], all.Total)
			}
			pages++
			cursor, more := page["cursor"].(string)
			if !more {
				break
			}
			if !strings.Contains(page["hint"].(string), cursor) {
				t.Errorf("%s: the hint %q does not say how to get on", what, page["hint"])
			}
			a["cursor"] = cursor
		}
		for id := range match {
			if _, is := got[id]; !is {
				t.Errorf("%s: %s is on no page", what, id)
			}
		}
		if shown != all.Total || shown != len(match) {
			t.Errorf("%s: %d nodes are shown on %d pages, %d are there in all", what, shown, pages, len(match))
		}
		for id, p := range got {
			if w, is := want[id]; !is || p != "" && w != p {
				t.Errorf("%s: %s is shown below %q, want %q", what, id, p, w)
			}
		}
		t.Logf("%s: %d pages", what, pages)
	}
}

// TestChangesAreNamedOnce edits hundreds of files by hand, and more while the session reads the changes. Each change is
// named once.
func TestChangesAreNamedOnce(t *testing.T) {
	t.Parallel()
	for _, most := range bounds {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			t.Parallel()
			st := memstore.New(manyNodes(300))
			e, err := engine.Open(t.Context(), st, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			l := openLine(t, e, Options{MaxTokens: most})
			ws := items(l.do("workspace_list", nil)["workspaces"])[0].(map[string]any)["id"].(string)
			first := l.do("changes_get", nil)
			if first["first"] != true || len(items(first["changes"])) != 0 {
				t.Errorf("the first look: %v", first)
			}
			paths := slices.Sorted(maps.Keys(st.Files()))
			paths = slices.DeleteFunc(paths, func(p mdstore.Path) bool { return p.Base() != mdstore.NodeFile })
			byHand := func(kind string, p mdstore.Path, change mdstore.Change) string {
				t.Helper()
				if _, err := st.Commit(t.Context(), []mdstore.Change{change}); err != nil {
					t.Fatal(err)
				}
				return kind + " " + string(p)
			}
			round := 0
			edit := func(p mdstore.Path) string {
				round++
				f, err := st.Read(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				return byHand("changed", p, mdstore.Change{Path: p, Base: f.Version, New: append(f.Data, fmt.Sprintf("\n## Section %d\n\n\"by hand\"\n", round)...)})
			}
			var want []string
			for _, p := range paths[:200] {
				want = append(want, edit(p))
			}
			for i := range 20 {
				p := mdstore.NodePath(mdstore.Path(ws), mdstore.ID(fmt.Sprintf("node-new-%02d", i)))
				want = append(want, byHand("created", p, mdstore.Change{Path: p, New: enginetest.Node(fmt.Sprintf("node-new-%02d", i), "title: N\ntype: execution\nstatus: pending\nparentId: root", "")}))
			}
			for _, p := range paths[200:210] {
				f, err := st.Read(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				want = append(want, byHand("removed", p, mdstore.Change{Path: p, Base: f.Version}))
			}
			for i, p := range paths[210:220] {
				to := mdstore.Path(ws).Join("nodes", fmt.Sprintf("moved by hand %d", i))
				want = append(want, byHand("moved", to.Join(mdstore.NodeFile), mdstore.Change{Path: p.Dir(), To: to}))
			}
			var got []string
			for rounds := 0; ; rounds++ {
				r := l.do("changes_get", args{verbose: true})
				if r["cut"] != nil {
					t.Fatalf("changes are cut: %v", r["cut"])
				}
				list := items(r["changes"])
				for _, c := range list {
					m := c.(map[string]any)
					got = append(got, m["kind"].(string)+" "+m["path"].(string))
				}
				hidden, _ := r["hidden"].(float64)
				if rounds == 0 && len(list)+int(hidden) != len(want) {
					t.Errorf("%d are named and %v counted, %d are there", len(list), hidden, len(want))
				}
				if rounds == 0 && hidden > 0 { // while some are to be named still: a file that was named, one that will be, and one that nobody touched before
					for _, p := range []mdstore.Path{mdstore.Path(list[0].(map[string]any)["path"].(string)), paths[199], paths[250]} {
						if c := edit(p); p != paths[199] || slices.Contains(got, c) {
							want = append(want, c)
						}
					}
				}
				if len(list) == 0 {
					break
				}
				if rounds > len(want) {
					t.Fatalf("changes_get does not come to an end")
				}
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("%d changes are named, %d were made; named and not made %v, made and not named %v", len(got), len(want), without(got, want), without(want, got))
			}
		})
	}
}

// without returns a minus b as multisets.
func without(a, b []string) (out []string) {
	left := map[string]int{}
	for _, s := range b {
		left[s]++
	}
	for _, s := range a {
		if left[s]--; left[s] < 0 {
			out = append(out, s)
		}
	}
	return out
}

// TestDiagnosticsComeToAnEnd fixes the problems that workspace_check lists until none is left. The listed and the
// counted problems are all problems.
func TestDiagnosticsComeToAnEnd(t *testing.T) {
	t.Parallel()
	files := manyNodes(10)
	ws := ""
	for p := range files {
		ws, _, _ = strings.Cut(string(p), "/")
	}
	broken := map[string]bool{}
	for i := range 60 {
		p := mdstore.NodePath(mdstore.Path(ws), mdstore.ID(fmt.Sprintf("node-broken-%02d", i)))
		files[p] = enginetest.Node(string(p.Dir().Base()), "title: 'Left \"over\" <b>'\ntype: execution\nstatus: completed\nparentId: root", "")
		broken[string(p)] = true
	}
	for _, most := range bounds {
		st := memstore.New(files)
		e, err := engine.Open(t.Context(), st, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		l := openLine(t, e, Options{MaxTokens: most})
		named := map[string]bool{}
		all := -1
		for {
			r := l.do("workspace_check", nil)
			hidden, _ := r["hidden"].(float64)
			list := items(r["diagnostics"])
			if all < 0 {
				all = len(list) + int(hidden)
			}
			if left := all - len(named); len(list)+int(hidden) != left {
				t.Fatalf("in %d tokens %d diagnostics are shown and %v counted, %d are left", most, len(list), hidden, left)
			}
			if len(list) == 0 {
				break
			}
			for _, d := range list {
				p := mdstore.Path(d.(map[string]any)["file"].(string))
				if named[string(p)] || !broken[string(p)] {
					t.Fatalf("in %d tokens: %v is named again, or for nothing", most, d)
				}
				named[string(p)] = true
				if _, err := st.Commit(t.Context(), []mdstore.Change{{Path: p, Base: mdstore.VersionOf(files[p]), New: enginetest.Node(p.Dir().Base(), "title: T\ntype: execution\nstatus: pending\nparentId: root", "")}}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if len(named) != len(broken) {
			t.Errorf("in %d tokens: %d of %d broken files are named", most, len(named), len(broken))
		}
	}
}

// TestClaimsAreShown repeatedly claims more nodes than a reply has room for. Each node is given once, and is in that
// reply.
func TestClaimsAreShown(t *testing.T) {
	t.Parallel()
	for _, most := range []int{2000, LeastMaxTokens} {
		e, _ := large(t, scale{groups: 1, levels: 1})
		session := strings.Repeat("s", 90) + fmt.Sprint(most)
		l := openLine(t, e, Options{MaxTokens: most})
		before := int(l.do("node_next", args{"workspaceId": crowd, "verbose": true})["ready"].(float64))
		given := map[string]bool{}
		for range 3 {
			r := l.do("node_next", args{"workspaceId": crowd, "count": 10000, "claim": true, "verbose": true, "sessionId": session + fmt.Sprint(len(given))})
			if r["cut"] != nil {
				t.Fatalf("in %d tokens: %v", most, r["cut"])
			}
			for _, n := range items(r["nodes"]) {
				id := n.(map[string]any)["id"].(string)
				if given[id] {
					t.Errorf("%s is given twice", id)
				}
				given[id] = true
			}
		}
		claimed := 0
		all, err := ops.NodeNext(t.Context(), &ops.Env{Engine: e}, ops.NodeNextIn{In: ops.In{WorkspaceID: crowd}, Count: new(10000)})
		if err != nil {
			t.Fatal(err)
		}
		claimed = before - len(all.Nodes)
		if claimed != len(given) || len(given) < 3 {
			t.Errorf("in %d tokens %d nodes are claimed, %d were shown", most, claimed, len(given))
		}
	}
}
