package app

import (
	"bytes"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
)

// A hook ends with exit code 0 whatever is wrong, its own command line included, as a program that runs it may stop at
// another one. What was wrong is told on stderr, and stdout is the program's.
func TestAHookStopsNobody(t *testing.T) {
	for _, args := range []string{"hook", "hook nosuch", "hook prompt more", "hook prompt --nosuch", "hook --json", "hook prompt -C nosuch", "hook prompt --as nobody", "hook prompt"} {
		var out, errs bytes.Buffer
		sys := cli.System{Args: strings.Fields(args), Stdin: strings.NewReader("{}"), Stdout: &out, Stderr: &errs, Dir: lay(t, nil), Getenv: func(key string) string {
			if key == vaultVar && args == "hook prompt" {
				panic("out of cheese")
			}
			return ""
		}}
		if code := run(t.Context(), sys); code != 0 || !strings.HasPrefix(errs.String(), "arbor: ") {
			t.Errorf("arbor %s: exit code %d, %q", args, code, &errs)
		}
		if out.Len() > 0 && !strings.Contains(args, "--as") {
			t.Errorf("arbor %s prints %q", args, &out)
		}
	}
}
