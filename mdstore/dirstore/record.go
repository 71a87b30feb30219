package dirstore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
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
// The line of a commit that is part of an operation says so, and Operations returns what these lines have: undo is made
// of them. A commit that is too large for a line has one without its files.
//
// The lines are in recordNow; a full one gets the time as its name, and the oldest go when there are recordMost bytes.
// What falls out, and was no version of Arbor's, goes to the trash.
const (
	recordDir = mdstore.Path(mdstore.LocalDir + "/record")
	recordNow = recordDir + "/now"

	recordPart = 4 << 20  // bytes of one file, beyond which a new one begins
	recordMost = 64 << 20 // bytes of all files
	recordLine = 8 << 20  // bytes, beyond which the files of a commit are not recorded

	recordReach = 24 * time.Hour // the age of versions that a save is compared with
)

// A recorded is a line of the record.
type recorded struct {
	Time  int64          `json:"time"` // Unix nanoseconds
	Steps []recordedStep `json:"steps"`

	Op *mdstore.Operation `json:"op,omitempty"` // nil: it is of none
	Of int64              `json:"of,omitempty"` // the time of the first line of Op
}

type recordedStep struct {
	Path   mdstore.Path `json:"path"`
	To     mdstore.Path `json:"to,omitempty"`
	Base   []byte       `json:"base"` // null is no file, and "" an empty one
	New    []byte       `json:"new"`
	Late   bool         `json:"late,omitempty"`   // as in journal.Made
	Beside bool         `json:"beside,omitempty"` // no step: git worked while the step before was made
	Stands bool         `json:"stands,omitempty"` // no step: New is a save that something was missing from, and that stands

	time int64              // of the line
	op   *mdstore.Operation // of the line; nil: of none
}

// record adds a line. The lock is held.
func (s *Store) record(steps ...recordedStep) {
	r := recorded{Time: s.fsNow(), Steps: steps}
	if op := s.operation; op != nil && !slices.ContainsFunc(steps, func(st recordedStep) bool { return st.Late || st.Beside || st.Stands }) {
		op.Began = cmp.Or(op.Began, r.Time)
		r.Op, r.Of = op, op.Began
	}
	line, err := json.Marshal(r)
	if err == nil && len(line) > recordLine {
		trash := s.keepForeign(r, func(st recordedStep) bool { return s.gen.wrote(st.Path, mdstore.VersionOf(st.Base)) })
		if r.Op == nil {
			return
		}
		large := *r.Op
		large.Large, large.Trash = true, trash
		r.Steps, r.Op = nil, &large
		line, err = json.Marshal(r)
	}
	if err == nil {
		err = s.addRecord(line)
	}
	if err != nil {
		s.log.Warn("a commit cannot be recorded: it cannot be undone, and a save that was made from an older version is "+
			"not told from others", "error", err)
	}
}

// keepForeign writes the versions that a line of the record replaced to the trash, except Arbor's own, and returns the
// path; "" if there is nothing to keep.
func (s *Store) keepForeign(r recorded, own func(recordedStep) bool) (trash mdstore.Path) {
	at := mdstore.TrashPath(mdstore.TrashStamp(time.Unix(0, r.Time), "record"), "")
	for _, st := range r.Steps {
		if st.Base == nil || st.Late || st.Path.Under(mdstore.LocalDir) || own(st) {
			continue
		}
		p := at.Join(string(st.Path))
		err := s.plainWay(p, true)
		if err == nil {
			err = s.replace(p, st.Base, 0o644)
		}
		if err != nil {
			s.log.Warn("a version that leaves the record cannot be kept", "path", string(st.Path), "error", err)
			continue
		}
		trash = at
	}
	return trash
}

func (s *Store) addRecord(line []byte) error {
	size, err := s.appendRecord(recordNow, line)
	if err != nil || size < recordPart {
		return err
	}
	return s.turnRecord()
}

// appendRecord adds a line to a file in the folder of the record, and returns the size of the file then.
func (s *Store) appendRecord(p mdstore.Path, line []byte) (size int64, err error) {
	if err := osfs.InTheWay(s.disk, recordDir, true); err != nil {
		return 0, err
	}
	if err := osfs.InTheWay(s.disk, p, false); err != nil {
		return 0, err
	}
	open := func() (*os.File, error) {
		return s.disk.R.OpenFile(string(p), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
	}
	f, err := open()
	if errors.Is(err, fs.ErrNotExist) {
		_ = s.disk.Mkdir(recordDir)
		f, err = open()
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	if _, err := f.Write(slices.Concat(line, []byte("\n"))); err != nil {
		_, _ = f.Write([]byte("\n")) // ends what there is of the line
		return 0, err
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// turnRecord puts a full file of the record away, and removes the oldest.
func (s *Store) turnRecord() error {
	if err := s.disk.Rename(recordNow, recordDir.Join(fmt.Sprintf("%020d", s.fsNow()))); err != nil {
		return err
	}
	parts, err := s.recordParts(0)
	total := int64(recordPart) // the new file counts with its full size
	for _, p := range slices.Backward(parts) {
		info, err := s.disk.Stat(p)
		if total += info.Size; err == nil && total > recordMost {
			s.dropRecord(p)
		}
	}
	return err
}

// dropRecord removes a file of the record, and keeps the versions in it that are not of a commit in it.
func (s *Store) dropRecord(p mdstore.Path) {
	data, _, _ := s.disk.ReadFile(p, 2*recordMost)
	written := map[mdstore.Path]mdstore.Version{}
	for line := range bytes.Lines(data) {
		var r recorded
		if json.Unmarshal(line, &r) != nil {
			continue
		}
		s.keepForeign(r, func(st recordedStep) bool { return written[st.Path] == mdstore.VersionOf(st.Base) })
		for _, st := range r.Steps {
			if !st.Beside && !st.Stands {
				written[st.Path] = mdstore.VersionOf(st.New)
			}
		}
	}
	_ = s.disk.Remove(p)
}

// Operations returns the last operations, the newest first.
func (s *Store) Operations(ctx context.Context, most int) (all []mdstore.Operation, err error) {
	parts, err := s.recordParts(0)
	at := map[int64]int{} // the place in all of an operation by when it began
	for _, p := range slices.Backward(parts) {
		if ctx.Err() != nil || len(all) > most { // one more, as its first lines may be in the file before
			break
		}
		data, _, err := s.disk.ReadFile(p, 2*recordMost)
		if err != nil {
			continue // it was put away just now
		}
		for _, line := range slices.Backward(slices.Collect(bytes.Lines(data))) {
			var r recorded
			if !bytes.Contains(line, opMark) || json.Unmarshal(line, &r) != nil || r.Op == nil {
				continue
			}
			i, known := at[r.Of]
			if !known {
				i, at[r.Of] = len(all), len(all)
				r.Op.Began, r.Op.ID = r.Of, operationID(r.Of)
				all = append(all, *r.Op)
			}
			op := &all[i]
			op.Large = op.Large || r.Op.Large
			op.Trash = cmp.Or(op.Trash, r.Op.Trash)
			var steps []mdstore.Step
			for _, st := range r.Steps {
				steps = append(steps, mdstore.Step{Path: st.Path, To: st.To, Base: st.Base, New: st.New})
			}
			op.Steps = append(steps, op.Steps...)
		}
	}
	return all[:min(len(all), most)], cmp.Or(err, ctx.Err())
}

// opMark stands in each line of an operation; the bytes of files have no quotes in them, as base64.
var opMark = []byte(`"op":{`)

// operationID returns the id of the operation that began at a time. It begins with a letter, so that it is no number in
// a list.
func operationID(began int64) string {
	sum := sha256.Sum256(strconv.AppendInt(nil, began, 10))
	return "u" + hex.EncodeToString(sum[:])[:7]
}

// recordParts returns the files of the record that were written to since then, the oldest first.
func (s *Store) recordParts(since int64) (parts []mdstore.Path, err error) {
	if err := osfs.InTheWay(s.disk, recordDir, true); err != nil {
		return nil, err
	}
	entries, err := s.disk.ReadDir(recordDir) // digits come before letters
	for _, e := range entries {
		p := recordDir.Join(e.Name)
		if p == judgedPath {
			continue
		}
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

// recordOf returns the steps of the record that changed each of some files within recordReach, and after it came to its place, the
// oldest first.
func (s *Store) recordOf(paths ...mdstore.Path) map[mdstore.Path][]recordedStep {
	since := s.fsNow() - int64(recordReach)
	all := map[mdstore.Path][]recordedStep{}
	for _, p := range paths {
		all[p] = nil
	}
	asked := func(p mdstore.Path) bool { _, is := all[p]; return is }
	s.recordSince(since, func(line []byte) {
		var r recorded
		moves := bytes.Contains(line, []byte(`"to":`))
		if !moves && !slices.ContainsFunc(pathsIn(line), asked) || json.Unmarshal(line, &r) != nil || r.Time < since {
			return
		}
		for _, step := range r.Steps {
			if step.To != "" {
				for p := range all {
					if p.Under(step.Path) || p.Under(step.To) {
						all[p] = nil
					}
				}
				continue
			}
			steps := all[step.Path]
			switch {
			case !asked(step.Path):
			case step.Beside && len(steps) > 0:
				steps[len(steps)-1].Beside = true
			case !step.Beside:
				if step.time = r.Time; r.Op != nil {
					r.Op.ID, step.op = operationID(r.Of), r.Op
				}
				all[step.Path] = append(steps, step)
			}
		}
	})
	return all
}

// unnoted returns the record's commits that are newer than the last one in the history. The lock must be held.
func (s *Store) unnoted() (all []versioned) {
	var noted int64
	for _, n := range s.gen.history() {
		noted = n.time
	}
	s.recordSince(noted, func(line []byte) {
		var r recorded
		if json.Unmarshal(line, &r) != nil || r.Time < noted {
			return
		}
		for _, st := range r.Steps {
			all = append(all, versionedBy(st.Path, st.To, st.New)...)
		}
	})
	return all
}

// pathMark stands before each path of a line; the bytes of files have no colon in them, as base64.
var pathMark = []byte(`"path":`)

// pathsIn returns the paths that a line of the record begins its steps with.
func pathsIn(line []byte) (all []mdstore.Path) {
	for found := true; found; {
		var p mdstore.Path
		if _, line, found = bytes.Cut(line, pathMark); found && json.NewDecoder(bytes.NewReader(line)).Decode(&p) == nil {
			all = append(all, p)
		}
	}
	return all
}

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
			for _, q := range pathsIn(line) {
				s.lately[q] = true
			}
		})
	}
	s.latelyAt = s.gen.number
	return s.lately[p]
}

// made notes what a commit made, for the record and the history.
func (s *Store) made(all []journal.Made) {
	steps := make([]recordedStep, 0, len(all))
	s.making, s.madeAt = append(s.making, all...), s.fsNow()
	for _, m := range all {
		if s.lately != nil {
			s.lately[m.Path] = true
		}
		s.touched = append(s.touched, versionedBy(m.Path, m.To, m.New)...)
		if !m.Path.Under(mdstore.LocalDir) || m.Path.Under(mdstore.TrashDir) {
			steps = append(steps, recordedStep{Path: m.Path, To: m.To, Base: m.Base, New: m.New, Late: m.Late})
		}
	}
	if len(steps) > 0 {
		s.record(steps...)
	}
}
