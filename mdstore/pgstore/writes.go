package pgstore

import (
	"encoding/json"
	"fmt"
	"strconv"

	"arbor/mdstore"
)

// writes returns the statements that make the changes, and what they do. There are none if nothing changes.
func (d *draft) writes() (all []stmt, steps []mdstore.Step) {
	w := &batch{}
	flush := func() {
		if w.keys != nil {
			all = append(all, w.stmt(d.Store))
			w = &batch{}
		}
	}
	for _, c := range d.changes {
		key := d.key(c.Path)
		step := mdstore.Step{Path: c.Path, To: c.To, New: c.New}
		if f, is := d.files[key]; is && c.To == "" {
			step.Base = f.data
		}
		switch {
		case c.Keep, c.New != nil && mdstore.VersionOf(c.New) == c.Base:
			continue
		case c.To != "":
			flush()
			all = append(all, sql(d.in(moveSQL), d.n, key, d.key(c.To)))
		case c.New != nil:
			w.add(key, c.New)
		default:
			flush()
			all = append(all, sql(d.in("DELETE FROM SCHEMA.files WHERE vault = $1 AND path = $2"), d.n, key))
		}
		steps = append(steps, step)
	}
	flush()
	return all, steps
}

const (
	writeSQL = `INSERT INTO SCHEMA.files (vault, path, bytes, version)
		SELECT $1, * FROM unnest($2::text[], $3::bytea[], $4::bytea[])
		ON CONFLICT (vault, path) DO UPDATE SET bytes = excluded.bytes, version = excluded.version,
		changed = excluded.changed, written = excluded.written
		RETURNING path, ` + stampColumns + `, bytes`
	moveSQL = `UPDATE SCHEMA.files SET path = $3 || substr(path, length($2) + 1),
		written = pg_catalog.nextval('SCHEMA.writes')
		WHERE vault = $1 AND (path = $2 OR path >= $2 || '/' AND path < $2 || '0')`
)

// A batch is files that one statement writes.
type batch struct {
	keys            []string
	datas, versions [][]byte
}

func (b *batch) add(key string, data []byte) {
	v := mdstore.VersionOf(data)
	b.keys, b.datas, b.versions = append(b.keys, key), append(b.datas, data), append(b.versions, v[:])
}

func (b *batch) stmt(s *Store) stmt { return sql(s.in(writeSQL), s.n, b.keys, b.datas, b.versions) }

// How much of the past is kept.
const (
	generationsMost = 10000    // whose paths are known
	recordMost      = 64 << 20 // bytes of the steps of operations
	recordLine      = 8 << 20  // bytes of the steps of one commit; a larger one cannot be undone
	pruneEvery      = 64       // commits
)

// A recorded is the part of an operation that one commit made.
type recorded struct {
	Op    *mdstore.Operation `json:"op"`
	Of    int64              `json:"of"` // when the operation began
	Steps []recordedStep     `json:"steps"`
}

type recordedStep struct {
	Path mdstore.Path `json:"path"`
	To   mdstore.Path `json:"to,omitempty"`
	Base []byte       `json:"base"` // null is no file, and "" an empty one
	New  []byte       `json:"new"`
}

// notes returns the statements that note the commit, and now and then drop notes that are old, with the keys of what
// the commit changes.
func (d *draft) notes(r *request, steps []mdstore.Step) (all []stmt, keys []string) {
	var paths []string
	var versions [][]byte
	for _, st := range steps {
		version := []byte{}
		if st.New != nil {
			v := mdstore.VersionOf(st.New)
			version = v[:]
		}
		paths, versions = append(paths, d.key(st.Path)), append(versions, version)
		if st.To != "" {
			paths, versions = append(paths, d.key(st.To)), append(versions, []byte{})
		}
	}
	who, record := d.own, []byte{}
	if d.op != nil {
		who = d.op.Session
		record = d.record(steps)
	}
	all = []stmt{sql(d.in(`INSERT INTO SCHEMA.generations (vault, number, token, paths, versions, who, record)
		VALUES ($1, $2, $3, $4, $5, $6, nullif($7, ''))`), d.n, r.generation, r.token, paths, versions, who, record)}
	if r.generation%pruneEvery == 0 {
		all = append(all,
			sql(d.in("DELETE FROM SCHEMA.generations WHERE vault = $1 AND number <= $2"), d.n, r.generation-generationsMost),
			sql(d.in(`UPDATE SCHEMA.generations SET record = NULL WHERE vault = $1 AND record IS NOT NULL AND number <=
				(SELECT max(number) FROM (SELECT number, sum(octet_length(record)) OVER (ORDER BY number DESC) AS total
				FROM SCHEMA.generations WHERE vault = $1 AND record IS NOT NULL) sums WHERE total > $2)`),
				d.n, int64(recordMost)))
	}
	return all, paths
}

// record returns what undo needs. Files of this machine are no part of it.
func (d *draft) record(steps []mdstore.Step) []byte {
	if d.op.Began == 0 {
		d.op.Began = d.now
	}
	rec := recorded{Op: d.op, Of: d.op.Began}
	for _, st := range steps {
		if !st.Path.Under(mdstore.LocalDir) || st.Path.Under(mdstore.TrashDir) {
			rec.Steps = append(rec.Steps, recordedStep{Path: st.Path, To: st.To, Base: st.Base, New: st.New})
		}
	}
	data, err := json.Marshal(rec)
	if err == nil && len(data) > recordLine {
		large := *d.op
		large.Large = true
		data, err = json.Marshal(recorded{Op: &large, Of: d.op.Began})
	}
	if err != nil {
		d.log.Warn("a commit cannot be recorded: it cannot be undone", "error", err)
		return []byte{}
	}
	return data
}

// operationID returns the id of the operation that began at a time. It begins with a letter, so that it cannot be taken
// for a number in a list.
func operationID(began int64) string {
	v := mdstore.VersionOf(strconv.AppendInt(nil, began, 10))
	return fmt.Sprintf("u%x", v[:4])[:8]
}
