package pgstore

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"arbor/mdstore"
)

// migrations are the changes of the tables, in order: number n makes version n+1. A migration that was published is
// never changed. SCHEMA stands for the quoted name of the schema.
var migrations = []string{`
CREATE TABLE SCHEMA.vaults (
	n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
	name text COLLATE "C" NOT NULL UNIQUE,
	id text NOT NULL UNIQUE,
	generation bigint NOT NULL DEFAULT 0,
	made timestamptz NOT NULL DEFAULT now()
);
CREATE SEQUENCE SCHEMA.writes;
CREATE TABLE SCHEMA.files (
	vault bigint NOT NULL REFERENCES SCHEMA.vaults ON DELETE CASCADE,
	path text COLLATE "C" NOT NULL,
	bytes bytea NOT NULL,
	version bytea NOT NULL,
	changed timestamptz NOT NULL DEFAULT clock_timestamp(),
	written bigint NOT NULL DEFAULT nextval('SCHEMA.writes'),
	PRIMARY KEY (vault, path)
);
CREATE TABLE SCHEMA.generations (
	vault bigint NOT NULL REFERENCES SCHEMA.vaults ON DELETE CASCADE,
	number bigint NOT NULL,
	token text NOT NULL,
	paths text[] NOT NULL,
	versions bytea[] NOT NULL,
	who text NOT NULL,
	made timestamptz NOT NULL DEFAULT clock_timestamp(),
	record bytea,
	PRIMARY KEY (vault, number)
);
`}

// newer returns the error for tables that a newer version of Arbor made.
func (s *Store) newer(has int64) error {
	return &mdstore.ServerError{Server: s.address.String(), What: "a newer Arbor made the tables",
		Then: "update this program",
		Err:  fmt.Errorf("version %d of the tables; this program knows %d", has, len(migrations))}
}

// in puts the quoted name of the schema into a statement.
func (s *Store) in(text string) string {
	return strings.ReplaceAll(text, "SCHEMA", `"`+s.address.schema+`"`)
}

// find looks for the vault by its name. s.n stays 0 if it is not there.
func (s *Store) find(ctx context.Context) error {
	got, err := s.query(ctx, sql(s.in(`SELECT (SELECT max(number) FROM SCHEMA.migrations)::bigint, v.n, v.id
		FROM (SELECT 1) one LEFT JOIN SCHEMA.vaults v ON v.name = $1`), s.address.vault))
	switch code := codeOf(err); {
	case code == "42P01" || code == "3F000": // there is no such table or schema
		return nil
	case err != nil:
		return s.said(err)
	}
	row := got[0][0]
	has := number(row[0])
	if has > int64(len(migrations)) {
		return s.newer(has)
	}
	if s.n, s.id = number(row[1]), string(row[2]); s.n != 0 && has < int64(len(migrations)) {
		return s.upgrade(ctx)
	}
	return nil
}

func (s *Store) upgrade(ctx context.Context) error {
	c, err := s.get(ctx)
	if err != nil {
		return s.unreached(err)
	}
	defer s.put(c)
	return s.said(s.migrate(ctx, c))
}

// create makes the vault, and the tables where they are missing.
func (s *Store) create(ctx context.Context) error {
	if err := s.upgrade(ctx); err != nil {
		return err
	}
	_, err := s.query(ctx, sql(s.in("INSERT INTO SCHEMA.vaults (name, id) VALUES ($1, $2) ON CONFLICT DO NOTHING"),
		s.address.vault, strings.ToLower(rand.Text())))
	if err != nil {
		return s.said(err)
	}
	return s.find(ctx)
}

// migrate brings the tables to the newest version. Processes do so one after the other.
func (s *Store) migrate(ctx context.Context, c conn) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	script := func(text string) error {
		_, err := c.Exec(ctx, text).ReadAll()
		return err
	}
	if err := script("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"); err != nil {
		return err
	}
	got, err := c.run(ctx, sql("SELECT pg_advisory_xact_lock($1)", keyOf("migrations", s.address.schema)),
		sql("SELECT to_regnamespace($1) IS NULL, current_setting('server_encoding')", `"`+s.address.schema+`"`),
		sql("SELECT to_regclass($1) IS NULL", s.in("SCHEMA.migrations")))
	if err != nil {
		return err
	}
	if encoding := string(got[1][0][1]); encoding != "UTF8" {
		return &mdstore.ServerError{Server: s.address.String(), What: "the database does not have the encoding UTF8",
			Then: "make one that has: createdb --encoding=UTF8 --template=template0 NAME", Err: errors.New("it has " + encoding)}
	}
	if truth(got[1][0][0]) {
		if err := script("CREATE SCHEMA " + s.in("SCHEMA")); err != nil {
			return err
		}
	}
	if truth(got[2][0][0]) {
		err := script(s.in(`CREATE TABLE SCHEMA.migrations (number bigint PRIMARY KEY,
			made timestamptz NOT NULL DEFAULT now())`))
		if err != nil {
			return err
		}
	}
	got, err = c.run(ctx, sql(s.in("SELECT coalesce(max(number), 0)::bigint FROM SCHEMA.migrations")))
	if err != nil {
		return err
	}
	has := number(got[0][0][0])
	if has > int64(len(migrations)) {
		return s.newer(has)
	}
	for i, text := range migrations[has:] {
		text += fmt.Sprintf("INSERT INTO SCHEMA.migrations (number) VALUES (%d)", int(has)+i+1)
		if err := script(s.in(text)); err != nil {
			return err
		}
	}
	return script("COMMIT")
}

// micros returns a time of the server, in Unix nanoseconds.
func micros(b []byte) int64 { return number(b) * int64(time.Microsecond) }
