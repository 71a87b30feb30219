package cli

import (
	"fmt"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// crowd returns a world with n nodes that are ready.
func crowd(t *testing.T, n int) *world {
	t.Helper()
	files := map[mdstore.Path][]byte{"ws-a/Workspace.md": []byte("---\nid: ws-a\nname: Crowd\nstatus: active\n---\n")}
	node := func(id, fields string) {
		files[mdstore.NodePath("ws-a", mdstore.ID(id))] = fmt.Appendf(nil, "---\nid: %s\ntitle: %s\n%s\n---\n", id, id, fields)
	}
	node("root", "type: planning\nstatus: monitoring\nparentId: null")
	for i := range n {
		node(fmt.Sprintf("node-%04d", i), "type: execution\nstatus: pending\nparentId: root")
	}
	st, opt := enginetest.NewVault(t, "memory", files)
	e, err := engine.Open(t.Context(), st, opt)
	if err != nil {
		t.Fatal(err)
	}
	return &world{t: t, engine: e, store: st, env: map[string]string{"LANG": "C.UTF-8"}, dir: t.TempDir()}
}

// next --claim lists all nodes that it claimed, because other sessions can no longer claim them.
func TestAClaimIsShownWhole(t *testing.T) {
	const ready, many = 800, 300
	w := crowd(t, ready)
	seen := map[string]bool{}
	for _, flags := range [][]string{{"-q"}, {}} {
		stdout, stderr, code := w.run(append(flags, "next", "--claim", "-n", fmt.Sprint(many))...)
		if got := strings.Count(stdout, "\n"); code != exitOK || got != many || strings.Contains(stderr, "--all") {
			t.Errorf("%d are claimed %q: exit code %d, and %d are shown; %s", many, flags, code, got, stderr)
		}
		for line := range strings.Lines(stdout) {
			seen[strings.Fields(line)[0]] = true
		}
	}
	if len(seen) != 2*many {
		t.Errorf("%d different nodes are shown, want %d", len(seen), 2*many)
	}
	if got := strings.Count(w.ok("next", "--all", "-q"), "\n"); got != ready-2*many {
		t.Errorf("%d are left, want %d", got, ready-2*many)
	}
	w.ok("next", "--claim", "-n", fmt.Sprint(ready), "-q")
	_, stderr, _ := w.run("next", "--claim")
	contains(t, "all are claimed", stderr, fmt.Sprintf("%d are claimed already", ready), "every ready node is claimed already")
}
