package dirstore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

// The record is what the last commits of this machine changed: a line of JSON for each, in the order in which they were
// made, with the bytes of each file before and after. It tells a save that was made from an older version from an
// ordinary one, and has what such a save, or git, took out of a file. It is not made durable, and may be lost: saves
// are then taken as they are. A line that is no JSON is of a process that was killed.
//
// The lines are in recordNow; a full one gets the time as its name, and the oldest go when there are recordMost bytes.
const (
	recordDir = mdstore.Path(mdstore.LocalDir + "/record")
	recordNow = recordDir + "/now"

	recordPart = 4 << 20  // bytes of one file, beyond which a new one begins
	recordMost = 64 << 20 // bytes of all files
	recordLine = 8 << 20  // bytes, beyond which a commit is not recorded

	recordReach = 10 * time.Minute // the age of versions that a save is compared with
)

// A recorded is a line of the record.
type recorded struct {
	Time  int64          `json:"time"` // Unix nanoseconds
	Steps []recordedStep `json:"steps"`
}

type recordedStep struct {
	Path   mdstore.Path `json:"path"`
	To     mdstore.Path `json:"to,omitempty"`
	Base   []byte       `json:"base,omitempty"`
	New    []byte       `json:"new,omitempty"`
	Late   bool         `json:"late,omitempty"`   // as in journal.Made
	Stands bool         `json:"stands,omitempty"` // no commit: New is a save that stands, whatever it took out

	time int64 // of the line
}

// record adds a line. The lock is held.
func (s *Store) record(steps ...recordedStep) {
	line, err := json.Marshal(recorded{s.fsNow(), steps})
	if err != nil || len(line) > recordLine {
		return
	}
	if err := s.addRecord(line); err != nil {
		s.log.Warn("a commit cannot be recorded: a save that was made from an older version is not told from others",
			"error", err)
	}
}

func (s *Store) addRecord(line []byte) error {
	if err := osfs.InTheWay(s.disk, recordDir, true); err != nil {
		return err
	}
	if err := osfs.InTheWay(s.disk, recordNow, false); err != nil {
		return err
	}
	open := func() (*os.File, error) {
		return s.disk.R.OpenFile(string(recordNow), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		_ = s.disk.Mkdir(recordDir)
		f, err = open()
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Write(slices.Concat(line, []byte("\n"))); err != nil {
		_, _ = f.Write([]byte("\n")) // ends what there is of the line
		return err
	}
	if info, err := f.Stat(); err != nil || info.Size() < recordPart {
		return err
	}
	return s.turnRecord()
}

// turnRecord puts a full file of the record away, and removes the oldest.
func (s *Store) turnRecord() error {
	if err := s.disk.Rename(recordNow, recordDir.Join(fmt.Sprintf("%020d", s.fsNow()))); err != nil {
		return err
	}
	parts, err := s.recordParts(0)
	total := int64(recordPart) // of the one that begins
	for _, p := range slices.Backward(parts) {
		info, err := s.disk.Stat(p)
		if total += info.Size; err == nil && total > recordMost {
			_ = s.disk.Remove(p)
		}
	}
	return err
}

// recordParts returns the files of the record that were written to since then, the oldest first.
func (s *Store) recordParts(since int64) (parts []mdstore.Path, err error) {
	if err := osfs.InTheWay(s.disk, recordDir, true); err != nil {
		return nil, err
	}
	entries, err := s.disk.ReadDir(recordDir) // digits come before letters
	for _, e := range entries {
		p := recordDir.Join(e.Name)
		if info, err := s.disk.Stat(p); err == nil && info.Mode.IsRegular() && info.Stamp.Mtime >= since {
			parts = append(parts, p)
		}
	}
	return parts, osfs.UnlessMissing(err)
}

// recordSince calls f with the lines of the files of the record that were written to since then, the oldest first.
func (s *Store) recordSince(since int64, f func(line []byte)) {
	parts, err := s.recordParts(since)
	if err != nil {
		s.log.Warn("the record of commits cannot be read", "error", err)
	}
	for _, p := range parts {
		if data, _, err := s.disk.ReadFile(p, 2*recordMost); err == nil {
			for line := range bytes.Lines(data) {
				f(line)
			}
		}
	}
}

// recordOf returns the steps of the record that changed a file within recordReach, and after it came to its place, the
// oldest first.
func (s *Store) recordOf(p mdstore.Path) (steps []recordedStep) {
	since := s.fsNow() - int64(recordReach)
	quoted, _ := json.Marshal(p)
	text := slices.Concat(pathMark, quoted)
	s.recordSince(since, func(line []byte) {
		var r recorded
		moves := bytes.Contains(line, []byte(`"to":`))
		if !moves && !bytes.Contains(line, text) || json.Unmarshal(line, &r) != nil || r.Time < since {
			return
		}
		for _, step := range r.Steps {
			switch {
			case step.To != "" && (p.Under(step.Path) || p.Under(step.To)):
				steps = nil
			case step.Path == p:
				step.time = r.Time
				steps = append(steps, step)
			}
		}
	})
	return steps
}

// pathMark stands before each path of a line; the bytes of files have no colon in them, as base64.
var pathMark = []byte(`"path":`)

// recordedLately reports whether the record may have a commit that changed a file within recordReach. The lock is held.
func (s *Store) recordedLately(p mdstore.Path) bool {
	if s.lately != nil && s.latelyAt != s.gen.number {
		paths, ok := s.gen.changed(s.latelyAt, s.gen.number)
		for _, q := range paths {
			s.lately[q] = true
		}
		if !ok {
			s.lately = nil
		}
	}
	if s.lately == nil {
		s.lately = map[mdstore.Path]bool{}
		s.recordSince(s.fsNow()-int64(recordReach), func(line []byte) {
			for found := true; found; {
				var q mdstore.Path
				if _, line, found = bytes.Cut(line, pathMark); found &&
					json.NewDecoder(bytes.NewReader(line)).Decode(&q) == nil {
					s.lately[q] = true
				}
			}
		})
	}
	s.latelyAt = s.gen.number
	return s.lately[p]
}

// made notes what a commit made, for the record and the history.
func (s *Store) made(all []journal.Made) {
	steps := make([]recordedStep, 0, len(all))
	s.making = append(s.making, all...)
	for _, m := range all {
		if s.lately != nil {
			s.lately[m.Path] = true
		}
		s.touched = append(s.touched, versioned{m.Path, ""})
		if m.New != nil {
			s.touched[len(s.touched)-1].version = mdstore.VersionOf(m.New).String()
		}
		if m.To != "" {
			s.touched = append(s.touched, versioned{path: m.To})
		}
		if !m.Path.Under(mdstore.LocalDir) {
			steps = append(steps, recordedStep{Path: m.Path, To: m.To, Base: m.Base, New: m.New, Late: m.Late})
		}
	}
	if len(steps) > 0 {
		s.record(steps...)
	}
}
