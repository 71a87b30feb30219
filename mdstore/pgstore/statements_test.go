package pgstore_test

import (
	"fmt"
	"net/url"
	"slices"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// Names of vaults, paths and texts that look like statements are values: nothing of another vault changes.
func TestTextsAreNoStatements(t *testing.T) {
	address := pgtest.Address(t)
	whole := pgtest.OpenAt(t, address, "me")
	put := func(st mdstore.Store, p mdstore.Path, text string) error {
		return st.Update(t.Context(), func(tx mdstore.Tx) error {
			_, err := tx.Commit(t.Context(), []mdstore.Change{{Path: p, New: []byte(text)}})
			return err
		})
	}
	if err := put(whole, "ws/a.md", "whole"); err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	for i, evil := range []string{"x'; DROP SCHEMA arbor CASCADE; --", "x'), (1, 'ws", "$1", "x\\'; DELETE FROM files; --", "x\"y", "%"} {
		q := u.Query()
		q.Set("vault", evil)
		u.RawQuery = q.Encode()
		if a, err := pgstore.ParseAddress(u.String()); err == nil { // some are no names
			st, err := pgstore.Open(t.Context(), a, pgstore.Options{Own: evil, Make: true})
			if err == nil {
				err = put(st, "ws/a.md", "of "+evil)
				st.Close()
			}
			if err != nil {
				t.Errorf("a vault named %q: %v", evil, err)
			}
		}
		for p, text := range map[mdstore.Path]string{mdstore.Path(fmt.Sprintf("ws/%d.md", i)): evil, mdstore.Path("ws").Join(evil): "x"} {
			err := put(whole, p, text)
			f, read := whole.Read(t.Context(), p)
			if p.Valid() && (err != nil || read != nil || string(f.Data) != text) {
				t.Errorf("%q in %s: %q, %v, %v", text, p, f.Data, err, read)
			}
		}
		if err := whole.KeepLocal(t.Context(), "notes", []byte(evil)); err != nil {
			t.Error(err)
		}
		if data, err := whole.ReadLocal(t.Context(), "notes"); err != nil || !slices.Equal(data, []byte(evil)) {
			t.Errorf("%q is %q, %v", evil, data, err)
		}
	}
	if f, err := whole.Read(t.Context(), "ws/a.md"); err != nil || string(f.Data) != "whole" {
		t.Errorf("the other vault: %q, %v", f.Data, err)
	}
}
