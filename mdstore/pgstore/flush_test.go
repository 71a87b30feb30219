package pgstore_test

import (
	"errors"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// ownServer starts a server that only this test uses. What it says to have on its disk is there.
func ownServer(t *testing.T) *pgtest.Server {
	t.Helper()
	s, err := pgtest.Start("wal_writer_delay=10s") // it writes nothing unasked
	if err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() { _ = s.Ctl("stop", "-m", "immediate") })
	return s
}

// put commits the file ws/a within an Update, and calls then before that ends.
func put(t *testing.T, st *pgstore.Store, data string, then func()) error {
	return st.Update(t.Context(), func(tx mdstore.Tx) error {
		f, err := tx.Read(t.Context(), "ws/a")
		if err == nil || f.Version.IsZero() {
			_, err = tx.Commit(t.Context(), []mdstore.Change{{Path: "ws/a", Base: f.Version, New: []byte(data)}})
		}
		then()
		return err
	})
}

// While a commit waits for the disk, here for a standby that never answers, others commit; and it is not acknowledged.
func TestOthersCommitWhileOneWaitsForTheDisk(t *testing.T) {
	s := ownServer(t)
	one, other := pgtest.OpenAt(t, s.Address("v"), "one"), pgtest.OpenAt(t, s.Address("v"), "other")
	standby := func(name string) {
		one.Exec(t, "ALTER SYSTEM SET synchronous_standby_names = '"+name+"'")
		if err := s.Ctl("reload"); err != nil {
			t.Fatal(err)
		}
	}
	standby("nobody")
	committed, acknowledged := make(chan bool), make(chan error)
	go func() { acknowledged <- put(t, one, "one", func() { close(committed) }) }()
	<-committed
	begun := make(chan bool)
	go func() { acknowledged <- put(t, other, "other", func() { close(begun) }) }()
	<-begun
	select {
	case err := <-acknowledged:
		t.Errorf("acknowledged without the standby, error %v", err)
	default:
	}
	standby("")
	for range 2 {
		if err := <-acknowledged; err != nil {
			t.Error(err)
		}
	}
}

// A server that dies before the disk has a commit loses it. Update makes it again, and says so if it cannot; no view is
// kept of what is gone: the same number of a later commit is another generation.
func TestWhatAServerLosesIsNotAcknowledged(t *testing.T) {
	s := ownServer(t)
	st, other := pgtest.OpenAt(t, s.Address("v"), "one"), pgtest.OpenAt(t, s.Address("v"), "other")
	want := ""
	for _, data := range []string{"a", "b", "c"} {
		dies := map[string]int{"a": 1, "b": 2, "c": 9}[data]
		var seen uint64
		err := put(t, st, data, func() {
			seen, _ = st.Generation(t.Context())
			if dies--; dies < 0 {
				return
			}
			if err := s.Ctl("restart", "-m", "immediate"); err != nil {
				t.Error(err)
			}
		})
		if errors.As(err, new(*mdstore.UnfinishedError)) {
			t.Errorf("the outcome of a commit is not known: %v", err)
		}
		if err == nil {
			want = data
		}
		if (err == nil) != (data != "c") {
			t.Errorf("%s: Update returns %v", data, err)
		}
		if f, _ := other.Read(t.Context(), "ws/a"); string(f.Data) != want {
			t.Errorf("the file is %q, want %q, as Update returned %v", f.Data, want, err)
		}
		if now, readErr := st.Generation(t.Context()); readErr != nil || data == "c" && now == seen {
			t.Errorf("the generation is %d as before the server died, error %v", now, readErr)
		}
	}
}

// A generation whose commit is gone, and whose number another commit has now, is not taken for the one that was seen,
// even if no connection was lost: a pooler may hide that.
func TestAnotherCommitOfTheSameNumberIsAnotherGeneration(t *testing.T) {
	address := pgtest.Address(t)
	st, other := pgtest.OpenAt(t, address, "one"), pgtest.OpenAt(t, address, "other")
	commit(t, other, mdstore.Change{Path: "ws/a", New: []byte("a")})
	before, err := st.Generation(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, look := range []func(){
		func() {},
		func() { _ = st.Update(t.Context(), func(mdstore.Tx) error { return nil }) },
	} {
		other.Exec(t, "UPDATE arbor.generations SET token = token || 'x' WHERE vault = (SELECT n FROM arbor.vaults WHERE id = '"+st.ID()+"')")
		look()
		now, err := st.Generation(t.Context())
		if err != nil || now == before {
			t.Errorf("generation %d, error %v; want another one than %d", now, err, before)
		}
		if _, ok := st.ChangedSince(t.Context(), before, now); ok {
			t.Error("what changed since is known")
		}
		before = now
	}
}

// Within a moment, the generation that was told is told again, with what this process has committed since; Now asks.
func TestAMomentAsksOnce(t *testing.T) {
	address := pgtest.Address(t)
	st, other := pgtest.OpenAt(t, address, "one"), pgtest.OpenAt(t, address, "other")
	ctx := mdstore.WithMoment(t.Context())
	first, err := st.Generation(ctx)
	commit(t, other, mdstore.Change{Path: "ws/b", New: []byte("b")})
	second, again := st.Generation(mdstore.Now(ctx))
	if err != nil || again != nil || second != first+1 {
		t.Errorf("generation %d after %d and a commit, errors %v, %v", second, first, err, again)
	}
	if err := put(t, st, "a", func() {}); err != nil {
		t.Fatal(err)
	}
	if third, err := st.Generation(ctx); err != nil || third != second+1 {
		t.Errorf("generation %d after %d and a commit of its own, error %v", third, second, err)
	}
	if paths, ok := st.ChangedSince(ctx, first, second+1); !ok || len(paths) != 2 {
		t.Errorf("changed since: %v, %v", paths, ok)
	}
}
