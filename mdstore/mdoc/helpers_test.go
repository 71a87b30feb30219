package mdoc

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"testing"
)

// TestMain keeps rapid's files of failed cases out of the source tree, and runs ten times
// its default number of cases.
func TestMain(m *testing.M) {
	flag.Parse()
	settings := map[string]string{"rapid.nofailfile": "true"}
	if flag.Lookup("rapid.checks").Value.String() == "100" {
		settings["rapid.checks"] = "1000"
	}
	for name, value := range settings {
		if err := flag.Set(name, value); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
	}
	os.Exit(m.Run())
}

func asEditError(err error, target **EditError) bool { return errors.As(err, target) }
