package pgstore_test

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"strings"
	"sync/atomic"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// A counter counts the messages to a server.
type counter struct {
	net.Conn
	sent *atomic.Int64
}

func (c counter) Write(b []byte) (int, error) {
	c.sent.Add(1)
	return c.Conn.Write(b)
}

// change appends a letter to a file as the engine does: with claims, generations, a file that is missing, and the
// files that others have changed.
func change(ctx context.Context, st *pgstore.Store, last *uint64, p mdstore.Path) error {
	return st.Update(ctx, func(tx mdstore.Tx) error {
		claims, err := st.ReadLocal(ctx, "claims.json")
		if err != nil && !isMissing(err) {
			return err
		}
		now, err := st.Generation(ctx)
		if err != nil {
			return err
		}
		if paths, ok := st.ChangedSince(ctx, *last, now); ok {
			for _, p := range paths {
				if _, err := st.Read(ctx, p); err != nil {
					return err
				}
			}
		}
		if _, err := st.Read(ctx, "config.toml"); !isMissing(err) {
			return err
		}
		f, err := st.Read(ctx, p)
		if err != nil {
			return err
		}
		made := mdstore.Path("ws/made/" + string(rune('a'+len(f.Data))))
		_, err = tx.Commit(mdstore.WithOperation(ctx, &mdstore.Operation{Name: "x"}), []mdstore.Change{
			{Path: p, Base: f.Version, New: append(f.Data[:len(f.Data):len(f.Data)], 'x')}, {Path: made, New: []byte("m")}})
		if err != nil {
			return err
		}
		if *last, err = st.Generation(ctx); err != nil {
			return err
		}
		return st.WriteLocal(ctx, "claims.json", append(claims, 'x'))
	})
}

// However much an Update asks for, it sends three messages: all other writers of the vault wait for each of them. Only a
// new connection sends two more, once, to find out whether it may prepare statements.
func TestAnUpdateSendsThreeMessages(t *testing.T) {
	address := pgtest.Address(t)
	other := pgtest.OpenAt(t, address, "other")
	commit(t, other, mdstore.Change{Path: "ws/a", New: []byte{}}, mdstore.Change{Path: "ws/b", New: []byte{}})
	var sent atomic.Int64
	st := openThrough(t, address, func(c net.Conn) net.Conn { return counter{c, &sent} })
	var last uint64
	for i := range 20 {
		if i > 12 {
			f, _ := other.Read(t.Context(), "ws/b")
			commit(t, other, mdstore.Change{Path: "ws/b", Base: f.Version, New: append(f.Data, 'y')})
		}
		sent.Store(0)
		if err := change(t.Context(), st, &last, "ws/a"); err != nil {
			t.Fatal(err)
		}
		if n := sent.Load(); i > 10 && n > 3 {
			t.Errorf("change %d sends %d messages, want 3", i, n)
		}
	}
	if f, err := other.Read(t.Context(), "ws/a"); string(f.Data) != strings.Repeat("x", 20) {
		t.Errorf("%q after 20 changes, error %v", f.Data, err)
	}
	if data, err := other.ReadLocal(t.Context(), "claims.json"); string(data) != strings.Repeat("x", 20) {
		t.Errorf("claims %q, error %v", data, err)
	}
}

// An Update whose lock was lost without notice overwrites nothing that others have committed since, nor their claims.
func TestALockThatIsLostIsNoticedByTheCommit(t *testing.T) {
	address := pgtest.Address(t)
	mine, other := pgtest.OpenAt(t, address, "mine"), pgtest.OpenAt(t, address, "other")
	commit(t, mine, mdstore.Change{Path: "ws/a", New: []byte("a")}, mdstore.Change{Path: "ws/b", New: []byte("b")})
	for _, p := range []mdstore.Path{"ws/a", "ws/new"} {
		f, _ := other.Read(t.Context(), p)
		theirs := append(f.Data, "theirs"...)
		err := mine.Update(t.Context(), func(tx mdstore.Tx) error {
			f, err := tx.Read(t.Context(), p)
			if err != nil && !isMissing(err) {
				return err
			}
			other.Exec(t, `SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted
				AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND pid <> pg_backend_pid()`)
			commit(t, other, mdstore.Change{Path: p, Base: f.Version, New: theirs})
			if err := mine.WriteLocal(t.Context(), "claims.json", []byte("mine")); err != nil {
				return err
			}
			_, err = tx.Commit(t.Context(), []mdstore.Change{{Path: p, Base: f.Version, New: []byte("mine")}})
			return err
		})
		if _, ok := errors.AsType[*mdstore.ConflictError](err); !ok {
			t.Errorf("%s: error %v, want a *ConflictError", p, err)
		}
		if f, err := mine.Read(t.Context(), p); err != nil || !strings.HasSuffix(string(f.Data), "theirs") {
			t.Errorf("%s: %q, error %v", p, f.Data, err)
		}
		if data, err := mine.ReadLocal(t.Context(), "claims.json"); !isMissing(err) {
			t.Errorf("claims %q, error %v", data, err)
		}
	}
}

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
