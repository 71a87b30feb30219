package enginetest

import (
	"flag"
	"runtime/debug"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Check is rapid.Check with at most most cases, for a property that costs a vault on the disk or a repository each time.
// Heavy and the flag -rapid.checks play as many as rapid does.
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

// Raced reports whether the tests were built with the race detector, with which they take a multiple of their time.
func Raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
