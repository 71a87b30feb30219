package app

import (
	"flag"
	"os"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
)

var update = flag.Bool("update", false, "rewrite docs/cli.md from the commands")

const cliPage = "../../../docs/cli.md"

// TestManual holds docs/cli.md to what the commands say of themselves.
func TestManual(t *testing.T) {
	want := cli.Manual(cli.System{More: frontEnds("")})
	for _, c := range frontEnds("") {
		if c.Short == "" || c.Long == "" || c.Example == "" || strings.HasSuffix(c.Short, ".") {
			t.Errorf("%s does not teach", c.Use)
		}
		for line := range strings.Lines(c.Long) {
			if len(line) > 84 {
				t.Errorf("%s: a line of its help is longer than 84 columns: %q", c.Use, line)
			}
		}
	}
	if *update {
		if err := os.WriteFile(cliPage, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(cliPage)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is stale; write it again with\n\tgo test ./cmd/internal/app -run TestManual -update", cliPage)
	}
}
