package dirstore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// For two generations, another store of the folder returns all paths that the commits between them changed, if these
// are still recorded.
func TestChangedSince(t *testing.T) {
	dir := fill(t, unchanged)
	s, err := dirstore.OpenThrough(dir, dirstore.Options{SaveQuiet: -1}, func(d osfs.FS) osfs.FS { return hasty{d} })
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	other := open(t, dir)
	const commits = 1200
	numbers := []uint64{}
	var paths []mdstore.Path
	for i := range commits {
		p := mdstore.Path(fmt.Sprintf("ws/nodes/node-%d/Node.md", i))
		if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: p, New: []byte("x")}}); err != nil {
			t.Fatal(err)
		}
		n, err := s.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		numbers, paths = append(numbers, n), append(paths, p)
	}
	last := len(numbers) - 1
	known := 0
	for i := range numbers {
		got, ok := other.ChangedSince(t.Context(), numbers[i], numbers[last])
		if !ok {
			continue
		}
		known++
		if !slices.Equal(got, paths[i+1:]) {
			t.Fatalf("since commit %d: %d paths, want %d", i, len(got), last-i)
		}
	}
	if known < 100 || known == commits {
		t.Errorf("%d of %d commits are remembered; some hundred should be, and not all", known, commits)
	}
	if info, err := os.Stat(filepath.Join(dir, ".local", "generation")); err != nil || info.Size() > 1<<15 {
		t.Errorf("it takes %d bytes, error %v", info.Size(), err)
	}
	if got, ok := other.ChangedSince(t.Context(), 12345, numbers[last]); ok {
		t.Errorf("since a number that never was: %v", got)
	}
}

// Moves have both paths. If records are lost or damaged, the changes are unknown.
func TestWhatIsNotKnownIsNotTold(t *testing.T) {
	dir := fill(t, unchanged)
	s := open(t, dir)
	number := func(c ...mdstore.Change) uint64 {
		t.Helper()
		if _, err := s.Commit(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		n, err := s.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	a := number(mdstore.Change{Path: "ws/nodes/a/Node.md", New: []byte("a")})
	b := number(mdstore.Change{Path: "ws/nodes/a", To: "ws/nodes/b"}, mdstore.Change{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte(unchanged["ws/Workspace.md"])), Keep: true})
	if got, ok := s.ChangedSince(t.Context(), a, b); !ok || !slices.Equal(got, []mdstore.Path{"ws/nodes/a", "ws/nodes/b"}) {
		t.Errorf("a move is %v, %v", got, ok)
	}
	var many []mdstore.Change
	for i := range 200 {
		many = append(many, mdstore.Change{Path: mdstore.Path(fmt.Sprintf("ws/%d", i)), New: []byte("x")})
	}
	if got, ok := s.ChangedSince(t.Context(), b, number(many...)); ok {
		t.Errorf("of a large commit: %v", got)
	}
	at := filepath.Join(dir, ".local", "generation")
	whole, err := os.ReadFile(at)
	if err != nil {
		t.Fatal(err)
	}
	for i := range whole {
		damaged := slices.Clone(whole)
		damaged[i] ^= 1
		if err := os.WriteFile(at, damaged, 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := s.ChangedSince(t.Context(), a, b); ok && !slices.Equal(got, []mdstore.Path{"ws/nodes/a", "ws/nodes/b"}) {
			t.Fatalf("with byte %d damaged: %v", i, got)
		}
		if err := os.WriteFile(at, whole[:i], 0o666); err != nil {
			t.Fatal(err)
		}
		if got, ok := s.ChangedSince(t.Context(), a, b); ok && !slices.Equal(got, []mdstore.Path{"ws/nodes/a", "ws/nodes/b"}) {
			t.Fatalf("cut at byte %d: %v", i, got)
		}
	}
	if err := os.Remove(at); err != nil {
		t.Fatal(err)
	}
	if got, ok := s.ChangedSince(t.Context(), a, b); ok {
		t.Errorf("without its file: %v", got)
	}
}
