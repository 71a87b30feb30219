package merge_test

import (
	"fmt"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/merge"
)

// A key that both sides changed differently becomes what its row in the table of its kind says.
func TestEveryKeyMergesByItsRow(t *testing.T) {
	for _, k := range mdstore.AllKinds() {
		for _, key := range k.Keys {
			if key.Merge == mdstore.MergeStatus || key.Merge == mdstore.MergeHash || k.Form == mdstore.SlotForm && (key.Name == mdstore.KeyID || key.Name == mdstore.KeyCreated) {
				continue // these depend on the rest of the file, and have tests of their own
			}
			path := mdstore.Path("ws/x.md")
			switch dir := k.Folder("ws"); {
			case k.Place.Each:
				path = k.File(dir.Join("n"))
			case k.Place.Deep && !k.Place.Many():
				path = k.File(dir.Join("s"))
			case k.Place.Deep:
				path = k.FileFor(dir.Join("s"), "x")
			default:
				path = k.FileFor(dir, "x")
			}
			if mdstore.AllKinds().Of(path) != k {
				t.Fatalf("%s is no %s", path, k.Name)
			}
			log := ""
			if key.Merge == mdstore.MergeNoted && (k == mdstore.NodeKind || k == mdstore.WorkspaceKind || k == mdstore.SessionKind) {
				log = "\n## Log\n\n- [2026-01-01 10:00:00] [AI] a\n"
			}
			file := func(value string) []byte {
				return mdstore.Stored(path, fmt.Appendf(nil, "---\n%s: %s\n---\n%s", key.Name, value, log))
			}
			values := [3]string{"1", "2", "3"}
			if key.Merge == mdstore.MergeUnite {
				values = [3]string{"[a, b]", "[a, b, c]", "[b, d]"}
			}
			r, err := merge.Merge(path, file(values[0]), file(values[1]), file(values[2]), merge.Options{})
			text, _ := mdstore.TextOf(path, r.Bytes)
			var want string
			switch {
			case key.Merge == mdstore.MergeConflict, key.Merge == mdstore.MergeNoted && log == "":
				if err == nil && len(r.Conflicts) == 0 {
					t.Errorf("%s of a %s: no conflict, but\n%s", key.Name, k.Name, text)
				}
				continue
			case key.Merge == mdstore.MergeUnite:
				want = "[b, c, d]"
			default:
				want = "3"
			}
			if err != nil || len(r.Conflicts) > 0 || !strings.Contains(string(text), key.Name+": "+want+"\n") {
				t.Errorf("%s of a %s: %v, want %s:\n%s", key.Name, k.Name, err, want, text)
			}
			if log != "" && !strings.Contains(string(text), "replaced "+key.Name+": 2") {
				t.Errorf("%s of a %s: the log does not have the replaced text:\n%s", key.Name, k.Name, text)
			}
		}
	}
}
