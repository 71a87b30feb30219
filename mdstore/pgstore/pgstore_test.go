package pgstore_test

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
	"arbor/mdstore/storetest"
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t *testing.T) mdstore.Store { return pgtest.Open(t) })
}

func commit(t *testing.T, st mdstore.Store, changes ...mdstore.Change) mdstore.Result {
	t.Helper()
	res, err := st.Commit(t.Context(), changes)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestAVaultIsMadeOnlyWhenAsked(t *testing.T) {
	a, err := pgstore.ParseAddress(pgtest.Address(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pgstore.Open(t.Context(), a, pgstore.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open of nothing: error %v, want fs.ErrNotExist", err)
	}
	for _, made := range []bool{true, false} {
		st, err := pgstore.Open(t.Context(), a, pgstore.Options{Make: true})
		if err != nil || st.Made() != made || st.ID() == "" {
			t.Fatalf("Open: made %v, error %v, want %v", st.Made(), err, made)
		}
		st.Close()
	}
}

// Another vault of the same tables, and another person's rows, are out of reach.
func TestWhatBelongsToAPersonAndMachine(t *testing.T) {
	address := pgtest.Address(t)
	ann, ben, other := pgtest.OpenAt(t, address, "ann"), pgtest.OpenAt(t, address, "ben"), pgtest.Open(t)
	commit(t, ann, mdstore.Change{Path: mdstore.SessionsFile, New: []byte("ann's")}, mdstore.Change{Path: "ws/a", New: []byte("a")})
	for name, text := range map[mdstore.Path]string{"seen/x": "ann saw", "claims.json": "claimed"} {
		if err := ann.WriteLocal(t.Context(), name, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	commit(t, ben, mdstore.Change{Path: mdstore.SessionsFile, New: []byte("ben's")})
	if f, err := ann.Read(t.Context(), mdstore.SessionsFile); err != nil || string(f.Data) != "ann's" {
		t.Errorf("ann's bindings are %q, error %v", f.Data, err)
	}
	if _, err := ben.ReadLocal(t.Context(), "seen/x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("ben reads what ann has seen: error %v", err)
	}
	if data, err := ben.ReadLocal(t.Context(), "claims.json"); err != nil || string(data) != "claimed" {
		t.Errorf("ben reads the claims %q, error %v", data, err)
	}
	if _, err := ben.Read(t.Context(), ".local/@ann/sessions.json"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("ben reads ann's row: error %v, want fs.ErrInvalid", err)
	}
	if _, err := other.Read(t.Context(), "ws/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("another vault has the file: error %v", err)
	}
}

func TestUndoKnowsTheOperationsOfAllMachines(t *testing.T) {
	address := pgtest.Address(t)
	ann, ben := pgtest.OpenAt(t, address, "ann"), pgtest.OpenAt(t, address, "ben")
	do := func(st mdstore.Store, name string, changes ...mdstore.Change) {
		ctx := mdstore.WithOperation(t.Context(), &mdstore.Operation{Name: name})
		if _, err := st.Commit(ctx, changes); err != nil {
			t.Fatal(err)
		}
	}
	do(ann, "one", mdstore.Change{Path: "ws/a", New: []byte("a")})
	do(ben, "two", mdstore.Change{Path: "ws/a", Base: mdstore.VersionOf([]byte("a")), New: []byte("b")},
		mdstore.Change{Path: ".local/replaced/x", New: []byte("a")})
	do(ben, "three", mdstore.Change{Path: "ws/a", To: ".local/trash/1/a"})
	all, err := ann.Operations(t.Context(), 2)
	if err != nil || len(all) != 2 || all[0].Name != "three" || all[1].Name != "two" || all[0].ID == all[1].ID {
		t.Fatalf("%+v, error %v", all, err)
	}
	if s := all[1].Steps; len(s) != 1 || string(s[0].Base) != "a" || string(s[0].New) != "b" {
		t.Errorf("the steps of two: %+v", s)
	}
	if s := all[0].Steps; len(s) != 1 || s[0].To != ".local/trash/1/a" {
		t.Errorf("the steps of three: %+v", s)
	}
}

// A watcher hears of a commit by another store, and of nothing else.
func TestWatch(t *testing.T) {
	address := pgtest.Address(t)
	ann, ben := pgtest.OpenAt(t, address, "ann"), pgtest.OpenAt(t, address, "ben")
	ctx, cancel := context.WithCancel(t.Context())
	ready, heard, over := make(chan bool), make(chan []mdstore.Path), make(chan error)
	go func() {
		over <- ann.Watch(ctx, mdstore.Watching{Ready: func() { close(ready) }, Early: func(mdstore.Path) {},
			Settled: func(paths []mdstore.Path, all bool) {
				if all {
					paths = []mdstore.Path{"everything"}
				}
				heard <- paths
			}})
	}()
	<-ready
	for i, p := range []mdstore.Path{"ws/a", "ws/b"} {
		commit(t, ben, mdstore.Change{Path: p, New: []byte{byte(i)}})
		if got := <-heard; !slices.Equal(got, []mdstore.Path{p}) {
			t.Errorf("heard of %q, want %q", got, p)
		}
	}
	if cancel(); !errors.Is(<-over, context.Canceled) {
		t.Error("Watch did not end with its context")
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	address := pgtest.Address(t) + "&schema=newer"
	st := pgtest.OpenAt(t, address, "me")
	st.Exec(t, "INSERT INTO newer.migrations (number) VALUES (99)")
	a, _ := pgstore.ParseAddress(address)
	_, err := pgstore.Open(t.Context(), a, pgstore.Options{})
	if _, ok := errors.AsType[*mdstore.ServerError](err); !ok || !strings.Contains(err.Error(), "update this program") {
		t.Errorf("Open: error %v, want a *ServerError", err)
	}
}

// A path that a person with the database's password has written is checked as any other.
func TestPathsOfTheDatabaseAreChecked(t *testing.T) {
	st := pgtest.Open(t)
	commit(t, st, mdstore.Change{Path: "ws/Workspace.md", New: []byte("ws")}, mdstore.Change{Path: "ws/nodes/a/Node.md", New: []byte("a")})
	st.Exec(t, `INSERT INTO arbor.files (vault, path, bytes, version) SELECT vault, p, 'x', version FROM arbor.files,
		unnest(ARRAY['ws/../../etc/Node.md', '/etc/passwd', '../a', E'ws/nodes/b\\c/Node.md', 'ws//Node.md']) p
		WHERE path = 'ws/Workspace.md' AND bytes = 'ws' ON CONFLICT DO NOTHING`)
	for _, under := range []mdstore.Path{"", "ws"} {
		for e, err := range st.List(t.Context(), under) {
			if err != nil || !strings.HasPrefix(string(e.Path), "ws/") || !e.Path.Valid() {
				t.Errorf("List(%q): %q, error %v", under, e.Path, err)
			}
		}
	}
}

// A process that starts from the cache reads no text again, and follows what others have committed since.
func TestCache(t *testing.T) {
	address, dir := pgtest.Address(t), t.TempDir()
	node := func(id, title string) []byte {
		return []byte("---\nid: " + id + "\ntitle: " + title + "\ntype: execution\nstatus: pending\n---\n")
	}
	ann := pgtest.OpenAt(t, address, "ann")
	ann.CacheIn(dir)
	commit(t, ann, mdstore.Change{Path: "ws/Workspace.md", New: []byte("---\nid: ws\nname: A\n---\n")},
		mdstore.Change{Path: "ws/nodes/a/Node.md", New: node("a", "A")}, mdstore.Change{Path: "ws/nodes/b/Node.md", New: node("b", "B")},
		mdstore.Change{Path: "ws/nodes/c/d/Node.md", New: node("d", "D")}, mdstore.Change{Path: "ws/nodes/e/Node.md", New: []byte("unsound")})
	scan := func(st *pgstore.Store) *mdstore.Scan {
		t.Helper()
		got, err := st.Scan(t.Context(), "ws")
		if err != nil {
			t.Fatal(err)
		}
		if diff := storetest.DiffScan(t.Context(), pgtest.OpenAt(t, address, "judge"), mdstore.AllKinds(), "ws", got); diff != "" {
			t.Error(diff)
		}
		return got
	}
	scan(ann)
	later := pgtest.OpenAt(t, address, "ann")
	later.CacheIn(dir)
	if n := scan(later).Work.Read; n != 1 {
		t.Errorf("%d files were read from the start, want the unsound one", n)
	}
	ben := pgtest.OpenAt(t, address, "ben")
	commit(t, ben, mdstore.Change{Path: "ws/nodes/a/Node.md", Base: mdstore.VersionOf(node("a", "A")), New: node("a", "A2")},
		mdstore.Change{Path: "ws/nodes/b/Node.md", Base: mdstore.VersionOf(node("b", "B"))},
		mdstore.Change{Path: "ws/nodes/c", To: "ws/nodes/f"})
	if n := scan(later).Work.Read; n > 3 {
		t.Errorf("%d files were read after a commit of three", n)
	}
	commit(t, ben, mdstore.Change{Path: "ws", To: "archive/ws"})
	scan(later)
}

// Files that are about to be read are fetched together, and are those that Read returns.
func TestReadAhead(t *testing.T) {
	st := pgtest.Open(t)
	commit(t, st, mdstore.Change{Path: "ws/a", New: []byte("a")}, mdstore.Change{Path: "ws/b", New: []byte("b")})
	ctx := mdstore.WithReads(t.Context(), []mdstore.Path{"ws/a", "ws/b", "ws/none", "../x"})
	for p, want := range map[mdstore.Path]string{"ws/b": "b", "ws/a": "a"} {
		if f, err := st.Read(ctx, p); err != nil || string(f.Data) != want || f.Path != p || f.Version != mdstore.VersionOf(f.Data) {
			t.Errorf("Read(%q): %q, error %v", p, f.Data, err)
		}
	}
	if _, err := st.Read(ctx, "ws/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of nothing: %v", err)
	}
	if _, err := st.Read(ctx, "../x"); !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("Read of an invalid path: %v", err)
	}
}

// Rows that another program has written do not end a process that reads them: what changed is then not known.
func TestRowsOfAnotherProgram(t *testing.T) {
	for _, paths := range []string{"ARRAY[NULL]::text[]", "ARRAY['ws/a', NULL, 'ws/b']", "ARRAY[ARRAY['a', 'b'], ARRAY['c', 'd']]",
		"'[0:0]={ws/a}'::text[]", "'{}'", "ARRAY['', '../a', E'a\\nb', '.local/@ben/x']", "array_fill('x'::text, ARRAY[100000])"} {
		st := pgtest.Open(t)
		before, err := st.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		commit(t, st, mdstore.Change{Path: "ws/Workspace.md", New: []byte("ws")})
		if _, err := st.Scan(t.Context(), "ws"); err != nil {
			t.Fatal(err)
		}
		st.Exec(t, `WITH v AS (UPDATE arbor.vaults SET generation = generation + 1 WHERE id = '`+st.ID()+`' RETURNING n, generation)
			INSERT INTO arbor.generations (vault, number, token, paths, versions, who, record)
			SELECT n, generation, '', `+paths+`, '{}', '', '[[' FROM v`)
		now, err := st.Generation(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		changed, _ := st.ChangedSince(t.Context(), before, now)
		for _, p := range changed {
			if !p.Valid() {
				t.Errorf("with the paths %s, %q changed", paths, p)
			}
		}
		if got, err := st.Scan(t.Context(), "ws"); err != nil || len(got.Records)+len(got.Broken)+len(got.Others) != 1 {
			t.Errorf("with the paths %s: %+v, %v", paths, got, err)
		}
		if _, err := st.Operations(t.Context(), 5); err != nil {
			t.Errorf("with the paths %s: %v", paths, err)
		}
		commit(t, st, mdstore.Change{Path: "ws/b.md", New: []byte("b")})
	}
}

// A server that does not run is not taken for one without the vault.
func TestNoSocketIsNoMissingVault(t *testing.T) {
	t.Parallel()
	a, err := pgstore.ParseAddress("postgres://ann@/plans?host=" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	_, err = pgstore.Open(t.Context(), a, pgstore.Options{})
	if _, ok := errors.AsType[*mdstore.ServerError](err); !ok || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Open: error %v, want a *ServerError that is no fs.ErrNotExist", err)
	}
}
