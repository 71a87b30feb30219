package pgstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
)

// A tree is what is known of a workspace: its files as the database listed them, and what their texts state. After a
// commit only the files that it changed are asked for.
type tree struct {
	mu         sync.Mutex
	whole      bool // rows are those of the generation
	generation int64
	token      string // of the commit with that number
	rows       []row  // in the order of paths, also of files of no kind
	known      map[mdstore.Path]*mdstore.Scanned
	stale      int // files whose facts the cache does not have
}

func (s *Store) tree(under mdstore.Path) *tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees[under] == nil {
		t := s.load(under)
		if t == nil {
			t = &tree{known: map[mdstore.Path]*mdstore.Scanned{}}
		}
		s.trees[under] = t
	}
	return s.trees[under]
}

// refresh makes the rows those of the present generation, or of a newer one. The number is read before the files.
func (s *Store) refresh(ctx context.Context, under mdstore.Path, t *tree) error {
	got, err := s.query(ctx, sql(s.in(`SELECT v.generation, g.token, o.token FROM SCHEMA.vaults v
		LEFT JOIN SCHEMA.generations g ON g.vault = v.n AND g.number = v.generation
		LEFT JOIN SCHEMA.generations o ON o.vault = v.n AND o.number = $2 WHERE v.n = $1`), s.n, t.generation))
	if err != nil {
		return s.said(err)
	}
	if len(got[0]) == 0 {
		return mdstore.ErrReplaced
	}
	now, token, old := number(got[0][0][0]), string(got[0][0][1]), string(got[0][0][2])
	same := t.whole && old == t.token && t.generation <= now
	if same && t.generation == now {
		return nil
	}
	done := false
	if same {
		if done, err = s.follow(ctx, under, t, now); err != nil {
			return err
		}
	}
	if !done {
		if t.rows, err = s.rows(ctx, insideSQL, string(under)+"/", string(under)+"0"); err != nil {
			return err
		}
	}
	t.whole, t.generation, t.token = true, now, token
	return nil
}

// followMost is how many changed paths are asked for; for more, all files are.
const followMost = 1000

// follow brings the rows from one generation to another. It returns false if it is not known what changed.
func (s *Store) follow(ctx context.Context, under mdstore.Path, t *tree, now int64) (bool, error) {
	got, err := s.query(ctx, sql(s.in(`SELECT paths FROM SCHEMA.generations
		WHERE vault = $1 AND number > $2 AND number <= $3`), s.n, t.generation, now))
	if err != nil {
		return false, s.said(err)
	}
	if int64(len(got[0])) != now-t.generation {
		return false, nil
	}
	changed := map[mdstore.Path]bool{}
	var keys []string
	for _, r := range got[0] {
		all, ok := texts(r[0])
		if !ok {
			return false, nil
		}
		for _, key := range all {
			switch p := mdstore.Path(key); {
			case under.Under(p): // the workspace came, went or moved
				return false, nil
			case p.Under(under) && !changed[p]:
				changed[p] = true
				keys = append(keys, key)
			}
		}
	}
	if len(keys) > followMost {
		return false, nil
	}
	if len(keys) == 0 {
		return true, nil
	}
	fresh, err := s.rows(ctx, changedSQL, keys)
	if err != nil {
		return false, err
	}
	t.rows = slices.DeleteFunc(t.rows, func(r row) bool {
		for p := r.path; p != under; p = p.Dir() {
			if changed[p] {
				return true
			}
		}
		return false
	})
	t.rows = append(t.rows, fresh...)
	slices.SortFunc(t.rows, func(a, b row) int { return strings.Compare(string(a.path), string(b.path)) })
	t.rows = slices.CompactFunc(t.rows, func(a, b row) bool { return a.path == b.path })
	return true, nil
}

const insideSQL = "SELECT path, " + stampColumns + `, version FROM SCHEMA.files
	WHERE vault = $1 AND path >= $2 AND path < $3 ORDER BY path`

const changedSQL = "SELECT path, " + stampColumns + `, version FROM pg_catalog.unnest($2::text[]) q CROSS JOIN LATERAL (
		(SELECT * FROM SCHEMA.files WHERE vault = $1 AND path = q)
	UNION ALL
		(SELECT * FROM SCHEMA.files WHERE vault = $1 AND path >= q || '/' AND path < q || '0')) found`

// rows runs a query that lists files. Paths that no file of a vault may have are left out.
func (s *Store) rows(ctx context.Context, query string, args ...any) ([]row, error) {
	got, err := s.query(ctx, sql(s.in(query), append([]any{s.n}, args...)...))
	if err != nil {
		return nil, s.said(err)
	}
	all := make([]row, 0, len(got[0]))
	for _, r := range got[0] {
		if p := mdstore.Path(r[0]); p.Valid() {
			f := row{path: p, stamp: stampOf(r[1:])}
			copy(f.version[:], r[4])
			all = append(all, f)
		}
	}
	return all, nil
}

// at returns the row of a path, nil for none, and whether files lie below it.
func at(rows []row, p mdstore.Path) (r *row, below bool) {
	by := func(r row, p mdstore.Path) int { return cmp.Compare(r.path, p) }
	if i, found := slices.BinarySearchFunc(rows, p, by); found {
		return &rows[i], false
	}
	i, _ := slices.BinarySearchFunc(rows, p+"/", by)
	return nil, i < len(rows) && strings.HasPrefix(string(rows[i].path), string(p)+"/")
}
