//go:build unix

package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"arbor/statemachine"
)

// What a change may cost, beside the commit that it is compared with.
const (
	mostTime   = 1.5 // times the processor time
	mostAllocs = 1.1 // times the allocations, which do not depend on what else the machine does
)

// Of each row this many pairs are measured, in turn.
const watchedPairs = 5

// A watched is what is compared, and how: a measurement is the median of the ratios of pairs.
type watched struct {
	name    string
	measure func() float64
}

// slower measures rows, and those above mostTime twice more, so that what a busy machine did to one measurement fails
// nothing. It prints the lowest ratio of each, and returns the names of the rows that stay above it.
func slower(out io.Writer, rows []watched) (over []string) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		ratio := r.measure()
		for again := 0; again < 2 && ratio > mostTime; again++ {
			ratio = min(ratio, r.measure())
		}
		mark := ""
		if ratio > mostTime {
			mark, over = fmt.Sprintf("\tover %v", mostTime), append(over, r.name)
		}
		fmt.Fprintf(t, "%s\t%.2f%s\n", r.name, ratio, mark)
	}
	check(t.Flush())
	return over
}

// larger prints the ratio of each count of allocations that both sides have, and returns the names of those above
// mostAllocs.
func larger(out io.Writer, now, before map[string]float64) (over []string) {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, name := range slices.Sorted(maps.Keys(now)) {
		mark := ""
		switch was, known := before[name]; {
		case !known:
			mark = "not there before"
		case now[name] > mostAllocs*was:
			mark, over = fmt.Sprintf("%.2f\tover %v", now[name]/was, mostAllocs), append(over, name+", allocations")
		default:
			mark = fmt.Sprintf("%.2f", now[name]/was)
		}
		fmt.Fprintf(t, "%s\t%.0f allocations\t%s\n", name, now[name], mark)
	}
	check(t.Flush())
	return over
}

// watch compares this checkout with another one, in folder, and returns an error that names what is slower or allocates
// more than it may.
func (b *bench) watch(out io.Writer, folder string, nodes []int) error {
	b.rounds, b.budget = watchedPairs, 0
	now, before := filepath.Join(b.work, "now"), filepath.Join(b.work, "before")
	b.build(now, "arbor/cmd/arbor")
	b.buildIn(folder, before, "./cmd/arbor") // whose module may have another path
	fmt.Fprintf(out, "Allocations, and how many times those of the baseline (at most %v):\n", mostAllocs)
	over := larger(out, b.allocations("", now), b.allocations(folder, before))
	fmt.Fprintf(out, "\nProcessor time, as many times that of the baseline (at most %v), medians of pairs:\n", mostTime)
	for _, n := range nodes {
		b.programs = nil
		for _, path := range []string{now, before} {
			b.programs = append(b.programs, program{b, path, generate(filepath.Join(b.work, fmt.Sprint(filepath.Base(path), n)), n)})
		}
		settle(b.settle)
		over = append(over, slower(out, b.watchedRows(n))...)
	}
	if len(over) > 0 {
		return fmt.Errorf("above what a change may cost: %s", strings.Join(over, "; "))
	}
	return nil
}

// watchedRows are what people and assistants wait for.
func (b *bench) watchedRows(n int) (rows []watched) {
	pairs := func(name string, of func(program) sample) {
		now, before := of(b.programs[0]), of(b.programs[1])
		rows = append(rows, watched{fmt.Sprintf("%d nodes: %s", n, name), func() float64 {
			all := b.inTurn(1, now, before)
			var ratios samples
			for i := range all[0] {
				ratios = append(ratios, all[0][i]/all[1][i])
			}
			return ratios.median()
		}})
	}
	id := b.programs[0].v.deep()
	for _, c := range []string{"--version", "status", "list", "list --all", "context " + id, "log " + id, "next", "check", "search cookie"} {
		pairs("arbor "+strings.TrimSuffix(c, " "+id), func(p program) sample { return p.cpu(c) })
	}
	v := b.programs[0].v
	done := string(v.plan[slices.IndexFunc(v.plan, func(t task) bool { return t.status == statemachine.Completed })].id)
	// node_next comes first: a server reads at its start what the others have written.
	for _, c := range []struct {
		name string
		args func(i int) map[string]any
	}{
		{"node_next", func(int) map[string]any { return map[string]any{} }},
		{"log_append", func(i int) map[string]any {
			return map[string]any{"nodeId": id, "operator": "AI", "event": fmt.Sprint("Looked at it once more, ", i)}
		}},
		{"node_transition", func(i int) map[string]any {
			return map[string]any{"nodeId": done, "action": []string{"reopen", "complete"}[i%2], "reason": "r", "conclusion": "c"}
		}},
	} {
		pairs("served "+c.name, func(p program) sample {
			return func() float64 {
				const calls = 60
				s := p.serve()
				for i := range calls {
					s.ask("tools/call", map[string]any{"name": c.name, "arguments": c.args(i)})
				}
				return s.end()
			}
		})
	}
	return rows
}

var (
	startLine = regexp.MustCompile(`(?m)^init \S+ .*, (\d+) allocs$`)
	benchLine = regexp.MustCompile(`(?m)^(Benchmark\S+?)(?:-\d+)?\s.*\s(\d+) allocs/op$`)
)

// allocations counts those of the packages of a program before main, and those of the benchmarks of commands and calls
// in a checkout.
func (b *bench) allocations(folder, arbor string) map[string]float64 {
	cmd := exec.CommandContext(b.ctx, arbor, "--version")
	cmd.Env = append(environment(), "GODEBUG=inittrace=1")
	out := must(cmd.CombinedOutput())
	all := map[string]float64{}
	for _, m := range startLine.FindAllSubmatch(out, -1) {
		all["before main"] += must(strconv.ParseFloat(string(m[1]), 64))
	}
	cmd = exec.CommandContext(b.ctx, "go", "test", "-run", "^$", "-bench", "^Benchmark(Command|Served)$", "-benchmem", "-benchtime", "5x",
		"./cmd/internal/app", "./engine/ops")
	cmd.Dir, cmd.Env = folder, os.Environ()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		check(fmt.Errorf("go test in %q: %w\n%s%s", folder, err, out, said.Bytes()))
	}
	for _, m := range benchLine.FindAllSubmatch(out, -1) {
		all[strings.TrimPrefix(string(m[1]), "Benchmark")] = must(strconv.ParseFloat(string(m[2]), 64))
	}
	return all
}
