package merge

import (
	"bytes"
	"errors"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
)

// Save applies the change from base to newest to save, which a person made from base, in the file at p. If both changed
// a key, an item or the same lines, the save wins, and missing names the keys and sections of newest that are not
// completely in joined; nil if everything is. If one removed something that the other changed, it stays. All other
// bytes are those of the save. joined is nil if nothing can be done, because the save of a compressed file is damaged.
func Save(p mdstore.Path, base, newest, save []byte) (joined []byte, missing []string) {
	return over(p, base, save, newest, OursWin)
}

// Again applies the change from before to after to the present bytes of a file. If both changed the same place, this
// change stands, and given names the parts that it replaced.
func Again(p mdstore.Path, before, after, now []byte) (joined []byte, given []string) {
	return over(p, before, now, after, TheirsWin)
}

// wholeChange is the name of a change that could not be made at all.
const wholeChange = "the whole change"

func over(p mdstore.Path, base, ours, theirs []byte, wins Winner) (joined []byte, gave []string) {
	r, err := Merge(p, base, ours, theirs, Options{Wins: wins})
	if err == nil {
		return r.Bytes, r.Notes
	}
	if p.IsZipped() || !errors.Is(err, ErrText) {
		return nil, []string{wholeChange}
	}
	stands, gives := ours, theirs
	if wins == TheirsWin {
		stands, gives = theirs, ours
	}
	if both, ok := diff3.Add(base, gives, stands); ok { // this also joins lines that both added at the end
		return both, nil
	}
	m := &merging{wins: wins}
	text := m.lines("", base, ours, theirs)
	if len(m.notes) > 0 && bytes.Equal([]byte(text), stands) {
		return []byte(text), []string{wholeChange}
	}
	if len(m.notes) > 0 {
		gave = []string{"lines of the text"}
	}
	return []byte(text), gave
}
