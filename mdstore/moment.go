package mdstore

import (
	"context"
	"sync"
	"time"
)

// A moment remembers which stores were asked for their generation, and when.
type moment struct{ asked sync.Map }

type momentKey struct{}

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

// Asked returns when the store was asked in the moment of the context, the zero time for never.
func Asked(ctx context.Context, store any) (at time.Time) {
	if m, _ := ctx.Value(momentKey{}).(*moment); m != nil {
		if v, ok := m.asked.Load(store); ok {
			at = v.(time.Time)
		}
	}
	return at
}

// Told notes for Asked that the store was asked at a time.
func Told(ctx context.Context, store any, at time.Time) {
	if m, _ := ctx.Value(momentKey{}).(*moment); m != nil {
		m.asked.Store(store, at)
	}
}
