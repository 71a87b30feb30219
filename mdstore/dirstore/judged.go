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

// trimJudged leaves the newer half of the file, and nothing that is older than recordReach.
func (s *Store) trimJudged() error {
	since := s.fsNow() - int64(recordReach)
	var kept []byte
	for _, j := range slices.Backward(s.judgments()) {
		line, _ := json.Marshal(j) // never fails
		if j.Time < since || len(kept)+len(line) > judgedMost/2 {
			break
		}
		kept = slices.Concat(line, []byte("\n"), kept)
	}
	return s.replace(judgedPath, kept, 0o600)
}
