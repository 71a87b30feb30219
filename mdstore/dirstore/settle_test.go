package dirstore_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// made returns the changes that make two files.
func made(folder mdstore.Path) []mdstore.Change {
	return []mdstore.Change{{Path: folder.Join("one.md"), New: []byte("one\n")}, {Path: folder.Join("two.md"), New: []byte("two\n")}}
}

// Where .local/ was deleted before a commit is settled, and another process commits in the one that it has made, that one's record and number stay.
func TestSettleOfAnother(t *testing.T) {
	dir := newVault(t)
	local := filepath.Join(dir, mdstore.LocalDir)
	state := func() string {
		record, err := os.ReadFile(filepath.Join(local, "journal", "commit.json"))
		if err != nil {
			t.Error(err)
		}
		number, err := os.ReadFile(filepath.Join(local, "sequence"))
		if err != nil {
			t.Error(err)
		}
		return string(number) + string(record)
	}
	a, b := open(t, dir), open(t, dir)
	err := a.Update(t.Context(), func(st mdstore.Store) error {
		if _, err := st.Commit(t.Context(), made("a")); err != nil {
			return err
		}
		if err := os.RemoveAll(local); err != nil {
			t.Skip("a file that is open cannot be deleted here:", err)
		}
		return b.Update(t.Context(), func(other mdstore.Store) error {
			if _, err := other.Commit(t.Context(), made("b")); err != nil {
				return err
			}
			before := state()
			if strays, err := st.(mdstore.Strays).Strays(t.Context(), "a"); err != nil || len(strays) > 0 { // what is left of a commit is cleared away first
				t.Errorf("left are %v (error %v)", strays, err)
			}
			if after := state(); after != before {
				t.Errorf("number and record were\n%sand are\n%s", before, after)
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range []mdstore.Store{a, b, a} {
		if _, err := s.Commit(t.Context(), made(mdstore.Path(filepath.Base(dir)).Join(string(rune('a'+i))))); err != nil {
			t.Error(err)
		}
	}
}

// A store that is used after Update has returned leaves alone what others are to settle, who give back the lock.
func TestSettleTooLate(t *testing.T) {
	dir := newVault(t)
	a, b := open(t, dir), open(t, dir)
	var kept mdstore.Store
	err := a.Update(t.Context(), func(st mdstore.Store) error {
		kept = st
		return only(st.Commit(t.Context(), made("a")))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.(mdstore.Strays).Strays(t.Context(), ""); err != nil {
		t.Error(err)
	}
	wait, cancel := context.WithTimeout(t.Context(), 10*time.Second) // only a vault that stays locked takes so long
	defer cancel()
	if _, err := b.Commit(wait, made("b")); err != nil {
		t.Error(err)
	}
}

// A process is killed between the answer to a commit and what is cleared away after it. What somebody does to its files before Arbor runs again stays, also where somebody had saved one of them
// while the commit was made.
func TestUndoneAfterAKill(t *testing.T) {
	if disk.Boot(disk.Root{}) == "" {
		t.Skip("this system does not tell whether it has run on, so that an unfinished commit is made again")
	}
	const two = "one\ntwo\nthree\nfour\nfive\n"
	for name, meanwhile := range map[string]string{"nobody saves": "", "a save that is merged": strings.Replace(two, "five", "5", 1), "a save that is not": strings.Replace(two, "two", "2", 1)} {
		t.Run(name, func(t *testing.T) { undoneAfterAKill(t, two, meanwhile) })
	}
}

func undoneAfterAKill(t *testing.T, two, meanwhile string) {
	dir, killed := newVault(t), filepath.Join(t.TempDir(), "killed")
	s := open(t, dir)
	if _, err := s.Commit(t.Context(), []mdstore.Change{{Path: "a/one.md", New: []byte("one\n")}, {Path: "a/two.md", New: []byte(two)}}); err != nil {
		t.Fatal(err)
	}
	s, err := dirstore.OpenThrough(dir, dirstore.Options{}, func(d disk.FS) disk.FS {
		return &meddled{FS: d, exchange: func(_, p mdstore.Path) {
			if p == "a/two.md" && meanwhile != "" {
				write(t, filepath.Join(dir, "a/two.md"), meanwhile)
				meanwhile = ""
			}
		}}
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.Update(t.Context(), func(st mdstore.Store) error {
		return errors.Join(only(st.Commit(t.Context(), []mdstore.Change{
			{Path: "a/one.md", Base: mdstore.VersionOf([]byte("one\n")), New: []byte("one, changed\n")},
			{Path: "a/two.md", Base: mdstore.VersionOf([]byte(two)), New: []byte(strings.Replace(two, "two", "two, changed", 1))},
		})), os.CopyFS(killed, os.DirFS(dir)))
	})
	if err != nil {
		t.Fatal(err)
	}
	if now, err := os.ReadFile(filepath.Join(killed, "a", "one.md")); err != nil || string(now) != "one, changed\n" {
		t.Fatalf("the commit is not made: %q, error %v", now, err)
	}
	want := map[string]string{"one.md": "one\n", "two.md": "one line more\n" + two} // taken back, and edited above
	for name, text := range want {
		if err := os.WriteFile(filepath.Join(killed, "a", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again := open(t, killed)
	for name, text := range want {
		if now, err := os.ReadFile(filepath.Join(killed, "a", name)); err != nil || string(now) != text {
			t.Errorf("%s holds %q, error %v; they left %q", name, now, err, text)
		}
	}
	if n, err := again.Generation(t.Context()); err != nil || n%2 != 0 {
		t.Errorf("number %d, error %v", n, err)
	}
	if left, _ := filepath.Glob(filepath.Join(killed, "a", mdstore.TempPrefix+"*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}
