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
	before       []string // run before each of them; not timed
	commands     []string
}

// untimed begins a cell with a command of entrant.before.
const untimed = "before: "

// contestsOf reads lines of a row's name, a program's, a folder and one command or more, divided by tabs. Arguments are divided by spaces; {n} in one of
// them is the number of the round. A command behind "before: " is run before each of the others, and is not timed.
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
		e := entrant{program: cells[1], dir: cells[2]}
		for _, c := range cells[3:] {
			if first, ok := strings.CutPrefix(c, untimed); ok {
				e.before = append(e.before, first)
			} else {
				e.commands = append(e.commands, c)
			}
		}
		if len(e.commands) == 0 {
			return nil, fmt.Errorf("%q has no command that is timed", line)
		}
		all[i].entries = append(all[i].entries, e)
	}
	return all, nil
}

// run returns the entrant's next round.
func (e entrant) run(ctx context.Context) timed {
	round := 0
	return func() (time.Duration, error) {
		for _, c := range e.before {
			if _, err := process(ctx, e.dir, strings.Fields(c)...); err != nil {
				return 0, err
			}
		}
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
		found, err := contest.hold(ctx, c, stderr)
		if err != nil {
			return err
		}
		line := make([]string, len(programs)+1)
		line[0] = contest.name
		for i, f := range found {
			cell := &line[slices.Index(programs, contest.entries[i].program)+1]
			if f.took == 0 {
				continue
			}
			*cell = show(f.took.Seconds(), inSeconds)
			if i > 0 && found[0].took > 0 && contest.entries[0].program == programs[0] {
				*cell += fmt.Sprintf(" (%.1f ×)", f.took.Seconds()/found[0].took.Seconds())
			}
			if f.once {
				*cell += ", once"
			}
		}
		if slices.ContainsFunc(found, func(f finish) bool { return f.took > 0 }) {
			lines = append(lines, line)
		}
	}
	fmt.Fprintf(stdout, "%s\n\n", machineOf(contests[0].entries[0].dir))
	return printTable(stdout, append([]string{"whole processes, medians"}, programs...), lines)
}

// A finish is what an entrant needed: the median, or the only time of one that was run once. It is zero for one that failed.
type finish struct {
	took time.Duration
	once bool
}

// hold runs the commands of a contest in turn. One that takes longer than the patience is run once, so that the others need not wait for it round after round.
func (c contest) hold(ctx context.Context, conf config, stderr io.Writer) ([]finish, error) {
	out := make([]finish, len(c.entries))
	var things []timed
	var at []int
	failed := make([]error, len(c.entries))
	for i, e := range c.entries {
		run := e.run(ctx)
		took, err := run()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			fmt.Fprintf(stderr, "left out: %v\n", err)
		case took > conf.patience:
			out[i] = finish{took, true}
		default:
			at = append(at, i)
			things = append(things, func() (time.Duration, error) {
				if failed[i] != nil {
					return 0, nil
				}
				took, err := run()
				failed[i] = err
				return took, ctx.Err()
			})
		}
	}
	if len(things) == 0 {
		return out, nil
	}
	all, err := conf.effort.inTurn(things...)
	if err != nil {
		return nil, err
	}
	for j, s := range all {
		if i := at[j]; failed[i] != nil {
			fmt.Fprintf(stderr, "left out: %v\n", failed[i])
		} else {
			out[i].took = s.median()
		}
	}
	return out, nil
}
