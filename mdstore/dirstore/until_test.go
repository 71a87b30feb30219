package dirstore

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A write that waits for git goes on in git's first pause, also if git is at work nearly all the time. In a long wait,
// it checks rarely.
func TestAWriteIsNotStarvedByGit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, busy := range []time.Duration{50, 300, 550, 850} {
			for range 100 {
				begun, looks := time.Now(), 0
				idle := func() bool {
					looks++
					return time.Since(begun)%(time.Second) >= busy*time.Millisecond
				}
				if err := until(t.Context(), idle); err != nil || time.Since(begun) >= time.Second {
					t.Fatalf("busy for %v of a second: waited %v, error %v", busy*time.Millisecond, time.Since(begun), err)
				}
				if looks > 60 {
					t.Errorf("%d looks in %v", looks, time.Since(begun))
				}
			}
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		looks := 0
		if err := until(ctx, func() bool { looks++; return false }); err == nil || looks > int(time.Hour/pauseMost)+20 {
			t.Errorf("%d looks in an hour, error %v", looks, err)
		}
	})
}
