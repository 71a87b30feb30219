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

// A verdict judges a save by another program by the record and git. The zero verdict: the save stands, and nothing is
// reported.
type verdict struct {
	base   []byte // the version that the save was made from, where it is proved to be stale
	newest []byte // the file's text after the last commit
	steps  []recordedStep
	out    []loss // if the save stands: what it removed
	known  bool   // it is a recorded version, byte for byte
	byGit  bool   // git has put that version there, or the one that it was made from
}

// A version is a text that the record says a file held, decompressed, and when the next commit changed it.
type version struct {
	data, text []byte
	replaced   int64 // Unix nanoseconds; of the newest, when it was written
}

// versionsIn returns what a file held by its steps in the record, the oldest first.
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

// A judging judges saves that were read before it is asked, by one reading of the record, and by few looks at git for as long as git changes
// nothing.
type judging struct {
	*Store
	paths  []mdstore.Path // that it may be asked of, in their order
	steps  map[mdstore.Path][]recordedStep
	judged []judgment
	last   func(mdstore.Path) last
	state  string                    // of git, at the first of its looks that count
	texts  map[mdstore.Path][][]byte // what git had lately, of files that it was asked of
}

// judging begins with files in their order.
func (s *Store) judging(paths ...mdstore.Path) *judging {
	return &judging{Store: s, paths: paths}
}

// stands reports whether a save was judged since the last commit of its file.
func (j *judging) stands(p mdstore.Path, data []byte) bool {
	if j.last == nil {
		j.judged, j.last = j.judgments(), lasts(j.gen.history())
	}
	return judgedSince(j.judged, p, data, j.last(p).time)
}

// judge compares what another program saved at p with the versions in the record, and with what git knows. It is stale only where that is
// proved: its updatedAt is that of an older version, it has no log line of a newer one, and git has not put that older version there. A file
// without a byte is one that a program is about to write anew, and no version.
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
		v.base = data // the last version that git has is what it read before it put this one back
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
	gitLogged = 20  // commits, and stashes, that git is asked for what a file held in them
	gitAsked  = 500 // files that git is asked of at once
)

// gitKeeps reports whether a commit that was checked out here lately, or a stash, has all that commits of Arbor wrote into a file: a person
// may have saved the file after that, and have committed or stashed it.
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

// gitLately returns what git had lately of each of some files: nothing, where it cannot be asked.
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

// updatedIn returns the time of the last commit that the front matter says, without quotes and blanks; "" for none.
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

// distance returns how many lines are in one of the texts only, without the blanks around them.
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
