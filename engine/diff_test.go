package engine_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
)

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$`)

// A diff says of each line where it was and where it is, and nothing of lines that stayed and are not shown.
func TestDiffsSayWhereLinesAre(t *testing.T) {
	text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d"}), 0, 40), func(l []string) string { return strings.Join(l, "\n") })
	rapid.Check(t, func(t *rapid.T) {
		old, edited := text.Draw(t, "old"), text.Draw(t, "new")
		if rapid.Bool().Draw(t, "near") { // most edits are small
			lines := strings.SplitAfter(old, "\n")
			for range rapid.IntRange(1, 4).Draw(t, "edits") {
				i := rapid.IntRange(0, len(lines)-1).Draw(t, "line")
				lines[i] = rapid.SampledFrom([]string{"", "x\n", lines[i] + "y\n"}).Draw(t, "edit")
			}
			edited = strings.Join(lines, "")
		}
		diff := engine.UnifiedDiff("a file", []byte(old), []byte(edited))
		if (diff == "") != (old == edited) {
			t.Fatalf("%q to %q: %q", old, edited, diff)
		}
		was, is := strings.SplitAfter(old, "\n"), strings.SplitAfter(edited, "\n")
		at, to := 0, 0
		for i, line := range strings.Split(strings.TrimSuffix(diff, "\n"), "\n") {
			if i < 2 || diff == "" || strings.HasPrefix(line, `\`) {
				continue
			}
			if m := hunkHead.FindStringSubmatch(line); m != nil {
				next, err := strconv.Atoi(m[1])
				if err != nil {
					t.Fatal(err)
				}
				new, err := strconv.Atoi(m[3])
				if err != nil {
					t.Fatal(err)
				}
				next, new = max(next-1, 0), max(new-1, 0)
				if next-at != new-to || fmt.Sprint(was[at:next]) != fmt.Sprint(is[to:new]) {
					t.Fatalf("%q to %q: what stands before %s is not the same in both\n%s", old, edited, line, diff)
				}
				at, to = next, new
				continue
			}
			body := line[1:]
			if line[0] != '+' {
				if strings.TrimSuffix(was[at], "\n") != body {
					t.Fatalf("line %d was %q, the diff has %q\n%s", at+1, was[at], body, diff)
				}
				at++
			}
			if line[0] != '-' {
				if strings.TrimSuffix(is[to], "\n") != body {
					t.Fatalf("line %d is %q, the diff has %q\n%s", to+1, is[to], body, diff)
				}
				to++
			}
		}
		if diff != "" && strings.Join(was[at:], "") != strings.Join(is[to:], "") {
			t.Fatalf("%q to %q: what stands after the last hunk is not the same in both\n%s", old, edited, diff)
		}
	})
}
