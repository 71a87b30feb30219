package engine_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"arbor/engine"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

// A listener is who a feed of a vault in a folder tells. It keeps what the events lead to, from what there was when the feed began.
type listener struct {
	t       *testing.T
	dir     string
	feed    *engine.Feed
	engine  *engine.Engine
	began   chan engine.Baseline
	reports chan engine.Report
	away    chan error
	stop    func() error                         // ends the feed and returns what Run did
	after   func(time.Duration) <-chan time.Time // nil: time.After
	ended   func(error)                          // waits until the feed ends by itself, with that error
	started atomic.Bool

	events []engine.Event // since forget
	fields map[mdstore.Path]map[string]string
	faults map[string]int
	blank  map[mdstore.Path]bool
}

// listen runs a feed over the vault in a folder.
func listen(t *testing.T, dir string, ws mdstore.ID) *listener {
	t.Helper()
	l := newListener(t, dir, ws)
	l.run(func(ctx context.Context, e *engine.Engine) error { return l.feed.Run(ctx, e) })
	return l
}

func newListener(t *testing.T, dir string, ws mdstore.ID) *listener {
	l := &listener{t: t, dir: dir, began: make(chan engine.Baseline, 1), reports: make(chan engine.Report), away: make(chan error, 9), blank: map[mdstore.Path]bool{}}
	l.feed = &engine.Feed{
		Workspace: ws,
		Began:     func(b engine.Baseline) { l.began <- b },
		Tell:      func(r engine.Report) error { l.reports <- r; return nil },
		Away:      func(why error) { l.away <- why },
	}
	l.fields, l.faults = stateOf(t, dir)
	return l
}

// run runs the feed until the test or stop ends it.
func (l *listener) run(run func(context.Context, *engine.Engine) error) {
	l.t.Helper()
	st, err := dirstore.Open(l.dir, dirstore.Options{})
	l.must(err)
	e, err := engine.Open(l.t.Context(), st, engine.Options{After: l.after})
	l.must(err)
	l.engine = e
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- run(ctx, e) }()
	l.stop = sync.OnceValue(func() error {
		cancel()
		for {
			select {
			case err := <-done:
				l.must(st.Close())
				return err
			case <-l.reports:
			}
		}
	})
	l.t.Cleanup(func() { l.stop() })
	l.ended = func(want error) {
		l.t.Helper()
		if err := <-done; !errors.Is(err, want) {
			l.t.Errorf("it ends with %v, want %v", err, want)
		}
		done <- nil
	}
	if l.started.CompareAndSwap(false, true) {
		<-l.began
	}
}

// serve runs the feed without letting it follow the vault: news go to hear.
func (l *listener) serve(hear func(engine.News)) {
	l.t.Helper()
	l.run(func(ctx context.Context, e *engine.Engine) error {
		ready, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			_ = e.Follow(ctx, func() { close(ready) }, hear)
		}()
		<-ready
		err := l.feed.Serve(ctx, e)
		<-ended
		return err
	})
}

// stateOf reads the fields of every file in a vault, and its diagnostics.
func stateOf(t *testing.T, dir string) (map[mdstore.Path]map[string]string, map[string]int) {
	t.Helper()
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	e, err := engine.Open(t.Context(), st, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fields := map[mdstore.Path]map[string]string{}
	note := func(p mdstore.Path, d *mdoc.Doc) {
		fields[p] = map[string]string{}
		for _, f := range d.Fields() {
			if f.Kind != mdoc.Null {
				fields[p][f.Key] = f.Value
			}
		}
	}
	each(t, e, func(s *engine.Snapshot) {
		note(s.Workspace().Path, s.Workspace().Doc)
		for n := range s.All() {
			note(n.Path, n.Doc())
		}
	})
	return fields, faultsOf(t, e)
}

// each calls f with each workspace of a vault.
func each(t *testing.T, e *engine.Engine, f func(*engine.Snapshot)) {
	t.Helper()
	all, err := e.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		s, err := e.Snapshot(t.Context(), w.ID)
		if err != nil {
			t.Fatal(err)
		}
		f(s)
	}
}

func faultsOf(t *testing.T, e *engine.Engine) map[string]int {
	t.Helper()
	faults := map[string]int{}
	each(t, e, func(s *engine.Snapshot) {
		for _, d := range s.Diagnostics() {
			faults[fault(d)]++
		}
	})
	return faults
}

func fault(d mdoc.Diagnostic) string { return d.File + ": " + d.Code + ": " + d.Text }

// take takes over what a report tells.
func (l *listener) take(r engine.Report) {
	l.t.Helper()
	if len(r.Events) == 0 || r.Time.IsZero() {
		l.t.Errorf("a report of nothing: %+v", r)
	}
	// What a report tells has happened at once, and says where files lay before: two may have changed places, and a workspace may have moved without some of its
	// nodes. So first those leave that are gone, then those that moved by themselves, then what moved with a workspace.
	fields, faults := map[mdstore.Path]map[string]string{}, map[string]int{}
	for _, turn := range []struct {
		kind  string
		whole bool
	}{{engine.Removed, false}, {engine.Removed, true}, {engine.Relocated, false}, {engine.Relocated, true}} {
		for _, v := range r.Events {
			if whole := v.Node == "" && v.Nodes > 0; v.Kind == turn.kind && whole == turn.whole {
				l.leave(v, whole, fields, faults)
			}
		}
	}
	maps.Copy(l.fields, fields)
	maps.Copy(l.faults, faults)
	for _, v := range r.Events {
		l.events = append(l.events, v)
		if l.blank[v.Path] = v.Blank; v.Kind == engine.Added {
			if l.fields[v.Path] != nil {
				l.t.Errorf("%s is created and was there", v.Path)
			}
			l.fields[v.Path] = map[string]string{}
		}
		l.rewrite(v)
		for _, d := range v.Found {
			l.faults[fault(d)]++
		}
		for _, d := range v.Mended {
			if l.faults[fault(d)]--; l.faults[fault(d)] == 0 {
				delete(l.faults, fault(d))
			}
		}
	}
}

// leave takes what is gone or moved out of where it lay; what moved goes into fields and faults.
func (l *listener) leave(v engine.Event, whole bool, fields map[mdstore.Path]map[string]string, faults map[string]int) {
	l.t.Helper()
	left := v.Path
	if v.Kind == engine.Relocated {
		left = v.From
	}
	if l.fields[left] == nil {
		l.t.Errorf("%s is %s and was not there", left, v.Kind)
	}
	for p, f := range l.fields {
		if p != left && !(whole && p.Under(left.Dir())) {
			continue
		}
		delete(l.fields, p)
		if v.Kind == engine.Removed {
			continue
		}
		to := v.Path
		if p != left {
			to = v.Path.Dir() + p[len(left.Dir()):]
		}
		fields[to] = f
	}
	for old, n := range l.faults {
		file, rest, _ := strings.Cut(old, ":")
		p := mdstore.Path(file)
		switch {
		case v.Kind == engine.Removed: // what was wrong with it is told as mended
		case p == left:
			delete(l.faults, old)
			faults[string(v.Path)+":"+rest] += n
		case whole && p.Under(left.Dir()):
			delete(l.faults, old)
			faults[string(v.Path.Dir()+p[len(left.Dir()):])+":"+rest] += n
		}
	}
}

// rewrite takes over the fields that an event tells of.
func (l *listener) rewrite(v engine.Event) {
	l.t.Helper()
	for _, c := range v.Fields() {
		was, had := l.fields[v.Path][c.Key]
		if (c.From != nil) != had || had && *c.From != was {
			l.t.Errorf("%s %s: %s was %q, the event has it from %v", v.Kind, v.Path, c.Key, was, c.From)
		}
		if c.To == nil {
			delete(l.fields[v.Path], c.Key)
		} else {
			l.fields[v.Path][c.Key] = *c.To
		}
	}
}

const patience = 30 * time.Second

// until takes reports until what they tell, each event in a line, has that in it.
func (l *listener) until(want ...string) {
	l.t.Helper()
	late := time.After(patience)
	for {
		told := l.told()
		if !slices.ContainsFunc(want, func(s string) bool { return !strings.Contains(told, s) }) {
			return
		}
		select {
		case r := <-l.reports:
			l.take(r)
		case <-late:
			l.t.Fatalf("it is not told:\n got %s\nwant %q", told, want)
		}
	}
}

// next takes the next report.
func (l *listener) next() {
	l.t.Helper()
	select {
	case r := <-l.reports:
		l.take(r)
	case <-time.After(patience):
		l.t.Fatalf("nothing more is told:\n%s", l.told())
	}
}

// told returns the events, one a line.
func (l *listener) told() string {
	var b strings.Builder
	for _, v := range l.events {
		b.WriteString(lineOf(v) + "\n")
	}
	return b.String()
}

func lineOf(v engine.Event) string {
	s := fmt.Sprintf("%s %s %q %s", v.Kind, v.Node, v.Title, v.Path)
	if v.From != "" {
		s += " from " + string(v.From)
	}
	if v.Blank {
		s += " blank"
	}
	text := func(p *string) string {
		if p == nil {
			return "null"
		}
		return *p
	}
	for _, c := range v.Fields() {
		s += fmt.Sprintf(" %s:%s>%s", c.Key, text(c.From), text(c.To))
	}
	for _, c := range v.Sections() {
		s += fmt.Sprintf(" ##%s:%s%q%q", c.Name, c.Kind, c.Added, c.Removed)
	}
	for _, d := range v.Found {
		s += " !" + d.Code
	}
	for _, d := range v.Mended {
		s += " ok:" + d.Code
	}
	return s
}

// only wants the events to be these, which are in the order of being told.
func (l *listener) only(want ...string) {
	l.t.Helper()
	l.until(want...)
	if len(l.events) != len(want) {
		l.t.Errorf("told\n%swant %d events", l.told(), len(want))
	}
	l.events = nil
}

// agrees waits until the events have led to what the files say, and to the diagnostics that the engine has. Of a file that nobody can read the engine knows
// what it said, and the files do not.
func (l *listener) agrees() {
	l.t.Helper()
	for late := time.After(patience); ; {
		fields, _ := stateOf(l.t, l.dir)
		told := maps.Clone(l.fields)
		silent := func(p mdstore.Path, f map[string]string) bool { return len(f) == 0 || l.blank[p] }
		maps.DeleteFunc(told, silent)
		maps.DeleteFunc(fields, silent)
		faults := faultsOf(l.t, l.engine)
		if fmt.Sprint(fields) == fmt.Sprint(told) && fmt.Sprint(faults) == fmt.Sprint(l.faults) {
			l.events = nil
			return
		}
		select {
		case r := <-l.reports:
			l.take(r)
		case <-late:
			l.t.Fatalf("the events lead elsewhere: %s\n got %v\n     %v\nwant %v\n     %v", l.told(), told, l.faults, fields, faults)
		}
	}
}

func (l *listener) at(name string) string { return filepath.Join(l.dir, filepath.FromSlash(name)) }

func (l *listener) put(name, text string) { l.t.Helper(); put(l.t, l.dir, name, text) }

// swap saves a file in one step, so that nobody finds it half written.
func (l *listener) swap(name, text string) {
	l.t.Helper()
	l.put(name+".tmp", text)
	l.must(os.Rename(l.at(name+".tmp"), l.at(name)))
}

func (l *listener) must(err error) {
	l.t.Helper()
	if err != nil {
		l.t.Fatal(err)
	}
}

// small makes a vault with a workspace and so many nodes below its root.
func small(t testing.TB, nodes int) string {
	dir := filepath.Join(t.TempDir(), "vault")
	workspace(t, dir, "ws-a", nodes)
	return dir
}

func workspace(t testing.TB, dir, ws string, nodes int) {
	put(t, dir, ws+"/Workspace.md", "---\nid: "+ws+"\nname: Work\ngoal: g\nstatus: active\n---\n")
	put(t, dir, ws+"/nodes/root/Node.md", "---\nid: root\ntitle: Work\ntype: planning\nstatus: monitoring\n---\n")
	for i := range nodes {
		put(t, dir, fmt.Sprintf("%s/nodes/node-%d/Node.md", ws, i), node(fmt.Sprint("node-", i), "pending", ""))
	}
}

func node(id, status, body string) string {
	return "---\nid: " + id + "\ntitle: T " + id + "\ntype: execution\nstatus: " + status + "\nparentId: root\n---\n" + body
}

// However an editor saves, the change is told once, and as what it is.
func TestFeedTellsEverySave(t *testing.T) {
	l := listen(t, small(t, 3), "")
	file := l.at(nodeFile(0))
	for i, save := range []struct {
		name string
		do   func(text string) error
	}{
		{"in place", func(text string) error { return os.WriteFile(file, []byte(text), 0o666) }},
		{"emptied first, then written in two steps", func(text string) error {
			f, err := os.Create(file)
			l.must(err)
			_, err = f.WriteString(text[:9])
			l.must(err)
			_, err = f.WriteString(text[9:])
			return errors.Join(err, f.Close())
		}},
		{"beside it, and renamed over it", func(text string) error {
			return errors.Join(os.WriteFile(file+".tmp", []byte(text), 0o666), os.Rename(file+".tmp", file))
		}},
		{"with the old one as a backup", func(text string) error {
			return errors.Join(os.Rename(file, file+"~"), os.WriteFile(file, []byte(text), 0o666), os.Remove(file+"~"))
		}},
		{"deleted and made anew", func(text string) error {
			return errors.Join(os.Remove(file), os.WriteFile(file, []byte(text), 0o666))
		}},
	} {
		t.Log(save.name)
		was, is := "pending", "implementing"
		if i%2 == 1 {
			was, is = is, was
		}
		l.must(save.do(node("node-0", is, "")))
		l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:" + was + ">" + is + "\n")
	}
	l.agrees()
}

// A file that is being written is not told of as gone or damaged if what is missing comes in a moment; and if it does not, what it says later is compared with what it said before.
func TestFeedWaitsForWhatIsBeingWritten(t *testing.T) {
	t.Parallel()
	dir := small(t, 2)
	l := newListener(t, dir, "")
	looks, heard := make(chan chan time.Time, 99), make(chan engine.News, 99)
	l.after = func(time.Duration) <-chan time.Time { c := make(chan time.Time); looks <- c; return c }
	l.serve(func(n engine.News) { l.feed.Hear(n); heard <- n })
	again := func() {
		t.Helper()
		select {
		case c := <-looks:
			close(c)
		case r := <-l.reports:
			l.take(r)
			t.Fatalf("told at once:\n%s", l.told())
		case <-time.After(patience):
			t.Fatal("it neither tells nor waits")
		}
	}
	// saved makes a change while the feed waits, and lets it look when the change is known.
	saved := func(name, text string) {
		t.Helper()
		var c chan time.Time
		select {
		case c = <-looks:
		case <-time.After(patience):
			t.Fatal("it does not wait")
		}
		for len(heard) > 0 {
			<-heard
		}
		l.put(name, text)
		for n := range heard {
			if slices.Contains(n.Paths, mdstore.Path(name)) {
				break
			}
		}
		close(c)
	}

	l.put(nodeFile(0), "")
	saved(nodeFile(0), node("node-0", "implementing", ""))
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:pending>implementing\n")

	l.put(nodeFile(0), "---\nid: no")
	again()
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " blank !FRONT_MATTER_MISSING\n")
	l.put(nodeFile(0), node("node-0", "validating", ""))
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:implementing>validating ok:FRONT_MATTER_MISSING\n")

	l.must(os.RemoveAll(filepath.Dir(l.at(nodeFile(1)))))
	saved(nodeFile(1), node("node-1", "pending", ""))
	l.swap(nodeFile(0), node("node-0", "completed", "\n## Conclusion\n\nx\n"))
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:validating>completed ##Conclusion:created[][]\n")
	l.must(os.RemoveAll(filepath.Dir(l.at(nodeFile(1)))))
	again()
	l.only("removed node-1 \"T node-1\" " + nodeFile(1) + "\n")
	l.agrees()
}

// Folders, removals, copies, other ids, workspaces: each is told as what it is.
func TestFeedTellsWhatBecomesOfFiles(t *testing.T) {
	t.Parallel()
	l := listen(t, small(t, 3), "")
	step := func(name string, do func(), want ...string) {
		t.Helper()
		t.Log(name)
		do()
		l.only(want...)
		l.agrees()
	}
	step("a folder with its file", func() { l.put("ws-a/nodes/new/Node.md", node("node-mjv3xk00-00000n", "pending", "")) },
		`created node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/new/Node.md id:null>node-mjv3xk00-00000n title:null>T node-mjv3xk00-00000n type:null>execution status:null>pending parentId:null>root`+"\n")
	step("a folder that is renamed", func() { l.must(os.Rename(l.at("ws-a/nodes/new"), l.at("ws-a/nodes/neu"))) },
		`moved node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/neu/Node.md from ws-a/nodes/new/Node.md`+"\n")
	step("two that change places", func() {
		l.must(os.Rename(l.at("ws-a/nodes/node-0"), l.at("ws-a/nodes/.x")))
		l.must(os.Rename(l.at("ws-a/nodes/node-1"), l.at("ws-a/nodes/node-0")))
		l.must(os.Rename(l.at("ws-a/nodes/.x"), l.at("ws-a/nodes/node-1")))
	}, `moved node-1 "T node-1" ws-a/nodes/node-0/Node.md from ws-a/nodes/node-1/Node.md`+"\n", `moved node-0 "T node-0" ws-a/nodes/node-1/Node.md from ws-a/nodes/node-0/Node.md`+"\n")
	step("a folder in place of a file", func() {
		l.must(os.Remove(l.at(nodeFile(2))))
		l.must(os.Mkdir(l.at(nodeFile(2)), 0o777))
	}, `changed node-2 "T node-2" ws-a/nodes/node-2/Node.md blank !NOT_A_FILE`+"\n")
	step("and a file again", func() {
		l.must(os.Remove(l.at(nodeFile(2))))
		l.put(nodeFile(2), node("node-2", "implementing", ""))
	}, `changed node-2 "T node-2" ws-a/nodes/node-2/Node.md status:pending>implementing ok:NOT_A_FILE`+"\n")
	step("a copy", func() { l.must(os.CopyFS(l.at("ws-a/nodes/copy"), os.DirFS(l.at("ws-a/nodes/neu")))) },
		`created node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/copy/Node.md id:null>node-mjv3xk00-00000n title:null>T node-mjv3xk00-00000n type:null>execution status:null>pending parentId:null>root !DUPLICATE_ID !DUPLICATE_ID`+"\n")
	step("another id for it", func() { l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "")) },
		`changed node-c "T node-c" ws-a/nodes/copy/Node.md id:node-mjv3xk00-00000n>node-c title:T node-mjv3xk00-00000n>T node-c ok:DUPLICATE_ID ok:DUPLICATE_ID`+"\n")
	step("a status that the table forbids", func() { l.swap("ws-a/nodes/copy/Node.md", node("node-c", "done", "")) },
		`changed node-c "T node-c" ws-a/nodes/copy/Node.md status:pending>done !STATUS_INVALID`+"\n")
	step("a line above it", func() { l.swap("ws-a/nodes/copy/Node.md", "---\n# c\n"+node("node-c", "done", "")[4:]) },
		`changed node-c "T node-c" ws-a/nodes/copy/Node.md`+"\n")
	step("a log and lists", func() {
		l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n- free\n\n## Docs\n\n- a.md: x\n\n## Note\n\nn\n"))
	}, `status:done>pending ##Log:created["[2026-01-01 10:00:00] [AI] Started" "free"][] ##Docs:created["a.md: x"][] ##Note:created[][] ok:STATUS_INVALID`)
	step("more of it", func() {
		l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n- free\n- free\n\n## Docs\n\n- b.md: x\n"))
	}, `##Log:changed["free"][] ##Docs:changed["b.md: x"]["a.md: x"] ##Note:removed[][]`)
	step("a reference to what then goes", func() {
		l.swap("ws-a/nodes/copy/Node.md", node("node-c", "pending", "\n## References\n\n- node-mjv3xk00-00000n: why\n"))
	}, `##References:created["node-mjv3xk00-00000n: why"][]`)
	step("what it refers to", func() { l.must(os.RemoveAll(l.at("ws-a/nodes/neu"))) },
		`removed node-mjv3xk00-00000n "T node-mjv3xk00-00000n" ws-a/nodes/neu/Node.md !REFERENCE_DANGLING`+"\n")
	step("a folder without a file", func() { l.must(os.Mkdir(l.at("ws-a/nodes/void"), 0o777)) },
		`diagnosed  "" ws-a/nodes/void/Node.md !FILE_MISSING`+"\n")
	step("a file that nobody can read", func() { l.must(os.Mkdir(l.at("ws-a/nodes/void/Node.md"), 0o777)) },
		`created void "void" ws-a/nodes/void/Node.md blank !NOT_A_FILE ok:FILE_MISSING`+"\n")
	step("that goes", func() { l.must(os.RemoveAll(l.at("ws-a/nodes/void"))) },
		`removed void "void" ws-a/nodes/void/Node.md ok:NOT_A_FILE`+"\n")
	step("another workspace", func() { workspace(t, l.dir, "ws-b", 1) },
		`created  "Work" ws-b/Workspace.md`, `created root "Work" ws-b/nodes/root/Node.md`, `created node-0 "T node-0" ws-b/nodes/node-0/Node.md`)
	step("in the archive", func() {
		l.must(os.Mkdir(l.at("archive"), 0o777))
		l.must(os.Rename(l.at("ws-b"), l.at("archive/ws-b")))
	}, `moved  "Work" archive/ws-b/Workspace.md from ws-b/Workspace.md !STATUS_INVALID`+"\n")
	step("and back, with a change", func() {
		l.must(os.Rename(l.at("archive/ws-b"), l.at("ws-b")))
		l.swap("ws-b/nodes/node-0/Node.md", node("node-0", "implementing", ""))
	}, `moved  "Work" ws-b/Workspace.md from archive/ws-b/Workspace.md ok:STATUS_INVALID`+"\n", `changed node-0 "T node-0" ws-b/nodes/node-0/Node.md status:pending>implementing`+"\n")
	// Two workspaces with one id are not to be read by it.
	l.must(os.CopyFS(l.at("ws-c"), os.DirFS(l.at("ws-b"))))
	l.until(`created  "Work" ws-c/Workspace.md id:null>ws-b`, `created root "Work" ws-c/nodes/root/Node.md`, `created node-0 "T node-0" ws-c/nodes/node-0/Node.md`, ` !DUPLICATE_ID`+"\n")
	l.swap("ws-c/nodes/node-0/Node.md", node("node-0", "completed", "\n## Conclusion\n\nx\n"))
	l.until(`changed node-0 "T node-0" ws-c/nodes/node-0/Node.md status:implementing>completed`)
	l.events = nil
	l.must(os.RemoveAll(l.at("ws-b")))
	l.only(`removed  "Work" ws-b/Workspace.md ok:DUPLICATE_ID ok:DUPLICATE_ID` + "\n")
	l.agrees()
}

// A vault that is away is told of once, and when it is back what differs; so is one that another came in the place of.
func TestFeedOfAVaultThatMoves(t *testing.T) {
	t.Parallel()
	l := listen(t, small(t, 2), "")
	aside := l.dir + "-aside"
	for i, status := range []string{"implementing", "pending"} {
		l.must(os.Rename(l.dir, aside))
		if why := <-l.away; !errors.Is(why, fs.ErrNotExist) {
			t.Errorf("away as %v", why)
		}
		put(t, aside, nodeFile(i), node(fmt.Sprint("node-", i), "implementing", ""))
		put(t, aside, nodeFile(1), node("node-1", status, "\nx\n"))
		l.must(os.Rename(aside, l.dir))
		if why := <-l.away; why != nil {
			t.Errorf("back as %v", why)
		}
		l.until(fmt.Sprintf(`changed node-1 "T node-1" %s`, nodeFile(1)))
		l.agrees()
	}
	l.must(os.Rename(l.dir, aside))
	<-l.away
	l.must(os.CopyFS(l.dir, os.DirFS(aside)))
	put(t, l.dir, nodeFile(0), node("node-0", "validating", ""))
	l.ended(mdstore.ErrReplaced)
	l.run(func(ctx context.Context, e *engine.Engine) error { return l.feed.Run(ctx, e) })
	if why := <-l.away; why != nil {
		t.Errorf("back as %v", why)
	}
	l.only("changed node-0 \"T node-0\" " + nodeFile(0) + " status:implementing>validating\n")
	l.agrees()
}
