package engine_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/engine/sessions"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

const accessFile = mdstore.Path(".local/access")

// An accessWorld counts how often the file of accesses is written.
type accessWorld struct {
	*memstore.Store
	writes atomic.Int32
}

func (s *accessWorld) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	if name == "access" {
		s.writes.Add(1)
	}
	return s.Store.WriteLocal(ctx, name, data)
}

func newAccessWorld(t *testing.T) (*enginetest.World, *accessWorld) {
	var s *accessWorld
	w := enginetest.Over(t, memstore.New(enginetest.Plan("ws-a", "n1")), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
		s = &accessWorld{Store: st}
		return s
	})
	return w, s
}

func logLine(t *testing.T, e *engine.Engine) {
	t.Helper()
	if _, _, err := engine.Apply(t.Context(), e, "ws-a", plan.Act{}, plan.AppendLog{Event: "x"}); err != nil {
		t.Fatal(err)
	}
}

func TestAccessIsWrittenOnceAMinute(t *testing.T) {
	w, s := newAccessWorld(t)
	for range 10 {
		logLine(t, w.Engine)
		w.Engine.Touched(t.Context(), "ws-a")
	}
	if s.writes.Load() != 1 {
		t.Errorf("within one minute the file is written %d times; want once", s.writes.Load())
	}
	w.Tick(time.Minute)
	logLine(t, w.Engine)
	if got := w.Engine.Accessed(t.Context())["ws-a"]; s.writes.Load() != 2 || !got.Equal(w.Now()) {
		t.Errorf("a minute later: %d writes, access %v; want 2 and %v", s.writes.Load(), got, w.Now())
	}
	other := enginetest.Open(t, s) // another process, whose clock is ahead
	if got := other.Accessed(t.Context())["ws-a"]; !got.Equal(w.Now()) {
		t.Errorf("another engine reads %v, want %v", got, w.Now())
	}
}

func TestWhatCountsAsAccess(t *testing.T) {
	for name, test := range map[string]struct {
		do   func(*enginetest.World) error
		want bool
	}{
		"a view":  {func(w *enginetest.World) error { _, err := w.View(t.Context(), "ws-a"); return err }, false},
		"a write": {func(w *enginetest.World) error { logLine(t, w.Engine); return nil }, true},
		"a load":  {func(w *enginetest.World) error { w.Engine.Touched(t.Context(), "ws-a"); return nil }, true},
		"a dry run": {func(w *enginetest.World) error {
			_, _, err := engine.Apply(t.Context(), w.Engine, "ws-a", plan.Act{DryRun: true}, plan.AppendLog{Event: "x"})
			return err
		}, false},
		"bind": {func(w *enginetest.World) error {
			_, err := w.Bind(t.Context(), sessions.Binding{SessionID: "s", WorkspaceID: "ws-a"}, plan.Act{})
			return err
		}, true},
		"a dry bind": {func(w *enginetest.World) error {
			_, err := w.Bind(t.Context(), sessions.Binding{SessionID: "s", WorkspaceID: "ws-a"}, plan.Act{DryRun: true})
			return err
		}, false},
	} {
		w, _ := newAccessWorld(t)
		if err := test.do(w); err != nil {
			t.Fatal(err)
		}
		if _, ok := w.Engine.Accessed(t.Context())["ws-a"]; ok != test.want {
			t.Errorf("%s: noted is %v, want %v", name, ok, test.want)
		}
	}
}

func TestDamagedAccessFileLeavesAgesUnknown(t *testing.T) {
	for _, data := range []string{"", "null", "{", `{"ws-a":7}`, `{"ws-a":{"at":-4}}`, "\x00\xff"} {
		w, s := newAccessWorld(t)
		if err := s.Store.WriteLocal(t.Context(), "access", []byte(data)); err != nil {
			t.Fatal(err)
		}
		if got := w.Engine.Accessed(t.Context()); len(got) != 0 {
			t.Errorf("%q: accesses are %v, want none", data, got)
		}
		if logLine(t, w.Engine); len(w.Engine.Accessed(t.Context())) != 1 {
			t.Errorf("%q: %s does not know the write: %q", data, accessFile, s.Files()[accessFile])
		}
	}
}
