package dirstore

import (
	"runtime"
	"sync"
	"time"
)

// With a cold cache the disk decides, and it is fastest with many reads in flight. But a goroutine that waits for the disk keeps its processor, as far as the
// runtime knows, until it is found out: with two of them, few reads are in flight. So a skim that finds itself waiting has more for as long as it lasts.
const (
	wideReads = 64                     // in flight, when the disk decides
	waiting   = 100 * time.Microsecond // for each folder, and longer, is waiting for the disk: what is in memory takes a tenth of it
)

// A width is how many goroutines may be in calls of the system, for all skims of the process.
var width struct {
	mu    sync.Mutex
	users int // guarded by mu: skims that have asked for more
	was   int // guarded by mu: before the first of them
}

// widen lets more goroutines run until narrow is called.
func widen() (narrow func()) {
	width.mu.Lock()
	defer width.mu.Unlock()
	if width.users++; width.users == 1 {
		width.was = runtime.GOMAXPROCS(0)
		if width.was < wideReads {
			runtime.GOMAXPROCS(wideReads)
		}
	}
	return func() {
		width.mu.Lock()
		defer width.mu.Unlock()
		if width.users--; width.users > 0 || width.was >= wideReads || runtime.GOMAXPROCS(0) != wideReads {
			return // somebody else has set it meanwhile, and knows better
		}
		runtime.SetDefaultGOMAXPROCS() // which follows the system's limits on
		if runtime.GOMAXPROCS(0) != width.was {
			runtime.GOMAXPROCS(width.was)
		}
	}
}
