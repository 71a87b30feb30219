package app

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
)

// A set-up with -q says nothing when it is done, and shows what was asked for: the diff of a dry run, the document of --json.
func TestSetupIsQuiet(t *testing.T) {
	dir := lay(t, map[string]string{".tanmi-workspace/": ""})
	for _, tt := range []struct {
		args string
		want string // "" for nothing
	}{
		{"setup cursor -q --dry-run", "+++ "},
		{"setup cursor -q", ""},
		{"setup cursor -q", ""},
		{"setup cursor", "is as it should be"},
		{"setup cursor -q --json", `"files"`},
		{"setup cursor -q --undo", ""},
	} {
		var out, errs bytes.Buffer
		sys := cli.System{Args: strings.Fields(tt.args), Stdout: &out, Stderr: &errs, Dir: dir, Getenv: func(string) string { return "" }}
		if code := run(t.Context(), sys); code != 0 || !strings.Contains(out.String(), tt.want) || tt.want == "" && out.Len() > 0 || errs.Len() > 0 {
			t.Errorf("arbor %s: exit code %d, %q, %q; want %q", tt.args, code, &out, &errs, tt.want)
		}
		file := filepath.Join(dir, ".cursor", "mcp.json")
		if _, err := os.Stat(file); (err == nil) != (!strings.Contains(tt.args, "--dry-run") && !strings.Contains(tt.args, "--undo")) {
			t.Errorf("arbor %s: %s: %v", tt.args, file, err)
		}
	}
}
