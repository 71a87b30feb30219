package pgstore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"arbor/mdstore"
)

func (s *Store) lockKey() int64 { return keyOf("vault", s.address.schema, s.id) }

// momentLasts bounds a moment: an operation that waits for something sees it.
const momentLasts = 200 * time.Millisecond

// OnlyByCommits says that nothing but a commit changes a file.
func (s *Store) OnlyByCommits() {}

// generationSQL returns the generation of the vault with its token, and the commit of number $3; also those after it,
// if they are at most $4.
const generationSQL = `SELECT v.generation,
	(SELECT token FROM SCHEMA.generations WHERE vault = v.n AND number = v.generation),
	g.number, g.token, CASE WHEN g.number > $3 THEN g.paths END
	FROM SCHEMA.vaults v LEFT JOIN SCHEMA.generations g ON g.vault = v.n AND g.number >= $3 AND
		(g.number = $3 OR v.generation - $3 <= $4)
	WHERE v.n = $1 AND v.id = $2 ORDER BY g.number`

// Generation returns the number of the last commit. After a connection was lost, numbers begin anew above all earlier
// ones, and also if a commit that was seen is gone: a server that crashed, or a standby that took over, may lack
// commits, and have others under their numbers.
func (s *Store) Generation(ctx context.Context) (uint64, error) {
	if err := s.settle(ctx); err != nil {
		return 0, err
	}
	s.mu.Lock()
	u, since, token, shift := s.held(), s.memory.generation, s.memory.token, s.shift
	s.mu.Unlock()
	if u != nil || since != 0 && !s.doubt.Load() && time.Since(mdstore.Asked(ctx, s)) < momentLasts {
		return uint64(since) + shift, ctx.Err()
	}
	began := time.Now()
	from := since
	if since == 0 {
		from = math.MaxInt64 // nothing is followed yet
	}
	got, err := s.query(ctx, sql(s.in(generationSQL), s.n, s.id, from, int64(followedMost)))
	switch {
	case err != nil:
		return 0, s.said(err)
	case len(got[0]) == 0:
		return 0, fmt.Errorf("vault %s: %w", s.address, mdstore.ErrReplaced)
	}
	first := got[0][0]
	now := request{number(first[0]), string(first[1])}
	seen := ""
	var commits []commitNote
	for _, row := range got[0] {
		switch n := number(row[2]); {
		case row[2] == nil:
		case n == since:
			seen = string(row[3])
		default:
			if keys, ok := texts(row[4]); ok { // a hole makes all of them unknown
				commits = append(commits, commitNote{n, keys})
			}
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shift != shift { // numbers began anew meanwhile: the answer may be of before
		return uint64(now.generation) + shift, nil
	}
	s.settleDoubt(since, token, seen)
	if s.takeIn(now, commits); s.memory.generation >= now.generation {
		mdstore.Told(ctx, s, began)
	}
	return uint64(now.generation) + s.shift, nil
}

// settleDoubt begins numbers anew if a connection was lost, or if the commit of a number that was seen has another
// token now. s.mu must be held.
func (s *Store) settleDoubt(number int64, token, now string) {
	if s.doubt.Swap(false) || number != 0 && token != now {
		s.shift += 1 << 48
		s.forget()
	}
}

func (s *Store) shifted(generation int64) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return uint64(generation) + s.shift
}

// ChangedSince returns the paths that commits changed between two numbers that Generation returned.
func (s *Store) ChangedSince(ctx context.Context, before, now uint64) (paths []mdstore.Path, ok bool) {
	if before == now {
		return nil, ctx.Err() == nil
	}
	if before > now || before>>48 != now>>48 {
		return nil, false
	}
	const mask = 1<<48 - 1
	keys, ok := s.followed(before, now)
	if !ok {
		got, err := s.query(ctx, sql(s.in(`SELECT paths FROM SCHEMA.generations
			WHERE vault = $1 AND number > $2 AND number <= $3`), s.n, int64(before&mask), int64(now&mask)))
		if err != nil || uint64(len(got[0])) != now-before {
			return nil, false
		}
		for _, row := range got[0] {
			of, ok := texts(row[0])
			if !ok {
				return nil, false
			}
			keys = append(keys, of...)
		}
	}
	for _, key := range keys {
		if p, mine := s.path(key); mine {
			paths = append(paths, p)
		}
	}
	return paths, true
}

// Operations returns the last operations of all machines, the newest first, up to most of them.
func (s *Store) Operations(ctx context.Context, most int) (all []mdstore.Operation, err error) {
	if most <= 0 {
		return nil, ctx.Err()
	}
	at := map[int64]int{} // the index in all of the operation that began at a time
	for last := int64(1) << 62; len(all) <= most; {
		got, err := s.query(ctx, sql(s.in(`SELECT number, record FROM SCHEMA.generations
			WHERE vault = $1 AND number < $2 AND record IS NOT NULL ORDER BY number DESC LIMIT 16`), s.n, last))
		if err != nil {
			return nil, s.said(err)
		}
		if len(got[0]) == 0 {
			break
		}
		for _, row := range got[0] {
			last = number(row[0])
			var r recorded
			if json.NewDecoder(bytes.NewReader(row[1])).Decode(&r) != nil || r.Op == nil {
				continue
			}
			i, known := at[r.Of]
			if !known {
				i, at[r.Of] = len(all), len(all)
				r.Op.Began, r.Op.ID = r.Of, operationID(r.Of)
				all = append(all, *r.Op)
			}
			op := &all[i]
			op.Large = op.Large || r.Op.Large
			var steps []mdstore.Step
			for _, st := range r.Steps {
				steps = append(steps, mdstore.Step{Path: st.Path, To: st.To, Base: st.Base, New: st.New})
			}
			op.Steps = append(steps, op.Steps...)
		}
	}
	return all[:min(len(all), most)], ctx.Err()
}
