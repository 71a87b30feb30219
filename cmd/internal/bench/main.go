//go:build unix

// Bench measures what Arbor does against what the machine can do, and prints a table of both. Each operation is
// measured in turn with its limit, round after round, so that only their ratio has to be believed. It generates the
// vault itself, and fails for being slow only with -watch, which compares two checkouts.
//
//	go run ./cmd/internal/bench                          # 10,000 nodes
//	go run ./cmd/internal/bench -nodes 1000 -budget 2s
//	go run ./cmd/internal/bench -nodes 10000,100000      # a table of each
//	go run ./cmd/internal/bench -only 'open|mcp'
//	go run ./cmd/internal/bench -watch FOLDER -nodes 60,500
//	go run ./cmd/internal/bench -before PATH -only 'process|mcp|calls'
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// leastNodes is the smallest plan that has everything that is measured.
const leastNodes = 60

// A bench is one vault that is measured.
type bench struct {
	ctx      context.Context
	work     string    // a folder for what a part needs besides
	v        *vault    // the vault that is measured in this process
	programs []program // Arbor, and the program of -before if there is one; each has a vault of its own
	rounds   int
	budget   time.Duration
	settle   time.Duration
}

// A part measures some rows of the table.
type part struct {
	name    string
	program bool // it runs the program
	rows    func(*bench) []row
}

// parts are in the order of the table. Parts that change the vault come after those that do not.
var parts = []part{
	{"open", false, (*bench).opens},
	{"process", true, (*bench).processes},
	{"workspaces", true, (*bench).workspaces},
	{"mcp", true, (*bench).mcp},
	{"calls", true, (*bench).systemCalls},
	{"search", true, (*bench).searches},
	{"context", false, (*bench).contexts},
	{"commit", false, (*bench).commits},
	{"small", false, (*bench).besideSmall},
	{"writers", false, (*bench).writers},
	{"reload", false, (*bench).reloads},
	{"torn", true, (*bench).torn},
	{"history", true, (*bench).histories},
	{"merge", true, (*bench).merges},
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	var all []string
	for _, p := range parts {
		all = append(all, p.name)
	}
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	b := &bench{ctx: ctx}
	nodes := f.String("nodes", "10000", "how many nodes the vault has; several numbers, divided by commas, for a table of each")
	only := f.String("only", "", "a regular `expression`: measure only the parts it matches of "+strings.Join(all, ", "))
	dir := f.String("dir", "", "the `folder` whose file system is measured (default the system's temporary one)")
	arbor := f.String("arbor", "", "the `program` of the rows that run it (default: it is built)")
	before := f.String("before", "", "another `program`, which is measured in turn with it in those rows")
	watch := f.String("watch", "", "compare with another checkout of Arbor, in a `folder`: fail where this one is much slower or allocates more")
	to := f.String("write", "", "measure nothing: write the vault and its project into a new `folder`")
	f.IntVar(&b.rounds, "rounds", 60, "how often each thing is done, at most; what takes microseconds is done more often")
	f.DurationVar(&b.budget, "budget", 10*time.Second, "no round of a row begins after it, but for the first three")
	f.DurationVar(&b.settle, "settle", 3*time.Second, "how old the files are before anything is measured; the stamps of younger ones prove nothing")
	if err := f.Parse(args); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil || f.NArg() > 0 {
		return errors.Join(err, fmt.Errorf("arguments that are no flags: %q", f.Args()))
	}
	defer func() {
		switch failed := recover().(type) {
		case nil:
		case failure:
			err = errors.Join(err, failed.err)
		default:
			panic(failed)
		}
	}()
	for _, p := range []*string{arbor, before} {
		if *p != "" {
			*p = must(filepath.Abs(*p)) // it is run in other folders
		}
	}
	work := must(os.MkdirTemp(*dir, "arbor-bench-"))
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	var sizes []int
	for word := range strings.SplitSeq(*nodes, ",") {
		n := must(strconv.Atoi(word))
		if n < leastNodes {
			return fmt.Errorf("%d nodes are too few: %d is the least", n, leastNodes)
		}
		sizes = append(sizes, n)
	}
	if *watch != "" {
		b.work = work
		return b.watch(stdout, *watch, sizes)
	}
	for i, n := range sizes {
		if *to != "" {
			generate(*to, n)
			return nil
		}
		if b.work = filepath.Join(work, fmt.Sprint(n)); i == 0 {
			fmt.Fprintln(stdout, machine())
		}
		rows := b.measure(n, *arbor, *before, chosen, stderr)
		if len(rows) == 0 {
			return fmt.Errorf("-only %q matches none of %s", *only, strings.Join(all, ", "))
		}
		fmt.Fprintf(stdout, "\n%d nodes, medians:\n\n", n)
		printRows(stdout, rows, *before != "")
	}
	return nil
}

// measure generates the vaults of n nodes and measures the chosen parts.
func (b *bench) measure(n int, arbor, before string, chosen *regexp.Regexp, progress io.Writer) (all []row) {
	begin := time.Now()
	say := func(what string) { fmt.Fprintf(progress, "%6.1fs  %s\n", time.Since(begin).Seconds(), what) }
	say("generating")
	b.v, b.programs = generate(filepath.Join(b.work, "project"), n), nil
	for _, p := range parts {
		if p.program && chosen.MatchString(p.name) && b.programs == nil {
			if arbor == "" {
				arbor = filepath.Join(b.work, "arbor")
				b.build(arbor, "arbor/cmd/arbor")
			}
			b.programs = []program{{b, arbor, b.v}}
			if before != "" {
				b.programs = append(b.programs, program{b, before, generate(filepath.Join(b.work, "before"), n)})
			}
		}
	}
	settle(b.settle)
	for _, p := range parts {
		if chosen.MatchString(p.name) {
			say(p.name)
			all = append(all, p.rows(b)...)
		}
	}
	say("done")
	return all
}

// build builds a program as README.md says.
func (b *bench) build(to, what string) { b.buildIn("", to, what) }

// buildIn is build of another checkout.
func (b *bench) buildIn(folder, to, what string) {
	cmd := exec.CommandContext(b.ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", to, what)
	cmd.Dir, cmd.Env = folder, append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		check(fmt.Errorf("go build: %w\n%s", err, out))
	}
}

// machine says what the figures were measured on.
func machine() string {
	system, _ := exec.Command("uname", "-sr").Output()
	return fmt.Sprintf("%s: %d cores, %s, %s %s/%s", time.Now().UTC().Format(time.DateOnly), runtime.NumCPU(),
		strings.TrimSpace(string(system)), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
