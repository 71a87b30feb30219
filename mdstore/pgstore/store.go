// Package pgstore implements mdstore.Store in a database of PostgreSQL, for people and assistants on several machines.
//
// A commit is one transaction, which compares the version of each file with its base. Update holds an advisory lock of
// the vault for its time, in a transaction of its own; a lost connection releases it. The row of the vault is locked
// while a commit is made, so that commits stay one after the other even if that lock was lost in the middle. Readers
// wait for nobody. No lock is of a session, and statements are prepared only over connections of the server's own, so
// poolers that give each transaction another connection work.
//
// What belongs to this machine and person (bindings of sessions, what they have seen) lies in rows that only
// Options.Own reaches; claims, trash and replaced texts belong to the vault.
package pgstore

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Options say how to open a vault. The zero value is good.
type Options struct {
	// Own names this person on this machine, without slashes; stores with the same name share what belongs to a machine.
	Own string
	// Make makes a missing vault, and the tables.
	Make bool
	Log  *slog.Logger // nil discards
}

// A Store is a vault on a server. It is safe for concurrent use.
type Store struct {
	address  *Address
	own      string
	log      *slog.Logger
	slots    chan struct{} // holds a value for each connection in use
	idle     chan conn
	patience time.Duration // how long a lost server is asked again
	turn     chan struct{} // holds a value while a goroutine of this store may commit

	n     int64 // the vault's number
	id    string
	made  bool
	plain atomic.Bool // see prepared
	doubt atomic.Bool // a connection was lost since the last generation was asked for

	mu     sync.Mutex
	shift  uint64    // guarded by mu: see Generation
	asked  []request // guarded by mu: commits whose outcome is not known
	active *update   // guarded by mu: the Update that runs; nil for none
	deaf   error     // guarded by mu: why no notifications arrive; nil if they do
	cache  string    // guarded by mu: see CacheIn
	memory memory    // guarded by mu
	trees  map[mdstore.Path]*tree
}

var (
	_ mdstore.Store      = (*Store)(nil)
	_ mdstore.History    = (*Store)(nil)
	_ mdstore.Committed  = (*Store)(nil)
	_ mdstore.Operations = (*Store)(nil)
	_ mdstore.Writable   = (*Store)(nil)
	_ mdstore.Local      = (*Store)(nil)
	_ mdstore.Scanner    = (*Store)(nil)
	_ mdstore.Watcher    = (*Store)(nil)
)

// Open connects to the server and opens the vault. The error is an fs.ErrNotExist if there is none.
func Open(ctx context.Context, a *Address, opt Options) (*Store, error) {
	if strings.Contains(opt.Own, "/") {
		return nil, fmt.Errorf("own name %q: has a slash", opt.Own)
	}
	s := &Store{address: a, own: opt.Own, log: opt.Log, slots: make(chan struct{}, mostConns),
		idle: make(chan conn, idleConns), turn: make(chan struct{}, 1), patience: patience,
		trees: map[mdstore.Path]*tree{}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	err := s.find(ctx)
	if err == nil && s.n == 0 && opt.Make {
		err, s.made = s.create(ctx), true
	}
	if err == nil && s.n == 0 {
		err = fmt.Errorf("%s: there is no vault of this name: %w", a, fs.ErrNotExist)
	}
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// Close closes the connections. The store must not be used any more.
func (s *Store) Close() error {
	for {
		select {
		case c := <-s.idle:
			drop(c.PgConn)
		default:
			return nil
		}
	}
}

// ID returns the random id of the vault.
func (s *Store) ID() string { return s.id }

// Made reports whether Open made the vault.
func (s *Store) Made() bool { return s.made }

// unreached returns the error for a server that cannot be reached or does not let this person in.
func (s *Store) unreached(err error) error {
	if errors.As(err, new(*mdstore.ServerError)) {
		return err
	}
	if errors.Is(err, fs.ErrNotExist) { // its socket is not there, which says nothing of the vault
		err = errors.New(err.Error())
	}
	what, then := "the server cannot be reached", "look whether it runs, and try again"
	switch code := codeOf(err); {
	case errors.As(err, new(*tls.CertificateVerificationError)):
		what, then = "the server's certificate is not trusted", "name the certificate that vouches for it: sslrootcert=FILE"
	case code != "" && code[:2] == "28":
		what = "the server does not let this user in"
		then = "name the user in the address, and put the password into ~/.pgpass or PGPASSWORD"
	case code == "3D000":
		what, then = "there is no such database", "make it (createdb "+s.address.config.Database+")"
	}
	return &mdstore.ServerError{Server: s.address.String(), What: what, Then: then, Err: err}
}

// said names the server in an error that it reported.
func (s *Store) said(err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	switch {
	case !ok, errors.As(err, new(*mdstore.ServerError)):
		return err
	case e.Code == "42501":
		return &mdstore.ServerError{Server: s.address.String(), What: "the user may not do this",
			Then: "the owner of the database can grant it: docs/server.md has the lines", Err: err}
	}
	return &mdstore.ServerError{Server: s.address.String(), What: "the server refused a statement",
		Then: "its log says more", Err: err}
}

// keyOf returns the key of an advisory lock.
func keyOf(parts ...string) int64 {
	sum := sha256.Sum256([]byte("arbor\x00" + strings.Join(parts, "\x00")))
	return int64(binary.BigEndian.Uint64(sum[:]))
}

// ownPrefix begins the keys of rows that belong to one person on one machine.
const ownPrefix = mdstore.LocalDir + "/@"

// sharedNames are the names in .local/ of what belongs to the vault.
var sharedNames = []string{"claims.json", "copying", "deleted", "people.json", mdstore.ReplacedDir, "trash"}

// key returns the path under which the database has a file. A file that belongs to a machine has its own name in it.
func (s *Store) key(p mdstore.Path) string {
	name, local := strings.CutPrefix(string(p), mdstore.LocalDir+"/")
	first, _, _ := strings.Cut(name, "/")
	switch {
	case p == mdstore.SessionsFile, strings.HasPrefix(string(p), mdstore.CorruptPrefix):
	case !local, slices.Contains(sharedNames, first):
		return string(p)
	}
	return ownPrefix + s.own + "/" + string(p)
}

// path undoes key; ok is false for a row of another machine, and for a path that no vault may have.
func (s *Store) path(key string) (p mdstore.Path, ok bool) {
	if strings.HasPrefix(key, ownPrefix) {
		key, ok = strings.CutPrefix(key, ownPrefix+s.own+"/")
		return mdstore.Path(key), ok && mdstore.Path(key).Valid()
	}
	return mdstore.Path(key), mdstore.Path(key).Valid()
}

// valid refuses paths that no file of a vault may have, and those that would reach the rows of other machines.
func valid(op string, p mdstore.Path) error {
	if !p.Valid() || strings.HasPrefix(string(p), ownPrefix) {
		return &fs.PathError{Op: op, Path: string(p), Err: fs.ErrInvalid}
	}
	return nil
}

// Statements name functions and operators with the types of their values, or with pg_catalog: a user of the database
// may have made others that would fit as well, and they would run with the rights of whoever calls them.

// stampColumns are the columns that stampOf reads. Another program may have written a time that is none.
const stampColumns = "octet_length(bytes)::bigint, " + changedColumn + ", written"

const changedColumn = `CASE WHEN isfinite(changed) THEN (extract(epoch from changed) * 1000000::numeric)::bigint
	ELSE 0::bigint END`

func stampOf(row [][]byte) mdstore.Stamp {
	return mdstore.Stamp{Size: number(row[0]), Mtime: micros(row[1]), Inode: uint64(number(row[2])), Proven: true}
}

// Read returns the file at p.
func (s *Store) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	f, ok, err := mdstore.ReadAhead(ctx, p, func(paths []mdstore.Path) (map[mdstore.Path]mdstore.File, error) {
		return s.readAll(ctx, paths)
	})
	if ok || err != nil {
		return f, err
	}
	return s.read(ctx, p, true)
}

// readAll returns those of the files that can be read.
func (s *Store) readAll(ctx context.Context, paths []mdstore.Path) (map[mdstore.Path]mdstore.File, error) {
	keys, of := make([]string, 0, len(paths)), make(map[string]mdstore.Path, len(paths))
	all, u := make(map[mdstore.Path]mdstore.File, len(paths)), s.running()
	for _, p := range paths {
		if valid("read", p) != nil {
			continue
		}
		key := s.key(p)
		switch f, ok := s.known(key); {
		case !ok:
			keys, of[key] = append(keys, key), p
		case !f.gone:
			all[p] = f.file
		}
	}
	if len(keys) == 0 {
		return all, ctx.Err()
	}
	got, err := s.query(ctx, sql(s.in("SELECT path, "+stampColumns+`, bytes FROM SCHEMA.files
		WHERE vault = $1 AND path = ANY($2)`), s.n, keys))
	if err != nil {
		return nil, s.said(err)
	}
	for _, r := range got[0] {
		p := of[string(r[0])]
		s.learn(u, string(r[0]), r[1:])
		if f, err := fileOf(p, stampOf(r[1:]), r[4]); err == nil {
			all[p] = f
		}
	}
	return all, nil
}

// Stat returns the stamp of the file at p, another one after each write.
func (s *Store) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	f, err := s.read(ctx, p, false)
	return f.Stamp, err
}

func (s *Store) read(ctx context.Context, p mdstore.Path, bytes bool) (mdstore.File, error) {
	if err := ctx.Err(); err != nil {
		return mdstore.File{}, err
	}
	if err := valid("read", p); err != nil {
		return mdstore.File{}, err
	}
	column := "''::bytea"
	if bytes {
		column = "bytes"
	}
	key, u := s.key(p), s.running()
	if f, ok := s.known(key); ok && f.gone {
		return mdstore.File{}, missing(p)
	} else if ok {
		return f.file, nil
	}
	got, err := s.query(ctx, sql(s.in("SELECT "+stampColumns+", "+column+` FROM SCHEMA.files
		WHERE vault = $1 AND path = $2`), s.n, key),
		sql(s.in(belowSQL), s.n, []string{key}))
	switch {
	case err != nil:
		return mdstore.File{}, s.said(err)
	case len(got[0]) > 0:
		if bytes {
			s.learn(u, key, got[0][0])
		}
		return fileOf(p, stampOf(got[0][0]), got[0][0][3])
	case len(got[1]) > 0:
		return mdstore.File{}, folder(p)
	}
	s.learn(u, key, nil)
	return mdstore.File{}, missing(p)
}

// belowSQL returns those paths of $2 below which a file lies. '0' follows '/'.
const belowSQL = `SELECT q FROM pg_catalog.unnest($2::text[]) q WHERE EXISTS (SELECT 1 FROM SCHEMA.files
	WHERE vault = $1 AND path >= q || '/' AND path < q || '0')`

// fileOf returns the file that a row holds.
func fileOf(p mdstore.Path, stamp mdstore.Stamp, data []byte) (mdstore.File, error) {
	if stamp.Size > mdstore.MaxSize(p) {
		return mdstore.File{}, unreadable(p, mdoc.CodeTooLarge, "has %d bytes; %d are the limit", stamp.Size,
			mdstore.MaxSize(p))
	}
	if data == nil {
		data = []byte{}
	}
	return mdstore.File{Path: p, Version: mdstore.VersionOf(data), Data: data, Stamp: stamp}, nil
}

func folder(p mdstore.Path) error {
	return unreadable(p, "NOT_A_FILE", "is a folder where a file is expected")
}

func unreadable(p mdstore.Path, code, format string, args ...any) error {
	return &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: string(p), Code: code, Text: fmt.Sprintf(format, args...)}}
}
