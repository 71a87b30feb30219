package pgstore

import (
	"io/fs"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
)

// An Update asks the server as little as possible, because all other writers wait for it: the message that takes the
// lock also brings what commits have changed since the last one, and the files of .local/ that the last one asked for.
// Files are kept from one Update to the next, and are used only while an Update of this store holds the lock.

const (
	followedMost = 64              // commits whose files are brought
	keptMost     = 4 << 20         // bytes of files
	keptFile     = 64 << 10        // bytes of one of them
	trusted      = 2 * time.Second // how long an Update uses what is kept: its lock may be lost without notice
)

// A memory is what a store knows of the vault at a generation.
type memory struct {
	generation int64 // 0 for none
	files      map[string]kept
	bytes      int             // of files
	commits    []commitNote    // the last ones, up to the generation
	local      map[string]bool // keys in .local/ that Updates have asked for
}

type kept struct {
	file mdstore.File
	gone bool
}

type commitNote struct {
	number int64
	keys   []string
}

// sinceSQL returns the paths that commits after $2 have changed, each with its file as it is now, and the files of $3.
// If there are more than $4 commits, it leaves them out.
const sinceSQL = `SELECT q.number, q.key, octet_length(f.bytes)::bigint,
	` + changedColumn + `, f.written,
	CASE WHEN q.number = 0 OR octet_length(f.bytes) <= $5 THEN f.bytes END
	FROM (SELECT g.number, pg_catalog.unnest(g.paths) AS key FROM SCHEMA.generations g WHERE g.vault = $1 AND g.number > $2
		AND (SELECT generation FROM SCHEMA.vaults WHERE n = $1) - $2 <= $4
	UNION ALL SELECT 0::bigint, pg_catalog.unnest($3::text[])) q
	LEFT JOIN SCHEMA.files f ON f.vault = $1 AND f.path = q.key
	ORDER BY q.number`

// catchUp takes in the rows of sinceSQL and returns those of .local/. s.mu must be held.
func (s *Store) catchUp(now int64, rows [][][]byte) (local map[string][][]byte) {
	m := &s.memory
	if m.generation == 0 || now < m.generation || now-m.generation > followedMost {
		s.forget()
	}
	local = map[string][][]byte{}
	for _, r := range rows {
		n, key := number(r[0]), string(r[1])
		if n == 0 {
			local[key] = r[2:]
			continue
		}
		if last := len(m.commits) - 1; last < 0 || m.commits[last].number != n {
			m.commits = append(m.commits, commitNote{number: n})
		}
		c := &m.commits[len(m.commits)-1]
		c.keys = append(c.keys, key)
		m.drop(key)
		if r[5] != nil {
			s.keep(key, r[2:])
		}
	}
	m.commits = m.commits[max(0, len(m.commits)-followedMost):]
	m.generation = now
	return local
}

// forget drops everything that is known. s.mu must be held.
func (s *Store) forget() { s.memory = memory{files: map[string]kept{}, local: s.memory.local} }

// drop forgets a file, the folders above it, and what lies below it.
func (m *memory) drop(key string) {
	for k, f := range m.files {
		if k == key || strings.HasPrefix(k, key+"/") || strings.HasPrefix(key, k+"/") {
			m.bytes -= len(f.file.Data)
			delete(m.files, k)
		}
	}
}

// keep keeps the file of a row; a nil row stands for a file that is missing. s.mu must be held.
func (s *Store) keep(key string, row [][]byte) {
	p, ok := s.path(key)
	if !ok || strings.HasPrefix(key, mdstore.LocalDir+"/") { // files of .local/ change without commits
		return
	}
	f := kept{gone: row == nil}
	if !f.gone {
		var err error
		if f.file, err = fileOf(p, stampOf(row), row[3]); err != nil {
			return
		}
	}
	if m := &s.memory; len(f.file.Data) <= keptFile {
		if m.bytes > keptMost || m.files == nil {
			m.files, m.bytes = map[string]kept{}, 0
		}
		m.bytes += len(f.file.Data) - len(m.files[key].file.Data)
		m.files[key] = f
	}
}

// committed takes in a commit that the running Update made after the generation before. written has a row for each
// file that it wrote.
func (s *Store) committed(before, now int64, keys []string, written [][][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := &s.memory
	if u := s.held(); u == nil || m.generation != before {
		s.forget()
		if s.active != nil {
			s.active.began = time.Time{} // its lock was lost
		}
		return
	}
	for _, key := range keys {
		m.drop(key)
	}
	for _, row := range written {
		s.keep(string(row[0]), row[1:])
	}
	m.commits, m.generation = append(m.commits, commitNote{now, keys}), now
}

// recall fills in what the changes are compared with from what is kept, as far as that is enough.
func (d *draft) recall() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.held()
	if u == nil {
		return false
	}
	d.generation, d.now = d.memory.generation, u.now+int64(time.Since(u.began))
	d.files, d.below, d.absent, d.folders = map[string]was{}, map[string]bool{}, []string{}, []string{}
	for _, c := range d.changes {
		key := d.key(c.Path)
		f, ok := d.memory.files[key]
		switch {
		case c.To != "", ok && f.file.Version != c.Base, !ok && !c.Base.IsZero():
			return false
		case !c.Base.IsZero():
			d.files[key] = was{f.file.Version, f.file.Data}
			continue
		}
		d.absent = append(d.absent, key)
		for dir := c.Path.Dir(); dir != ""; dir = dir.Dir() {
			d.folders = append(d.folders, d.key(dir))
		}
	}
	return true
}

// guard returns the statement that counts a commit of what was recalled. It fails as guarded if there was another
// commit, because the lock was lost, or if files lie where the changes make new ones.
func (d *draft) guard() stmt {
	return sql(d.in(`WITH v AS (UPDATE SCHEMA.vaults SET generation = $3 + 1
			WHERE n = $1 AND id = $2 AND generation = $3 RETURNING n),
		met AS (SELECT 1 FROM SCHEMA.files WHERE vault = $1 AND (path = ANY($4) OR path = ANY($5)) UNION ALL
			SELECT 1 FROM pg_catalog.unnest($4::text[]) q
			JOIN SCHEMA.files ON vault = $1 AND path >= q || '/' AND path < q || '0')
		SELECT 1 / CASE WHEN EXISTS (SELECT 1 FROM v) AND NOT EXISTS (SELECT 1 FROM met) THEN 1 ELSE 0 END`),
		d.n, d.id, d.generation, d.absent, d.folders)
}

const guarded = "22012" // division by zero

// held returns the Update that runs, if what is kept may be used. s.mu must be held.
func (s *Store) held() *update {
	if u := s.active; u != nil && !s.doubt.Load() && time.Since(u.began) < trusted {
		return u
	}
	return nil
}

// known returns a file that is kept.
func (s *Store) known(key string) (f kept, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held() == nil {
		return f, false
	}
	f, ok = s.memory.files[key]
	return f, ok
}

// learn keeps what was read while the Update u ran. row is nil for a file that is missing.
func (s *Store) learn(u *update, key string, row [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if u != nil && s.held() == u {
		s.keep(key, row)
	}
}

// followed returns the paths that commits changed between two generations, if they are known.
func (s *Store) followed(before, now int64) (keys []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held() == nil || now != s.memory.generation {
		return nil, false
	}
	commits := s.memory.commits
	i, found := slices.BinarySearchFunc(commits, before+1, func(c commitNote, n int64) int { return int(c.number - n) })
	if !found || int64(len(commits)-i) != now-before {
		return nil, false
	}
	for _, c := range commits[i:] {
		keys = append(keys, c.keys...)
	}
	return keys, true
}

func missing(p mdstore.Path) error {
	return &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
}
