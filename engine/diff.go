package engine

import "github.com/aymanbagabas/go-udiff"

// UnifiedDiff returns the change of one file from old to new as a unified diff with three lines of context, "" where nothing differs. nil stands for a
// file that is not there, which is another thing than an empty one.
func UnifiedDiff(name string, old, new []byte) string {
	from, to := "a/"+name, "b/"+name
	if old == nil {
		from = "/dev/null"
	}
	if new == nil {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, string(old), string(new))
}
