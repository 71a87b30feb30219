package enginetest

import (
	"flag"
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
