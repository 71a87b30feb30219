package dirstore_test

import (
	"bufio"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"arbor/mdstore/dirstore"
)

// present are the names in .local/present/.
func present(t testing.TB, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, ".local", "present"))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func there(t testing.TB, s *dirstore.Store, token string) bool {
	t.Helper()
	ok, err := s.Present(t.Context(), token)
	if err != nil {
		t.Fatalf("Present(%q): %v", token, err)
	}
	return ok
}

func appear(t testing.TB, s *dirstore.Store) (token string, leave func()) {
	t.Helper()
	token, leave, err := s.Appear(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return token, leave
}

// TestTheDeadAreNotPresent kills a process that is present, and one that has closed nothing.
func TestTheDeadAreNotPresent(t *testing.T) {
	dir := newVault(t)
	cmd := start(t, "appear", dir)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	token, err := bufio.NewReader(out).ReadString('\n')
	if token = strings.TrimSpace(token); err != nil || token == "" {
		t.Fatalf("the process says %q, error %v", token, err)
	}
	s := open(t, dir)
	if !there(t, s, token) {
		t.Error("a process that lives is not present")
	}
	if own, _ := appear(t, s); len(present(t, dir)) != 2 || !there(t, s, token) || !there(t, s, own) {
		t.Errorf("after somebody else appeared there are %q", present(t, dir))
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if there(t, s, token) {
		t.Error("a process that was killed is present")
	}
	// Its file goes when somebody appears next.
	if appear(t, s); len(present(t, dir)) != 2 {
		t.Errorf("files of the dead stay: %q", present(t, dir))
	}
}

// TestClosedStoresArePresentNoMore closes one of two stores of a folder.
func TestClosedStoresArePresentNoMore(t *testing.T) {
	dir := newVault(t)
	one, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	two := open(t, dir)
	a, leave := appear(t, one)
	b, _ := appear(t, two)
	if !there(t, one, b) || !there(t, two, a) {
		t.Error("two stores of a folder do not see who is present in the other")
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	leave() // does no harm
	if there(t, two, a) || !there(t, two, b) {
		t.Errorf("after one of two is closed: %v and %v are there", there(t, two, a), there(t, two, b))
	}
	if got := present(t, dir); len(got) != 1 || got[0] != b {
		t.Errorf("files: %q, want that of the store that is open", got)
	}
}

// TestDeletedPresence deletes .local/ under somebody who is present: they are not any more, and appear again.
func TestDeletedPresence(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be deleted here")
	}
	dir := newVault(t)
	s := open(t, dir)
	token, leave := appear(t, s)
	if err := os.RemoveAll(filepath.Join(dir, ".local")); err != nil {
		t.Fatal(err)
	}
	if there(t, s, token) {
		t.Error("present without a file")
	}
	again, _ := appear(t, s)
	leave() // of who is gone, and takes nobody else along
	if token == again || !there(t, s, again) {
		t.Errorf("appeared again under %q, and is there: %v", again, there(t, s, again))
	}
	// A file that somebody makes in place of the lost one is nobody's.
	write(t, filepath.Join(dir, ".local", "present", token), "")
	if there(t, s, token) {
		t.Error("a file that nobody locks is somebody's presence")
	}
}

// TestPresenceStaysInTheVault puts links and folders where files of the present are.
func TestPresenceStaysInTheVault(t *testing.T) {
	dir, outside := newVault(t), t.TempDir()
	s := open(t, dir)
	write(t, filepath.Join(dir, ".local", "x"), "")
	if err := os.Symlink(outside, filepath.Join(dir, ".local", "present")); err != nil {
		t.Skip("no links here: ", err)
	}
	if token, _, err := s.Appear(t.Context()); err == nil {
		t.Errorf("appeared as %s through a linked folder", token)
	}
	if entries, _ := os.ReadDir(outside); len(entries) > 0 {
		t.Errorf("written outside of the vault: %v", entries)
	}
	if err := os.Remove(filepath.Join(dir, ".local", "present")); err != nil {
		t.Fatal(err)
	}
	token, leave := appear(t, s)
	leave()
	secret := filepath.Join(outside, "secret")
	write(t, secret, "secret")
	file := filepath.Join(dir, ".local", "present", token)
	if err := os.Symlink(secret, file); err != nil {
		t.Fatal(err)
	}
	if there(t, s, token) {
		t.Error("a link is somebody's presence")
	}
	write(t, filepath.Join(dir, ".local", "present", "notes.txt"), "kept")
	appear(t, s)
	if data, err := os.ReadFile(secret); err != nil || string(data) != "secret" {
		t.Errorf("what the link leads to: %q, error %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".local", "present", "notes.txt")); err != nil {
		t.Errorf("what is nobody's presence is not swept: %v", err)
	}
}

// TestPresenceInAReadOnlyVault says that nobody can appear where nothing can be written.
func TestPresenceInAReadOnlyVault(t *testing.T) {
	dir := newVault(t)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(dir, 0o755) })
	if err := os.WriteFile(filepath.Join(dir, "probe"), nil, 0o644); err == nil {
		t.Skip("this user may write everywhere")
	}
	s := open(t, dir)
	if token, _, err := s.Appear(t.Context()); err == nil {
		t.Errorf("appeared as %s", token)
	}
	if ok, err := s.Present(t.Context(), "AAAAAAAAAAAAAAAAAAAAAAAAAA"); ok || err != nil {
		t.Errorf("present: %v, error %v", ok, err)
	}
}

// TestLookersAreNotTheOnesLookedFor has many look at once for somebody who is gone.
func TestLookersAreNotTheOnesLookedFor(t *testing.T) {
	dir := newVault(t)
	const gone = "AAAAAAAAAAAAAAAAAAAAAAAAAA"
	write(t, filepath.Join(dir, ".local", "present", gone), "")
	one, two := open(t, dir), open(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 300 {
				if ok, err := []*dirstore.Store{one, two}[i%2].Present(t.Context(), gone); ok || err != nil {
					t.Errorf("who is gone is present: %v, error %v", ok, err)
					return
				}
			}
		})
	}
	wg.Wait()
}

// TestAppearingWhileOthersSweep appears again and again while everybody removes the files of who is gone.
func TestAppearingWhileOthersSweep(t *testing.T) {
	dir := newVault(t)
	one, two := open(t, dir), open(t, dir)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s, other := one, two
			if i%2 == 1 {
				s, other = two, one
			}
			for range 150 {
				token, leave, err := s.Appear(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				if ok, err := other.Present(t.Context(), token); !ok || err != nil {
					t.Errorf("who has just appeared is present: %v, error %v", ok, err)
					return
				}
				leave()
			}
		})
	}
	wg.Wait()
	if left := present(t, dir); len(left) != 0 {
		t.Errorf("all have left, and there are %q", left)
	}
}
