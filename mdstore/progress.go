package mdstore

import (
	"context"
	"sync/atomic"
)

// A Progress shows a person how far long loops are. Several goroutines may use it at once.
type Progress interface {
	Show(loop *Loop, done int) // called after each step, and once before the first one
	End(loop *Loop, done int)  // called once, at the end, of a loop that was interrupted too
}

type progressKey struct{}

// WithProgress returns a context whose loops p shows.
func WithProgress(ctx context.Context, p Progress) context.Context {
	return context.WithValue(ctx, progressKey{}, p)
}

// A Loop counts the steps of a loop. A nil Loop counts nothing.
type Loop struct {
	What  string // what it counts, in the plural: "files written"
	Total int
	to    Progress
	done  atomic.Int64
}

// LoopOf begins to count a loop of that many steps; nil if the context has no Progress. The caller must End it.
func LoopOf(ctx context.Context, what string, total int) *Loop {
	p, ok := ctx.Value(progressKey{}).(Progress)
	if !ok {
		return nil
	}
	l := &Loop{What: what, Total: total, to: p}
	p.Show(l, 0)
	return l
}

// Done counts n more steps.
func (l *Loop) Done(n int) {
	if l != nil {
		l.to.Show(l, int(l.done.Add(int64(n))))
	}
}

// End ends the loop.
func (l *Loop) End() {
	if l != nil {
		l.to.End(l, int(l.done.Load()))
	}
}
