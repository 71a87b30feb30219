package ops_test

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"arbor/engine/ops"
)

// A program is in the middle of a save when a repair begins, and ends it while the repair waits: nothing is moved to
// the trash, made, or marked.
func TestFixWaitsForASave(t *testing.T) {
	const id = "node-mjv3xk00-000001"
	files := maps.Clone(unsaid)
	files["ws/Workspace.md"] = "---\nid: ws\nname: Login\ngoal: g\nstatus: active\nrulesHash: \"\"\nfocusedNodeId: " + id + "\n---\n"
	files["ws/nodes/"+id+"/Node.md"] = "---\nid: " + id + "\ntitle: A\ntype: execution\nstatus: pending\nparentId: root\n---\n"
	files["ws/nodes/node-b/Node.md"] = "---\nid: node-b\ntitle: B\ntype: execution\nstatus: pending\nparentId: root\n---\n\n## References\n\n- " + id + ": there\n"

	for _, name := range []string{"ws/nodes/" + id, "ws/nodes/" + id + "/Node.md", "ws/nodes/root", "ws/nodes/root/Node.md"} {
		for _, dry := range []bool{false, true} {
			v := newCaseVault(t, t.TempDir(), files)
			before := v.files(t)
			at, kept := filepath.Join(v.dir, filepath.FromSlash(name)), filepath.Join(filepath.Dir(v.dir), "kept")
			rename := func(from, to string) {
				if err := os.Rename(from, to); err != nil {
					t.Fatal(err)
				}
			}
			rename(at, kept)
			waited := false
			v.pause = func() {
				if !waited {
					rename(kept, at)
				}
				waited = true
			}
			out := v.check(t, ops.WorkspaceCheckIn{Fix: true, Write: ops.Write{DryRun: dry}})
			if !waited {
				t.Fatalf("%s: the repair did not wait", name)
			}
			if out.Changed || len(out.Fixed) > 0 || len(out.Diagnostics) > 0 || !maps.Equal(before, v.files(t)) {
				t.Errorf("%s (dry: %v): mended %v, left %v\n%s", name, dry, out.Fixed, out.Diagnostics, out.Diff)
			}
			v.close()
		}
	}
}

// A program begins a save while a repair waits because of another file: what the repair found at its first look it does
// not take for gone at the second.
func TestFixTakesNothingForGoneThatItsFirstLookFound(t *testing.T) {
	const id = "node-mjv3xk00-000001"
	files := maps.Clone(unsaid)
	files["ws/Workspace.md"] = "---\nid: ws\nname: Login\ngoal: g\nstatus: active\nrulesHash: \"\"\nfocusedNodeId: " + id + "\n---\n"
	files["ws/nodes/"+id+"/Node.md"] = "---\nid: " + id + "\ntitle: A\ntype: execution\nstatus: pending\nparentId: root\n---\n"
	files["ws/nodes/node-b/Node.md"] = "---\nid: node-b\ntitle: B\ntype: execution\nstatus: pending\nparentId: root\n---\n\n## References\n\n- " + id + ": there\n- node-mjv3xk00-000009: gone\n"
	for _, name := range []string{"ws/nodes/" + id + "/Node.md", "ws/nodes/" + id, "ws/nodes/root/Node.md"} {
		v := newCaseVault(t, t.TempDir(), files)
		v.pause = func() {
			if err := os.RemoveAll(filepath.Join(v.dir, filepath.FromSlash(name))); err != nil {
				t.Error(err)
			}
		}
		out := v.check(t, ops.WorkspaceCheckIn{Fix: true})
		if len(out.Fixed) != 1 || out.Fixed[0].File != "ws/nodes/node-b/Node.md" || out.Fixed[0].Line != 12 {
			t.Errorf("without %s: mended %v, want the reference to what was never there", name, lines(out.Fixed))
		}
		for file := range v.files(t) {
			if _, was := files[file]; !was && filepath.Base(file) == "Node.md" {
				t.Errorf("without %s: %s was made", name, file)
			}
		}
		v.close()
	}
}
