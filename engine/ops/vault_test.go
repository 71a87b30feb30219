package ops_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// shipped opens a copy of a project folder of the repository.
func shipped(t testing.TB, project string) *ops.Env {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("..", "..", "testdata", "vault", project))); err != nil {
		t.Fatal(err)
	}
	return &ops.Env{Engine: enginetest.Open(t, enginetest.OpenDir(t, filepath.Join(dir, mdstore.DefaultVault)))}
}

func TestShippedVaultIsSound(t *testing.T) {
	out, err := ops.WorkspaceCheck(t.Context(), shipped(t, "field-notes"), ops.WorkspaceCheckIn{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range out.Diagnostics {
		t.Error(d)
	}
	if out.Checked < 37 {
		t.Errorf("%d files checked", out.Checked)
	}
}

var tableRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\| `([A-Z_0-9]+)` \\|")

// Check finds in the damaged vault what the table beside it says, --fix repairs what it can, and a second repair
// changes nothing.
func TestDamagedVault(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "testdata", "vault", "damaged", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, m := range tableRow.FindAllStringSubmatch(string(readme), -1) {
		want = append(want, m[1]+" "+m[2])
	}
	slices.Sort(want)
	env := shipped(t, "damaged")
	check := func(in ops.WorkspaceCheckIn) (*ops.WorkspaceCheckOut, []string) {
		out, err := ops.WorkspaceCheck(t.Context(), env, in)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range out.Diagnostics {
			_, file, _ := strings.Cut(d.File, "/")
			got = append(got, file+" "+d.Code)
		}
		slices.Sort(got)
		return out, got
	}
	first, got := check(ops.WorkspaceCheckIn{})
	if !slices.Equal(got, want) {
		t.Errorf("check finds\n\t%s\nthe table says\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
	fixable := 0
	for _, d := range first.Diagnostics {
		if d.Fix != "" {
			fixable++
		}
	}
	dry, _ := check(ops.WorkspaceCheckIn{Fix: true, Write: ops.Write{DryRun: true}})
	if dry.Diff == "" || len(dry.Fixed) != fixable || len(dry.Diagnostics) != len(first.Diagnostics) {
		t.Errorf("a dry run of the repair: %d of %d fixed, diff %q", len(dry.Fixed), fixable, dry.Diff)
	}
	fixed, rest := check(ops.WorkspaceCheckIn{Fix: true})
	if len(fixed.Fixed) != fixable || fixable == 0 || len(rest) != len(want)-fixable {
		t.Errorf("%d of %d fixed, %d of %d left", len(fixed.Fixed), fixable, len(rest), len(want))
	}
	again, same := check(ops.WorkspaceCheckIn{Fix: true})
	if again.Changed || len(again.Fixed) > 0 || !slices.Equal(rest, same) {
		t.Errorf("a second repair changes %v and leaves %v", again.Files, same)
	}
}
