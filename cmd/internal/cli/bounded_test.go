package cli

import (
	"fmt"
	"strings"
	"testing"
)

// On a terminal, the diff of a long change is cut to as many lines as a listing has; elsewhere it is whole.
func TestLongDiffsFit(t *testing.T) {
	w := newWorld(t)
	var long strings.Builder
	for i := range 500 {
		fmt.Fprintf(&long, "line %d\n", i)
	}
	for _, tt := range []struct {
		terminal bool
		args     []string
		most     int
		rest     string
	}{
		{true, nil, listLines, " of 520 lines; a file or a pipe takes all of them: | less"},
		{false, nil, 1000, ""},
		{true, []string{"--json"}, 1000, ""},
	} {
		w.term = terminal{out: tt.terminal}
		w.env["NO_COLOR"] = "1"
		out, errs, code := w.run(append([]string{"set", "node-c", "--note", long.String(), "--dry-run"}, tt.args...)...)
		if n := strings.Count(out, "\n"); code != exitOK || n > tt.most || tt.most > listLines && !strings.Contains(out, "line 499") {
			t.Errorf("on a terminal %v, %v: exit code %d, %d lines, %s", tt.terminal, tt.args, code, n, errs)
		}
		if !strings.Contains(errs, tt.rest) || tt.rest == "" && strings.Contains(errs, "| less") {
			t.Errorf("on a terminal %v, %v: %q, want %q in it", tt.terminal, tt.args, errs, tt.rest)
		}
	}
}

// Completion offers a bounded number of nodes, of all nodes whose names begin with the typed text, at any depth.
func TestCompletionsAreFew(t *testing.T) {
	w := newWorld(t)
	for i := range candidatesMost + 20 {
		w.ok("add", fmt.Sprintf("Step %d", i), "-m", "r")
	}
	count := func(typed string) int { return strings.Count(w.ok("__complete", "start", typed), "\n") - 1 }
	if n := count(""); n != candidatesMost {
		t.Errorf("nothing typed is completed to %d nodes, %d are allowed", n, candidatesMost)
	}
	last := fmt.Sprintf("Step %d", candidatesMost+19)
	if n := count(last); n != 1 {
		t.Errorf("%q is completed to %d nodes", last, n)
	}
}
