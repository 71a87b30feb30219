package ui

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

// A held is a store whose commits wait until they are released, while it is shut.
type held struct {
	*memstore.Store
	shut           bool
	begun, release chan struct{}
}

func (h *held) Update(ctx context.Context, f func(mdstore.Tx) error) error {
	if h.shut {
		h.begun <- struct{}{}
		<-h.release
	}
	return h.Store.Update(ctx, f)
}

// heldScreen returns a screen over a plan whose commits wait from now on.
func heldScreen(t *testing.T) (*screen, *held) {
	t.Helper()
	h := &held{begun: make(chan struct{}), release: make(chan struct{})}
	w := enginetest.Over(t, memstore.New(nil), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		h.Store = st
		return h
	})
	s := screenOver(t, w.Engine, 80, 24)
	h.shut = true
	return s, h
}

// begin presses a key that changes the vault, and returns when its commit waits.
func (s *screen) begin(h *held, key string) (done chan tea.Msg) {
	s.t.Helper()
	_, cmd := s.Update(pressed(key))
	return s.commit(h, cmd)
}

// commit runs the command of a change up to its commit.
func (s *screen) commit(h *held, cmd tea.Cmd) (done chan tea.Msg) {
	done = make(chan tea.Msg, 1)
	go func() { done <- cmd() }()
	<-h.begun
	return done
}

// end lets a commit happen. The screen hears of it, and the command of the next change is returned.
func (s *screen) end(h *held, done chan tea.Msg) tea.Cmd {
	for {
		select {
		case h.release <- struct{}{}:
		case <-h.begun: // an operation may commit several times
		case msg := <-done:
			_, cmd := s.Update(msg)
			return cmd
		}
	}
}

func (s *screen) cursor() string { return s.plan.rows[s.plan.at].Title }

// While a change waits for its commit, its row says so with the status that is true, and all other keys are answered.
func TestKeysAreAnsweredWhileAChangeWaits(t *testing.T) {
	s, h := heldScreen(t)
	s.press("j", "j")
	done := s.begin(h, "s")
	s.has("○ Sign-in endpoint", "… start")
	s.press("s")
	s.has("start is under way")
	s.press("j")
	golden(t, "80x24-under-way", "j j s s j", s.shown())
	if got := s.cursor(); got != "登录接口" {
		t.Errorf("the cursor is on %q", got)
	}
	s.press("tab", "tab")
	s.has("限流") // the node beside it
	s.press("shift+tab", "shift+tab", "/", "=Docs")
	s.has("filter: Docs (1)")
	s.press("esc", "?")
	s.has("go to the next node")
	s.press("esc")
	h.shut = false
	s.send(s.end(h, done)())
	s.has("◐ Sign-in endpoint", "implementing: Sign-in endpoint")
	s.hasNot("… start")
	if got := strings.Count(s.log("Sign-in endpoint"), "start:"); got != 1 {
		t.Errorf("it was started %d times", got)
	}
}

// log returns the log of a node.
func (s *screen) log(title string) string {
	s.t.Helper()
	i := slices.IndexFunc(s.plan.rows, func(r row) bool { return r.Title == title })
	out, err := ops.NodeGet(s.t.Context(), s.env(), ops.NodeGetIn{In: s.in(), NodeID: s.plan.rows[i].ID})
	if err != nil {
		s.t.Fatal(err)
	}
	var b strings.Builder
	for _, e := range out.Node.Log {
		b.WriteString(e.Event + "\n")
	}
	return b.String()
}

// Changes that are asked for while one waits are made in the order of the keys, each of the node that was under the
// cursor then.
func TestChangesKeepTheirOrder(t *testing.T) {
	s, h := heldScreen(t)
	s.press("j", "j")
	done := s.begin(h, "s")
	s.press("j", "s", "K", "j", "c", "=done", "enter", "G") // what follows the move waits for it
	s.has("… start")
	var order []string
	for {
		order = append(order, s.running.word+" "+s.plan.rows[s.plan.row(s.running.nodes[0])].Title)
		cmd := s.end(h, done)
		if s.running == nil {
			break
		}
		done = s.commit(h, cmd)
	}
	want := []string{"start Sign-in endpoint", "start 登录接口", "move 登录接口", "complete Sign-in endpoint"}
	if !slices.Equal(order, want) {
		t.Errorf("order\n got %q\nwant %q", order, want)
	}
	if got := s.cursor(); got != "Docs" {
		t.Errorf("the cursor went to %q", got)
	}
	s.has("✓ Sign-in endpoint", "◐ 登录接口")
}

// A change that failed is marked at its row, and the reason is there when the cursor comes back. A text that was refused
// after the person had gone on does not catch the keys.
func TestAFailureStaysAtItsRow(t *testing.T) {
	s, h := heldScreen(t)
	h.shut = false
	s.press("G", "c", "=all of it")
	_, cmd := s.Update(pressed("enter"))
	s.has("… complete")
	s.press("k", "k")
	s.send(cmd())
	golden(t, "80x24-failed", "G c =all of it enter k k", s.shown())
	if s.prompt != nil || s.cursor() != "Sign-in endpoint" {
		t.Fatalf("the keys go to %v", s.prompt)
	}
	s.press("k")
	s.hasNot("open criteria")
	s.press("G")
	s.has("open criteria")
	s.press("c")
	if got := s.prompt.text(); got != "all of it" {
		t.Errorf("the text came back as %q", got)
	}
	s.press("enter")
	s.has("Ctrl+O does it anyway")
	s.press("ctrl+o")
	s.has("✓ Docs")
	s.hasNot("! complete")
}

// A plan is not built again by an event that brings nothing new.
func TestAnEventWithoutNewsBuildsNothing(t *testing.T) {
	s := newScreen(t, 80, 24)
	s.press("G", "s")
	was := s.plan.tree[0]
	s.send(happened{})
	if s.plan.tree[0] != was {
		t.Error("the plan was loaded again")
	}
	s.other("log_append", map[string]any{"nodeId": "Docs", "event": "seen"})
	if s.plan.tree[0] == was {
		t.Error("the plan was not loaded after a change")
	}
}

// The program ends when the changes that were asked for are done, each once.
func TestQuittingWaitsForChanges(t *testing.T) {
	for _, again := range []bool{false, true} {
		s, h := heldScreen(t)
		keys, typed := io.Pipe()
		over := make(chan error, 1)
		opt := s.opt
		opt.In, opt.Out = keys, &bytes.Buffer{}
		go func() {
			_, err := Run(t.Context(), opt)
			over <- err
		}()
		_, _ = io.WriteString(typed, "jjs")
		<-h.begun
		_, _ = io.WriteString(typed, "jsq")
		if again {
			_, _ = io.WriteString(typed, "q") // it does not wait, but the change that runs has its end
		}
		select {
		case err := <-over:
			t.Fatalf("it ended before the commit: %v", err)
		default:
		}
		for ended := false; !ended; {
			select {
			case h.release <- struct{}{}:
			case <-h.begun:
			case err := <-over:
				if ended = true; err != nil {
					t.Fatal(err)
				}
			}
		}
		h.shut = false
		for _, title := range []string{"Sign-in endpoint", "登录接口"} {
			if got := strings.Count(s.log(title), "start:"); got > 1 || got != 1 && !again {
				t.Errorf("again %v: %s was started %d times", again, title, got)
			}
		}
	}
}
