package ops_test

import (
	"context"
	"iter"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// An orphan and nodes in a circle take no writes, but for a move, which is the repair, and a deletion.
func TestMisplacedNodesTakeNoWrites(t *testing.T) {
	nodes := map[string][2]string{
		"root":   {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"orphan": {"title: O\ntype: execution\nstatus: pending\nparentId: nobody", ""},
		"c1":     {"title: C1\ntype: planning\nstatus: monitoring\nparentId: c2", ""},
		"c2":     {"title: C2\ntype: planning\nstatus: monitoring\nparentId: c1", ""},
		"under":  {"title: U\ntype: execution\nstatus: pending\nparentId: c2", ""},
	}
	for id, code := range map[string]errs.Code{"orphan": errs.OrphanNode, "c1": errs.Cycle} {
		w := enginetest.New(t, vault("", nodes))
		env := &ops.Env{Engine: w.Engine}
		refused(t, w, env, code, "log_append", map[string]any{"nodeId": id, "operator": "AI", "event": "x"})
		refused(t, w, env, code, "node_update", map[string]any{"nodeId": id, "note": "x"})
		must(t, env, "node_move", map[string]any{"nodeId": id, "newParentId": "root"})
		must(t, env, "log_append", map[string]any{"nodeId": id, "operator": "AI", "event": "x"})
	}
	w := enginetest.New(t, vault("", nodes))
	env := &ops.Env{Engine: w.Engine}
	must(t, env, "context_focus", map[string]any{"nodeId": "orphan"})
	must(t, env, "node_delete", map[string]any{"nodeId": "orphan"})
	if out := must(t, env, "context_get", nil); len(out["chain"].([]any)) != 1 {
		t.Errorf("after the focused orphan is gone the context is of %v", out["chain"])
	}
	refused(t, w, env, errs.Cycle, "node_transition", map[string]any{"nodeId": "under", "action": "start"})
}

// A transition that a damaged file prevents is refused with the file and what mends it.
func TestARefusalNamesTheFileAndTheRepair(t *testing.T) {
	nodes := map[string][2]string{
		"root":   {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
		"quoted": {"title: Q\ntype: execution\nstatus: \"pending\nparentId: root\norder: none", ""},
		"typed":  {"title: T\ntype: epic\nstatus: pending\nparentId: root", ""},
		"orphan": {"title: O\ntype: planning\nstatus: pending\nparentId: nobody", ""},
		"below":  {"title: B\ntype: execution\nstatus: pending\nparentId: orphan", ""},
	}
	files := vault("", nodes)
	files[ws+"/nodes/torn/Node.md"] = []byte("no front matter\n")
	in := func(id, rest string) string { return ws + "/nodes/" + id + "/Node.md" + rest }
	for id, want := range map[string]struct {
		code errs.Code
		text string
	}{
		"quoted": {errs.InvalidTransition, `quoted (Q): cannot start: status "\"pending" is none that a node of type execution can have ` +
			"(pending, implementing, validating, completed, failed); allowed: nothing before somebody corrects " + in("quoted", ":5 by hand")},
		"typed":  {errs.InvalidTransition, `typed (T): cannot start: type "epic" is none of planning, execution; allowed: nothing before somebody corrects ` + in("typed", ":4 by hand")},
		"torn":   {errs.FileUnreadable, in("torn", ":1:1: FRONT_MATTER_MISSING: ")},
		"orphan": {errs.OrphanNode, "orphan: its parent \"nobody\" does not exist; restore it (git, the trash), name a parentId in " + in("orphan", ", or move orphan (node_move)")},
		"below":  {errs.OrphanNode, "below: of its ancestor orphan the parent \"nobody\" does not exist; restore it (git, the trash), name a parentId in " + in("orphan", ", or move orphan (node_move)")},
	} {
		w := enginetest.New(t, files)
		err := refused(t, w, &ops.Env{Engine: w.Engine}, want.code, "node_transition", map[string]any{"nodeId": id, "action": "start"})
		if !strings.HasPrefix(err.Message, want.text) {
			t.Errorf("%s: got\n%s\nwant\n%s", id, err.Message, want.text)
		}
	}
}

func TestANodeAboveACopiedOneIsNotDeleted(t *testing.T) {
	files := lone("", "")
	files[ws+"/nodes/p/Node.md"] = enginetest.Node("p", "title: P\ntype: planning\nstatus: monitoring\nparentId: root", "")
	files[ws+"/nodes/q/Node.md"] = enginetest.Node("q", "title: Q\ntype: execution\nstatus: pending\nparentId: p", "")
	files[ws+"/nodes/q copy/Node.md"] = enginetest.Node("q", "title: Q\ntype: execution\nstatus: pending\nparentId: root", "")
	w := enginetest.New(t, files)
	refused(t, w, &ops.Env{Engine: w.Engine}, errs.DuplicateID, "node_delete", map[string]any{"nodeId": "p"})
}

// Nothing is created where the rules cannot be read.
func TestAnUnreadableWorkspaceTakesNoNodes(t *testing.T) {
	for code, text := range map[errs.Code]string{ // of one too large to be read, the folder's name stands for the id
		errs.FileUnreadable: string(workspaceFile("- rule 1\n")) + strings.Repeat("x", mdstore.MaxFileSize),
		errs.Merging:        string(workspaceFile("- rule 1\n")) + "<<<<<<< HEAD\na\n=======\nb\n>>>>>>> b\n",
	} {
		files := lone("", "")
		files[ws+"/Workspace.md"] = []byte(text)
		w := enginetest.New(t, files)
		refused(t, w, &ops.Env{Engine: w.Engine}, code, "node_create", map[string]any{"workspaceId": ws, "parentId": "root", "type": "execution", "title": "t", "requirement": "r"})
	}
}

// Folders that are no workspace, half of one, or one of two with the same id.
func TestOddFoldersAreNamedAndStopNothing(t *testing.T) {
	files := lone("", "")
	files["half/nodes/root/Node.md"] = enginetest.Node("root", "title: H\ntype: planning\nstatus: pending\nparentId: null", "")
	files["Demo_x/Workspace.md"] = []byte("---\nname: Demo\ncreatedAt: 2026-01-01T00:00:00Z\n---\n")
	files["Demo_x/graph.json"] = []byte("{}")
	files["notes/readme.md"] = []byte("a person's")
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine}
	list, err := ops.WorkspaceList(t.Context(), env, ops.WorkspaceListIn{})
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, x := range list.Workspaces {
		ids = append(ids, x.ID)
	}
	if strings.Join(ids, " ") != "half "+ws {
		t.Errorf("workspaces: %v", ids)
	}
	out, err := ops.WorkspaceCheck(t.Context(), env, ops.WorkspaceCheckIn{})
	if err != nil {
		t.Fatal(err)
	}
	if len(out.Diagnostics) != 1 || out.Diagnostics[0].Code != view.CodeFileMissing || out.Diagnostics[0].File != "half/Workspace.md" {
		t.Errorf("check finds %v", out.Diagnostics)
	}

	files = lone("", "")
	for p, b := range lone("", "") {
		if p.Under(ws) {
			files["copy of it/"+p[len(ws)+1:]] = b
		}
	}
	w = enginetest.New(t, files)
	env = &ops.Env{Engine: w.Engine}
	e := refused(t, w, env, errs.DuplicateID, "node_list", nil)
	if len(e.Details.Paths) != 2 {
		t.Errorf("the refusal names %v", e.Details.Paths)
	}
	if out, err = ops.WorkspaceCheck(t.Context(), env, ops.WorkspaceCheckIn{}); err != nil || len(out.Diagnostics) != 2 || out.Checked != 6 {
		t.Errorf("check of two copies: %v, %v", out, err)
	}
}

// What a person types is an id, a title that one node has, a unique prefix of an id, or its last six characters, in
// that order.
func TestLooseNamesAreInOrder(t *testing.T) {
	node := func(title string) [2]string {
		return [2]string{"title: " + title + "\ntype: execution\nstatus: pending\nparentId: root", ""}
	}
	w := enginetest.New(t, vault("", map[string][2]string{
		"root": {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""}, "node-1a": node("ro"), "node-1b": node("node"), "node-2": node("Same"), "node-3": node("Same"), "x1": node("node-2"),
		"y-u02rz9": node("Y"), "z-u02rz9": node("Z"), "y-k3pq7a": node("K"),
	}))
	env := &ops.Env{Engine: w.Engine, Names: ops.NamesLoose}
	for ref, want := range map[string]string{"roo": "root", "ro": "node-1a", "k3pq7a": "y-k3pq7a", "u02rz9": "", "3pq7a": "?", "node": "node-1b", "node-1": "", "node-1a": "node-1a", "Same": "", "node-2": "node-2", "x": "x1", "nothing": "?"} {
		out, err := ops.NodeGet(t.Context(), env, ops.NodeGetIn{NodeID: ref})
		got := ""
		if err == nil {
			got = out.Node.ID
		} else if errs.As(err).Code == errs.NodeNotFound {
			got = "?"
		}
		if got != want {
			t.Errorf("%q means %q, want %q (%v)", ref, got, want, err)
		}
	}
	refused(t, w, env, errs.AmbiguousID, "node_reference", map[string]any{"nodeId": "x1", "targetIdOrPath": "Same", "action": "add"})
}

// intruder commits once in the middle of a listing, as another process can.
type intruder struct {
	*memstore.Store
	change mdstore.Change
	done   bool
}

func (i *intruder) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		n := 0
		for f, err := range i.Store.List(ctx, under) {
			if n++; n == 2 && under != "" && !i.done {
				i.done = true
				if _, err := i.Commit(ctx, []mdstore.Change{i.change, {Path: ws + "/Workspace.md", Base: mdstore.VersionOf(i.Files()[ws+"/Workspace.md"]), New: []byte(strings.Replace(string(i.Files()[ws+"/Workspace.md"]), "Users sign in", "Another goal", 1))}}); err != nil {
					panic(err)
				}
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

func (i *intruder) Scan(ctx context.Context, under mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	s, err := i.Store.Scan(ctx, under, kinds...)
	if !i.done {
		for _, err := range i.List(ctx, under) {
			if err != nil {
				panic(err)
			}
		}
	}
	return s, err
}

// Another process commits during a scan, to a file that was read already and to one that was not: the view has both
// changes.
func TestAViewIsOfOneMoment(t *testing.T) {
	files := lone("", "")
	root := mdstore.NodePath(ws, "root")
	change := mdstore.Change{Path: root, Base: mdstore.VersionOf(files[root]), New: []byte(strings.Replace(string(files[root]), "title: Login", "title: New", 1))}
	w := enginetest.Over(t, memstore.New(files), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		return &intruder{Store: st, change: change}
	})
	s, err := w.View(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	n, _ := s.Node("root")
	if s.Workspace().Goal != "Another goal" || n.Title != "New" {
		t.Errorf("the view has goal %q and title %q: of two moments", s.Workspace().Goal, n.Title)
	}
}
