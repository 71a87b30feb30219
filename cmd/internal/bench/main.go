// Bench measures what Arbor does against what the machine can do, in one run, and prints a table of both: each operation in turn with its limit, round
// after round, so that only their ratio has to be believed. It generates the vault itself. It never fails for being slow.
//
//	go run ./cmd/internal/bench                           # 10,000 nodes
//	go run ./cmd/internal/bench -nodes 1000 -budget 2s    # as CI does
//	go run ./cmd/internal/bench -scale 10000,100000       # how the figures grow
//	go run ./cmd/internal/bench -only 'open|context'
package main

import (
	"context"
	"encoding/json"
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

// leastNodes is the smallest plan that has everything in it that is measured.
const leastNodes = 50

// A config is what the command line says.
type config struct {
	nodes   []int
	only    *regexp.Regexp
	dir     string
	arbor   string
	json    bool
	effort  effort
	settle  time.Duration // how old files are before they are measured
	form    string        // of the plan that is written for another program
	compare string        // the file of commands to be timed

	patience time.Duration // with compare: what takes longer is run once
}

func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.SetOutput(stderr)
	nodes := f.Int("nodes", 10_000, "how many nodes the vault has")
	scale := f.String("scale", "", "two numbers of nodes, as 10000,100000: measure both and say how the figures grow")
	only := f.String("only", "", "a regular `expression`: measure only what it matches of "+strings.Join(names(), ", "))
	f.StringVar(&c.dir, "dir", "", "the `folder` whose file system is measured; the system's temporary one unless said otherwise")
	f.StringVar(&c.arbor, "arbor", "", "the `program`; it is built unless said otherwise")
	f.BoolVar(&c.json, "json", false, "print JSON")
	f.IntVar(&c.effort.rounds, "rounds", 60, "how often each thing is done, at most; what takes microseconds is done more often")
	f.DurationVar(&c.effort.budget, "budget", 10*time.Second, "no round begins after it")
	f.DurationVar(&c.settle, "settle", 3*time.Second, "how old the files are before anything is measured; of younger ones their times prove nothing")
	f.StringVar(&c.form, "write", "", "measure nothing: write the plan into the folder of -dir in a `form`: "+strings.Join(forms(), ", "))
	f.StringVar(&c.compare, "compare", "", "measure nothing of the above: time the commands in a `file` of lines \"row, program, folder, commands\" divided by tabs, one command a round; {n} in one is the round, and what begins with \"before: \" is run before each and not timed")
	f.DurationVar(&c.patience, "patience", 30*time.Second, "with -compare: a command that takes longer is run once, and the table says so")
	if err := f.Parse(args); err != nil {
		return c, err
	}
	if f.NArg() > 0 {
		return c, fmt.Errorf("%q is none of the flags", f.Arg(0))
	}
	var err error
	if c.only, err = regexp.Compile(*only); err == nil && !chosen(c.only, func(measure) bool { return true }) {
		return c, fmt.Errorf("-only %q matches none of %s", *only, strings.Join(names(), ", "))
	}
	if err != nil {
		return c, err
	}
	c.nodes = []int{*nodes}
	if *scale != "" {
		c.nodes = nil
		for _, word := range strings.Split(*scale, ",") {
			n, err := strconv.Atoi(strings.TrimSpace(word))
			if err != nil {
				return c, fmt.Errorf("-scale: %w", err)
			}
			c.nodes = append(c.nodes, n)
		}
	}
	for _, n := range c.nodes {
		if n < leastNodes {
			return c, fmt.Errorf("%d nodes are too few: %d is the least", n, leastNodes)
		}
	}
	return c, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	c, err := parse(args, stderr)
	switch {
	case err != nil:
		return err
	case c.form != "":
		return writePlan(c.form, c.dir, c.nodes[0], stdout)
	case c.compare != "":
		return compare(ctx, c, stdout, stderr)
	}
	work, err := os.MkdirTemp(c.dir, "arbor-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	if c.arbor == "" && chosen(c.only, func(m measure) bool { return m.program }) {
		c.arbor = filepath.Join(work, "arbor")
		if runtime.GOOS == "windows" {
			c.arbor += ".exe"
		}
		build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", c.arbor, "arbor/cmd/arbor") // as README.md has it
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("go build: %w\n%s", err, out)
		}
	}
	var all []result
	for _, n := range c.nodes {
		rows, err := c.rows(ctx, filepath.Join(work, strconv.Itoa(n)), n, stderr)
		if err != nil {
			return fmt.Errorf("at %d nodes: %w", n, err)
		}
		all = append(all, result{Nodes: n, Rows: rows})
	}
	m := machineOf(work)
	if c.json {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		return e.Encode(report{Machine: m, Runs: all})
	}
	fmt.Fprintln(stdout, m)
	for _, r := range all {
		fmt.Fprintf(stdout, "\n%d nodes, medians:\n\n", r.Nodes)
		if err := printRows(stdout, r.Rows); err != nil {
			return err
		}
	}
	for i := 1; i < len(all); i++ {
		fmt.Fprintf(stdout, "\nFrom %d nodes to %d:\n\n", all[i-1].Nodes, all[i].Nodes)
		if err := printScale(stdout, all[i-1].Nodes, all[i].Nodes, all[i-1].Rows, all[i].Rows); err != nil {
			return err
		}
	}
	return nil
}

// A report is what -json prints.
type report struct {
	Machine machine  `json:"machine"`
	Runs    []result `json:"runs"`
}

// A result is what one size of vault gave.
type result struct {
	Nodes int   `json:"nodes"`
	Rows  []row `json:"rows"`
}

// A machine is what the figures were measured on.
type machine struct {
	Cores      int    `json:"cores"`
	Processor  string `json:"processor"`
	Kernel     string `json:"kernel"`
	FileSystem string `json:"fileSystem"`
	Go         string `json:"go"`
	Date       string `json:"date"`
}

func machineOf(dir string) machine {
	return machine{runtime.NumCPU(), processor(), kernel(), fileSystem(dir), runtime.Version(), time.Now().UTC().Format(time.DateOnly)}
}

func (m machine) String() string {
	return fmt.Sprintf("%s: %d cores (%s), %s, %s, %s %s/%s", m.Date, m.Cores, m.Processor, m.Kernel, m.FileSystem, m.Go, runtime.GOOS, runtime.GOARCH)
}
