package pgstore

import (
	"context"
	"fmt"
	"io/fs"
	"strings"

	"arbor/mdstore"
)

// during calls f with the Update of this store that runs, which files of .local/ are part of: see update. It returns
// false if there is none.
func (s *Store) during(f func(*update) error) (bool, error) {
	u := s.running()
	if u == nil {
		return false, nil
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.over {
		return false, nil
	}
	return true, s.said(f(u))
}

func (s *Store) running() *update {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.active
}

// localSQL returns a file of .local/.
const localSQL = "SELECT " + stampColumns + ", bytes FROM SCHEMA.files WHERE vault = $1 AND path = $2"

// readLocal returns the bytes of a file, nil if it is missing.
func (u *update) readLocal(ctx context.Context, p mdstore.Path) (data []byte, err error) {
	key := u.s.key(p)
	if data, ok := u.written[key]; ok {
		return data, nil
	}
	row, ok := u.local[key]
	if !ok {
		got, err := u.c.run(ctx, sql(u.s.in(localSQL), u.s.n, key))
		if err != nil {
			return nil, err
		}
		if len(got[0]) > 0 {
			row = got[0][0]
		}
		u.local[key] = row
		u.s.asks(key)
	}
	if row == nil || row[0] == nil {
		return nil, nil
	}
	f, err := fileOf(p, stampOf(row), row[3])
	return f.Data, err
}

// asks notes that Updates ask for a file of .local/, so that the next one gets it with the lock.
func (s *Store) asks(key string) {
	const most = 16
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.memory.local == nil || len(s.memory.local) >= most {
		s.memory.local = map[string]bool{}
	}
	s.memory.local[key] = true
}

// ReadLocal returns a file of .local/.
func (s *Store) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	p, err := localPath(ctx, name)
	if err != nil {
		return nil, err
	}
	var data []byte
	held, err := s.during(func(u *update) (err error) { data, err = u.readLocal(ctx, p); return err })
	if !held {
		var got [][][][]byte
		if got, err = s.query(ctx, sql(s.in(localSQL), s.n, s.key(p))); err == nil && len(got[0]) > 0 {
			f, err := fileOf(p, stampOf(got[0][0]), got[0][0][3])
			return f.Data, err
		}
	}
	if err == nil && data == nil {
		err = missing(p)
	}
	return data, s.said(err)
}

// WriteLocal replaces a file of .local/. It is no commit.
func (s *Store) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	return s.writeLocal(ctx, p, append([]byte{}, data...), maybeLost)
}

// RemoveLocal removes a file of .local/.
func (s *Store) RemoveLocal(ctx context.Context, name mdstore.Path) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	return s.writeLocal(ctx, p, nil, maybeLost)
}

// KeepLocal is WriteLocal that no failure of the server takes back.
func (s *Store) KeepLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	p, err := localPath(ctx, name)
	if err != nil {
		return err
	}
	return s.writeLocal(ctx, p, append([]byte{}, data...), onDisk)
}

// writeLocal writes a file of .local/, or removes it if data is nil. how is maybeLost or onDisk. What an Update writes
// for everybody, such as claims, is on the disk when that has ended: other machines act by it.
func (s *Store) writeLocal(ctx context.Context, p mdstore.Path, data []byte, how string) error {
	key := s.key(p)
	held, err := s.during(func(u *update) error {
		u.written[key], u.wrote = data, true
		u.lasts = u.lasts || how == onDisk || !strings.HasPrefix(key, ownPrefix)
		return nil
	})
	if held {
		return err
	}
	u := &update{s: s, written: map[string][]byte{key: data}}
	_, err = s.query(ctx, append([]stmt{sql("SELECT " + how)}, u.unsent()...)...)
	return s.said(err)
}

// ListLocal returns the files in a folder of .local/, in the order of their names.
func (s *Store) ListLocal(ctx context.Context, dir mdstore.Path) (out []mdstore.LocalFile, err error) {
	p, err := localPath(ctx, dir)
	if err != nil {
		return nil, err
	}
	above := s.key(p) + "/"
	list := sql(s.in("SELECT "+stampColumns+`, substr(path, length($2) + 1) FROM SCHEMA.files
		WHERE vault = $1 AND path >= $2 AND path < $3 ORDER BY path`), s.n, above, s.key(p)+"0")
	var got [][][][]byte
	held, err := s.during(func(u *update) (err error) {
		clear(u.local)
		got, err = u.c.run(ctx, append(u.unsent(), list)...)
		return err
	})
	if !held {
		got, err = s.query(ctx, list)
	}
	if err != nil {
		return nil, s.said(err)
	}
	for _, row := range got[len(got)-1] {
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
