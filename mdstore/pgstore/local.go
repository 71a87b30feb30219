package pgstore

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"arbor/mdstore"
)

// A lasting says what statements of .local/ write, and whether a failure of the server may take it.
type lasting int

const (
	reads  lasting = iota
	writes         // a failure may take it
	keeps          // no failure takes it
)

// local runs statements of .local/. While an Update of this store runs, they are part of it: see update.
func (s *Store) local(ctx context.Context, how lasting, all ...stmt) ([][][][]byte, error) {
	s.mu.Lock()
	u := s.active
	s.mu.Unlock()
	if u != nil {
		got, over, err := u.run(ctx, how != reads, all...)
		if !over {
			return got, s.said(err)
		}
	}
	switch how {
	case writes:
		all = append([]stmt{sql("SELECT set_config('synchronous_commit', 'off', true)")}, all...)
	case keeps:
		all = append([]stmt{sql(onDisk)}, all...)
	}
	got, err := s.query(ctx, all...)
	return got, s.said(err)
}

// ReadLocal returns a file of .local/.
func (s *Store) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	p, err := localPath(ctx, name)
	if err != nil {
		return nil, err
	}
	got, err := s.local(ctx, reads,
		sql(s.in("SELECT "+stampColumns+", bytes FROM SCHEMA.files WHERE vault = $1 AND path = $2"), s.n, s.key(p)))
	if err != nil {
		return nil, err
	}
	if len(got[0]) > 0 {
		f, err := fileOf(p, stampOf(got[0][0]), got[0][0][3])
		return f.Data, err
	}
	return nil, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
}

// WriteLocal replaces a file of .local/. It is no commit.
func (s *Store) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	return s.writeLocal(ctx, writes, name, data)
}

// KeepLocal is WriteLocal that no failure of the server takes back.
func (s *Store) KeepLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	return s.writeLocal(ctx, keeps, name, data)
}

func (s *Store) writeLocal(ctx context.Context, how lasting, name mdstore.Path, data []byte) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	v := mdstore.VersionOf(data)
	_, err = s.local(ctx, how, sql(s.in(writeSQL), s.n, []string{s.key(p)}, [][]byte{data}, [][]byte{v[:]}))
	return err
}

// RemoveLocal removes a file of .local/.
func (s *Store) RemoveLocal(ctx context.Context, name mdstore.Path) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	_, err = s.local(ctx, writes, sql(s.in("DELETE FROM SCHEMA.files WHERE vault = $1 AND path = $2"), s.n, s.key(p)))
	return err
}

// ListLocal returns the files in a folder of .local/, in the order of their names.
func (s *Store) ListLocal(ctx context.Context, dir mdstore.Path) (out []mdstore.LocalFile, err error) {
	p, err := localPath(ctx, dir)
	if err != nil {
		return nil, err
	}
	above := s.key(p) + "/"
	got, err := s.local(ctx, reads, sql(s.in("SELECT "+stampColumns+`, substr(path, length($2) + 1) FROM SCHEMA.files
		WHERE vault = $1 AND path >= $2 AND path < $3 ORDER BY path`), s.n, above, s.key(p)+"0"))
	if err != nil {
		return nil, err
	}
	for _, row := range got[0] {
		if name := string(row[3]); !strings.Contains(name, "/") && mdstore.Path(name).Valid() {
			out = append(out, mdstore.LocalFile{Name: name, Stamp: stampOf(row)})
		}
	}
	return out, nil
}

func localPath(ctx context.Context, name mdstore.Path) (mdstore.Path, error) {
	p := mdstore.Path(mdstore.LocalDir).Join(string(name))
	if !name.Valid() || valid("open", p) != nil || name.Under("trash") {
		return "", fmt.Errorf("%q is no path for files in %s: %w", name, mdstore.LocalDir, fs.ErrInvalid)
	}
	return p, ctx.Err()
}

// Writable returns an obstacle to every commit: the server is a standby, or this user may only read.
func (s *Store) Writable(ctx context.Context, p mdstore.Path) error {
	if p != mdstore.LocalDir {
		return ctx.Err()
	}
	got, err := s.query(ctx, sql(s.in(`SELECT pg_is_in_recovery(), has_table_privilege('SCHEMA.files', 'INSERT')
		AND has_table_privilege('SCHEMA.files', 'UPDATE') AND has_table_privilege('SCHEMA.files', 'DELETE')`)))
	switch {
	case err != nil:
		return s.said(err)
	case truth(got[0][0][0]):
		return unreadable(p, "PERMISSION", "%s is a standby, which can only be read; "+
			"name the primary too: postgres://HOST1,HOST2/…", s.address)
	case !truth(got[0][0][1]):
		return unreadable(p, "PERMISSION", "%s: this user may only read; the owner of the tables can grant more", s.address)
	}
	return nil
}

// Movable returns nil: what can be written can be moved.
func (s *Store) Movable(ctx context.Context, from, to mdstore.Path) error { return ctx.Err() }
