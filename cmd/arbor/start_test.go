package main

import (
	"cmp"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// startMost is how many allocations the packages make before main: tables and expressions that a command does not use
// are made when they are first asked for (mdstore/pattern, sync.OnceValue).
const startMost = 8000

// A start costs every command, so that what a package makes before main is counted; the largest are named.
func TestTheStartAllocatesLittle(t *testing.T) {
	cmd := exec.Command(build(t), "--version")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type start struct {
		name   string
		allocs int
	}
	var all []start
	sum := 0
	for _, m := range regexp.MustCompile(`(?m)^init (\S+) .*, (\d+) allocs$`).FindAllStringSubmatch(string(out), -1) {
		n, _ := strconv.Atoi(m[2])
		all, sum = append(all, start{m[1], n}), sum+n
	}
	if len(all) == 0 {
		t.Fatalf("go tells of no package:\n%s", out)
	}
	t.Logf("%d allocations in %d packages", sum, len(all))
	if sum > startMost {
		slices.SortFunc(all, func(a, b start) int { return cmp.Compare(b.allocs, a.allocs) })
		var largest strings.Builder
		for _, s := range all[:min(12, len(all))] {
			fmt.Fprintf(&largest, "%7d %s\n", s.allocs, s.name)
		}
		t.Errorf("%d allocations before main, %d at most:\n%s", sum, startMost, &largest)
	}
}
