package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A contest is one row of commands that do the same.
type contest struct {
	name    string
	entries []entrant
}

// An entrant is a program and its commands, which are run in turn, one a round.
type entrant struct {
	program, dir string
	commands     []string
}

// contestsOf reads lines of a row's name, a program's, a folder and one command or more, divided by tabs. Arguments are divided by spaces; {n} in one of
// them is the number of the round.
func contestsOf(text string) (all []contest, err error) {
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "\t")
		if cells[0] == "" {
			continue
		}
		if len(cells) < 4 {
			return nil, fmt.Errorf("%q is no line of a row, a program, a folder and a command", line)
		}
		i := slices.IndexFunc(all, func(c contest) bool { return c.name == cells[0] })
		if i < 0 {
			i = len(all)
			all = append(all, contest{name: cells[0]})
		}
		all[i].entries = append(all[i].entries, entrant{cells[1], cells[2], cells[3:]})
	}
	return all, nil
}

// run returns the entrant's next round.
func (e entrant) run(ctx context.Context) timed {
	round := 0
	return func() (time.Duration, error) {
		words := strings.Fields(strings.ReplaceAll(e.commands[round%len(e.commands)], "{n}", strconv.Itoa(round)))
		round++
		return process(ctx, e.dir, words...)
	}
}

// compare times commands of several programs and prints a table. What fails is left out and said.
func compare(ctx context.Context, c config, stdout, stderr io.Writer) error {
	text, err := os.ReadFile(c.compare)
	if err != nil {
		return err
	}
	contests, err := contestsOf(string(text))
	if err != nil {
		return err
	}
	if len(contests) == 0 {
		return fmt.Errorf("%s has no commands", c.compare)
	}
	var programs []string
	for _, c := range contests {
		for _, e := range c.entries {
			if !slices.Contains(programs, e.program) {
				programs = append(programs, e.program)
			}
		}
	}
	var lines [][]string
	for _, contest := range contests {
		fmt.Fprintln(stderr, contest.name)
		line := make([]string, len(programs)+1)
		line[0] = contest.name
		var things []timed
		var at []int
		for _, e := range contest.entries {
			run := e.run(ctx)
			if _, err := run(); err != nil {
				fmt.Fprintf(stderr, "left out: %v\n", err)
				continue
			}
			things = append(things, run)
			at = append(at, slices.Index(programs, e.program)+1)
		}
		if len(things) == 0 {
			continue
		}
		all, err := c.effort.inTurn(things...)
		if err != nil {
			return err
		}
		for i, s := range all {
			line[at[i]] = show(s.median().Seconds(), inSeconds)
			if i > 0 && at[0] == 1 {
				line[at[i]] += fmt.Sprintf(" (%.1f ×)", s.median().Seconds()/all[0].median().Seconds())
			}
		}
		lines = append(lines, line)
	}
	fmt.Fprintf(stdout, "%s\n\n", machineOf(contests[0].entries[0].dir))
	return printTable(stdout, append([]string{"whole processes, medians"}, programs...), lines)
}
