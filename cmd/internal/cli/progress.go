package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"arbor/mdstore"
)

const (
	patience = time.Second            // shows a loop that takes longer
	pace     = 200 * time.Millisecond // the least time between two lines
	wipe     = "\r\x1b[K"             // removes a line from a terminal
)

// A progress shows long loops in one line of a terminal, which it removes at the end.
type progress struct {
	to  io.Writer
	now func() time.Time

	mu    sync.Mutex
	begun map[*mdstore.Loop]time.Time
	last  time.Time
	shown bool     // the terminal has a line
	left  []string // loops that were interrupted
}

func newProgress(to io.Writer, now func() time.Time) *progress {
	return &progress{to: to, now: now, begun: map[*mdstore.Loop]time.Time{}}
}

// withProgress returns a context whose long loops are shown if stderr is a terminal that can remove a line.
func (sh *shell) withProgress(ctx context.Context) context.Context {
	if !sh.term.err || sh.getenv("TERM") == "dumb" {
		return ctx
	}
	sh.loops = newProgress(sh.sys.Stderr, time.Now)
	return mdstore.WithProgress(ctx, sh.loops)
}

// Show writes "files written: 300 of 1000, about 7s left".
func (p *progress) Show(l *mdstore.Loop, done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	begun, known := p.begun[l]
	if !known {
		begun, p.begun[l] = now, now
	}
	took := now.Sub(begun)
	if done == 0 || done >= l.Total || took < patience || now.Sub(p.last) < pace {
		return
	}
	p.last, p.shown = now, true
	left := (took / time.Duration(done) * time.Duration(l.Total-done)).Round(time.Second)
	fmt.Fprintf(p.to, "%s%s, about %v left", wipe, far(l, done), left)
}

// End removes the line.
func (p *progress) End(l *mdstore.Loop, done int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.begun, l)
	if p.shown {
		fmt.Fprint(p.to, wipe)
	}
	if p.shown = false; done < l.Total {
		p.left = append(p.left, far(l, done))
	}
}

func far(l *mdstore.Loop, done int) string { return fmt.Sprintf("%s: %d of %d", l.What, done, l.Total) }

// stopped says how far the loops were that an interruption ended; "" for none.
func (p *progress) stopped() string {
	if p == nil || len(p.left) == 0 {
		return ""
	}
	return "stopped: " + strings.Join(p.left, ", ")
}
