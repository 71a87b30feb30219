package crashtest

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
)

// The system refuses one step of a commit each time: a folder of another overlay layer cannot be renamed, a file is
// immutable, there is no space for another folder. Then nothing is changed, and later commits work.
func TestWhatIsRefusedIsTakenBack(t *testing.T) {
	each(t, func(t *testing.T, changes []mdstore.Change) {
		x := explore(t, vault, changes, Options{})
		var steps []string // prefixes of calls to refuse
		c := x.disk()
		c.Fail = func(call string) error {
			verb, args, _ := strings.Cut(call, " ")
			from, _, _ := strings.Cut(args, " ")
			switch {
			case verb == "exchange", verb == "rename" && !mdstore.Path(from).Under(journal.Dir), verb == "mkdir" && !journal.Dir.Under(mdstore.Path(from)):
				steps = append(steps, verb+" "+from)
			}
			return nil
		}
		if err := x.commit(c); err != nil {
			t.Fatal(err)
		}
		for _, step := range slices.Compact(steps) {
			c := x.disk()
			c.Fail = func(call string) error {
				if call == step || strings.HasPrefix(call, step+" ") {
					return syscall.EXDEV
				}
				return nil
			}
			err := x.commit(c)
			if err == nil {
				continue // the commit succeeded in another way
			}
			if unfinished := (*mdstore.UnfinishedError)(nil); errors.As(err, &unfinished) {
				t.Fatalf("%q refused: %v\n%s", step, err, strings.Join(c.Log, "\n"))
			}
			if got := visible(c); !maps.Equal(got, x.before) {
				t.Fatalf("%q refused: %v, but there is\n%q\n%s", step, err, got, strings.Join(c.Log, "\n"))
			}
			y := *x
			y.changes = []mdstore.Change{set(".gitignore", "another\n")}
			if err := y.recover(c); err != nil {
				t.Fatalf("after %q was refused: %v\n%s", step, err, strings.Join(c.Log, "\n"))
			}
			if err := y.commit(c); err != nil || c.Files()[".gitignore"] != "another\n" {
				t.Fatalf("after %q was refused nothing can be written: %v\n%s", step, err, strings.Join(c.Log, "\n"))
			}
		}
	})
}
