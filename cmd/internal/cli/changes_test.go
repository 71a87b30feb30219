package cli

import (
	"fmt"
	"strings"
	"testing"

	"arbor/mdstore"
)

// A session gets all changes, however many: they then count as seen, and no later call names them. The changes since a
// given time can be listed again.
func TestChangesAreToldWhole(t *testing.T) {
	const many = listLines + 100
	w := crowd(t, many)
	w.ok("changes", "--session", "s")
	var edits []mdstore.Change
	for i := range many {
		p := mdstore.NodePath("ws-a", mdstore.ID(fmt.Sprintf("node-%04d", i)))
		f, err := w.store.Read(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Replace(string(f.Data), "title: ", "updatedAt: 1767261600000\ntitle: Edited ", 1) // 10:00
		edits = append(edits, mdstore.Change{Path: p, Base: f.Version, New: []byte(text)})
	}
	if _, err := w.store.Commit(t.Context(), edits); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := w.run("changes", "--session", "s")
	if got := filesIn(stdout); code != exitOK || got != many || strings.Contains(stderr, "--all") {
		t.Errorf("%d files changed: exit code %d, and %d are named; %s", many, code, got, stderr)
	}
	if stdout, stderr, _ = w.run("changes", "--session", "s"); stdout != "" || !strings.Contains(stderr, "nothing changed") {
		t.Errorf("when all was told, %q is; %s", stdout, stderr)
	}
	stdout, stderr, _ = w.run("changes", "--since", "2026-01-01 09:00:00")
	if got := filesIn(stdout); got >= listLines || !strings.Contains(stderr, "--all brings the rest") {
		t.Errorf("since a time %d files are named; %s", got, stderr)
	}
	if got := filesIn(w.ok("changes", "--since", "2026-01-01 09:00:00", "--all")); got != many {
		t.Errorf("since a time, with --all, %d files are named, want %d", got, many)
	}
}

// filesIn returns how many files a list of changes names. It skips indented lines, which are texts.
func filesIn(list string) (n int) {
	for line := range strings.Lines(list) {
		if !strings.HasPrefix(line, " ") {
			n++
		}
	}
	return n
}
