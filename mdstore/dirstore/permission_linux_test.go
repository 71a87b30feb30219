package dirstore_test

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/mdoc"
)

// asNobody calls f on a thread with the user id of a user who owns nothing, if the test has the right to switch.
func asNobody(t *testing.T, f func()) {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if os.Geteuid() == 0 {
		if err := syscall.Setfsuid(65534); err != nil {
			t.Skip(err)
		}
		defer func() { _ = syscall.Setfsuid(0) }()
	}
	f()
}

// TestWhoMayNotWriteIsToldWhat removes the right to write to one path after the other. The error names that path and no
// temporary file, and Writable returns the same beforehand.
func TestWhoMayNotWriteIsToldWhat(t *testing.T) {
	const node = "ws/nodes/root"
	for _, c := range []struct {
		locked string
		mode   os.FileMode
		want   string
		ready  bool // the vault has been written to before
	}{
		{".local", 0o555, ".local", false},
		{".local", 0o600, ".local", true},
		{"", 0o555, ".", false},
		{".local/lock", 0o444, ".local/lock", true},
		{node, 0o555, node, true},
	} {
		t.Run(c.locked, func(t *testing.T) {
			dir := fill(t, unchanged)
			s := open(t, dir)
			if c.ready {
				if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/nodes/before/Node.md", New: []byte("before")}}); err != nil {
					t.Fatal(err)
				}
			} else if c.locked != "" {
				if err := os.Mkdir(filepath.Join(dir, ".local"), 0o777); err != nil {
					t.Fatal(err)
				}
			}
			openToAll(t, dir)
			if err := os.Chmod(filepath.Join(dir, c.locked), c.mode); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			changes := []mdstore.Change{{Path: node + "/Node.md", Base: mdstore.VersionOf([]byte(unchanged[node+"/Node.md"])), New: []byte("new")}}
			asNobody(t, func() {
				var u, beforehand *mdoc.UnreadableError
				_, err := s.Commit(t.Context(), changes)
				if !errors.As(err, &u) || u.Problem.Code != dirstore.CodePermission || strings.Contains(err.Error(), ".arbor-") {
					t.Errorf("Commit: %v, want what may not be written to", err)
				} else if u.Problem.File != c.want {
					t.Errorf("Commit: %v, want it to name %s", err, c.want)
				}
				beforehandOf := []mdstore.Path{node + "/Node.md", node + "/new/Node.md"}
				if c.locked != node {
					beforehandOf = []mdstore.Path{mdstore.LocalDir}
				}
				for _, p := range beforehandOf {
					if err := s.Writable(t.Context(), p); !errors.As(err, &beforehand) || beforehand.Problem.File != c.want {
						t.Errorf("Writable(%s): %v, want %s", p, err, c.want)
					}
				}
			})
			openToAll(t, dir)
			asNobody(t, func() {
				for _, p := range []mdstore.Path{mdstore.LocalDir, changes[0].Path} {
					if err := s.Writable(t.Context(), p); err != nil {
						t.Errorf("Writable(%s), which may be written to: %v", p, err)
					}
				}
				if _, err := s.Commit(t.Context(), changes); err != nil {
					t.Errorf("Commit to what may be written to: %v", err)
				}
			})
		})
	}
}

// TestWhoMayNotMoveIsToldWhat moves a read-only folder, moves one out of a read-only folder, and into one: alone, after
// a write and before a removal. Nothing is changed, the error names the read-only folder, and Movable returns the same
// beforehand.
func TestWhoMayNotMoveIsToldWhat(t *testing.T) {
	const from, into = "ws/nodes/root", "ws/nodes/node-x"
	for locked, want := range map[string]string{from: from, "ws/nodes": "ws/nodes", into: into} {
		t.Run(strings.ReplaceAll(locked, "/", "-"), func(t *testing.T) {
			dir := fill(t, unchanged)
			s := open(t, dir)
			if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: into + "/Node.md", New: []byte("x")}}); err != nil {
				t.Fatal(err)
			}
			openToAll(t, dir)
			if err := os.Chmod(filepath.Join(dir, locked), 0o555); err != nil {
				t.Fatal(err)
			}
			s = open(t, dir)
			move := []mdstore.Change{{Path: from, To: into + "/root"}}
			asNobody(t, func() {
				var u *mdoc.UnreadableError
				if err := s.Movable(t.Context(), move[0].Path, move[0].To); !errors.As(err, &u) || u.Problem.File != want {
					t.Errorf("Movable: %v, want %s", err, want)
				}
				before := contents(t, dir)
				first := mdstore.Change{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(unchanged["ws/Workspace.md"])), New: []byte("new")}
				last := mdstore.Change{Path: into + "/Node.md", Base: mdstore.VersionOf([]byte("x"))}
				for _, changes := range [][]mdstore.Change{move, {first, move[0]}, {move[0], last}, {first, move[0], last}} {
					if _, err := s.Commit(t.Context(), changes); !errors.As(err, &u) || u.Problem.File != want {
						t.Errorf("%d changes: %v, want what may not be written to", len(changes), err)
					}
					if after := contents(t, dir); !maps.Equal(before, after) {
						t.Fatalf("%d changes: %q", len(changes), after)
					}
				}
			})
			if locked == from {
				asNobody(t, func() {
					removal := []mdstore.Change{{Path: from + "/Node.md", Base: mdstore.VersionOf([]byte(unchanged[from+"/Node.md"]))}}
					var u *mdoc.UnreadableError
					if _, err := s.Commit(t.Context(), removal); !errors.As(err, &u) || u.Problem.File != from {
						t.Errorf("a removal: %v, want what may not be written to", err)
					}
				})
			}
			openToAll(t, dir)
			asNobody(t, func() {
				if err := s.Movable(t.Context(), move[0].Path, move[0].To); err != nil {
					t.Errorf("Movable of what may be moved: %v", err)
				}
				if _, err := s.Commit(t.Context(), move); err != nil {
					t.Errorf("a move that is allowed: %v", err)
				}
			})
		})
	}
}

// TestWhoMayNotMakeAVaultIsToldSo creates a vault without the right to do so, and where a file has the name. MayCreate
// returns the same beforehand, and creates nothing.
func TestWhoMayNotMakeAVaultIsToldSo(t *testing.T) {
	top := t.TempDir()
	openToAll(t, top)
	for name, mode := range map[string]os.FileMode{"open": 0o777, "closed": 0o555} {
		if err := os.Mkdir(filepath.Join(top, name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(filepath.Join(top, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(top, "file"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		for name, fine := range map[string]bool{"open/new/vault": true, "closed/vault": false, "file/vault": false, "open": true, "closed": true} {
			dir := filepath.Join(top, name)
			_, was := os.Stat(dir)
			before := dirstore.MayCreate(dir)
			if _, is := os.Stat(dir); (was == nil) != (is == nil) {
				t.Errorf("%s: MayCreate has made it", name)
			}
			err := dirstore.Create(dir)
			if (before == nil) != fine || (err == nil) != fine || !fine && before.Error() != err.Error() {
				t.Errorf("%s: MayCreate says %v, and Create %v", name, before, err)
			}
		}
	})
}

// openToAll lets every user reach dir, which lies in the folder of the tests, and write to everything below it.
func openToAll(t *testing.T, dir string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(p string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Chmod(p, 0o777))
	})
	top := filepath.Clean(cmp.Or(os.Getenv("GOTMPDIR"), os.TempDir())) // as t.TempDir has it
	for up := filepath.Dir(dir); err == nil && up != top && up != filepath.Dir(up); up = filepath.Dir(up) {
		err = os.Chmod(up, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// .local/ has texts of files that others may not read, so only this user may open it, also if another program had made
// it for all.
func TestLocalFilesAreOfThisUserAlone(t *testing.T) {
	for _, made := range []bool{false, true} {
		dir := newVault(t)
		local := filepath.Join(dir, mdstore.LocalDir)
		if made {
			if err := errors.Join(os.MkdirAll(local, 0o755), os.Chmod(local, 0o755)); err != nil {
				t.Fatal(err)
			}
		}
		s := open(t, dir)
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "ws/Workspace.md", New: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(local); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("made before: %t: %v, error %v", made, info.Mode(), err)
		}
	}
}
