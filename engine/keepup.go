package engine

import (
	"context"

	"arbor/mdstore"
)

// A reading of everything takes longer than a busy process leaves between two commits. It need not begin anew for that: only what those commits have changed may be of two states.

// keepUpRounds is how often what was committed meanwhile is read again before everything is.
const keepUpRounds = 1000

// keepUp brings a snapshot up to date that was read from a number of the sequence on, while others may have committed: the files of their commits are read again, until there was none meanwhile. It
// returns the number that the snapshot is of then, and no snapshot where only reading everything tells.
func keepUp(ctx context.Context, st mdstore.Store, snap *Snapshot, seq uint64) (*Snapshot, uint64, error) {
	for range keepUpRounds {
		now, err := sequence(ctx, st)
		if err != nil || now == seq {
			return snap, seq, err
		}
		m := moment{loaded: loaded{snap: snap, seq: seq}}
		if !m.catchUp(ctx, st, now) {
			break
		}
		r := rereader{s: snap, st: st, left: map[mdstore.Path]bool{}, whole: true}
		for p := range m.stale {
			if err := r.look(ctx, p, false); err != nil {
				return nil, 0, err
			}
		}
		next := snap
		if len(r.files) > 0 {
			next = snap.With(r.files...)
			next.shelve(r.changes())
		}
		if err := r.emptied(ctx, next); err != nil {
			return nil, 0, err
		}
		if !r.whole {
			break
		}
		snap, seq = next, now
	}
	return nil, 0, ctx.Err()
}
