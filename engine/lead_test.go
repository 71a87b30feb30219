package engine_test

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"arbor/engine"
	"arbor/mdstore"
)

// A plan that panics does so where its caller can recover, whoever made it, and ends nobody else's.
func TestPanicsReachWhomTheyBelongTo(t *testing.T) {
	for at := range 2 { // in a group, and alone after the group has failed
		w, g := gatedWorld(t)
		boom, calls := errors.New("boom"), 0
		panics := wish{"panic", func(ctx context.Context, e *engine.Engine) (out *engine.Outcome, err error) {
			defer func() { err, _ = recover().(error) }()
			return e.Plan(ctx, benchWorkspace, func() error {
				if calls++; calls > at {
					panic(boom)
				}
				return nil
			})
		}, ""}
		all := []wish{logs(leaf(20), "zero"), logs(leaf(19), "one"), panics, logs(leaf(18), "three"), logs(leaf(17), "four")}
		g.before = func(changes []mdstore.Change) error {
			if at > 0 && len(changes) > 1 {
				return syscall.ENOSPC
			}
			return nil
		}
		outs, errs := atOnce(t, w.Engine, g, all, nil, nil)
		for i, x := range all {
			if i != 2 {
				x.check(t, outs[i], errs[i])
			} else if errs[i] != boom {
				t.Errorf("at %d: %v, %v; want the panic", at, outs[i], errs[i])
			}
		}
		if n := w.Engine.Waiting(); n != 0 || calls != at+1 {
			t.Errorf("at %d: %d wait on, and what panics was planned %d times", at, n, calls)
		}
	}
}
