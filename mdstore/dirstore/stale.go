package dirstore

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/merge"
)

// mergeStale merges a save of p that was made from an older version with what commits have changed since. merged says
// that the file changed, or that it has to be looked at again; the generation is odd then. The lock is held.
func (s *judging) mergeStale(p mdstore.Path) (merged bool, err error) {
	data, info, err := s.disk.ReadFile(p, mdstore.MaxSize(p))
	if err != nil {
		return false, nil // there is nothing to merge
	}
	if s.stands(p, data) {
		return false, nil
	}
	v := s.judge(p, data)
	if v.newest == nil || bytes.Equal(v.newest, data) {
		return false, nil
	}
	if err := s.quietFor(p, info, false); err != nil && !v.known {
		return false, err
	}
	if v.base == nil {
		s.noteJudged(p, data, told(v.out))
		if v.out != nil || v.known && !v.byGit {
			s.record(recordedStep{Path: p, New: data, Stands: true}) // it is the newest version from now on
		}
		if v.out != nil {
			s.meet(mdstore.Collision{Path: p, Text: takenOut(p, told(v.out))})
		}
		return false, nil
	}
	if busy := s.git.busy(); busy != nil {
		return false, busy
	}
	if err := s.gen.begin(); err != nil {
		return false, err
	}
	moved, stands := false, false
	missing, ok := s.committer.Rejoin(p, data, func(now []byte) (out []byte, missing []string) {
		if moved = !bytes.Equal(now, data); moved {
			return nil, nil // it is another save by now, which has to be judged
		}
		out, missing = s.joined(p, v, now)
		stands = out == nil || bytes.Equal(out, now)
		return out, missing
	})
	switch {
	case moved:
		return true, beingSaved(p)
	case !ok && missing == nil:
		return true, nil // it is gone, or cannot be written now: look again later
	case !ok || stands: // nothing of the newest version goes into it
		s.noteJudged(p, data, "")
		s.record(recordedStep{Path: p, New: data, Stands: true})
	}
	if missing != nil {
		lost := told(s.writersOf(p, v.steps, v.newest, missing))
		err = s.committer.LayBeside(p, v.newest, cmp.Or(lost, strings.Join(missing, ", ")))
	}
	return !stands || missing != nil, err
}

// joined adds to a save what commits have changed since its base, as merge.Save does. The result is a new version, so
// it gets a new updatedAt.
func (s *Store) joined(p mdstore.Path, v verdict, save []byte) (out []byte, missing []string) {
	out, missing = merge.Save(p, v.base, v.newest, save)
	if out == nil || bytes.Equal(out, save) {
		return out, missing
	}
	return mdstore.WithUpdated(p, out, s.fsNow()/int64(time.Millisecond)), missing
}

// baseOf returns the older version that a save was made from; nil if that is not proved.
func (s *Store) baseOf(p mdstore.Path, save []byte) []byte { return s.judging(p).judge(p, save).base }

const (
	lateTries = 20 // how often to look at a file that is being saved, with a moment between
	staleText = " was saved by a program that had read an older version; the next write to it merges both"
	heldText  = "another program wrote to a file after it was replaced; the next command that writes merges that"
)

func takenOut(p mdstore.Path, out string) string {
	return fmt.Sprintf("TAKEN_OUT: %s was saved by another program, or put back by git, without %s; kept as it is", p, out)
}

// TakenOut returns a collision for each file from which a save within recordReach removed something that is still
// missing.
func (s *Store) TakenOut(ctx context.Context) (all []mdstore.Collision, err error) {
	since := s.fsNow() - int64(recordReach)
	judged := slices.DeleteFunc(s.judgments(), func(j judgment) bool { return j.Out == "" || j.Time < since })
	saves := map[mdstore.Path][]byte{}
	for _, j := range judged {
		if data, _, err := s.disk.ReadFile(j.Path, mdstore.MaxSize(j.Path)); err == nil { // else it was moved or removed since
			saves[j.Path] = data
		}
	}
	record := s.recordOf(slices.Collect(maps.Keys(saves))...)
	for _, j := range judged {
		data, there := saves[j.Path]
		if !there || ctx.Err() != nil {
			continue
		}
		steps := record[j.Path]
		then := slices.IndexFunc(steps, func(st recordedStep) bool { return st.time > j.Time })
		if then < 0 {
			then = len(steps)
		}
		versions := versionsIn(j.Path, steps[:then])
		text, bad := mdstore.TextOf(j.Path, data)
		if bad != nil || len(versions) == 0 {
			continue
		}
		out := told(s.lossesOf(j.Path, steps[:then], versions[len(versions)-1].text, text))
		if out == "" && j.Version == mdstore.VersionOf(data).String() {
			out = j.Out
		}
		if out != "" {
			all = append(all, mdstore.Collision{Path: j.Path, Text: takenOut(j.Path, out), Time: j.Time})
			delete(saves, j.Path) // report each file once
		}
	}
	return all, ctx.Err()
}

// suspect notes that files were saved by some program; nil stands for any file.
func (s *Store) suspect(paths []mdstore.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anySuspect = s.anySuspect || paths == nil
	for _, p := range paths {
		s.suspects[p] = true
	}
}

// lookAgain makes any file a suspect, unless Watch reports saves to this store.
func (s *Store) lookAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.anySuspect = s.anySuspect || !s.watched
}

func (s *Store) isWatched() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.watched
}

// suspected returns the suspects, and whether any file is one. With take none is a suspect afterwards.
func (s *Store) suspected(take bool) (suspects map[mdstore.Path]bool, anyFile bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	suspects, anyFile = maps.Clone(s.suspects), s.anySuspect
	if take {
		s.suspects, s.anySuspect = map[mdstore.Path]bool{}, false
	}
	return suspects, anyFile
}

// foreign returns the files that hold something other than what the last commit wrote, and that were not judged since.
// It looks at the suspects; if any file is a suspect, also at those of the last commits that the history has.
func (s *Store) foreign(suspects map[mdstore.Path]bool, anyFile bool) (out []mdstore.Path) {
	if len(suspects) == 0 && !anyFile {
		return nil
	}
	since, from := map[mdstore.Path]int64{}, s.fsNow()-int64(recordReach)
	history := s.gen.history()
	for _, n := range history {
		for _, c := range n.changed {
			if anyFile && n.time >= from {
				since[c.path] = n.time
			}
		}
	}
	for p := range suspects {
		since[p] = 0
	}
	judged, lastOf := s.judgments(), lasts(history)
	for _, p := range slices.Sorted(maps.Keys(since)) {
		info, err := s.disk.Lstat(p)
		if err != nil || s.kinds.Of(p) == nil || changedAt(info.Stamp) < since[p]-int64(clockSlack) {
			continue
		}
		data, _, err := s.disk.ReadFile(p, mdstore.MaxSize(p))
		l := lastOf(p)
		if err == nil && l.version != mdstore.VersionOf(data).String() && !judgedSince(judged, p, data, l.time) {
			out = append(out, p)
		}
	}
	return out
}

// savedSince returns the files of commits within recordReach that were changed after the last of their commits. The
// history has only the last of these commits, so Late asks the record.
func (s *Store) savedSince() (all []mdstore.Path) {
	last := map[mdstore.Path]int64{}
	s.recordSince(s.fsNow()-int64(recordReach), func(line []byte) {
		at := timeOf(line)
		for _, p := range pathsIn(line) {
			last[p] = max(last[p], at)
		}
	})
	for p, at := range last {
		if info, err := s.disk.Lstat(p); err == nil && changedAt(info.Stamp) > at {
			all = append(all, p)
		}
	}
	return all
}

// mergeForeign merges saves that were made from older versions. Files that it cannot merge now stay suspects. The lock
// is held.
func (s *Store) mergeForeign() {
	if time.Since(s.looked) > time.Second {
		s.lookAgain()
		s.looked = time.Now()
	}
	foreign := s.foreign(s.suspected(true))
	j := s.judging(foreign...)
	for _, p := range foreign {
		if _, err := j.mergeStale(p); err != nil {
			s.suspect([]mdstore.Path{p})
		}
	}
}

// Late finds saves by other programs that collided with commits: saves in displaced files, and saves that were made
// from older versions. With merge it merges them. It returns what happened to them, or without merge what will happen,
// and the collisions of earlier commits that were not reported yet.
func (s *Store) Late(ctx context.Context, merge bool) ([]mdstore.Collision, error) {
	saved, err := s.committer.Saved()
	s.lookAgain()
	if _, anyFile := s.suspected(false); anyFile && !(merge && s.isWatched()) { // a server need not read all of the record
		s.suspect(s.savedSince())
	}
	foreign := s.foreign(s.suspected(false))
	for range lateTries { // a file that is being saved is looked at again
		if !merge || s.git.busy() != nil || err != nil || !saved && len(foreign) == 0 {
			break
		}
		release, err := s.acquire(ctx, writeWait)
		if err != nil {
			return nil, err
		}
		release()
		if saved, foreign = false, s.foreign(s.suspected(false)); len(foreign) > 0 {
			moment(ctx)
		}
	}
	out := s.collisions(true)
	if merge {
		return out, ctx.Err()
	}
	if saved {
		out = append(out, mdstore.Collision{Path: mdstore.LocalDir, Text: heldText})
	}
	saves := map[mdstore.Path][]byte{}
	for _, p := range foreign {
		if data, _, err := s.disk.ReadFile(p, mdstore.MaxSize(p)); err == nil {
			saves[p] = data
		}
	}
	j := s.judging(foreign...)
	for _, p := range foreign {
		switch v := j.judge(p, saves[p]); {
		case v.base != nil:
			out = append(out, mdstore.Collision{Path: p, Text: fmt.Sprint("STALE_SAVE: ", p, staleText)})
		case v.out != nil:
			out = append(out, mdstore.Collision{Path: p, Text: takenOut(p, told(v.out)), Time: s.fsNow()})
		}
	}
	return out, ctx.Err()
}
