package feed_test

import (
	"context"
	"errors"
	"fmt"
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
	"arbor/engine/check"
	"arbor/engine/enginetest"
	"arbor/engine/feed"
	"arbor/engine/live"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

func nodeFile(i int) string { return fmt.Sprintf("ws-a/nodes/node-%d/Node.md", i) }

// A listener is who a feed of a vault in a folder tells. It keeps what the events lead to, from what there was when
// the feed began.
type listener struct {
	t       *testing.T
	dir     string
	feed    *feed.Feed
	engine  *engine.Engine
	began   chan feed.Baseline
	reports chan feed.Report
	away    chan error
	stop    func() error                         // ends the feed and returns what Run did
	after   func(time.Duration) <-chan time.Time // nil: time.After
	ended   func(error)                          // waits until the feed ends by itself, with that error
	started atomic.Bool

	events []feed.Event // since forget
	fields map[mdstore.Path]map[string]string
	faults map[string]int
	blank  map[mdstore.Path]bool
}

// listen runs a feed over the vault in a folder.
func listen(t *testing.T, dir string, ws mdstore.ID) *listener {
	t.Helper()
	l := newListener(t, dir, ws)
	l.run(func(ctx context.Context, e *engine.Engine) error { return l.feed.Run(ctx, e.Live()) })
	return l
}

func newListener(t *testing.T, dir string, ws mdstore.ID) *listener {
	l := &listener{t: t, dir: dir, began: make(chan feed.Baseline, 1), reports: make(chan feed.Report), away: make(chan error, 9), blank: map[mdstore.Path]bool{}}
	l.feed = &feed.Feed{
		Workspace: ws,
		Began:     func(b feed.Baseline) { l.began <- b },
		Tell:      func(r feed.Report) error { l.reports <- r; return nil },
		Away:      func(why error) { l.away <- why },
	}
	l.fields, l.faults = stateOf(t, dir)
	return l
}

// run runs the feed until the test or stop ends it.
func (l *listener) run(run func(context.Context, *engine.Engine) error) {
	l.t.Helper()
	st, err := dirstore.Open(l.dir, dirstore.Options{SaveQuiet: -1})
	l.must(err)
	l.feed.After = l.after
	e := enginetest.Open(l.t, st)
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
func (l *listener) serve(hear func(live.News)) {
	l.t.Helper()
	l.run(func(ctx context.Context, e *engine.Engine) error {
		ready, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			_ = e.Follow(ctx, func() { close(ready) }, hear)
		}()
		<-ready
		err := l.feed.Serve(ctx, e.Live())
		<-ended
		return err
	})
}

// stateOf reads the fields of every file in a vault, and its diagnostics.
func stateOf(t *testing.T, dir string) (map[mdstore.Path]map[string]string, map[string]int) {
	t.Helper()
	st, err := dirstore.Open(dir, dirstore.Options{SaveQuiet: -1})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	e := enginetest.Open(t, st)
	fields := map[mdstore.Path]map[string]string{}
	note := func(p mdstore.Path, d *mdoc.Doc) {
		fields[p] = map[string]string{}
		for _, f := range d.Fields() {
			if f.Kind != mdoc.Null {
				fields[p][f.Key] = f.Value
			}
		}
	}
	each(t, e, func(s *view.View) {
		note(s.Workspace().Path, s.Workspace().Doc)
		for n := range s.All() {
			note(n.Path, n.Doc())
		}
	})
	return fields, faultsOf(t, e)
}

// each calls f with each workspace of a vault, under whatever reads documents.
func each(t *testing.T, e *engine.Engine, f func(*view.View)) {
	t.Helper()
	all, err := e.Workspaces(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range all {
		v, err := e.Live().Current(t.Context(), w.ID)
		if err == nil {
			_, err = e.Live().Over(t.Context(), v, func(v *view.View) error { f(v); return nil })
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func faultsOf(t *testing.T, e *engine.Engine) map[string]int {
	t.Helper()
	faults := map[string]int{}
	each(t, e, func(v *view.View) {
		own := map[string]int{} // f may be called again
		for _, d := range check.Diagnostics(check.View(v)) {
			own[fault(d)]++
		}
		maps.Copy(faults, own)
	})
	return faults
}

func fault(d mdoc.Diagnostic) string { return d.File + ": " + d.Code + ": " + d.Text }

// take takes over what a report tells.
func (l *listener) take(r feed.Report) {
	l.t.Helper()
	if len(r.Events) == 0 || r.Time.IsZero() {
		l.t.Errorf("a report of nothing: %+v", r)
	}
	// What a report tells has happened at once, and says where files lay before: two may have changed places, and a
	// workspace may have moved without some of its nodes. So first those leave that are gone, then those that moved by
	// themselves, then what moved with a workspace.
	fields, faults := map[mdstore.Path]map[string]string{}, map[string]int{}
	for _, turn := range []struct {
		kind  string
		whole bool
	}{{view.Removed, false}, {view.Removed, true}, {view.Relocated, false}, {view.Relocated, true}} {
		for _, v := range r.Events {
			if whole := v.Node == "" && v.Nodes > 0; v.Kind == turn.kind && whole == turn.whole {
				l.leave(v, whole, fields, faults)
			}
		}
	}
	maps.Copy(l.fields, fields)
	for fault, n := range faults { // what is gone may have had the same one
		l.faults[fault] += n
	}
	for _, v := range r.Events {
		l.events = append(l.events, v)
		if l.blank[v.Path] = v.Blank; v.Kind == view.Added {
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
func (l *listener) leave(v feed.Event, whole bool, fields map[mdstore.Path]map[string]string, faults map[string]int) {
	l.t.Helper()
	left := v.Path
	if v.Kind == view.Relocated {
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
		if v.Kind == view.Removed {
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
		case v.Kind == view.Removed: // what was wrong with it is told as mended
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
func (l *listener) rewrite(v feed.Event) {
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

func lineOf(v feed.Event) string {
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

// agrees waits until the state that the events describe is that of the files, with the engine's diagnostics. For an
// unreadable file the engine's last state of it counts.
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

func put(t testing.TB, dir, name, text string) {
	t.Helper()
	enginetest.Put(t, dir, mdstore.Path(name), []byte(text))
}

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
