package engine

import (
	"cmp"
	"context"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
)

// What a session has seen is as large as what the workspace holds in names and numbers, and many sessions never come back. So it goes when the session is unbound,
// and when it has not been asked for in a long time.
const (
	looksMost = 16                  // that are kept, those of the sessions that looked last
	lookLasts = 14 * 24 * time.Hour // after the session looked
	lookNoted = 24 * time.Hour      // from one note that a session looked to the next, while nothing else is to be noted
)

// current reports whether it was noted not long before now, in Unix milliseconds, that the session looked.
func (l look) current(now int64) bool { return age(l.Looked, now) < lookNoted }

// age returns how long before now something was. What is ahead of a clock that was set back is as old as it is far.
func age(then, now int64) time.Duration {
	return (time.Duration(now-then) * time.Millisecond).Abs()
}

// clearLooks removes what sessions have seen that have not looked for long, and what former versions of this program have kept of it. own, the folder of a look,
// stays. Other writers must be kept out. What cannot be removed is left for the next time.
func (e *Engine) clearLooks(ctx context.Context, st mdstore.Store, own mdstore.Path) {
	sc, ok := mdstore.AsStore[mdstore.Scratch](st)
	if !ok {
		return
	}
	names, err := sc.Notes(ctx, looksDir)
	if err != nil {
		e.opt.Log.Debug("what sessions have seen cannot be listed", "error", err)
		return
	}
	type kept struct {
		dir    mdstore.Path
		looked time.Duration // ago
	}
	now := e.opt.Now().UnixMilli()
	var others []kept
	for _, name := range names {
		dir := looksDir.Join(name)
		if b, err := hex.DecodeString(name); err != nil || len(b) != lookNameLen || name != strings.ToLower(name) {
			continue // it is none of ours
		}
		if dir == own {
			e.discardLook(ctx, sc, dir, false)
			continue
		}
		f, _ := st.Read(ctx, dir.Join("0"))
		first, _ := decodeLook(f.Data) // one that is damaged was last looked at in 1970
		others = append(others, kept{dir, age(first.Looked, now)})
	}
	slices.SortFunc(others, func(a, b kept) int { return cmp.Compare(a.looked, b.looked) })
	for i, k := range others {
		e.discardLook(ctx, sc, k.dir, i >= looksMost-1 || k.looked > lookLasts)
	}
}

// discardLook removes the folder of a look, or, unless all of it is to go, what a former version of this program has kept there.
func (e *Engine) discardLook(ctx context.Context, sc mdstore.Scratch, dir mdstore.Path, all bool) {
	names, err := sc.Notes(ctx, dir)
	for _, name := range names {
		number, former := strings.CutSuffix(name, ".json")
		if number == "" || strings.Trim(number, "0123456789") != "" || !all && !former || err != nil {
			continue
		}
		err = sc.Discard(ctx, dir.Join(name))
	}
	if err == nil && all {
		err = sc.Discard(ctx, dir)
	}
	if err != nil {
		e.opt.Log.Debug("what a session has seen is not removed", "folder", string(dir), "error", err)
	}
}

// forgetLooks removes what a session has seen of every workspace. Other writers must be kept out.
func (e *Engine) forgetLooks(ctx context.Context, st mdstore.Store, session string) error {
	sc, ok := mdstore.AsStore[mdstore.Scratch](st)
	if !ok {
		return nil
	}
	all, err := workspaces(ctx, st)
	if err != nil {
		return err
	}
	for _, w := range all {
		e.unnote(session, w.ID)
		e.discardLook(ctx, sc, lookDir(session, w.ID), true)
	}
	return nil
}
