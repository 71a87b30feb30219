package plan

import (
	"strings"

	"github.com/aymanbagabas/go-udiff"
)

const diffContext = 3 // lines of context, as usual

// UnifiedDiff returns the change of one file from old to new as a unified diff with three lines of context, "" if
// nothing differs. nil stands for a missing file, unlike an empty one.
func UnifiedDiff(name string, old, new []byte) string {
	from, to := label("a/"+name), label("b/"+name)
	if old == nil {
		from = "/dev/null"
	}
	if new == nil {
		to = "/dev/null"
	}
	// Not by bytes: a piece that begins in the middle of a line, such as "Log\n\n## ", would show unchanged lines as
	// changed.
	u, err := udiff.ToUnifiedDiff(from, to, string(old), udiff.Lines(string(old), string(new)), diffContext)
	if err != nil {
		return "" // edits that were computed from the text always fit it
	}
	// The library counts the lines between two changes of a hunk only on the old side, so later hunks would begin too
	// early.
	grown := 0
	for _, h := range u.Hunks {
		h.ToLine = h.FromLine + grown
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				grown++
			case udiff.Delete:
				grown--
			}
		}
	}
	return u.String()
}

// label returns a name for the head of a diff. A tab ends a name that has blanks.
func label(name string) string {
	if strings.Contains(name, " ") {
		return name + "\t"
	}
	return name
}
