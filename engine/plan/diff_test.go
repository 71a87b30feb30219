package plan_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/plan"
	"arbor/mdstore"
)

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$`)

// A diff says of each line where it was and where it is, and nothing of lines that stayed and are not shown.
func TestDiffsSayWhereLinesAre(t *testing.T) {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "", "d"}), 0, 40)
	text := rapid.Map(lines, func(l []string) string { return strings.Join(l, "\n") })
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
		diff := plan.UnifiedDiff("a file", []byte(old), []byte(edited))
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

// Lines that are put in between others are added, and nothing is removed.
func TestDiffsOfInsertionsRemoveNothing(t *testing.T) {
	lines := func(line []string, end string) *rapid.Generator[[]string] {
		return rapid.SliceOfN(rapid.Map(rapid.SampledFrom(line), func(l string) string { return l + end }), 0, 300)
	}
	rapid.Check(t, func(t *rapid.T) {
		end := rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")
		old := lines([]string{"## Log", "", "- a", "abc"}, end).Draw(t, "old")
		added := lines([]string{"## Note", "", "x", "- a"}, end).Draw(t, "added")
		at := rapid.IntRange(0, len(old)).Draw(t, "at")
		was, is := strings.Join(old, ""), strings.Join(slices.Insert(slices.Clone(old), at, added...), "")
		if rapid.Bool().Draw(t, "open") && at < len(old) { // the last line has no end, and stays the last
			was, is = strings.TrimSuffix(was, end), strings.TrimSuffix(is, end)
		}
		diff := plan.UnifiedDiff("f", []byte(was), []byte(is))
		plus, minus := 0, 0
		for _, l := range strings.Split(diff, "\n")[min(2, strings.Count(diff, "\n")):] {
			switch {
			case strings.HasPrefix(l, "+"):
				plus++
			case strings.HasPrefix(l, "-"):
				minus++
			}
		}
		if plus != len(added) || minus != 0 {
			t.Fatalf("%q to %q: %d lines added, want %d; %d removed, want none\n%s", was, is, plus, len(added), minus, diff)
		}
	})
}

// Of the lines around an insertion none is shown as changed.
func TestDiffsShowOnlyLinesThatChanged(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"## Requirement\n\nabc\n\n## Log\n\n- a\n", "## Requirement\n\nabc\n\n## Note\n\nx\n\n## Log\n\n- a\n", "+|+## Note|+|+x"},
		{"a\nb", "a\nb\nc", "-b|+b|+c"},
		{"a\nb", "a\nx\nb", "+x"},
		{"a\nb\n", "a\nb", "-b|+b"},
		{"a\r\nb\r\n", "a\r\nx\r\nb\r\n", "+x\r"},
		{"", "a", "+a"},
	} {
		var got []string
		for _, l := range strings.Split(plan.UnifiedDiff("f", []byte(c.old), []byte(c.new)), "\n")[2:] {
			if strings.HasPrefix(l, "+") || strings.HasPrefix(l, "-") {
				got = append(got, l)
			}
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%q to %q: %q, want %q", c.old, c.new, got, c.want)
		}
	}
}

// The lines that a write counts are those of its diff.
func TestWritesCountTheLinesThatChanged(t *testing.T) {
	files := enginetest.Plan("ws")
	files[mdstore.NodePath("ws", mdstore.Root)] = enginetest.Node("root",
		"title: r\ntype: planning\nstatus: pending\nparentId: null\nupdatedAt: 1", "## Requirement\n\nabc\n\n## Log\n\n- a\n")
	w := enginetest.New(t, files)
	note := "x"
	_, out, err := engine.Apply(t.Context(), w.Engine, "ws", plan.Act{}, plan.NodeTexts{Node: mdstore.Root, Note: &note})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Files[0].Lines(), 5; got != want { // a heading and its text with two blank lines, and updatedAt
		t.Errorf("%d lines, want %d\n%s", got, want, out.Diff())
	}
}
