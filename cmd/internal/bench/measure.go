package main

import (
	"runtime"
	"slices"
	"time"
)

// samples are the times of one thing, in the order in which they were taken.
type samples []time.Duration

// at returns the value that so great a part of the samples does not exceed: 0.5 is the median.
func (s samples) at(part float64) time.Duration {
	sorted := slices.Sorted(slices.Values(s))
	return sorted[min(int(part*float64(len(sorted))), len(sorted)-1)]
}

func (s samples) median() time.Duration { return s.at(0.5) }

// An effort is how much is done for one row.
type effort struct {
	rounds int           // at most
	budget time.Duration // no round begins after it, but for the first three
}

// few is the effort for what takes long: at most n rounds.
func (e effort) few(n int) effort { return effort{min(e.rounds, n), e.budget} }

// more is that for what takes microseconds.
func (e effort) more(times int) effort { return effort{e.rounds * times, e.budget} }

// A timed does something once and returns how long the part that counts took.
type timed func() (time.Duration, error)

// inTurn does several things in turn, round after round, each round beginning with another one, so that what slows the machine down for a while meets all of
// them. It returns the times of each. One round before the first is not counted.
func (e effort) inTurn(things ...timed) ([]samples, error) {
	all := make([]samples, len(things))
	begin := time.Now()
	for round := -1; round < e.rounds; round++ {
		if round >= 3 && time.Since(begin) > e.budget {
			break
		}
		for i := range things {
			i = (i + round + 1) % len(things)
			took, err := things[i]()
			if err != nil {
				return nil, err
			}
			if round >= 0 {
				all[i] = append(all[i], took)
			}
		}
	}
	return all, nil
}

// clock times what do does.
func clock(do func() error) (time.Duration, error) {
	begin := time.Now()
	err := do()
	return time.Since(begin), err
}

// collected clocks do after what was left by others is collected, so that nobody pays for another's garbage.
func collected(do func() error) (time.Duration, error) {
	runtime.GC()
	return clock(do)
}
