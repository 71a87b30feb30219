package feed_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/live"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Whatever people, commands and git do to files, and however often everything is to be looked at anew: the events lead
// from what there was to what there is, and what one says that a field was is what the one before said that it is.
func TestFeedLeadsToWhatThereIs(t *testing.T) {
	t.Parallel()
	rounds := 8
	if enginetest.Heavy {
		rounds = 400
	}
	l := listen(t, small(t, 6), "")
	process := enginetest.Open(t, enginetest.OpenDir(t, l.dir))
	rnd := rand.New(rand.NewPCG(1, 2))
	folder := func() string {
		return "ws-a/nodes/" + []string{"node-0", "node-1", "node-2", "x", "y", "x/in"}[rnd.IntN(6)]
	}
	text := func() string {
		id := []string{"node-0", "node-1", "node-2", "node-x"}[rnd.IntN(4)]
		status := []string{"pending", "implementing", "completed", "done"}[rnd.IntN(4)]
		return node(id, status, []string{"", "\n## Note\n\nn\n", "\n## References\n\n- node-x\n"}[rnd.IntN(3)])
	}
	there := func(name string) bool { _, err := os.Lstat(l.at(name)); return err == nil }
	for round := range rounds {
		var did []string
		for range 1 + rnd.IntN(4) {
			f := folder()
			op := []string{"write", "swap", "swap", "blank", "remove", "rename", "copy", "mkdir", "name", "archive", "another", "all", "commit"}[rnd.IntN(13)]
			did = append(did, op+" "+f)
			switch op {
			case "write":
				l.put(f+"/Node.md", text())
			case "swap":
				l.put(f+"/Node.md.tmp", text())
				l.must(os.Rename(l.at(f+"/Node.md.tmp"), l.at(f+"/Node.md")))
			case "blank":
				l.put(f+"/Node.md", "")
			case "remove":
				l.must(os.RemoveAll(l.at(f)))
			case "rename":
				if to := folder(); there(f) && !there(to) && there(filepath.Dir(to)) && !strings.HasPrefix(to, f) {
					l.must(os.Rename(l.at(f), l.at(to)))
				}
			case "copy":
				if to := folder(); there(f+"/Node.md") && !there(to) && !strings.HasPrefix(to, f) {
					l.must(os.CopyFS(l.at(to), os.DirFS(l.at(f))))
				}
			case "mkdir":
				l.must(os.MkdirAll(l.at(f), 0o777))
			case "name":
				l.swap("ws-a/Workspace.md", fmt.Sprintf("---\nid: ws-a\nname: N%d\ngoal: g\nstatus: active\n---\n", rnd.IntN(9)))
			case "archive":
				from, to := "ws-b", "archive/ws-b"
				if there(to) {
					from, to = to, from
				}
				if there(from) {
					l.must(os.MkdirAll(l.at("archive"), 0o777))
					l.must(os.Rename(l.at(from), l.at(to)))
				}
			case "another":
				if l.must(os.RemoveAll(l.at("archive/ws-b"))); there("ws-b") {
					l.must(os.RemoveAll(l.at("ws-b")))
				} else {
					workspace(t, l.dir, "ws-b", rnd.IntN(3))
				}
			case "all":
				l.feed.Hear(live.News{All: true})
			case "commit":
				op := plan.AppendLog{Node: mdstore.ID(fmt.Sprint("node-", 3+rnd.IntN(3))), Event: "x"}
				_, _, _ = engine.Apply(t.Context(), process, "ws-a", plan.Act{}, op)
			}
		}
		t.Logf("%d: %s", round, strings.Join(did, ", "))
		l.agrees()
		select {
		case why := <-l.away:
			t.Errorf("the vault is said to be away: %v", why)
		default:
		}
		if t.Failed() {
			return
		}
	}
}

// What comes to nothing is not told: an echo, a change that is taken back at once, another workspace than the one that
// is watched.
func TestFeedTellsNothingOfNothing(t *testing.T) {
	dir := small(t, 2)
	workspace(t, dir, "ws-b", 1)
	l := newListener(t, dir, "ws-a")
	saved := make(chan live.News, 99)
	l.serve(func(n live.News) { saved <- n }) // it looks when the test says so
	was, err := os.ReadFile(l.at(nodeFile(0)))
	l.must(err)
	l.swap(nodeFile(0), string(was))
	l.swap(nodeFile(0), "---\nid: other\n---\n")
	l.swap(nodeFile(0), string(was))
	l.swap("ws-b/nodes/node-0/Node.md", node("node-0", "implementing", ""))
	l.put("ws-a/nodes/node-0/Node.md~", "x")
	l.put("ws-a/nodes/node-0/notes.txt", "x")
	l.swap(nodeFile(1), node("node-1", "implementing", ""))
	for n := range saved {
		if slices.Contains(n.Paths, mdstore.Path(nodeFile(1))) {
			break
		}
	}
	l.feed.Hear(live.News{All: true})
	l.only("changed node-1 \"T node-1\" " + nodeFile(1) + " status:pending>implementing\n")
	if err := l.stop(); err == nil {
		t.Error("it ends without the error of its context")
	}
}

// A checkout of many files is told file by file, and nothing of it as gone that git only replaces.
func TestFeedOfACheckout(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	nodes := 100
	if enginetest.Heavy {
		nodes = 400
	}
	dir := small(t, nodes)
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", filepath.Dir(dir), "-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "core.autocrlf=false", "-c", "gc.auto=0"}, args...)...)
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %q: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "one")
	git("add", ".")
	git("commit", "-q", "-m", "one")
	git("checkout", "-q", "-b", "two")
	for i := range nodes - 10 {
		put(t, dir, nodeFile(i), node(fmt.Sprint("node-", i), "implementing", ""))
	}
	for i := nodes - 10; i < nodes; i++ {
		if err := os.RemoveAll(filepath.Join(dir, filepath.FromSlash(filepath.Dir(nodeFile(i))))); err != nil {
			t.Fatal(err)
		}
	}
	workspace(t, dir, "ws-b", 50)
	git("add", ".")
	git("commit", "-q", "-m", "two")
	l := listen(t, dir, "")
	for _, tt := range []struct {
		branch string
		want   map[string]int
	}{
		{"one", map[string]int{view.Altered: nodes - 10, view.Added: 10, view.Removed: 1}},
		{"two", map[string]int{view.Altered: nodes - 10, view.Removed: 10, view.Added: 52}},
	} {
		git("checkout", "-q", tt.branch)
		got := map[string]int{}
		for late := false; !late && fmt.Sprint(got) != fmt.Sprint(tt.want); {
			l.next()
			clear(got)
			for _, v := range l.events {
				got[v.Kind]++
			}
			late = len(l.events) > 2*nodes
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("checkout of %s: %v, want %v", tt.branch, got, tt.want)
		}
		l.agrees()
	}
}
