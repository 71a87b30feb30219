package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"time"
)

// A bench is one vault that is measured.
type bench struct {
	ctx    context.Context
	v      *vault
	arbor  string // the program
	work   string // a folder for what rows need besides
	effort effort
	settle time.Duration
	nodes  int
	beside *vault // one of 100 nodes, made when it is asked for
}

// A measure is a part of the table.
type measure struct {
	name    string
	program bool // it runs the program
	rows    func(*bench) ([]row, error)
}

// measures are in the order of the table. What changes the vault comes after what does not.
var measures = []measure{
	{"open", false, (*bench).coldOpen},
	{"open-dropped", false, (*bench).droppedOpen},
	{"open-warm", false, (*bench).warmOpen},
	{"process", true, (*bench).processes},
	{"context", false, (*bench).contexts},
	{"status", true, (*bench).status},
	{"memory", false, (*bench).memory},
	{"transition", false, (*bench).transitions},
	{"cascade", false, (*bench).cascade},
	{"independent", false, (*bench).independent},
	{"writers", false, (*bench).writers},
	{"reload", false, (*bench).reload},
	{"binary", true, (*bench).binary},
}

func names() (all []string) {
	for _, m := range measures {
		all = append(all, m.name)
	}
	return all
}

// chosen reports whether anything is measured of which is holds.
func chosen(only *regexp.Regexp, is func(measure) bool) bool {
	for _, m := range measures {
		if only.MatchString(m.name) && is(m) {
			return true
		}
	}
	return false
}

// rows generates a vault in a new folder and measures it.
func (c config) rows(ctx context.Context, work string, n int, progress io.Writer) ([]row, error) {
	begin := time.Now()
	say := func(format string, args ...any) {
		fmt.Fprintf(progress, "%6.1fs  %s\n", time.Since(begin).Seconds(), fmt.Sprintf(format, args...))
	}
	say("%d nodes are being generated", n)
	v, err := generate(filepath.Join(work, "project"), n)
	if err != nil {
		return nil, err
	}
	if chosen(c.only, func(m measure) bool { return m.name == "status" }) {
		if err := v.commit(); err != nil {
			return nil, err
		}
	}
	v.settle(c.settle)
	b := &bench{ctx: ctx, v: v, arbor: c.arbor, work: work, effort: c.effort, settle: c.settle, nodes: n}
	var all []row
	for _, m := range measures {
		if !c.only.MatchString(m.name) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		say("%s", m.name)
		rows, err := m.rows(b)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.name, err)
		}
		all = append(all, rows...)
	}
	say("done")
	return all, nil
}

// skipped is a row without figures.
func skipped(name, why string) []row { return []row{{Name: name, Skipped: why}} }

// ratio returns the row that compares the medians of two series of times.
func ratio(name string, arbor samples, against string, limit samples, target float64) row {
	return row{Name: name, Arbor: arbor.median().Seconds(), Unit: inSeconds, Against: against, Limit: limit.median().Seconds(), Form: times, Target: target}
}

// atMost returns the row of a time that has a limit of its own.
func atMost(name string, d, target time.Duration) row {
	return row{Name: name, Arbor: d.Seconds(), Unit: inSeconds, Form: alone, Target: target.Seconds()}
}
