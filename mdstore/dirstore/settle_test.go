package dirstore_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"arbor/mdstore"
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
	err := a.Exclusively(t.Context(), func(st mdstore.Store) error {
		if err := st.Commit(t.Context(), made("a")); err != nil {
			return err
		}
		if err := os.RemoveAll(local); err != nil {
			t.Skip("a file that is open cannot be deleted here:", err)
		}
		return b.Exclusively(t.Context(), func(other mdstore.Store) error {
			if err := other.Commit(t.Context(), made("b")); err != nil {
				return err
			}
			before := state()
			if strays, err := st.(mdstore.Inspector).Strays(t.Context(), "a"); err != nil || len(strays) > 0 { // what is left of a commit is cleared away first
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
		if err := s.Commit(t.Context(), made(mdstore.Path(filepath.Base(dir)).Join(string(rune('a'+i))))); err != nil {
			t.Error(err)
		}
	}
}

// A store that is used after Exclusively has returned leaves alone what others are to settle, who give back the lock.
func TestSettleTooLate(t *testing.T) {
	dir := newVault(t)
	a, b := open(t, dir), open(t, dir)
	var kept mdstore.Store
	err := a.Exclusively(t.Context(), func(st mdstore.Store) error {
		kept = st
		return st.Commit(t.Context(), made("a"))
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := kept.(mdstore.Inspector).Strays(t.Context(), ""); err != nil {
		t.Error(err)
	}
	wait, cancel := context.WithTimeout(t.Context(), 10*time.Second) // only a vault that stays locked takes so long
	defer cancel()
	if err := b.Commit(wait, made("b")); err != nil {
		t.Error(err)
	}
}
