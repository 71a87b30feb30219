package pgstore

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"strings"

	"arbor/mdstore"
)

// A row is a file as the database lists it.
type row struct {
	path    mdstore.Path
	stamp   mdstore.Stamp
	version mdstore.Version
	err     error // why it cannot be read
}

// List yields where files lie, of the moment at which it began.
func (s *Store) List(ctx context.Context, under mdstore.Path) iter.Seq2[mdstore.Entry, error] {
	return func(yield func(mdstore.Entry, error) bool) {
		if under != "" && valid("list", under) != nil {
			yield(mdstore.Entry{Path: under}, valid("list", under))
			return
		}
		all, err := s.list(ctx, under)
		for _, r := range all {
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				break
			}
			if !yield(mdstore.Entry{Path: r.path, Stamp: r.stamp}, r.err) {
				return
			}
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			yield(mdstore.Entry{}, err)
		}
	}
}

func (s *Store) list(ctx context.Context, under mdstore.Path) ([]row, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if under == "" {
		files, err := s.rows(ctx, workspacesSQL)
		if err != nil {
			return nil, err
		}
		return listed(under, files), nil
	}
	t := s.tree(under)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.refresh(ctx, under, t); err != nil {
		return nil, err
	}
	return listed(under, t.rows), nil
}

// listed returns what a listing yields, given the rows of all files.
func listed(under mdstore.Path, files []row) []row {
	paths := make([]mdstore.Path, len(files))
	for i, f := range files {
		paths[i] = f.path
	}
	names := mdstore.Listed(under, paths)
	out := make([]row, 0, len(names))
	for _, p := range names {
		switch r, below := at(files, p); {
		case r != nil && r.stamp.Size > mdstore.MaxSize(p):
			_, err := fileOf(p, r.stamp, nil)
			out = append(out, row{path: p, err: err})
		case r != nil:
			out = append(out, *r)
		case below:
			out = append(out, row{path: p, err: folder(p)})
		default:
			out = append(out, row{path: p, err: &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrNotExist}})
		}
	}
	return out
}

// workspacesSQL returns, for each folder of the vault and of the archive, its own file, a file below that, and a file
// below its folder of nodes, as far as there are any. It goes from one folder to the next by the index.
const workspacesSQL = `WITH RECURSIVE tops AS (
		SELECT p.prefix, (SELECT min(path) FROM SCHEMA.files WHERE vault = $1 AND path >= p.prefix AND
			(p.prefix = '' OR path < 'archive0')) AS path
		FROM (VALUES ('' COLLATE "C"), ('archive/' COLLATE "C")) p(prefix)
	UNION ALL
		SELECT t.prefix, (SELECT min(path) FROM SCHEMA.files WHERE vault = $1 AND path > t.path AND
			(t.path NOT LIKE t.prefix || '%/%' OR
			path >= t.prefix || split_part(substr(t.path, length(t.prefix) + 1), '/', 1) || '0')
			AND (t.prefix = '' OR path < 'archive0'))
		FROM tops t WHERE t.path IS NOT NULL
	), dirs AS (
		SELECT DISTINCT prefix || split_part(substr(path, length(prefix) + 1), '/', 1) AS dir FROM tops
		WHERE path LIKE prefix || '%/%'
	)
	SELECT path, ` + stampColumns + `, version FROM dirs CROSS JOIN LATERAL (
		(SELECT * FROM SCHEMA.files WHERE vault = $1 AND path = dir || '/` + mdstore.WorkspaceFile + `')
	UNION ALL
		(SELECT * FROM SCHEMA.files WHERE vault = $1 AND path >= dir || '/` + mdstore.WorkspaceFile + `/' AND
			path < dir || '/` + mdstore.WorkspaceFile + `0' ORDER BY path LIMIT 1)
	UNION ALL
		(SELECT * FROM SCHEMA.files WHERE vault = $1 AND path >= dir || '/` + mdstore.NodesDir + `/' AND
			path < dir || '/` + mdstore.NodesDir + `0' ORDER BY path LIMIT 1)
	) found ORDER BY path`

// Scan says what the files of a workspace state. It reads the files that no earlier scan of this store has read.
func (s *Store) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	out := &mdstore.Scan{}
	if err := valid("list", workspace); err != nil {
		out.Broken = []mdstore.Broken{{Path: workspace, Err: err}}
		return out, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	t := s.tree(workspace)
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := s.refresh(ctx, workspace, t); err != nil {
		return nil, err
	}
	var unknown []row
	for _, r := range listed(workspace, t.rows) {
		if k := mdstore.AllKinds().Of(r.path); k != nil && len(kinds) > 0 && !slices.Contains(kinds, k) {
			continue
		}
		out.Work.Stamped++
		if r.err != nil {
			out.Broken = append(out.Broken, mdstore.Broken{Path: r.path, Err: r.err})
			continue
		}
		if known := t.known[r.path]; known != nil && known.Stamp == r.stamp {
			out.Records = append(out.Records, known)
		} else {
			unknown = append(unknown, r)
		}
	}
	if err := s.scan(ctx, t, unknown, out); err != nil {
		return nil, err
	}
	s.save(workspace, t)
	slices.SortFunc(out.Records, func(a, b *mdstore.Scanned) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(out.Others, func(a, b mdstore.File) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(out.Broken, func(a, b mdstore.Broken) int { return cmp.Compare(a.Path, b.Path) })
	return out, nil
}

// scanPart is how many bytes of files one statement of a scan asks for.
const scanPart = 8 << 20

// scan reads files and adds them to the scan. The tree's mu is held.
func (s *Store) scan(ctx context.Context, t *tree, files []row, out *mdstore.Scan) error {
	for len(files) > 0 {
		var paths []string
		size := int64(0)
		for len(files) > 0 && size < scanPart {
			paths = append(paths, string(files[0].path))
			size += files[0].stamp.Size
			files = files[1:]
		}
		got, err := s.query(ctx, sql(s.in("SELECT path, "+stampColumns+`, bytes FROM SCHEMA.files
			WHERE vault = $1 AND path = ANY($2)`), s.n, paths))
		if err != nil {
			return s.said(err)
		}
		for _, r := range got[0] {
			p := mdstore.Path(r[0])
			f, err := fileOf(p, stampOf(r[1:]), r[4])
			if err != nil {
				out.Broken = append(out.Broken, mdstore.Broken{Path: p, Err: err})
				continue
			}
			out.Work.Read++
			rec, ok := mdstore.ScannedOf(mdstore.AllKinds().Of(p), f)
			if !ok {
				out.Others = append(out.Others, f)
				continue
			}
			out.Records = append(out.Records, &rec)
			t.known[p] = &rec
			t.stale++
		}
	}
	return nil
}

// Files returns all files of the vault and of this machine with their versions, which the server computes from the
// bytes. left says of rows that another program has written why no folder could hold them.
func (s *Store) Files(ctx context.Context) (all map[mdstore.Path]mdstore.Version, left map[string]string, err error) {
	got, err := s.query(ctx, sql(s.in(`SELECT path, octet_length(bytes)::bigint, sha256(bytes) FROM SCHEMA.files
		WHERE vault = $1 ORDER BY path`), s.n))
	if err != nil {
		return nil, nil, s.said(err)
	}
	all, left = make(map[mdstore.Path]mdstore.Version, len(got[0])), map[string]string{}
	for _, r := range got[0] {
		key := string(r[0])
		p, ok := s.path(key)
		switch {
		case strings.HasPrefix(key, ownPrefix) && !ok: // of another machine
		case !ok || !storable(p):
			left[key] = "no file of a vault may have such a name"
		case number(r[1]) > mdstore.MaxSize(p):
			left[key] = fmt.Sprintf("has %d bytes; %d are the limit", number(r[1]), mdstore.MaxSize(p))
		default:
			all[p] = mdstore.Version(r[2])
		}
	}
	for p := range all {
		for dir := p.Dir(); dir != ""; dir = dir.Dir() {
			if _, file := all[dir]; file {
				left[string(p)] = "lies below " + string(dir) + ", which is a file"
			}
		}
	}
	for key := range left {
		delete(all, mdstore.Path(key))
	}
	return all, left, nil
}

// storable reports whether file systems can hold a path.
func storable(p mdstore.Path) bool {
	for elem := range strings.SplitSeq(string(p), "/") {
		if len(elem) > 255 {
			return false
		}
	}
	return len(p) <= 2048
}
