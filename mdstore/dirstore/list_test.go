package dirstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"arbor/mdstore"
)

// grown makes a vault of n nodes of 1.6 kB each.
func grown(t testing.TB, n int) string {
	t.Helper()
	dir := fill(t, map[string]string{"ws/Workspace.md": "ws"})
	body := strings.Repeat("sixteen letters\n", 100)
	for i := range n {
		write(t, filepath.Join(dir, "ws", "nodes", fmt.Sprintf("node-%06d", i), "Node.md"), body)
	}
	return dir
}

// However a listing ends, its reading goroutines end: synctest fails if one is left.
func TestListLeavesNoGoroutine(t *testing.T) {
	s := open(t, grown(t, 400))
	for stop := range 20 {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			n := 0
			for _, err := range s.List(ctx, "ws") {
				if err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
				if n++; n == 20*stop+1 {
					if stop%2 == 0 { // without cancelling anything
						break
					}
					cancel()
				}
			}
			if n > 20*stop+2 {
				t.Errorf("%d files after the listing was to stop at %d", n, 20*stop+1)
			}
			_ = cancel
		})
	}
}

// Files are made and removed during a listing. Those that stay are listed.
func TestListWhileFilesChange(t *testing.T) {
	dir := grown(t, 300)
	s := open(t, dir)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for i := 0; ctx.Err() == nil; i++ {
			p := filepath.Join(dir, "ws", "nodes", fmt.Sprintf("brief-%d", i%10))
			_ = os.Mkdir(p, 0o755)
			_ = os.WriteFile(filepath.Join(p, "Node.md"), []byte(strings.Repeat("x", i%5000)), 0o644)
			_ = os.RemoveAll(p)
		}
	}()
	for range 10 {
		kept := 0
		last := mdstore.Path("")
		for f, err := range s.List(t.Context(), "ws") {
			if f.Path <= last {
				t.Errorf("%s after %s", f.Path, last)
			}
			if last = f.Path; strings.HasPrefix(string(f.Path), "ws/nodes/node-") {
				kept++
				if err != nil {
					t.Errorf("%s: %v", f.Path, err)
				}
			}
		}
		if kept != 300 {
			t.Errorf("%d of 300 nodes", kept)
		}
	}
	cancel()
	<-done
}

func BenchmarkList(b *testing.B) {
	for _, n := range []int{1000, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := open(b, grown(b, n))
			for b.Loop() {
				seen := 0
				for _, err := range s.List(b.Context(), "ws") {
					if err != nil {
						b.Fatal(err)
					}
					seen++
				}
				if seen != n+1 {
					b.Fatalf("%d files of %d", seen, n+1)
				}
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	s := open(b, grown(b, 1))
	for b.Loop() {
		if _, err := s.Read(b.Context(), "ws/nodes/node-000000/Node.md"); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCommit(b *testing.B) {
	for _, files := range []int{1, 3} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			s := open(b, grown(b, files))
			bases := make([]mdstore.Version, files)
			body := strings.Repeat("sixteen letters\n", 100)
			for i := range bases {
				bases[i] = mdstore.VersionOf([]byte(body))
			}
			for n := 0; b.Loop(); n++ {
				changes := make([]mdstore.Change, files)
				for i := range changes {
					data := fmt.Appendf(nil, "%s%d\n", body, n)
					changes[i] = mdstore.Change{Path: mdstore.Path(fmt.Sprintf("ws/nodes/node-%06d/Node.md", i)), Base: bases[i], New: data}
					bases[i] = mdstore.VersionOf(data)
				}
				if _, err := s.Commit(b.Context(), changes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
