package cli

import (
	"context"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
)

// A loop that takes longer than a second is shown in one line, a few times a second, and the line is gone at its end. A
// shorter loop is never shown, and an interrupted one is told at the end.
func TestALongLoopIsShown(t *testing.T) {
	var to strings.Builder
	now := time.Unix(0, 0)
	p := newProgress(&to, func() time.Time { return now })
	ctx := mdstore.WithProgress(context.Background(), p)
	run := func(steps int, step time.Duration) string {
		to.Reset()
		l := mdstore.LoopOf(ctx, "files written", 100)
		for range steps {
			now = now.Add(step)
			l.Done(1)
		}
		l.End()
		return to.String()
	}
	if got := run(100, 9*time.Millisecond); got != "" || p.stopped() != "" {
		t.Errorf("a short loop shows %q, and says %q", got, p.stopped())
	}
	got := run(100, 50*time.Millisecond)
	if n := strings.Count(got, "files written"); n != 20 || !strings.HasPrefix(got, wipe+"files written: 20 of 100, about 4s left") {
		t.Errorf("a long loop shows %d lines: %q", n, got)
	}
	if !strings.HasSuffix(got, wipe) {
		t.Errorf("its line stays: %q", got)
	}
	if run(30, 50*time.Millisecond); p.stopped() != "stopped: files written: 30 of 100" {
		t.Errorf("an interrupted loop says %q", p.stopped())
	}
	if l := mdstore.LoopOf(context.Background(), "files", 9); l != nil {
		t.Error("a loop without a terminal is counted")
	}
	(*mdstore.Loop)(nil).Done(1)
	(*mdstore.Loop)(nil).End()
}

// Only stderr of a terminal shows progress.
func TestAPipeShowsNoProgress(t *testing.T) {
	for _, term := range []terminal{{}, {out: true}, {err: true}} {
		sh := &shell{sys: &System{Stderr: &strings.Builder{}}, term: term}
		ctx := sh.withProgress(context.Background())
		if l := mdstore.LoopOf(ctx, "files", 9); (l != nil) != term.err {
			t.Errorf("%+v: counted %v", term, l != nil)
		}
	}
}
