package merge

import (
	"bytes"
	"errors"

	"arbor/mdstore"
	"arbor/mdstore/diff3"
)

// Save returns a save of the file at p with what turned base into newest, where a person made the save of base. The save
// stands where both changed a key, an item or the same lines, and missing names the keys and sections of which something
// of newest is not in joined; nil: all of it is. What one removed and the other changed stays. Bytes that the change does
// not concern are those of the save. joined is nil where nothing can be done: the save of a compressed file is damaged.
func Save(p mdstore.Path, base, newest, save []byte) (joined []byte, missing []string) {
	return over(p, base, save, newest, OursWin)
}

// Again applies the change from before to after to the present bytes of a file. If both changed the same place, this
// change stands, and given names the parts that it replaced.
func Again(p mdstore.Path, before, after, now []byte) (joined []byte, given []string) {
	return over(p, before, now, after, TheirsWin)
}

// wholeChange names a change of which no part could be made.
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
	if both, ok := diff3.Add(base, gives, stands); ok { // also of lines that both add to the end
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
