package dirstore

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// A verdict is what the record and git say about a save by another program. The zero verdict: the save stands, and
// nothing is reported.
type verdict struct {
	base   []byte // the version that the save was made from, if the save is proved stale; else nil
	newest []byte // the file's text after the last commit
	steps  []recordedStep
	out    []loss // if the save stands: what it removed
	known  bool   // the save equals a recorded version
	byGit  bool   // git wrote this version, or the one that the save was made from
}

// A version is what the record says a file once held: its bytes, the decompressed text, and when the next commit
// replaced it.
type version struct {
	data, text []byte
	replaced   int64 // Unix nanoseconds; for the newest, when it was written
}

// versionsIn returns the versions of a file from its steps in the record, the oldest first.
func versionsIn(p mdstore.Path, steps []recordedStep) (all []version) {
	add := func(data []byte, replaced int64) {
		text, err := mdstore.TextOf(p, data)
		if data != nil && err == nil && utf8.Valid(text) {
			all = append(all, version{data, text, replaced})
		}
	}
	for i, st := range steps {
		add(st.Base, st.time)
		add(st.New, steps[min(i+1, len(steps)-1)].time)
	}
	return all
}

// A judging judges several saves. It reads the record once, and asks git again only when git's state has changed. Read
// a save before you ask about it.
type judging struct {
	*Store
	paths  []mdstore.Path // the files that it may be asked about, sorted
	steps  map[mdstore.Path][]recordedStep
	judged []judgment
	last   func(mdstore.Path) last
	state  string                    // git's state when texts was filled
	texts  map[mdstore.Path][][]byte // recent versions in git, by file
}

// judging returns a judging for files, which must be sorted.
func (s *Store) judging(paths ...mdstore.Path) *judging {
	return &judging{Store: s, paths: paths}
}

// stands reports whether this save was judged after the last commit of its file, and stood.
func (j *judging) stands(p mdstore.Path, data []byte) bool {
	if j.last == nil {
		j.judged, j.last = j.judgments(), lasts(j.gen.history())
	}
	return judgedSince(j.judged, p, data, j.last(p).time)
}

// judge compares a save by another program at p with the versions in the record and in git. The save counts as stale
// only if that is proved: its updatedAt is that of an older version, it has no log line of a newer one, and git has not
// put the older version there. A recorded version that came back counts as stale too if a stash put it back, or if git
// was working when the last commit was made. An empty file is no version: a program is about to write it anew.
func (s *judging) judge(p mdstore.Path, data []byte) (v verdict) {
	text, err := mdstore.TextOf(p, data)
	if s.kinds.Of(p) == nil || err != nil || !utf8.Valid(text) || len(data) == 0 {
		return v
	}
	if s.steps == nil {
		s.steps = s.recordOf(s.paths...)
	}
	v.steps = s.steps[p]
	all := versionsIn(p, v.steps)
	if len(all) == 0 || bytes.Equal(all[len(all)-1].data, data) {
		return v
	}
	newest := all[len(all)-1]
	v.newest = newest.data
	at := updatedIn(text)
	fromNewest, alone := at != "" && at == updatedIn(newest.text), true
	var base version
	least := -1
	for _, k := range all {
		v.known = v.known || bytes.Equal(k.data, data)
		if at == "" || updatedIn(k.text) != at {
			continue
		}
		alone = alone && bytes.Equal(k.data, newest.data)
		if d := distance(k.text, text); least < 0 || d <= least {
			base, least = k, d
		}
	}
	if fromNewest && alone && !v.known {
		return v // it was read from the newest version
	}
	mayBeBase := func(b blob) (may bool, since int64) {
		may, since = true, base.replaced
		for _, k := range all {
			if blobOf(k.data) == b {
				may, since = updatedIn(k.text) == at, k.replaced
			}
		}
		return may, since
	}
	back := v.known || s.git.has(data)
	v.byGit = base.data != nil && s.git.checkedOut(p, newest.data, mayBeBase)
	onTop := !back && v.byGit
	switch {
	case (back || onTop) && (s.git.has(newest.data) || s.gitKeeps(p, v.steps, newest.text)):
		return v
	case back && (v.steps[len(v.steps)-1].Beside || s.git.stashed(p, data, newest.replaced)):
		v.base = data // the last version that git has is the one that it had read before it put this one back
		for _, k := range slices.Backward(all[:len(all)-1]) {
			if !bytes.Equal(k.data, newest.data) && s.git.has(k.data) {
				v.base = k.data
				break
			}
		}
		return v
	case !back && !onTop && !fromNewest && base.data != nil && !s.laterLog(p, text, newest.text, base.text):
		v.base = base.data
		return v
	}
	if v.out = s.lossesOf(p, v.steps, newest.text, text); v.out == nil && v.known {
		v.out = []loss{{v.steps[len(v.steps)-1].op, []string{"what was written last"}}}
	}
	return v
}

const (
	gitLogged = 20  // commits and stashes in which git looks for versions of a file
	gitAsked  = 500 // files per question to git
)

// gitKeeps reports whether a commit that was recently checked out here, or a stash, has everything that Arbor's commits
// wrote to a file. A person may then have saved the file after Arbor, and committed or stashed it.
func (s *judging) gitKeeps(p mdstore.Path, steps []recordedStep, newest []byte) bool {
	if state := s.git.state(); state != s.state {
		s.state, s.texts = state, nil
	}
	if _, asked := s.texts[p]; !asked {
		at, _ := slices.BinarySearch(s.paths, p)
		s.texts = s.gitLately(s.paths[at:min(at+gitAsked, len(s.paths))])
	}
	return slices.ContainsFunc(s.texts[p], func(data []byte) bool {
		text, err := mdstore.TextOf(p, data)
		return err == nil && utf8.Valid(text) && s.lossesOf(p, steps, newest, text) == nil
	})
}

// gitLately returns the recent versions of each file in git; none if git cannot be asked.
func (s *Store) gitLately(paths []mdstore.Path) map[mdstore.Path][][]byte {
	all := map[mdstore.Path][][]byte{}
	for _, p := range paths {
		all[p] = nil
	}
	if _, dir := findGit(s.git.vault); dir == "" {
		return all
	}
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	r, err := gitrepo.Open(ctx, s.dir)
	if err != nil {
		return all
	}
	texts, _ := gitrepo.Lately(ctx, r, paths, gitLogged)
	maps.Copy(all, texts)
	return all
}

// updatedIn returns the value of updatedAt in the front matter, without quotes and spaces; "" for none.
func updatedIn(text []byte) string {
	front, _, _ := bytes.Cut(text, []byte("\n---"))
	_, line, _ := bytes.Cut(front, []byte("\n"+mdstore.KeyUpdated+":"))
	line, _, _ = bytes.Cut(line, []byte("\n"))
	return strings.Trim(string(line), " \t\r\"'")
}

// laterLog reports whether a save has a timed log line that came into the file after base.
func (s *Store) laterLog(p mdstore.Path, save, newest, base []byte) bool {
	saved, is, was := s.partsOf(p, save), s.partsOf(p, newest), s.partsOf(p, base)
	for x := range saved {
		if x.item && mdstore.ParseLog(x.name).Time != "" && is[x] != "" && was[x] == "" {
			return true
		}
	}
	return false
}

// distance returns the number of lines that only one of the texts has, without regard to spaces around them.
func distance(a, b []byte) (n int) {
	count := map[string]int{}
	for line := range strings.Lines(string(a)) {
		count[strings.TrimSpace(line)]++
	}
	for line := range strings.Lines(string(b)) {
		count[strings.TrimSpace(line)]--
	}
	for _, k := range count {
		n += max(k, -k)
	}
	return n
}
