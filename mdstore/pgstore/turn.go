package pgstore

import (
	"cmp"
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
	generation int64  // 0 for none
	token      string // of the commit of that number
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

// heldSQL returns the generation of the vault, the time, and the tokens of the commit of number $3 and of the last one.
const heldSQL = `SELECT generation, (extract(epoch from clock_timestamp()) * 1000000::numeric)::bigint,
	(SELECT token FROM SCHEMA.generations g WHERE g.vault = n AND g.number = $3),
	(SELECT token FROM SCHEMA.generations g WHERE g.vault = n AND g.number = v.generation)
	FROM SCHEMA.vaults v WHERE n = $1 AND id = $2`

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
		if last := len(m.commits) - 1; n > m.generation && (last < 0 || m.commits[last].number != n) {
			m.commits = append(m.commits, commitNote{number: n})
		}
		if n > m.generation {
			c := &m.commits[len(m.commits)-1]
			c.keys = append(c.keys, key)
		}
		m.drop(key)
		if r[5] != nil {
			s.keep(key, r[2:])
		}
	}
	m.commits = m.commits[max(0, len(m.commits)-followedMost):]
	m.generation = now
	return local
}

// takeIn keeps what Generation was told: the generation, and the commits before it that were not known when it asked.
// s.mu must be held.
func (s *Store) takeIn(now request, commits []commitNote) {
	m := &s.memory
	if s.active != nil || now.generation <= m.generation { // an Update follows by itself; or another answer was faster
		return
	}
	commits = slices.DeleteFunc(commits, func(c commitNote) bool { return c.number <= m.generation })
	if m.generation == 0 || int64(len(commits)) != now.generation-m.generation {
		s.forget()
		commits = nil
	}
	for _, c := range commits {
		m.drop(c.keys...)
	}
	m.commits, m.generation, m.token = append(m.commits, commits...), now.generation, now.token
	m.commits = m.commits[max(0, len(m.commits)-followedMost):]
}

// forget drops everything that is known. s.mu must be held.
func (s *Store) forget() { s.memory = memory{files: map[string]kept{}, local: s.memory.local} }

// drop forgets files, the folders above them, and what lies below them; all files if the keys are many.
func (m *memory) drop(keys ...string) {
	if len(keys) > followedMost {
		m.files, m.bytes = nil, 0
	}
	for k, f := range m.files {
		touched := func(key string) bool {
			return k == key || strings.HasPrefix(k, key+"/") || strings.HasPrefix(key, k+"/")
		}
		if slices.ContainsFunc(keys, touched) {
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
func (s *Store) committed(before int64, r *request, keys []string, written [][][]byte) {
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
	m.drop(keys...)
	for _, row := range written {
		s.keep(string(row[0]), row[1:])
	}
	m.commits = append(m.commits, commitNote{r.generation, keys})
	m.generation, m.token = r.generation, r.token
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
	d.keeps, d.bases = []string{}, [][]byte{}
	for _, c := range d.changes {
		key := d.key(c.Path)
		f, ok := d.memory.files[key]
		switch {
		case !ok && c.Keep && !c.Base.IsZero():
			d.keeps, d.bases = append(d.keeps, key), append(d.bases, c.Base[:])
			continue
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
// commit, because the lock was lost, if files lie where the changes make new ones, or if one that the plan only read is
// another now.
func (d *draft) guard() stmt {
	return sql(d.in(`WITH v AS (UPDATE SCHEMA.vaults SET generation = $3 + 1
			WHERE n = $1 AND id = $2 AND generation = $3 RETURNING n),
		met AS (SELECT 1 FROM SCHEMA.files WHERE vault = $1 AND (path = ANY($4) OR path = ANY($5)) UNION ALL
			SELECT 1 FROM pg_catalog.unnest($4::text[]) q
			JOIN SCHEMA.files ON vault = $1 AND path >= q || '/' AND path < q || '0'
			UNION ALL SELECT 1 FROM unnest($6::text[], $7::bytea[]) k(key, base) LEFT JOIN SCHEMA.files
			ON vault = $1 AND path = key WHERE sha256(bytes) IS DISTINCT FROM base)
		SELECT 1 / CASE WHEN EXISTS (SELECT 1 FROM v) AND NOT EXISTS (SELECT 1 FROM met) THEN 1 ELSE 0 END`),
		d.n, d.id, d.generation, d.absent, d.folders, d.keeps, d.bases)
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

// followed returns the paths that commits changed between two results of Generation, if they are known.
func (s *Store) followed(before, now uint64) (keys []string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.doubt.Load() || before < s.shift || now > uint64(s.memory.generation)+s.shift {
		return nil, false
	}
	first, commits := int64(before-s.shift)+1, s.memory.commits
	byNumber := func(c commitNote, n int64) int { return cmp.Compare(c.number, n) }
	i, found := slices.BinarySearchFunc(commits, first, byNumber)
	end := i + int(now-before)
	if !found || end > len(commits) || commits[end-1].number != int64(now-s.shift) {
		return nil, false
	}
	for _, c := range commits[i:end] {
		keys = append(keys, c.keys...)
	}
	return keys, true
}

func missing(p mdstore.Path) error {
	return &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}
}
