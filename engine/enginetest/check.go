package enginetest

import (
	"flag"
	"runtime/debug"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Check is rapid.Check with at most most cases, for a property that needs a vault on disk or a repository each time.
// With Heavy or the flag -rapid.checks, it runs as many cases as rapid does.
func Check(t *testing.T, most int, property func(*rapid.T)) {
	t.Helper()
	all := Heavy
	flag.Visit(func(f *flag.Flag) { all = all || f.Name == "rapid.checks" })
	played := 0
	rapid.Check(t, func(rt *rapid.T) {
		if played++; played <= most || all {
			property(rt)
		}
	})
}

// Raced reports whether the tests were built with the race detector, which makes them several times slower.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
