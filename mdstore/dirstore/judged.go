package dirstore

import (
	"bytes"
	"encoding/json"
	"slices"

	"arbor/mdstore"
)

// judgedPath is the file of the saves by other programs that were judged and stand, so that each is judged and reported
// once: one line of JSON for each, the oldest first. If the file is lost, these saves are judged again.
const (
	judgedPath = recordDir + "/judged"
	judgedMost = 64 << 10 // bytes; a larger file loses its older half
)

// A judgment is a save that stands.
type judgment struct {
	Time    int64        `json:"time"` // Unix nanoseconds
	Path    mdstore.Path `json:"path"`
	Version string       `json:"version"`
	Out     string       `json:"out,omitempty"` // the removed lines as reported; "" for none
}

// judgments returns the saves in the file, the oldest first.
func (s *Store) judgments() (all []judgment) {
	data, _, err := s.disk.ReadFile(judgedPath, 2*judgedMost)
	if err != nil {
		return nil
	}
	for line := range bytes.Lines(data) {
		var j judgment
		if json.Unmarshal(line, &j) == nil { // else its process was killed while writing it
			all = append(all, j)
		}
	}
	return all
}

// judgedSince reports whether all has a judgment of a file with these bytes since a time, in Unix nanoseconds.
func judgedSince(all []judgment, p mdstore.Path, data []byte, since int64) bool {
	version := mdstore.VersionOf(data).String()
	return slices.ContainsFunc(all, func(j judgment) bool { return j.Path == p && j.Version == version && j.Time >= since })
}

// noteJudged adds a save that stands. The lock is held.
func (s *Store) noteJudged(p mdstore.Path, data []byte, out string) {
	line, _ := json.Marshal(judgment{s.fsNow(), p, mdstore.VersionOf(data).String(), out}) // never fails
	size, err := s.appendRecord(judgedPath, line)
	if err == nil && size > judgedMost {
		err = s.trimJudged()
	}
	if err != nil {
		s.log.Warn("that a save was judged cannot be noted: it is judged again", "path", string(p), "error", err)
	}
}

// trimJudged removes judgments so that the file has at most half of judgedMost bytes: first those that are older than
// recordReach, then those that removed nothing and have a later one of the same file, then the oldest that removed
// nothing, and last the oldest that removed something, because TakenOut reports these.
func (s *Store) trimJudged() error {
	since := s.fsNow() - int64(recordReach)
	all := s.judgments()
	kept, left, later := make([][]byte, len(all)), judgedMost/2, map[mdstore.Path]bool{}
	for _, removed := range []bool{true, false} {
		for i, j := range slices.Backward(all) {
			if (j.Out != "") != removed || j.Time < since || !removed && later[j.Path] {
				continue
			}
			line, _ := json.Marshal(j) // never fails
			if left -= len(line) + 1; left < 0 {
				break
			}
			kept[i], later[j.Path] = append(line, '\n'), later[j.Path] || !removed
		}
	}
	return s.replace(judgedPath, bytes.Join(kept, nil), 0o600)
}
