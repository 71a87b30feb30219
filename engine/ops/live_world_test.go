package ops_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/live"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/crashtest"
	"arbor/statemachine"
)

// A followed vault is a folder, an engine that follows it, and the model of both.
type followed struct {
	t       *testing.T
	rt      *rapid.T
	vault   place
	model   reference
	past    []version // states that were committed to git, or copied
	now     atomic.Int64
	drawn   int // names given out
	refused int // operations that were

	e    *engine.Engine // follows the vault
	news chan struct{}  // filled when something has settled
	stop func()
	git  string // the program; empty for none
}

// A version is a state of the files that a checkout brings back.
type version struct {
	commit string
	files  map[string]string
	model  reference
}

func newFollowed(t *testing.T, rt *rapid.T, dir string) *followed {
	l := &followed{t: t, rt: rt, news: make(chan struct{}, 1)}
	l.now.Store(begun)
	l.vault = settle(t, dir, map[mdstore.Path][]byte{
		".gitignore":         []byte(".local/\nsessions.json\n"),
		ws + "/Workspace.md": []byte("---\nid: " + ws + "\nname: Live\ngoal: g\nstatus: active\nrulesHash: \"\"\nfocusedNodeId: null\n---\n"),
	})
	l.model = reference{dir: ws, goal: "g", files: map[string]ref{}}
	for i, n := range []ref{
		handMade("root", "null", "Live", statemachine.Planning, statemachine.Monitoring),
		handMade("node-p", "root", "P", statemachine.Planning, statemachine.Monitoring),
		handMade("node-q", "root", "Q", statemachine.Planning, statemachine.Pending),
		handMade("node-a", "node-p", "A", statemachine.Execution, statemachine.Pending),
		handMade("node-b", "node-p", "B", statemachine.Execution, statemachine.Implementing),
		handMade("node-c", "node-p", "C", statemachine.Execution, statemachine.Pending),
	} {
		n.created = int64(i + 1)
		l.newFile(n.id, n)
	}
	if l.git, _ = exec.LookPath("git"); l.git != "" {
		l.run("init", "-q")
		l.run("config", "gc.auto", "0") // no process of git works in the background
	}
	l.open()
	return l
}

// options are those of every engine of the vault: a clock that the test moves, and one new id for each moment.
func (l *followed) options() engine.Options {
	return engine.Options{
		Now: func() time.Time { return time.Unix(l.now.Load(), 0) },
		NewID: func(prefix string) (mdstore.ID, error) {
			return mdstore.ID(l.newID(prefix)), nil
		},
	}
}

func (l *followed) newID(prefix string) string {
	return fmt.Sprintf("%s-%d", prefix, l.now.Load()-begun)
}

const begun = 1767225600 // seconds

// open starts the engine that follows.
func (l *followed) open() {
	st, err := dirstore.Open(string(l.vault), dirstore.Options{})
	if err != nil {
		l.rt.Fatal(err)
	}
	if l.e, err = engine.Open(tctx, st, l.options()); err != nil {
		l.rt.Fatal(err)
	}
	ctx, cancel := context.WithCancel(tctx)
	ready, done := make(chan struct{}), make(chan error, 1)
	e := l.e
	go func() {
		done <- e.Follow(ctx, func() { close(ready) }, func(live.News) {
			select {
			case l.news <- struct{}{}:
			default:
			}
		})
	}()
	select {
	case <-ready:
	case err := <-done:
		l.rt.Fatal(err)
	}
	l.stop = func() {
		cancel()
		<-done
		st.Close()
	}
}

// another calls f with operations of another process.
func (l *followed) another(life *crashtest.Life, f func(*ops.Env)) {
	life.Hasty = true
	st, err := life.Open(string(l.vault), dirstore.Options{})
	if err != nil {
		l.rt.Fatal(err)
	}
	defer st.Close()
	e, err := engine.Open(tctx, st, l.options())
	if err != nil {
		l.rt.Fatal(err)
	}
	f(&ops.Env{Engine: e})
}

// fresh returns the state of the vault as an engine reads it that is opened now: see statesOf.
func (l *followed) fresh() (outline, more string) {
	l.another(&crashtest.Life{}, func(env *ops.Env) {
		var err error
		if outline, more, err = statesOf(env.Engine); err != nil {
			l.rt.Fatal(err)
		}
	})
	return outline, more
}

// agree fails unless the model, an engine that is opened now and, after a while, the one that follows have the same
// state.
func (l *followed) agree(step string) {
	want := l.model.outline()
	got, more := l.fresh()
	if got != want {
		l.rt.Fatalf("after %s the files say\n%s\nexpected is\n%s", step, got, want)
	}
	if left := l.leftovers(); len(left) > 0 {
		l.rt.Fatalf("after %s there are %v", step, left)
	}
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for patience := time.After(30 * time.Second); ; {
		now, nowMore, err := statesOf(l.e)
		if err == nil && now == want && nowMore == more {
			return
		}
		select {
		case <-l.news:
		case <-tick.C:
		case <-patience:
			if err != nil {
				l.rt.Fatalf("after %s: %v", step, err)
			}
			l.rt.Fatalf("after %s the engine that follows stays at\n%s%s\nexpected is\n%s%s", step, now, nowMore, want, more)
		}
	}
}

// leftovers are files that commits must not leave behind.
func (l *followed) leftovers() (out []string) {
	for name := range l.vault.files(l.t) {
		if base := filepath.Base(name); strings.HasPrefix(base, dirstore.TempPrefix) || strings.Contains(base, ".conflict-") {
			out = append(out, name)
		}
	}
	return out
}

// statesOf returns the state of the workspace in an engine's view: what the model has too, and what it has not.
func statesOf(e *engine.Engine) (outline, more string, err error) {
	err = e.Read(tctx, func(ctx context.Context) error {
		v, err := e.View(ctx, ws)
		if err == nil {
			outline, more = outlineOf(v), moreOf(v)
		}
		return err
	})
	return outline, more, err
}

// outlineOf returns all of a view that the model has.
func outlineOf(s *view.View) string {
	var b strings.Builder
	w := s.Workspace()
	fmt.Fprintf(&b, "%s: goal %q, focus %q\n", w.Dir, w.Goal, w.Focus)
	parents := map[mdstore.ID]bool{mdstore.Root: true}
	for n := range s.All() {
		dir := strings.TrimPrefix(string(n.Path.Dir()), string(w.Dir)+"/nodes/")
		var log []string
		for _, e := range n.Log() {
			log = append(log, e.Event)
		}
		fmt.Fprintf(&b, "%s: %s under %q: %s %s %q note %q conclusion %q log %q\n", dir, n.ID, n.Parent, n.Type, n.Status, n.Title, n.Note(), n.Conclusion(), log)
		parents[n.Parent] = true
	}
	delete(parents, "")
	for _, p := range slices.Sorted(maps.Keys(parents)) {
		fmt.Fprintf(&b, "%s > %v\n", p, s.Children(p))
	}
	return b.String()
}

// moreOf returns the version of each file, and the findings.
func moreOf(s *view.View) string {
	var b strings.Builder
	fmt.Fprintln(&b, s.Workspace().Version, s.AllBroken())
	for n := range s.All() {
		fmt.Fprintln(&b, n.Path, n.Version())
	}
	for _, d := range check.Diagnostics(check.View(s)) {
		fmt.Fprintln(&b, d)
	}
	return b.String()
}

func (l *followed) run(args ...string) string {
	cmd := exec.Command(l.git, args...)
	cmd.Dir = filepath.Dir(string(l.vault))
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=p", "GIT_AUTHOR_EMAIL=p@example.org",
		"GIT_COMMITTER_NAME=p", "GIT_COMMITTER_EMAIL=p@example.org")
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.rt.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// keep remembers the state of the files, in git where there is one.
func (l *followed) keep() {
	v := version{files: l.vault.files(l.t), model: l.model.clone()}
	if l.git != "" {
		v.commit = l.commit()
	}
	l.past = append(l.past, v)
}

func (l *followed) commit() string {
	l.run("add", "-A")
	l.run("commit", "-q", "--allow-empty", "-m", "kept")
	return l.run("rev-parse", "HEAD")
}

// checkout brings a state back: git does, or every file that differs is removed and made again, as git does it.
func (l *followed) checkout(v version, byGit bool) {
	l.model = v.model.clone()
	if byGit && v.commit != "" {
		l.commit()
		l.run("checkout", "-q", v.commit)
		return
	}
	now := l.vault.files(l.t)
	for name := range now {
		if v.files[name] != now[name] {
			l.must(os.Remove(l.vault.at(mdstore.Path(name))))
		}
	}
	for name, text := range v.files {
		if now[name] != text {
			l.vault.put(l.t, mdstore.Path(name), []byte(text))
		}
	}
	l.sweepFolders()
	// What is saved from now on was made from what came back. A server judges that when it is told; a process that is
	// not told looks at all.
	l.another(&crashtest.Life{}, func(env *ops.Env) { env.Engine.Live().Late(tctx, true) })
}

// sweepFolders removes folders that hold nothing, as git does.
func (l *followed) sweepFolders() {
	var dirs []string
	_ = filepath.WalkDir(string(l.vault), func(name string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() != mdstore.LocalDir {
			dirs = append(dirs, name)
		} else if err == nil && d.IsDir() {
			return fs.SkipDir
		}
		return err
	})
	for _, d := range slices.Backward(dirs) {
		_ = os.Remove(d) // one that is not empty stays
	}
}

func (l *followed) must(err error) {
	if err != nil {
		l.rt.Fatal(err)
	}
}
