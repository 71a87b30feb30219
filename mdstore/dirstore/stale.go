package dirstore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/mdstore"
)

// A verdict is what the record tells of a save by another program.
type verdict struct {
	replay []recordedStep // the commits that are missing from it, as it was made from an older version
	newest []byte         // what the last commit made of the file
	stands string         // why it stands although commits are missing from it; "" where none is, or they are to be made again
	known  bool           // it is a version of the record, byte for byte
	silent bool           // it stands, and has every line of the newest: git has merged it
}

// A knownVersion is a version of the record, and the number of the first step that came after it.
type knownVersion struct {
	data []byte
	next int
}

// judge compares what a file holds with its versions in the record, and with what git knows of it.
func (s *Store) judge(p mdstore.Path, data []byte) (v verdict) {
	if !utf8.Valid(data) {
		return v
	}
	steps := s.recordOf(p)
	var all []knownVersion
	for i, step := range steps {
		switch {
		case step.Stands:
			all = nil // what came before is of no account any more
		case step.Base != nil && step.Late:
			all = append(all, knownVersion{step.Base, i + 1}) // the rest came back by this step
		case step.Base != nil:
			all = append(all, knownVersion{step.Base, i})
		}
		if step.New != nil {
			all = append(all, knownVersion{step.New, i + 1})
		}
	}
	if len(all) == 0 {
		return v
	}
	v.newest = all[len(all)-1].data
	v.known = slices.ContainsFunc(all, func(k knownVersion) bool { return bytes.Equal(k.data, data) })
	lines := linesOf(data)
	nearest, least := all[0], lines.distance(all[0].data)
	for _, k := range all {
		if d := lines.distance(k.data); d <= least {
			nearest, least = k, d
		}
	}
	var last int64
	for _, step := range steps[nearest.next:] {
		if step.Base != nil && step.New != nil && !step.Late && !step.Stands {
			v.replay, last = append(v.replay, step), step.time
		}
	}
	switch {
	case bytes.Equal(nearest.data, v.newest):
		v.replay = nil
	case v.replay == nil:
		v.stands = "was saved without what had come back into it"
	case v.known:
		v.replay, v.stands = nil, "was made what it had been before, by git, a backup or an editor"
	case s.git.wrote(p, data, nearest.data, last):
		v.replay, v.stands = nil, "was written by git without some of what stood there"
		v.silent = lines.holds(v.newest, nearest.data)
	}
	return v
}

// A lineBag is how often each line stands in a text. The time of the last commit counts for more than all others: people
// do not write it.
type lineBag map[string]int

func linesOf(data []byte) lineBag {
	bag := lineBag{}
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, mdstore.KeyUpdated+":") {
			bag[line] += len(data)
		}
		bag[line]++
	}
	return bag
}

// holds reports whether the text has all lines that stand in a newer version of it and not in an older one, but for what
// commits derive.
func (b lineBag) holds(newer, older []byte) bool {
	was := linesOf(older)
	for line := range linesOf(newer) {
		key, _, _ := strings.Cut(line, ":")
		if was[line] == 0 && b[line] == 0 && key != mdstore.KeyUpdated && key != mdstore.KeyRulesHash {
			return false
		}
	}
	return true
}

// distance returns how many lines are in one of the texts only.
func (b lineBag) distance(data []byte) (n int) {
	other := linesOf(data)
	for line, k := range other {
		n += max(k-b[line], b[line]-k)
	}
	for line, k := range b {
		if other[line] == 0 {
			n += k
		}
	}
	return n
}

// mergeStale merges a save of a file that was made from an older version with what commits have done since. It reports
// whether the file was changed. Commits have been begun, if it was. The lock is held.
func (s *Store) mergeStale(p mdstore.Path) (merged bool, err error) {
	data, info, err := s.disk.ReadFile(p, mdstore.MaxSize(p))
	if err != nil {
		return false, nil // there is nothing to merge
	}
	v := s.judge(p, data)
	if v.replay != nil || v.stands != "" {
		if err := s.quietFor(p, info, false); err != nil && !v.known {
			return false, err
		}
	}
	if v.stands != "" {
		s.record(recordedStep{Path: p, New: data, Stands: true})
		if !v.silent {
			s.meet(mdstore.Collision{Path: p, Text: fmt.Sprintf("%s %s; that stands", p, v.stands)})
		}
	}
	if v.replay == nil {
		return false, nil
	}
	if busy := s.git.busy(); busy != nil {
		return false, busy
	}
	if err := s.gen.begin(); err != nil {
		return false, err
	}
	missing, ok := s.committer.Rejoin(p, data, func(now []byte) ([]byte, []string) { return replayed(p, v.replay, now) })
	if !ok {
		missing = append(missing, "what was changed since")
	}
	if missing != nil {
		err = s.committer.LayBeside(p, v.newest, missing)
	}
	now, _, again := s.disk.ReadFile(p, mdstore.MaxSize(p))
	if again == nil && bytes.Equal(now, data) { // nothing of it goes together
		s.record(recordedStep{Path: p, New: data, Stands: true})
	}
	return true, errors.Join(err, again)
}

const (
	lateTries = 20 // for which Late waits for files that are being saved, a moment each
	staleText = " was saved by a program that had read it before it was changed; the next command that writes merges both"
	heldText  = "another program wrote to a file after it was replaced; the next command that writes merges that"
)

// replayed does to a text what the steps did, and says what of that it could not do.
func replayed(p mdstore.Path, steps []recordedStep, text []byte) (out []byte, missing []string) {
	for _, step := range steps {
		joined, less := mdstore.Rejoin(p, step.Base, step.New, text)
		if joined != nil {
			text = joined
		}
		for _, m := range less {
			if !slices.Contains(missing, m) {
				missing = append(missing, m)
			}
		}
	}
	return text, missing
}

// suspect notes that files were saved by some program; nil stands for any file.
func (s *Store) suspect(paths []mdstore.Path) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if paths == nil {
		s.suspects = nil
	}
	for _, p := range paths {
		if s.suspects != nil {
			s.suspects[p] = true
		}
	}
}

// lookAgain makes all files suspects of a store that is told of no saves.
func (s *Store) lookAgain() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.watched {
		s.suspects = nil
	}
}

// foreign returns those of the files that may have been saved since the last look, or were changed by the commits that
// the history knows, which do not hold what the last commit made of them.
func (s *Store) foreign() (out []mdstore.Path) {
	s.mu.Lock()
	suspects := maps.Clone(s.suspects)
	s.mu.Unlock()
	last := map[mdstore.Path]int64{}
	for p := range suspects {
		last[p] = 0
	}
	if suspects != nil && len(last) == 0 {
		return nil
	}
	since, newest := s.fsNow()-int64(recordReach), map[mdstore.Path]string{}
	for _, n := range s.gen.history() {
		for _, c := range n.changed {
			if newest[c.path] = c.version; suspects == nil && n.time >= since {
				last[c.path] = n.time
			}
		}
	}
	for _, p := range slices.Sorted(maps.Keys(last)) {
		info, err := s.disk.Lstat(p)
		if err != nil || s.kinds.Of(p) == nil || changedAt(info.Stamp) < last[p]-int64(clockSlack) {
			continue
		}
		data, _, err := s.disk.ReadFile(p, mdstore.MaxSize(p))
		if err == nil && newest[p] != mdstore.VersionOf(data).String() { // an older version may have come back
			out = append(out, p)
		}
	}
	return out
}

// mergeForeign merges what was saved from older versions. The lock is held. A file that is being saved is looked at
// again later.
func (s *Store) mergeForeign() {
	if time.Since(s.looked) > time.Second {
		s.lookAgain()
		s.looked = time.Now()
	}
	left := map[mdstore.Path]bool{}
	for _, p := range s.foreign() {
		if _, err := s.mergeStale(p); err != nil {
			left[p] = true
		}
	}
	s.mu.Lock()
	s.suspects = left
	s.mu.Unlock()
}

// Late finds saves by other programs that met commits: in files that commits have replaced, and from older versions.
// With merge they are merged. It returns what became of them, or what is to become, and the collisions of earlier
// commits that no caller was told of.
func (s *Store) Late(ctx context.Context, merge bool) ([]mdstore.Collision, error) {
	saved, err := s.committer.Saved()
	s.lookAgain()
	foreign := s.foreign()
	for range lateTries { // a file that is being saved is looked at again
		if !merge || s.git.busy() != nil || err != nil || !saved && len(foreign) == 0 {
			break
		}
		release, err := s.acquire(ctx, writeWait)
		if err != nil {
			return nil, err
		}
		release()
		if saved, foreign = false, s.foreign(); len(foreign) > 0 {
			_ = until(ctx, func() bool { return true })
		}
	}
	out := s.collisions(true)
	if merge {
		return out, ctx.Err()
	}
	if saved {
		out = append(out, mdstore.Collision{Path: mdstore.LocalDir, Text: heldText})
	}
	for _, p := range foreign {
		data, _, err := s.disk.ReadFile(p, mdstore.MaxSize(p))
		if err != nil {
			continue
		}
		if v := s.judge(p, data); v.replay != nil {
			out = append(out, mdstore.Collision{Path: p, Text: fmt.Sprint("STALE_SAVE: ", p, staleText)})
		}
	}
	return out, ctx.Err()
}
