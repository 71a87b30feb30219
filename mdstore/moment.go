package mdstore

import (
	"context"
	"sync"
	"time"
)

// A moment remembers which stores were asked for their generation, and when.
type moment struct{ asked sync.Map }

type momentKey struct{}

// momentLasts bounds a moment: an operation that waits for something sees it.
const momentLasts = 200 * time.Millisecond

// WithMoment returns a context for one operation. A store that must ask a server for its generation does so once in a
// moment: what others commit meanwhile, the operation need not see. What it reads all the same, it must not take for
// the same state of the vault unless it asks again with Now.
func WithMoment(ctx context.Context) context.Context {
	return context.WithValue(ctx, momentKey{}, &moment{})
}

// Now returns a context with which every store is asked anew.
func Now(ctx context.Context) context.Context {
	if ctx.Value(momentKey{}) == nil {
		return ctx
	}
	return context.WithValue(ctx, momentKey{}, (*moment)(nil))
}

// Asked reports whether the store was asked already in the moment of the context.
func Asked(ctx context.Context, store any) bool {
	m, _ := ctx.Value(momentKey{}).(*moment)
	if m == nil {
		return false
	}
	at, ok := m.asked.Load(store)
	return ok && time.Since(at.(time.Time)) < momentLasts
}

// Told notes that the store was asked at a time, for Asked.
func Told(ctx context.Context, store any, at time.Time) {
	if m, _ := ctx.Value(momentKey{}).(*moment); m != nil {
		m.asked.Store(store, at)
	}
}
