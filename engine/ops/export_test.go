package ops_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/exchange"
	"arbor/engine/ops"
	changes "arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// export returns the workspace of a world as JSON.
func export(t testing.TB, w *enginetest.World, in ops.ExportIn) string {
	t.Helper()
	in.WorkspaceID = ws
	out, err := ops.Export(t.Context(), &ops.Env{Engine: w.Engine}, in)
	if err != nil {
		t.Fatal(err)
	}
	return out.Text
}

func importing(t testing.TB, w *enginetest.World, name, text string) *ops.ImportOut {
	t.Helper()
	in := ops.ImportIn{Path: name, Into: "root", RulesRead: true, Source: exchange.Source{Name: name,
		Read: func(string) ([]byte, error) { return []byte(text), nil }}}
	in.WorkspaceID = ws
	out, err := ops.Import(t.Context(), &ops.Env{Engine: w.Engine, Names: ops.NamesLoose}, in)
	if err != nil {
		t.Fatalf("import of %s: %v", text, err)
	}
	return out
}

// drawVault draws a workspace as programs and people write it.
func drawVault(t *rapid.T) map[mdstore.Path][]byte {
	files := enginetest.Plan(ws)
	root := mdstore.NodePath(ws, mdstore.Root)
	files[root] = bytes.Replace(files[root], []byte("\n---"), []byte("\ncreatedAt: 5\n---"), 1)
	files[mdstore.WorkspacePath(ws)] = append(files[mdstore.WorkspacePath(ws)], "\n## Rules\n\n- be kind\n"...)
	if rapid.Bool().Draw(t, "slot") {
		files[mdstore.Path(ws).Join("memory", "notes.md")] = []byte("---\nid: notes\n---\n\n## [e1] 2026-01-01\n\none\n")
	}
	for name, text := range map[string]string{"a.md": "# A\r\n", "map.png": "\x89PNG\x00\xff"} {
		files[mdstore.Path(ws).Join("imported", name)] = []byte(text)
	}
	body := rapid.SampledFrom([]string{"", "## Requirement\n\ntext <b> & “quotes” \u2028\n", "## Note\r\n\r\nlines of Windows\r\n",
		"words above\n\n## Own section\n\n- [ ] box\n", "## References\n\n- n1 — why\n- [[n2]]\n- docs/x.md\n", "## Log\n\n- [2026-01-01 10:00:00] [AI] made\n",
		"## Note\n\nsee [[n1]], [[n2|two]], [three](../n3/Node.md#log), [up](../../deep/n0/Node.md), `[[n1]]`, ![](../../imported/map.png)\n",
		"## Docs\n\n- ws-mjv3xk00-aaaaaa/imported/a.md: A\n\n## References\n\n- [[n1|one]] (expired)\n", "## Note\n\nno line feed", "## Requirement\n\n```\nfence\n"})
	n := rapid.IntRange(0, 6).Draw(t, "nodes")
	planning := []string{"root"}
	for i := range n {
		id := fmt.Sprintf("n%d", i)
		typ := rapid.SampledFrom([]string{"planning\nstatus: pending", "execution\nstatus: pending", "execution\nstatus: completed"}).Draw(t, "type")
		parent := rapid.SampledFrom(planning).Draw(t, "parent")
		if strings.HasPrefix(typ, "planning") {
			planning = append(planning, id)
		}
		more := rapid.SampledFrom([]string{"", "tags: [a, b] # why", "own: {x: 1}", "dependencies: [n0, n1]", "dependencies:\n  - \"[[n1]]\"\n  - gone",
			"due: 2026-12-01", "parentId_: 3"}).Draw(t, "keys")
		folder := rapid.SampledFrom([]string{id, "Of mine " + id, "deep/" + id}).Draw(t, "folder")
		front := fmt.Sprintf("title: T%d\ntype: %s\nparentId: %s\n%s\ncreatedAt: %d", i, typ, parent, more, 1767225600000+i)
		data := enginetest.Node(id, front, body.Draw(t, "body"))
		if rapid.IntRange(0, 9).Draw(t, "bytes") == 0 {
			data = append(data, "\xff\n"...)
		}
		files[mdstore.NodeKind.File(mdstore.NodeKind.Folder(ws).Join(folder))] = data
	}
	return files
}

// nodesOf returns the files of nodes.
func nodesOf(files map[mdstore.Path][]byte) map[mdstore.Path][]byte {
	nodes := maps.Clone(files)
	maps.DeleteFunc(nodes, func(p mdstore.Path, _ []byte) bool { return mdstore.AllKinds().Of(p) != mdstore.NodeKind })
	return nodes
}

// An export in JSON that is imported into an empty workspace gives every file, byte for byte; once more it adds nothing.
func TestExportAndImportAreInverse(t *testing.T) {
	enginetest.Check(t, 60, func(rt *rapid.T) {
		files := drawVault(rt)
		text := export(t, enginetest.New(t, files), ops.ExportIn{Format: "json"})
		w := enginetest.New(t, enginetest.Plan(ws))
		out := importing(t, w, "plan.json", text)
		if left := strings.Join(out.Left, "\n"); strings.Contains(left, "closes a cycle") || strings.Contains(left, "NOT_UTF8") {
			return // that dependency is left out, and a file that cannot be edited with it
		}
		got := w.Store.Files()
		for _, p := range enginetest.Diff(files, got) {
			if p.Under(ws+"/imported") && !strings.Contains(text, `"path": "imported/`+p.Base()+`"`) &&
				!strings.Contains(text, "imported/"+p.Base()+": A") {
				continue // nothing names it
			}
			rt.Errorf("%s is\n%q\nwant\n%q\n(left out: %q)", p, got[p], files[p], out.Left)
		}
		if again := importing(t, w, "plan.json", text); len(again.Nodes) > 0 || len(again.Left) > 0 {
			rt.Errorf("the second import adds %v, and leaves out %q", again.Nodes, again.Left)
		}
	})
}

// leads returns the titles of the nodes that the links of all nodes lead to, and the paths that others lead to, by the
// paths of the nodes.
func leads(t testing.TB, w *enginetest.World) map[mdstore.Path][]string {
	all := map[mdstore.Path][]string{}
	err := w.Engine.Read(t.Context(), func(ctx context.Context) error {
		v, err := w.Engine.View(ctx, ws)
		if err != nil {
			return err
		}
		for n := range v.All() {
			n, _ = v.File(n.Path)
			all[n.Path] = linksOf(v, n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func linksOf(v *view.View, n *mdstore.Node) (all []string) {
	for _, l := range changes.TextLinks(string(n.Doc().Bytes()[len(n.Doc().Front()):])) {
		if to, ok := v.Referred(n, l.Target); ok && strings.HasPrefix(to.Title, "T") {
			all = append(all, to.Title)
		} else if strings.Contains(l.Target, "imported") {
			all = append(all, path.Join(string(n.Path.Dir()), l.Target))
		}
	}
	return all
}

// Where ids are taken, files differ in these, and in what names them.
func TestImportWhereIdsAreTaken(t *testing.T) {
	enginetest.Check(t, 60, func(rt *rapid.T) {
		files := drawVault(rt)
		text := export(t, enginetest.New(t, files), ops.ExportIn{Format: "json"})
		w := enginetest.New(t, enginetest.Plan(ws, "n0", "n1", "n2", "n3"))
		before, old := w.Store.Files(), map[string][]string{} // of the links, by titles
		for p, to := range leads(t, enginetest.New(t, files)) {
			old[mdstore.ParseNode(mdstore.File{Path: p, Data: files[p]}).Title] = to
		}
		out := importing(t, w, "plan.json", text)
		now, got := leads(t, w), nodesOf(w.Store.Files())
		maps.DeleteFunc(got, func(p mdstore.Path, _ []byte) bool { return before[p] != nil })
		if want := len(nodesOf(files)); len(got) != len(out.Nodes) || len(got)+len(out.Left) < want {
			rt.Fatalf("%d files of nodes, %d new nodes, want %d; left out: %q", len(got), len(out.Nodes), want, out.Left)
		}
		for p, data := range got {
			if len(got) < len(nodesOf(files)) {
				break // one that is left out may be named by others
			}
			n := mdstore.ParseNode(mdstore.File{Path: p, Data: data})
			for _, was := range nodesOf(files) {
				o := mdstore.ParseNode(mdstore.File{Path: p, Data: was})
				_, rest, _ := bytes.Cut(was, []byte("\n---"))
				if o.Title == n.Title && !bytes.Contains(was, []byte("## References")) && !bytes.Contains(was, []byte("[[")) && !bytes.HasSuffix(data, rest) {
					rt.Errorf("%s is\n%q\nof\n%q", p, data, was)
				}
			}
			if o, ok := old[n.Title]; ok && !slices.Equal(o, now[p]) && len(out.Left) == 0 {
				rt.Errorf("links of %s lead to %q, and led to %q\n%q", p, now[p], o, data)
			}
			for _, r := range n.References() {
				if slices.Contains([]string{"n0", "n1", "n2", "n3"}, r.Target) && strings.Contains(text, `"id": "`+r.Target+`"`) {
					rt.Errorf("%s refers to %s, which is another node:\n%s\n%q", p, r.Target, data, out.Left)
				}
			}
		}
		if again := importing(t, w, "plan.json", text); len(again.Nodes) > 0 {
			rt.Errorf("the second import adds %v", again.Nodes)
		}
	})
}
