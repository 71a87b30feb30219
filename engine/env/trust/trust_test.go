package trust_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/env"
	"arbor/engine/env/trust"
	"arbor/engine/errs"
)

var start = time.Date(2026, 11, 24, 9, 0, 0, 0, time.UTC)

// An environment is trusted with the id, URI, trust, tools and root that a person saw, and with no other.
func TestOnlyWhatAPersonSawIsTrusted(t *testing.T) {
	e := env.Environment{ID: "app", URI: "file:///src/app", Host: env.Server, Trust: env.Full, Tools: []string{"file_read", "test"}}
	b := &trust.Book{}
	if _, ok := b.Level(e, "/src/app"); ok {
		t.Error("nobody said so")
	}
	b.Trust(e, "/src/app", start)
	if l, ok := b.Level(e, "/src/app"); !ok || l != env.Full {
		t.Error("a person said so")
	}
	for what, change := range map[string]func(*env.Environment) string{
		"id":         func(e *env.Environment) string { e.ID = "other"; return "/src/app" },
		"uri":        func(e *env.Environment) string { e.URI += "/.."; return "/src/app" },
		"trust":      func(e *env.Environment) string { e.Trust = env.Restricted; return "/src/app" },
		"tools":      func(e *env.Environment) string { e.Tools = append(e.Tools, "more"); return "/src/app" },
		"less tools": func(e *env.Environment) string { e.Tools = e.Tools[:1]; return "/src/app" },
		"root":       func(*env.Environment) string { return "/src/elsewhere" },
	} {
		other := e
		if _, ok := b.Level(other, change(&other)); ok {
			t.Errorf("with another %s it is trusted", what)
		}
	}
}

// What was approved and granted stands where only the list of tools is another one, for the tools that it still has.
func TestAnotherListOfToolsKeepsApprovals(t *testing.T) {
	e := env.Environment{ID: "app", URI: "file:src", Host: env.Server, Trust: env.Restricted, Tools: []string{"test", "lint"}}
	test := trust.ApprovedTool{Environment: "app", Name: "test", Digest: "d"}
	lint := trust.ApprovedTool{Environment: "app", Name: "lint", Digest: "d"}
	call := trust.Call{Environment: "app", Tool: "test"}
	for what, x := range map[string]struct {
		change     func(*env.Environment) (root string)
		test, lint bool
	}{
		"a tool more":   {func(e *env.Environment) string { e.Tools = []string{"test", "lint", "more"}; return "/src" }, true, true},
		"a tool less":   {func(e *env.Environment) string { e.Tools = []string{"test"}; return "/src" }, true, false},
		"another order": {func(e *env.Environment) string { e.Tools = []string{"lint", "test"}; return "/src" }, true, true},
		"every tool":    {func(e *env.Environment) string { e.Tools = nil; return "/src" }, true, true},
		"another root":  {func(*env.Environment) string { return "/other" }, false, false},
		"another uri":   {func(e *env.Environment) string { e.URI = "file:."; return "/src" }, false, false},
		"more trust":    {func(e *env.Environment) string { e.Trust = env.Full; return "/src" }, false, false},
	} {
		b, now := &trust.Book{}, e
		b.Trust(e, "/src", start)
		b.Approve(test)
		b.Approve(lint)
		b.Grants = []trust.Grant{{ID: "g", Environment: "app", Tool: "test"}}
		root := x.change(&now)
		b.Trust(now, root, start)
		if got, _ := b.Spend(start, call); b.Approved(test) != x.test || b.Approved(lint) != x.lint || (got == trust.Approved) != x.test {
			t.Errorf("%s: test %v, lint %v, grant %q", what, b.Approved(test), b.Approved(lint), got)
		}
		if len(b.Environments) != 1 {
			t.Errorf("%s: %v", what, b.Environments)
		}
	}
}

// An approval of a program counts where nothing confines it only if a person saw that.
func TestUnconfinedIsApprovedByItself(t *testing.T) {
	b, def := &trust.Book{}, trust.ApprovedTool{Environment: "app", Name: "test", Digest: "d"}
	free := def
	free.Unconfined = true
	b.Approve(def)
	if !b.Approved(def) || b.Approved(free) {
		t.Error("what was approved as confined runs unconfined")
	}
	b.Approve(free)
	if !b.Approved(def) || !b.Approved(free) {
		t.Error("what may run unconfined may run confined")
	}
}

// An approval is of one call with these arguments and no others, once, and for ten minutes; whatever else was asked,
// answered and used before.
func TestAnApprovalIsOfOneCall(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, now := &trust.Book{}, start
		pick := func(name string, n int) string { return fmt.Sprint(name, rapid.IntRange(0, n).Draw(t, name)) }
		call := func() trust.Call {
			return trust.Call{
				Session: pick("s", 1), Environment: pick("e", 1), Tool: pick("t", 1), Path: "p", Version: pick("v", 1),
				Arguments: json.RawMessage(rapid.SampledFrom([]string{`{"a":1,"b":"x"}`, `{ "b": "x", "a": 1 }`, `{"a":1}`, `{"a":1.0}`}).Draw(t, "args")),
			}
		}
		key := func(c trust.Call) string {
			args := string(c.Arguments)
			if args == `{ "b": "x", "a": 1 }` {
				args = `{"a":1,"b":"x"}`
			}
			return fmt.Sprint(c.Session, c.Environment, c.Tool, c.Version, args)
		}
		allowed := map[string][]time.Time{} // by call, when each approval was given
		for n := range rapid.IntRange(1, 30).Draw(t, "steps") {
			switch c := call(); rapid.IntRange(0, 3).Draw(t, "step") {
			case 0:
				b.Ask(now, trust.Request{Kind: trust.KindCall, Call: c}, fmt.Sprint("r", n))
			case 1:
				if all := b.Pending(now); len(all) > 0 {
					r := rapid.SampledFrom(all).Draw(t, "request")
					yes := rapid.Bool().Draw(t, "yes")
					if _, err := b.Decide(now, r.ID, trust.Decision{Allow: yes, Scope: trust.Once}, "g"); err != nil {
						t.Fatal(err)
					}
					if yes {
						allowed[key(r.Call)] = append(allowed[key(r.Call)], now)
					}
				}
			case 2:
				k := key(c)
				if state := spend(b, now, c); state == trust.Approved {
					if len(allowed[k]) == 0 || now.Sub(allowed[k][len(allowed[k])-1]) > 10*time.Minute {
						t.Fatalf("nobody allowed %s now", k)
					}
					allowed[k] = allowed[k][:len(allowed[k])-1]
				}
			case 3:
				now = now.Add(time.Duration(rapid.IntRange(0, 700).Draw(t, "seconds")) * time.Second)
			}
		}
	})
}

func TestAGrantCoversItsPathsAndNoOthers(t *testing.T) {
	for _, c := range []struct {
		asked, glob, path string
		want              bool
	}{
		{"src/a.go", "", "src/a.go", true},
		{"src/a.go", "", "src/b.go", false},
		{"src/[a].go", "", "src/a.go", false},
		{"src/*.go", "", "src/a.go", false},
		{"src/a.go", "src/*.go", "src/b.go", true},
		{"src/a.go", "src/*.go", "src/x/b.go", false},
		{"src/a.go", "src/**", "src/x/y/b.go", true},
		{"src/a.go", "src/**/*.go", "src/b.go", true},
		{"src/a.go", "src/**/*.go", "test/b.go", false},
		{"src/a.go", "**/*.go", "b.md", false},
	} {
		b := &trust.Book{}
		asked := trust.Call{Session: "s", Environment: "e", Tool: "file_write", Path: c.asked, Version: "1", Arguments: json.RawMessage(`{"x":1}`)}
		r := b.Ask(start, trust.Request{Kind: trust.KindCall, Call: asked}, "r")
		if _, err := b.Decide(start, r.ID, trust.Decision{Allow: true, Scope: trust.ForSession, Glob: c.glob}, "g"); err != nil {
			t.Fatal(err)
		}
		spend(b, start, asked)
		call := asked
		call.Path, call.Version, call.Arguments = c.path, "2", json.RawMessage(`{"x":2}`)
		if got := spend(b, start.Add(time.Hour), call) == trust.Approved; got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
		call.Session = "other"
		if spend(b, start, call) == trust.Approved {
			t.Errorf("%+v: another session has it", c)
		}
		if err := b.Revoke("g"); err != nil || spend(b, start, asked) == trust.Approved {
			t.Errorf("%+v: revoked, and still there: %v", c, err)
		}
	}
	b := &trust.Book{}
	run := trust.Call{Session: "s", Environment: "e", Tool: "test", Arguments: json.RawMessage(`{"x":1}`)}
	r := b.Ask(start, trust.Request{Kind: trust.KindCall, Call: run}, "r")
	if _, err := b.Decide(start, r.ID, trust.Decision{Allow: true, Scope: trust.Always, Glob: "../**"}, "g"); err == nil {
		t.Error("a pattern leads out")
	}
	if _, err := b.Decide(start, r.ID, trust.Decision{Allow: true, Scope: trust.Always}, "g"); err != nil {
		t.Fatal(err)
	}
	spend(b, start, run)
	run.Session = "other"
	if spend(b, start.Add(time.Hour), run) != trust.Approved {
		t.Error("always is for every session")
	}
	run.Arguments = json.RawMessage(`{"x":2}`)
	if spend(b, start, run) == trust.Approved {
		t.Error("a command is granted with its exact arguments")
	}
}

func TestQuestionsEnd(t *testing.T) {
	b := &trust.Book{}
	c := trust.Call{Session: "s", Environment: "e", Tool: "t"}
	first := b.Ask(start, trust.Request{Kind: trust.KindCall, Call: c}, "1")
	if again := b.Ask(start.Add(time.Hour), trust.Request{Kind: trust.KindCall, Call: c}, "2"); again.ID != first.ID {
		t.Error("the same question is asked twice")
	}
	if _, err := b.Decide(start.Add(25*time.Hour), "1", trust.Decision{Allow: true}, ""); errs.As(err).Code != errs.RequestNotFound {
		t.Errorf("an old question is answered: %v", err)
	}
	r := b.Ask(start, trust.Request{Kind: trust.KindCall, Call: c}, "3")
	if _, err := b.Decide(start, r.ID, trust.Decision{}, ""); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if spend(b, start, c) != trust.Denied {
			t.Error("what is denied stays so")
		}
	}
	if spend(b, start.Add(11*time.Minute), c) != "" {
		t.Error("what is denied stays so for ten minutes only")
	}
	for n := range 300 {
		c.Tool = fmt.Sprint(n)
		b.Ask(start, trust.Request{Kind: trust.KindCall, Call: c}, fmt.Sprint("r", n))
	}
	if n := len(b.Pending(start)); n != 200 {
		t.Errorf("%d questions wait", n)
	}
}

func store(t *testing.T) (s *trust.Store, dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "trust")
	s, err := trust.At(dir, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s, dir
}

// Processes that decide at the same time lose nothing.
func TestRacingDecisionsLoseNothing(t *testing.T) {
	s, _ := store(t)
	var all sync.WaitGroup
	for n := range 20 {
		all.Go(func() {
			err := s.Update(t.Context(), func(b *trust.Book) error {
				b.Trust(env.Environment{ID: fmt.Sprint(n)}, "/", start)
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if b, err := s.Read(); err != nil || len(b.Environments) != 20 {
		t.Errorf("%v, %v", b, err)
	}
}

// What others can write to, what is damaged, and what is of another vault is no trust, and is not written over.
func TestWhatIsNotThisPersonsIsNoTrust(t *testing.T) {
	s, dir := store(t)
	if err := s.Update(t.Context(), func(b *trust.Book) error { b.Trust(env.Environment{ID: "e"}, "/", start); return nil }); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatal(files, err)
	}
	good, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(files[0]); runtime.GOOS != "windows" && (err != nil || info.Mode().Perm() != 0o600) {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	refused := func(what string) {
		t.Helper()
		_, err := s.Read()
		err2 := s.Update(t.Context(), func(*trust.Book) error { return nil })
		for _, err := range []error{err, err2} {
			if e := errs.As(err); e == nil || e.Code != errs.TrustDamaged {
				t.Errorf("%s: %v", what, err)
			}
		}
	}
	for what, text := range map[string]string{"damage": string(good[:len(good)/2]), "an unknown key": `{"vault":"x","all":true}`, "another vault": `{"vault":"/other"}`} {
		if err := os.WriteFile(files[0], []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		refused(what)
		if data, _ := os.ReadFile(files[0]); string(data) != text {
			t.Errorf("%s: it was written over", what)
		}
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := errors.Join(os.WriteFile(files[0], good, 0o600), os.Chmod(files[0], 0o622)); err != nil {
		t.Fatal(err)
	}
	refused("a file that others can write to")
	if err := errors.Join(os.Chmod(files[0], 0o600), os.Chmod(dir, 0o777)); err != nil {
		t.Fatal(err)
	}
	refused("a folder that others can write to")
	if err := errors.Join(os.Chmod(dir, 0o700), os.Rename(files[0], files[0]+".real"), os.Symlink(files[0]+".real", files[0])); err != nil {
		t.Fatal(err)
	}
	refused("a link")
}

func spend(b *trust.Book, now time.Time, c trust.Call) string {
	state, _ := b.Spend(now, c)
	return state
}

// A tab's secret is known for a week, and no other text is.
func TestATabIsKnownForAWeek(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	b := &trust.Book{}
	b.KeepTab(now, "a")
	if !b.KnowsTab(now.Add(6*24*time.Hour), "a") || b.KnowsTab(now, "b") || b.KnowsTab(now, "") {
		t.Errorf("%+v", b.Tabs)
	}
	if b.KnowsTab(now.Add(8*24*time.Hour), "a") {
		t.Error("a secret is known after eight days")
	}
	const most = 50
	for i := range 2 * most {
		b.KeepTab(now, fmt.Sprint(i))
	}
	if len(b.Tabs) != most || !b.KnowsTab(now, fmt.Sprint(2*most-1)) || b.KnowsTab(now, "0") {
		t.Errorf("%d tabs are kept", len(b.Tabs))
	}
	if data, err := json.Marshal(b); err != nil || strings.Contains(string(data), `"99"`) {
		t.Errorf("the book has a secret: %s, %v", data, err)
	}
}
