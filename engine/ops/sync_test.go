package ops_test

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A syncClone is one person's copy of a project with a vault.
type syncClone struct {
	dir string
	env *ops.Env
	own []string // nodes that this person has made
}

func runGit(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir}, args...)...)
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func mustGit(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := runGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
	return out
}

// hermeticGit skips the test where there is no git, and keeps the machine's configuration out.
func hermeticGit(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_CONFIG_SYSTEM": os.DevNull} {
		if tt, ok := t.(*testing.T); ok {
			tt.Setenv(name, value)
		}
	}
}

// cloned makes clones of a repository that holds a new vault.
func cloned(t *testing.T, names ...string) (clones []*syncClone) {
	hermeticGit(t)
	top := t.TempDir()
	mustGit(t, top, "init", "-q", "--bare", "-b", "main", "hub.git")
	for i, name := range names {
		dir := filepath.Join(top, name)
		mustGit(t, top, "clone", "-q", "hub.git", name)
		mustGit(t, dir, "config", "user.name", name)
		mustGit(t, dir, "config", "user.email", name+"@example.org")
		c := opened(t, dir)
		if i == 0 {
			must(t, c.env, "workspace_init", map[string]any{"name": "W", "goal": "g"})
			for range 3 {
				must(t, c.env, "node_create", map[string]any{"type": "planning", "title": "Part", "parentId": "root"})
			}
			syncs(t, c)
		}
		clones = append(clones, c)
	}
	return clones
}

// opened opens the vault of a syncClone.
func opened(t *testing.T, dir string) *syncClone {
	vault := filepath.Join(dir, "vault")
	if err := os.MkdirAll(vault, 0o755); err != nil {
		t.Fatal(err)
	}
	e, err := engine.Open(t.Context(), enginetest.OpenDir(t, vault), engine.Options{Vault: vault})
	if err != nil {
		t.Fatal(err)
	}
	return &syncClone{dir: dir, env: &ops.Env{Engine: e, Operator: "Human"}}
}

func syncs(t testing.TB, c *syncClone) *ops.SyncOut {
	t.Helper()
	out, err := ops.Sync(t.Context(), c.env, ops.SyncIn{})
	if err != nil {
		t.Fatalf("%s: %v", filepath.Base(c.dir), err)
	}
	return out
}

// work does things that contradict nothing that others do at the same time, and returns the log lines that it writes.
// The engine refuses some of it.
func (c *syncClone) work(t testing.TB, rnd *rand.Rand, round int) (lines []string) {
	c.env.Engine.Refresh()
	spaces, err := c.env.Engine.Workspaces(t.Context())
	if err != nil || len(spaces) != 1 {
		t.Fatalf("%d workspaces, %v", len(spaces), err)
	}
	ws := string(spaces[0].ID)
	do := func(name string, args map[string]any) (map[string]any, bool) {
		args["workspaceId"] = ws
		out, err := call(t, c.env, name, args)
		return out, err == nil
	}
	v, err := c.env.Engine.View(t.Context(), spaces[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	var all, plans []string
	for n := range v.All() {
		all = append(all, string(n.ID))
		if n.Type == statemachine.Planning {
			plans = append(plans, string(n.ID))
		}
	}
	slices.Sort(all)
	slices.Sort(plans)
	pick := func(of []string) string { return of[rnd.IntN(len(of))] }
	who := filepath.Base(c.dir)
	for i := range 6 {
		switch rnd.IntN(8) {
		case 0, 1:
			if out, ok := do("node_create", map[string]any{"type": []string{"planning", "execution"}[rnd.IntN(2)], "title": fmt.Sprintf("%s %d.%d", who, round, i), "parentId": pick(plans)}); ok {
				c.own = append(c.own, out["nodeId"].(string))
			}
		case 2, 3:
			line := fmt.Sprintf("said by %s in round %d.%d", who, round, i)
			if _, ok := do("log_append", map[string]any{"nodeId": pick(all), "event": line}); ok {
				lines = append(lines, line)
			}
		case 4:
			do("workspace_update_rules", map[string]any{"action": "add", "rule": fmt.Sprintf("rule %s %d.%d", who, round, i)})
		case 5:
			if len(c.own) > 0 {
				do("node_move", map[string]any{"nodeId": pick(c.own), "newParentId": pick(plans)})
			}
		default:
			if len(c.own) > 0 {
				n := pick(c.own)
				do("node_transition", map[string]any{"nodeId": n, "action": "start"})
				do("node_transition", map[string]any{"nodeId": n, "action": "complete", "conclusion": "done by " + who})
			}
		}
	}
	return lines
}

// files returns the files of a syncClone's vault that git may carry.
func (c *syncClone) files(t testing.TB) map[string]string {
	files := map[string]string{}
	root := filepath.Join(c.dir, "vault")
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.Name() == ".local":
			return fs.SkipDir
		case !d.IsDir():
			data, err := os.ReadFile(name)
			files[strings.TrimPrefix(name, root)] = string(data)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var syncedRounds = map[bool]int{true: 10, false: 5}[heavy]

// Whatever three people do at the same time that contradicts nothing comes together without a conflict: every log line
// is there, the vault is sound, and all have the same bytes.
func TestThreeClonesComeTogether(t *testing.T) {
	clones := cloned(t, "ann", "bob", "cyd")
	for _, c := range clones[1:] {
		mustGit(t, c.dir, "pull", "-q")
	}
	rnd := rand.New(rand.NewPCG(20, 7))
	var lines []string
	for round := range syncedRounds {
		for _, c := range clones {
			lines = append(lines, c.work(t, rnd, round)...)
		}
		for _, i := range rnd.Perm(len(clones)) {
			syncs(t, clones[i])
		}
	}
	for range 2 {
		for _, c := range clones {
			syncs(t, c)
		}
	}
	want := clones[0].files(t)
	text := strings.Join(slices.Collect(maps.Values(want)), "")
	for _, line := range lines {
		if strings.Count(text, line+"\n") != 1 {
			t.Errorf("%q stands there %d times", line, strings.Count(text, line+"\n"))
		}
	}
	for _, c := range clones {
		if got := c.files(t); !maps.Equal(got, want) {
			t.Errorf("%s differs from the others", c.dir)
		}
		if status := mustGit(t, c.dir, "status", "--short"); status != "" {
			t.Errorf("%s: git status says %s", c.dir, status)
		}
		c.env.Engine.Refresh()
		if out := must(t, c.env, "workspace_check", map[string]any{}); len(out["diagnostics"].([]any)) > 0 {
			t.Errorf("%s: check finds %v", c.dir, out["diagnostics"])
		}
	}
	t.Logf("%d log lines, %d commits", len(lines), len(strings.Fields(mustGit(t, clones[0].dir, "rev-list", "HEAD"))))
}

// What two sides did that is sound by itself and not together is mended in the merge, with the same bytes whoever
// merges.
func TestMergesAreMendedAlike(t *testing.T) {
	clones := cloned(t, "ann", "bob")
	ann, bob := clones[0], clones[1]
	top := filepath.Dir(ann.dir)
	do := func(c *syncClone, name string, args map[string]any) string {
		t.Helper()
		c.env.Engine.Refresh()
		out := must(t, c.env, name, args)
		id, _ := out["nodeId"].(string)
		return id
	}
	made := func(c *syncClone, kind, title, parent string) string {
		return do(c, "node_create", map[string]any{"type": kind, "title": title, "parentId": parent})
	}
	complete := func(c *syncClone, id string) {
		do(c, "node_transition", map[string]any{"nodeId": id, "action": "complete", "conclusion": "it works"})
	}
	outer := made(ann, "planning", "Outer", "root")
	inner := made(ann, "planning", "Inner", outer)
	made(ann, "execution", "Leaf", inner)
	a, b := made(ann, "planning", "A", "root"), made(ann, "planning", "B", "root")
	done := made(ann, "planning", "Done", "root")
	leaf := made(ann, "execution", "Last", done)
	do(ann, "node_transition", map[string]any{"nodeId": leaf, "action": "start"})
	complete(ann, leaf)
	syncs(t, ann)
	mustGit(t, bob.dir, "pull", "-q")

	do(ann, "node_delete", map[string]any{"nodeId": inner})
	do(ann, "node_move", map[string]any{"nodeId": a, "newParentId": b})
	complete(ann, done)
	orphan := made(bob, "execution", "Orphan", inner)
	do(bob, "node_move", map[string]any{"nodeId": b, "newParentId": a})
	more := made(bob, "execution", "More", done)
	do(bob, "node_transition", map[string]any{"nodeId": more, "action": "start"})

	for _, c := range clones {
		if _, err := ops.Sync(t.Context(), c.env, ops.SyncIn{NoPush: true}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"ann", "bob", "hub.git"} {
		if err := os.CopyFS(filepath.Join(top, "other", name), os.DirFS(filepath.Join(top, name))); err != nil {
			t.Fatal(err)
		}
	}
	ann2, bob2 := opened(t, filepath.Join(top, "other", "ann")), opened(t, filepath.Join(top, "other", "bob"))
	for _, c := range []*syncClone{ann2, bob2} {
		mustGit(t, c.dir, "remote", "set-url", "origin", "../hub.git")
	}
	syncs(t, ann)
	notes := syncs(t, bob).Notes
	syncs(t, bob2)
	syncs(t, ann2)
	if got, want := ann2.files(t), bob.files(t); !maps.Equal(got, want) {
		for p := range want {
			if got[p] != want[p] {
				t.Errorf("%s is\n%s\nwhere ann merges, and where bob does\n%s", p, got[p], want[p])
			}
		}
	}
	bob.env.Engine.Refresh()
	spaces, err := bob.env.Engine.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	v, err := bob.env.Engine.View(t.Context(), spaces[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]string{orphan: outer, a: b, b: "root", more: done} {
		if n, ok := v.Node(mdstore.ID(id)); !ok || string(n.Parent) != want {
			t.Errorf("the parent of %s is %v, want %s; %q", id, n, want, notes)
		}
	}
	if n, _ := v.Node(mdstore.ID(done)); n.Status != statemachine.Monitoring {
		t.Errorf("a parent with a running child is %s; %q", n.Status, notes)
	}
	if out := must(t, bob.env, "workspace_check", map[string]any{}); len(out["diagnostics"].([]any)) > 0 {
		t.Errorf("check finds %v", out["diagnostics"])
	}
}

// The same rounds with git alone, for the figure in the documentation: a conflict is settled by one side.
func TestThreeClonesWithGitAlone(t *testing.T) {
	if !heavy {
		t.Skip("a measurement; ARBOR_HEAVY runs it")
	}
	clones := cloned(t, "ann", "bob", "cyd")
	for _, c := range clones[1:] {
		mustGit(t, c.dir, "pull", "-q")
	}
	rnd := rand.New(rand.NewPCG(20, 7))
	merges, conflicts, files, lost := 0, 0, 0, 0
	var lines []string
	for round := range syncedRounds {
		for _, c := range clones {
			lines = append(lines, c.work(t, rnd, round)...)
		}
		for _, i := range rnd.Perm(len(clones)) {
			c := clones[i]
			mustGit(t, c.dir, "add", "-A")
			_, _ = runGit(t, c.dir, "commit", "-q", "-m", "work")
			mustGit(t, c.dir, "fetch", "-q")
			if _, err := runGit(t, c.dir, "merge-base", "--is-ancestor", "HEAD", "@{upstream}"); err != nil {
				merges++
			}
			if _, err := runGit(t, c.dir, "merge", "-q", "@{upstream}"); err != nil {
				conflicts++
				files += len(strings.Fields(mustGit(t, c.dir, "diff", "--name-only", "--diff-filter=U")))
				mustGit(t, c.dir, "merge", "--abort")
				mustGit(t, c.dir, "merge", "-q", "-X", "ours", "@{upstream}")
			}
			mustGit(t, c.dir, "push", "-q")
		}
	}
	for _, c := range clones {
		mustGit(t, c.dir, "pull", "-q")
	}
	text := strings.Join(slices.Collect(maps.Values(clones[0].files(t))), "")
	for _, line := range lines {
		if !strings.Contains(text, line+"\n") {
			lost++
		}
	}
	t.Logf("git alone: %d merges, %d with conflicts in %d files; %d of %d log lines lost where one side is taken", merges, conflicts, files, lost, len(lines))
}
