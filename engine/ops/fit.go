package ops

import (
	"encoding/json"
	"fmt"
)

// The numbers of what a result names where its size is bounded and the caller says nothing else.
const (
	boundedLog   = 20  // log entries
	boundedIDs   = 100 // children
	boundedFiles = 20  // files that a write changed
	boundedNext  = 50  // ready nodes
)

// bounded reports whether results are to keep within a size.
func (env *Env) bounded() bool { return env.MaxBytes > 0 }

// fits reports whether a result keeps within the size that the caller bounds it to.
func (env *Env) fits(out any) bool { return !env.bounded() || sizeOf(out) <= env.MaxBytes }

// fewer returns how many of n items to try next where a result with all of them has a size that is too large: fewer than n, at least one.
func (env *Env) fewer(n int, out any) int {
	return max(1, min(n-1, n*env.MaxBytes/max(1, sizeOf(out))*9/10))
}

// fitting returns how many of items, from the first one on, have room beside other bytes of a result: at least one, so that a reader who comes back gets on.
func fitting[T any](env *Env, items []T, beside int) int {
	if !env.bounded() {
		return len(items)
	}
	room := env.MaxBytes - beside
	for i := range items {
		if room -= sizeOf(items[i]) + 1; room < 0 {
			return max(1, i)
		}
	}
	return len(items)
}

func sizeOf(v any) int {
	data, err := json.Marshal(v)
	if err != nil {
		return 0
	}
	return len(data)
}

// newest returns the end of a log that a bounded result carries, and how many older entries it leaves out.
func (env *Env) newest(log []LogEntry, most int) ([]LogEntry, int) {
	if !env.bounded() || len(log) <= most {
		return log, 0
	}
	return log[len(log)-most:], len(log) - most
}

// shownOf is the hint of a list that is shown in part.
func shownOf(shown, all int, what, rest string) string {
	return fmt.Sprintf("%d of %d %s are shown; %s", shown, all, what, rest)
}
