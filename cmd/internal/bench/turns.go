//go:build unix

package main

import (
	"fmt"
	"slices"
	"time"
)

// A failure ends the program: what measures has no use for half a table.
type failure struct{ err error }

// check panics with an error, which run returns.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func must[T any](v T, err error) T {
	check(err)
	return v
}

// A sample does something once and returns its figure: seconds, unless its row says otherwise.
type sample func() float64

// clock times what do does.
func clock(do func()) float64 {
	begin := time.Now()
	do()
	return time.Since(begin).Seconds()
}

// samples are figures of one thing, in the order in which they were taken.
type samples []float64

// at returns the figure that this part of the samples does not exceed.
func (s samples) at(part float64) float64 {
	return slices.Sorted(slices.Values(s))[min(int(part*float64(len(s))), len(s)-1)]
}

func (s samples) median() float64 { return s.at(0.5) }

// inTurn takes samples in turn, round after round, and begins each round with another one, so that what slows the
// machine down for a while meets all of them. There are this many times the rounds of -rounds, or as many as begin
// within -budget, but at least three. A round before the first is not counted.
func (b *bench) inTurn(times float64, things ...sample) []samples {
	all := make([]samples, len(things))
	begin := time.Now()
	for round := -1; round < int(times*float64(b.rounds)) || round < 3; round++ {
		if round >= 3 && time.Since(begin) > b.budget {
			break
		}
		check(b.ctx.Err())
		for i := range things {
			i = (i + round + 1) % len(things)
			if v := things[i](); round >= 0 {
				all[i] = append(all[i], v)
			}
		}
	}
	return all
}

// seconds is the row of times, with those of a limit if there is one.
func seconds(of samples, against string, limit samples, target float64, name string, args ...any) row {
	r := row{name: fmt.Sprintf(name, args...), unit: "s", arbor: of.median(), against: against, target: target}
	if limit != nil {
		r.limit = limit.median()
	}
	return r
}
