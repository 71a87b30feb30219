package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"arbor/context/render"
	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
)

// A screen is a Model that a test types at. Commands run at once, so that a key is answered when press returns.
type screen struct {
	*Model
	t     testing.TB
	world *engine.Engine
	quit  bool
}

// newScreen returns a screen over a small plan in memory.
func newScreen(t testing.TB, w, h int) *screen {
	t.Helper()
	return screenOver(t, enginetest.New(t, nil).Engine, w, h)
}

// onDisk returns one over the same plan in a folder, where operations can be undone.
func onDisk(t testing.TB, w, h int) *screen {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	if err := dirstore.Create(dir); err != nil {
		t.Fatal(err)
	}
	return screenOver(t, enginetest.Open(t, enginetest.OpenDir(t, dir)), w, h)
}

func screenOver(t testing.TB, e *engine.Engine, w, h int) *screen {
	t.Helper()
	s := &screen{t: t, world: e}
	s.do("workspace_init", map[string]any{"name": "Login", "goal": "Users sign in"})
	s.do("node_create", map[string]any{"title": "Backend", "type": "planning", "children": []any{
		map[string]any{"title": "Sign-in endpoint", "requirement": "POST /sign-in, rate limited"},
		map[string]any{"title": "登录接口", "requirement": "限流"},
	}})
	s.do("node_create", map[string]any{"title": "Docs", "requirement": "One page", "criteria": []any{"short", "true"}})
	s.start(w, h)
	return s
}

// start opens the screen on what the world has.
func (s *screen) start(w, h int) {
	s.t.Helper()
	s.Model = newModel(s.t.Context(), Options{Env: func() *ops.Env {
		return &ops.Env{Engine: s.world, Caller: ops.ByDecider, Operator: mdstore.OperatorHuman, Voice: ops.Shell}
	}})
	if err := s.open(); err != nil {
		s.t.Fatal(err)
	}
	s.send(tea.WindowSizeMsg{Width: w, Height: h})
}

// do calls an operation as an assistant does.
func (s *screen) do(name string, args map[string]any) {
	s.t.Helper()
	o, ok := ops.Find(name)
	if !ok {
		s.t.Fatalf("there is no operation %s", name)
	}
	env := &ops.Env{Engine: s.world, Operator: mdstore.OperatorAI, Names: ops.NamesLoose}
	if _, err := o.Call(s.t.Context(), env, enginetest.Args(args)); err != nil {
		s.t.Fatalf("%s %v: %v", name, args, err)
	}
}

// other is do, and then the screen hears of it.
func (s *screen) other(name string, args map[string]any) {
	s.t.Helper()
	s.do(name, args)
	s.send(happened{})
}

// send gives the screen a message, and then the results of all commands that follow.
func (s *screen) send(msg tea.Msg) {
	if all, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range all {
			if cmd != nil {
				s.send(cmd())
			}
		}
		return
	}
	switch msg.(type) {
	case nil:
		return
	case tea.QuitMsg:
		s.quit = true
		return
	}
	if _, cmd := s.Update(msg); cmd != nil {
		s.send(cmd())
	}
}

var codes = map[string]rune{"up": tea.KeyUp, "down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight,
	"enter": tea.KeyEnter, "esc": tea.KeyEscape, "tab": tea.KeyTab, "space": tea.KeySpace, "f2": tea.KeyF2,
	"backspace": tea.KeyBackspace, "delete": tea.KeyDelete, "pgdown": tea.KeyPgDown, "home": tea.KeyHome}

// press presses keys; a word behind "=" is typed letter by letter.
func (s *screen) press(keys ...string) {
	s.t.Helper()
	for _, k := range keys {
		if text, ok := strings.CutPrefix(k, "="); ok {
			for _, r := range text {
				s.send(tea.KeyPressMsg{Code: r, Text: string(r)})
			}
			continue
		}
		s.send(pressed(k))
	}
}

// paste pastes a text, as terminals do between marks.
func (s *screen) paste(text string) { s.send(tea.PasteMsg{Content: text}) }

func pressed(k string) tea.KeyPressMsg {
	var msg tea.KeyPressMsg
	for _, mod := range []struct {
		name string
		mod  tea.KeyMod
	}{{"ctrl+", tea.ModCtrl}, {"alt+", tea.ModAlt}, {"shift+", tea.ModShift}} {
		if rest, ok := strings.CutPrefix(k, mod.name); ok {
			k, msg.Mod = rest, msg.Mod|mod.mod
		}
	}
	if code, ok := codes[k]; ok {
		msg.Code = code
		return msg
	}
	msg.Code = []rune(k)[0]
	if msg.Mod == 0 {
		msg.Text = k
	}
	return msg
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// shown returns the screen as text, and checks that each line is as wide as the screen.
func (s *screen) shown() string {
	s.t.Helper()
	lines, _ := s.draw()
	if len(lines) != s.h {
		s.t.Errorf("%d lines on a screen of %d", len(lines), s.h)
	}
	var b strings.Builder
	for _, l := range lines {
		l = sgr.ReplaceAllString(l, "")
		if got := render.Columns(l); got != s.w {
			s.t.Errorf("a line of %d columns on a screen of %d: %q", got, s.w, l)
		}
		b.WriteString(strings.TrimRight(l, " ") + "\n")
	}
	return b.String()
}

// has checks that the screen shows each text.
func (s *screen) has(all ...string) {
	s.t.Helper()
	got := s.shown()
	for _, want := range all {
		if !strings.Contains(got, want) {
			s.t.Errorf("the screen does not show %q:\n%s", want, got)
		}
	}
}

// hasNot checks that the screen shows none of the texts.
func (s *screen) hasNot(all ...string) {
	s.t.Helper()
	got := s.shown()
	for _, not := range all {
		if strings.Contains(got, not) {
			s.t.Errorf("the screen shows %q:\n%s", not, got)
		}
	}
}

// Keys move the cursor, fold, and open the node; what others do appears.
func TestOutlineIsLive(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.has("▾ ◈ Login", "  ▾ ◈ Backend", "○ 登录接口")
	s.press("down", "h")
	s.has("▸ ◈ Backend")
	s.hasNot("│ ○ Sign-in endpoint", "    ○ Sign-in endpoint")
	s.press("l", "j")
	if got := s.plan.rows[s.plan.at].Title; got != "Sign-in endpoint" {
		t.Fatalf("the cursor is on %q", got)
	}
	s.press("space")
	s.has("Requirement", "POST /sign-in, rate limited")
	s.other("node_transition", map[string]any{"nodeId": "Sign-in endpoint", "action": "start"})
	s.has("◐ Sign-in endpoint", "◐ implementing  execution")
	s.other("node_create", map[string]any{"title": "First of all", "before": "Backend"})
	if got := s.plan.rows[s.plan.at].Title; got != "Sign-in endpoint" {
		t.Errorf("the cursor went to %q", got)
	}
	s.other("node_delete", map[string]any{"nodeId": "Sign-in endpoint"})
	s.has("○ First of all")
	s.press("?")
	s.has("go to the next node")
	s.press("esc", "q")
	if !s.quit {
		t.Error("q does not quit")
	}
}

// Nodes are added, renamed, moved, worked on and deleted by keyboard; each step is undone by u.
func TestWorkByKeyboard(t *testing.T) {
	s := onDisk(t, 120, 24)
	plan := func() string {
		var b strings.Builder
		for _, r := range s.plan.rows {
			b.WriteString(strings.Repeat("-", r.depth) + r.Title + " " + string(r.Status) + "\n")
		}
		return b.String()
	}
	began := plan()
	s.press("j", "n", "=Limits", "enter", "=Errors", "tab", "=404", "enter", "shift+tab", "=Tests", "enter", "esc")
	want := "Login monitoring\n-Backend monitoring\n--Sign-in endpoint pending\n--登录接口 pending\n--Limits pending\n" +
		"--Errors monitoring\n---404 pending\n--Tests pending\n-Docs pending\n"
	if got := plan(); got != want {
		t.Fatalf("after adding\n got\n%s\nwant\n%s", got, want)
	}
	s.press("r", "=!", "enter", "alt+up", "s")
	s.has("implementing: Tests!")
	s.press("c", "=all green", "enter", "L")
	want = strings.Replace(want, "--Tests pending\n", "", 1)
	want = strings.Replace(want, "--Errors", "--Tests! completed\n--Errors", 1)
	if got := plan(); got != want {
		t.Fatalf("after work\n got\n%s\nwant\n%s\n%s", got, want, s.said)
	}
	for range 8 {
		s.press("u")
	}
	if got := plan(); got != began {
		t.Errorf("undone\n got\n%s\nwant\n%s\n%s", got, began, s.said)
	}
	s.press("k", "delete", "y")
	if got := plan(); strings.Contains(got, "登录接口") || !strings.Contains(s.said, "deleted: 登录接口") {
		t.Errorf("after delete\n%s\n%s", got, s.said)
	}
	if s.press("ctrl+z"); plan() != began {
		t.Errorf("after its undo\n%s", plan())
	}
}

// A refused text stays in its line, a text that was left comes back, and what is typed at the end is not lost.
func TestTypedTextIsKept(t *testing.T) {
	s := newScreen(t, 80, 24)
	long := strings.Repeat("x", 201)
	s.press("n", "="+long, "enter")
	if !s.failed || s.prompt == nil || s.prompt.text() != long {
		t.Fatalf("the refused title is gone: %q", s.said)
	}
	s.press("esc", "j", "n")
	if got := s.prompt.text(); got != long {
		t.Errorf("it came back as %q", got)
	}
	s.press("ctrl+u", "esc", "end", "s", "c", "=Half of it", "esc", "c")
	if got := s.prompt.text(); got != "Half of it" {
		t.Errorf("the conclusion came back as %q", got)
	}
	s.press("enter")
	s.has("Ctrl+O does it anyway", "Half of it")
	s.press("ctrl+c")
	file := strings.TrimPrefix(s.keepTyped(), "what you typed and did not save is in ")
	defer os.Remove(file)
	if text, err := os.ReadFile(file); err != nil || string(text) != "Half of it\n" {
		t.Errorf("the file has %q, %v", text, err)
	}
	s.press("ctrl+o")
	s.has("completed: Docs")
	if got := s.keepTyped(); got != "" {
		t.Errorf("a saved text is said to be kept: %s", got)
	}
}

// Keys that come while an operation runs wait for it.
func TestKeysWaitForAnOperation(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.press("n", "=One")
	_, cmd := s.Update(pressed("enter"))
	for _, k := range []string{"T", "w", "o", "enter", "esc"} {
		if _, more := s.Update(pressed(k)); more != nil {
			t.Fatalf("%s was answered", k)
		}
	}
	s.send(cmd())
	if got := s.plan.rows[len(s.plan.rows)-1].Title; got != "Two" || s.prompt != nil {
		t.Errorf("the last node is %q", got)
	}
}

// A terminal sends Esc and a key right behind it as Alt with that key.
func TestEscapeAndAKey(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.press("/", "=Docs", "enter", "alt+j", "n", "=x", "alt+j")
	if s.filter != "" || s.prompt != nil || s.plan.rows[s.plan.at].Title != "Docs" {
		t.Errorf("filter %q, cursor %d\n%s", s.filter, s.plan.at, s.shown())
	}
}

// Criteria are ticked, and a file that changed meanwhile is not ticked by number.
func TestCriteriaAreTicked(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.press("end", "t", "space")
	s.has("☑ short", "☐ true")
	s.do("node_update", map[string]any{"nodeId": "Docs", "criteria": []any{"new", "short", "true"}})
	s.press("j", "space")
	s.has("☐ new", "☑ short", "☐ true")
	s.press("j", "space")
	s.has("☑ true")
	s.do("log_append", map[string]any{"nodeId": "Docs", "event": "seen"})
	s.press("space", "esc")
	s.has("☐ true")
}

// The editor gets the text that is being typed. If the text cannot be saved, it stays in the file that is named.
func TestTextFromTheEditor(t *testing.T) {
	s := newScreen(t, 80, 24)
	file := ""
	s.opt.Editor = func(f string) *exec.Cmd { file = f; return nil }
	s.exec = func(_ *exec.Cmd, over tea.ExecCallback) tea.Cmd {
		return func() tea.Msg { return over(os.WriteFile(file, []byte("# Done\n\nand more\n"), 0o600)) }
	}
	s.press("end", "s", "c", "ctrl+e")
	if got := s.prompt.text(); got != "# Done\n\nand more" {
		t.Fatalf("the text is %q", got)
	}
	s.press("enter")
	s.has("is also in")
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	s.press("ctrl+o")
	if _, err := os.Stat(file); err == nil {
		t.Error("the file of a saved text is still there")
	}
}

// If the vault has no files on this machine, e edits a copy. Text that others wrote meanwhile is not lost. The person's
// text is not lost either if both changed the same part.
func TestNodeInTheEditorOnAServer(t *testing.T) {
	s := newScreen(t, 120, 24)
	file, mine, theirs := "", "", ""
	s.opt.Editor = func(f string) *exec.Cmd { file = f; return nil }
	s.exec = func(_ *exec.Cmd, over tea.ExecCallback) tea.Cmd {
		return func() tea.Msg {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if theirs != "" {
				s.do("node_update", map[string]any{"nodeId": "Docs", "requirement": theirs})
			}
			return over(os.WriteFile(file, []byte(strings.Replace(string(text), "One page", mine, 1)), 0o600))
		}
	}
	s.press("end", "space")
	for _, step := range []struct{ mine, theirs, said, shown string }{
		{"One page", "", "nothing was changed", "One page"},
		{"One page, printed", "", "saved in the editor", "One page, printed"},
		{"One page, read", "Two pages", "not saved: somebody changed Requirement meanwhile", "Two pages"},
	} {
		mine, theirs = step.mine, step.theirs
		s.press("e")
		s.has(step.said, step.shown)
		text, err := os.ReadFile(file)
		if kept := err == nil; kept != (step.theirs != "") || kept && !strings.Contains(string(text), mine) {
			t.Errorf("%q: the copy is there: %v\n%s", step.said, kept, text)
		}
	}
	os.Remove(file)
}
