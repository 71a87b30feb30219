package ops_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// shipped reads a vault of the repository.
func shipped(t testing.TB, project string) map[mdstore.Path][]byte {
	t.Helper()
	dir := filepath.Join("..", "..", "testdata", "vault", project, mdstore.DefaultVault)
	files := map[mdstore.Path][]byte{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(p)))
		files[mdstore.Path(p)] = b
		return err
	})
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", dir, len(files), err)
	}
	return files
}

// TestShippedVaultIsSound checks the vault that readers of the repository start with.
func TestShippedVaultIsSound(t *testing.T) {
	w := enginetest.New(t, shipped(t, "field-notes"))
	out, err := ops.WorkspaceCheck(t.Context(), &ops.Env{Engine: w.Engine}, ops.WorkspaceCheckIn{})
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

// TestDamagedVault compares what check finds in the damaged vault with the list that stands beside it.
func TestDamagedVault(t *testing.T) {
	w := enginetest.New(t, shipped(t, "damaged"))
	out, err := ops.WorkspaceCheck(t.Context(), &ops.Env{Engine: w.Engine}, ops.WorkspaceCheckIn{})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, d := range out.Diagnostics {
		fmt.Fprintf(&b, "%s | fix: %s\n", d, d.Fix)
	}
	t.Log(b.String())
}
