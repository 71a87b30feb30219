package ops_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A clone is a repository of git whose top is a vault.
type clone struct {
	testing.TB
	dir string
}

func newClone(t *testing.T) clone {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	c := clone{t, t.TempDir()}
	c.git("", "init", "-q", "-b", "main")
	c.git("", "config", "user.name", "Ann")
	c.git("", "config", "user.email", "ann@example.org")
	return c
}

func (c clone) git(stdin string, args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", c.dir}, args...)...)
	cmd.Stdin = strings.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if err != nil {
		c.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commit makes a commit of exactly these files, and returns its id.
func (c clone) commit(files map[mdstore.Path][]byte) string {
	c.git("", "rm", "-rqf", "--ignore-unmatch", ".")
	for p, data := range files {
		enginetest.Put(c, c.dir, p, data)
	}
	c.git("", "add", "-A")
	c.git("", "commit", "-qm", "plan", "--allow-empty")
	return c.git("", "rev-parse", "HEAD")
}

// env is a caller over files as the vault that the repository holds.
func (c clone) env(files map[mdstore.Path][]byte) *ops.Env {
	e, err := engine.Open(tctx, memstore.New(files), engine.Options{Vault: c.dir})
	if err != nil {
		c.Fatal(err)
	}
	return &ops.Env{Engine: e}
}

// becameOf returns what a diff says of nodes: what came and went, and who has another parent or status.
func becameOf(out *ops.PlanDiffOut) (all []string) {
	for _, c := range out.Changes {
		switch {
		case c.NodeID == "":
		case c.Kind != "changed":
			all = append(all, c.Kind+" "+c.NodeID)
		default:
			if c.Status != "" {
				all = append(all, fmt.Sprintf("status %s %s %s", c.NodeID, c.Was, c.Status))
			}
			if c.Parent != "" {
				all = append(all, fmt.Sprintf("moved %s %s", c.NodeID, c.Parent))
			}
		}
	}
	slices.Sort(all)
	return all
}

// between is what becameOf has to be, by the files alone.
func between(a, b map[mdstore.Path][]byte) (all []string) {
	nodes := func(files map[mdstore.Path][]byte) map[mdstore.ID]*mdstore.Node {
		out := map[mdstore.ID]*mdstore.Node{}
		for p, data := range files {
			if mdstore.AllKinds().Of(p) == mdstore.NodeKind && p.Under(ws) {
				n := mdstore.ParseNode(mdstore.File{Path: p, Data: data})
				out[n.ID] = n
			}
		}
		return out
	}
	was, is := nodes(a), nodes(b)
	for id, n := range is {
		old := was[id]
		if old == nil {
			all = append(all, "created "+string(id))
			continue
		}
		if old.Status != n.Status {
			all = append(all, fmt.Sprintf("status %s %s %s", id, old.Status, n.Status))
		}
		if old.Parent != n.Parent {
			all = append(all, fmt.Sprintf("moved %s %s", id, is[n.Parent].Title))
		}
	}
	for id := range was {
		if is[id] == nil {
			all = append(all, "removed "+string(id))
		}
	}
	slices.Sort(all)
	return all
}

// A diff of two states of a plan says every creation, move, deletion and change of status, and nothing of what is
// equal: of two commits, and of a commit and the vault.
func TestADiffSaysWhatBecameOfThePlan(t *testing.T) {
	c := newClone(t)
	enginetest.Check(t, 25, func(rt *rapid.T) {
		files := plan()
		delete(files, ws+"/sessions.json")
		w := enginetest.New(t, files)
		env := &ops.Env{Engine: w.Engine}
		was := w.Store.Files()
		a := c.commit(was)
		ids := []string{"node-p", "node-a", "node-b", "node-q", "node-c"}
		did := 0
		for range rapid.IntRange(1, 8).Draw(rt, "operations") {
			id := rapid.SampledFrom(ids).Draw(rt, "node")
			other := rapid.SampledFrom([]string{"root", "node-p", "node-q"}).Draw(rt, "parent")
			var err *errs.Error
			var out map[string]any
			switch rapid.IntRange(0, 4).Draw(rt, "what") {
			case 0:
				out, err = call(t, env, "node_create", map[string]any{"workspaceId": ws, "parentId": other, "type": "execution", "title": "N", "requirement": "r",
					"rulesHash": hash, "cascade": true})
				if err == nil {
					ids = append(ids, out["nodeId"].(string))
				}
			case 1:
				_, err = call(t, env, "node_move", map[string]any{"workspaceId": ws, "nodeId": id, "newParentId": other, "cascade": true})
			case 2:
				_, err = call(t, env, "node_delete", map[string]any{"workspaceId": ws, "nodeId": id})
			case 3:
				_, err = call(t, env, "node_transition", map[string]any{"workspaceId": ws, "nodeId": id, "conclusion": "c", "cascade": true,
					"action": rapid.SampledFrom([]string{"start", "complete", "reopen", "cancel"}).Draw(rt, "action")})
			case 4:
				_, err = call(t, env, "log_append", map[string]any{"workspaceId": ws, "nodeId": id, "operator": "AI", "event": "e"})
			}
			if err == nil {
				did++
			}
		}
		is := w.Store.Files()
		b := c.commit(is)
		over := c.env(is)
		for _, revs := range [][]string{{a, b}, {a + ".." + b}, {a}} {
			out, err := ops.PlanDiff(tctx, over, ops.PlanDiffIn{Revisions: revs})
			if err != nil {
				rt.Fatal(err)
			}
			if got, want := becameOf(out), between(was, is); !slices.Equal(got, want) {
				rt.Fatalf("after %d operations the diff of %v says\n%q\nwant\n%q", did, revs, got, want)
			}
			if len(enginetest.Diff(was, is)) > 0 && len(out.Changes) == 0 {
				rt.Fatalf("after %d operations the diff says nothing", did)
			}
		}
		for _, revs := range [][]string{{a, a}, {b, b}, {b}, nil} {
			if out, err := ops.PlanDiff(tctx, over, ops.PlanDiffIn{Revisions: revs}); err != nil || len(out.Changes)+len(out.Damaged) > 0 {
				rt.Fatalf("the diff of %v is %+v, %v", revs, out, err)
			}
		}
	})
}

// The history of a node has each commit that changed it, wherever its file lay and however alike other files are.
func TestAHistoryFollowsTheIDOfANode(t *testing.T) {
	c := newClone(t)
	node := func(id, title, log string) []byte {
		return enginetest.Node(id, "title: "+title+"\ntype: execution\nstatus: pending\nparentId: root", "## Requirement\n\n"+strings.Repeat("the same in all\n", 20)+"\n## Log\n\n"+log)
	}
	files := vault("- r\n", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: planning\nparentId: null", ""}})
	at := func(folder string) mdstore.Path { return mdstore.NodePath(ws, mdstore.ID(folder)) }
	files[at("node-x")] = node("node-x", "X", "")
	c.commit(files)
	files[at("node-y")] = node("node-y", "Y", "") // as a copy of node-x, which git takes it for
	created := c.commit(files)
	delete(files, at("node-y"))
	files[at("elsewhere")] = node("node-y", "Why", strings.Repeat("- [2026-01-01 10:00:00] [AI] so much that it is not alike\n", 60))
	files[at("node-y")] = node("node-z", "Z", "")
	moved := c.commit(files)
	files[at("elsewhere")] = node("node-y", "Why", "")
	last := c.commit(files)
	files[at("third")] = files[at("elsewhere")]
	delete(files, at("elsewhere"))
	if err := os.Rename(filepath.Join(c.dir, ws, "nodes", "elsewhere"), filepath.Join(c.dir, ws, "nodes", "third")); err != nil {
		t.Fatal(err)
	}
	out, err := ops.HistoryGet(tctx, c.env(files), ops.HistoryGetIn{NodeID: "node-y"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range out.Entries {
		var words []string
		for _, c := range e.What {
			words = append(words, c.String())
		}
		got = append(got, e.Commit+" "+strings.Join(words, "; "))
	}
	want := []string{
		" file moved from " + ws + "/nodes/elsewhere/Node.md",
		last[:12] + " log −60",
		moved[:12] + ` title "Y" → "Why"; file moved from ` + ws + "/nodes/node-y/Node.md",
		created[:12] + " created: pending",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the history is\n%q\nwant\n%q", got, want)
	}
}

// What no vault could hold, and what cannot be read, is named, and the diff goes on.
func TestADiffGoesOnOverWhatIsStrange(t *testing.T) {
	c := newClone(t)
	files := vault("- r\n", map[string][2]string{"root": {"title: R\ntype: planning\nstatus: planning\nparentId: null", ""}})
	a := c.commit(files)
	large := enginetest.Node("node-l", "title: L\ntype: execution\nstatus: pending\nparentId: root", "## Note\n\n"+strings.Repeat("x", mdstore.MaxFileSize))
	var in strings.Builder
	fmt.Fprintf(&in, "commit refs/heads/main\nauthor A\x1b[31m\u202e <a@example.org> 1767225600 +0000\ncommitter A <a@example.org> 1767225600 +0000\ndata %d\n%s\nfrom %s\n",
		2<<20, strings.Repeat("m", 2<<20), a)
	put := func(mode, path string, data []byte) {
		fmt.Fprintf(&in, "M %s inline %q\ndata %d\n%s\n", mode, ws+"/nodes/"+path, len(data), data)
	}
	put("100644", "good/Node.md", enginetest.Node("node-g", "title: G\ntype: execution\nstatus: pending\nparentId: root", ""))
	put("100644", "large/Node.md", large)
	put("100644", "broken/Node.md", []byte("no front matter\x00"))
	put("120000", "link/Node.md", []byte("/etc/passwd"))
	put("100644", "tab\tquote\"line\nend/Node.md", enginetest.Node("node-t", "title: T\ntype: execution\nstatus: pending\nparentId: root", ""))
	fmt.Fprintf(&in, "M 160000 %s %q\n", a, ws+"/nodes/sub/Node.md")
	fmt.Fprintf(&in, "M 100644 inline \"%s/nodes/\\377\\376/Node.md\"\ndata 7\n---\n---\n", ws)
	c.git(in.String(), "fast-import", "--quiet", "--force")
	out, err := ops.PlanDiff(tctx, c.env(files), ops.PlanDiffIn{Revisions: []string{a, "main"}})
	if err != nil {
		t.Fatal(err)
	}
	got, named := becameOf(out), strings.Join(out.Damaged, "\n")
	for _, id := range []string{"node-g", "node-l", "node-t"} {
		if !slices.Contains(got, "created "+id) {
			t.Errorf("%s is not told of: %q", id, got)
		}
	}
	for _, part := range []string{"large/Node.md", "broken/Node.md", "link/Node.md: is a link", "sub/Node.md: is a link or a submodule"} {
		if !strings.Contains(named, part) {
			t.Errorf("%q is not named:\n%s", part, named)
		}
	}
	for _, bad := range []string{"--output=x", "-h", "a\nb", "", "HEAD:x", "a\x00b"} {
		if _, err := ops.PlanDiff(tctx, c.env(files), ops.PlanDiffIn{Revisions: []string{bad, "main"}}); bad != "" && errs.As(err).Code != errs.RevisionNotFound {
			t.Errorf("revision %q: %v", bad, err)
		}
	}
}
