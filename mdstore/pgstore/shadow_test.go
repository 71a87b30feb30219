package pgstore_test

import (
	"errors"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// shadows are functions and operators that anyone may make in a schema of the search path. Each fits the values of some
// statement at least as well as that of PostgreSQL.
var shadows = []string{
	"FUNCTION S.unnest(text[]) RETURNS SETOF text", "FUNCTION S.unnest(bytea[]) RETURNS SETOF bytea", "FUNCTION S.nextval(text) RETURNS bigint",
	"FUNCTION S.times(numeric, integer) RETURNS numeric", "FUNCTION S.times(numeric, bigint) RETURNS numeric",
	"FUNCTION S.joined(text[], text[]) RETURNS text[]", "FUNCTION S.length(character varying) RETURNS integer",
	"FUNCTION S.substr(text, bigint) RETURNS text", "FUNCTION S.set_config(text, text, integer) RETURNS text",
	"FUNCTION S.split_part(text, character varying, integer) RETURNS text", "FUNCTION S.to_regclass(name) RETURNS regclass",
	"FUNCTION S.octet_length(character varying) RETURNS integer", "FUNCTION S.pg_notify(character varying, text) RETURNS void",
	"FUNCTION S.less(integer, numeric) RETURNS boolean", "FUNCTION S.max(integer, integer) RETURNS integer",
	"FUNCTION S.pg_advisory_xact_lock(numeric) RETURNS void", "FUNCTION S.isfinite(text) RETURNS boolean",
	"OPERATOR S.* (FUNCTION = S.times, LEFTARG = numeric, RIGHTARG = integer)",
	"OPERATOR S.* (FUNCTION = S.times, LEFTARG = numeric, RIGHTARG = bigint)",
	"OPERATOR S.|| (FUNCTION = S.joined, LEFTARG = text[], RIGHTARG = text[])",
	"OPERATOR S.<= (FUNCTION = S.less, LEFTARG = integer, RIGHTARG = numeric)",
}

// Nothing that another user of the database has made runs with the rights of whoever uses the vault.
func TestNoFunctionOfAnotherUserRuns(t *testing.T) {
	address := pgtest.Address(t)
	setup := pgtest.OpenAt(t, address, "setup")
	setup.Exec(t, "CREATE SCHEMA shadow")
	for _, s := range shadows {
		if s = strings.ReplaceAll(s, "S.", "shadow."); strings.HasPrefix(s, "FUNCTION") {
			s += " LANGUAGE plpgsql AS $$ BEGIN RAISE 'shadow %', current_user; END $$"
		}
		setup.Exec(t, "CREATE "+s)
	}
	a, err := pgstore.ParseAddress(address + "&options=-csearch_path%3Dshadow")
	if err != nil {
		t.Fatal(err)
	}
	st, err := pgstore.Open(t.Context(), a, pgstore.Options{Own: "me"})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	op := mdstore.WithOperation(t.Context(), &mdstore.Operation{Name: "x"})
	var all []error
	for _, changes := range [][]mdstore.Change{
		{{Path: "ws/Workspace.md", New: []byte("ws")}, {Path: "ws/nodes/a/Node.md", New: []byte("a")}},
		{{Path: "ws/nodes/a", To: "ws/nodes/b"}},
		{{Path: "ws/nodes/b/Node.md", Base: mdstore.VersionOf([]byte("a"))}},
	} {
		err := st.Update(op, func(tx mdstore.Tx) error {
			_, err := tx.Commit(op, changes)
			return errors.Join(err, st.KeepLocal(op, "claims.json", []byte("x")))
		})
		_, scanned := st.Scan(t.Context(), "ws")
		_, read := st.Read(mdstore.WithReads(t.Context(), []mdstore.Path{"ws/Workspace.md"}), "ws/Workspace.md")
		all = append(all, err, scanned, read)
		for _, err := range st.List(t.Context(), "") {
			all = append(all, err)
		}
	}
	now, err := st.Generation(t.Context())
	_, known := st.ChangedSince(t.Context(), now-2, now)
	_, ops := st.Operations(t.Context(), 5)
	_, listed := st.ListLocal(t.Context(), "seen")
	_, _, files := st.Files(t.Context())
	all = append(all, err, ops, listed, files, st.Writable(t.Context(), mdstore.LocalDir), st.RemoveLocal(t.Context(), "claims.json"))
	if err := errors.Join(all...); err != nil || !known {
		t.Errorf("changes known: %v; %v", known, err)
	}
}

// A time that is none does not keep the other files from being read.
func TestATimeThatIsNone(t *testing.T) {
	st := pgtest.Open(t)
	commit(t, st, mdstore.Change{Path: "ws/Workspace.md", New: []byte("ws")}, mdstore.Change{Path: "ws/nodes/a/Node.md", New: []byte("a")})
	for text, at := range map[string]string{"ws": "infinity", "a": "-infinity"} {
		st.Exec(t, "UPDATE arbor.files SET changed = '"+at+"' WHERE bytes = '"+text+"' AND vault = (SELECT n FROM arbor.vaults WHERE id = '"+st.ID()+"')")
	}
	if got, err := st.Scan(t.Context(), "ws"); err != nil || len(got.Broken) > 0 {
		t.Errorf("%+v, %v", got, err)
	}
}
