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

// The record lists what the last commits of this machine changed: one line of JSON for each commit, in order, with the
// bytes of each file before and after. With it the store recognizes a save that was made from an older version, and
// finds what such a save, or git, removed from a file. The record is not made durable and may be lost; saves are then
// taken as they are. A line that is not JSON is from a process that was killed while writing it.
//
// The line of a commit that belongs to an operation names the operation. Operations returns these lines; undo works
// from them. If such a commit is too large for a line, its line has no files.
//
// New lines go to recordNow. A full file is renamed to the time. When all files have more than recordMost bytes, the
// oldest are removed; versions in them that Arbor did not write go to the trash.
const (
	recordDir = mdstore.Path(mdstore.LocalDir + "/record")
	recordNow = recordDir + "/now"

	recordPart = 4 << 20  // bytes of one file; then a new one begins
	recordMost = 64 << 20 // bytes of all files
	recordLine = 8 << 20  // bytes of a line; a longer line is written without files

	recordReach = 24 * time.Hour // the age of versions that a save is compared with
)

// A recorded is a line of the record.
type recorded struct {
	Time  int64          `json:"time"` // Unix nanoseconds
	Steps []recordedStep `json:"steps"`

	Op *mdstore.Operation `json:"op,omitempty"` // nil for none
	Of int64              `json:"of,omitempty"` // the time of the first line of Op
}

type recordedStep struct {
	Path   mdstore.Path `json:"path"`
	To     mdstore.Path `json:"to,omitempty"`
	Base   []byte       `json:"base"` // null is no file, and "" an empty one
	New    []byte       `json:"new"`
	Late   bool         `json:"late,omitempty"`   // as in journal.Made
	Beside bool         `json:"beside,omitempty"` // no step: git was working when the previous step was made
	Stands bool         `json:"stands,omitempty"` // no step: New is a save by another program that stands

	time int64              // of the line
	op   *mdstore.Operation // of the line; nil for none
}

// record adds a line with steps. The lock is held.
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

// keepForeign copies to the trash the versions that the commit of a line replaced, except those for which own returns
// true. It returns the path of the copies; "" if there are none.
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

// turnRecord renames recordNow, which is full, and removes the oldest files beyond recordMost bytes.
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

// dropRecord removes a file of the record. Replaced versions in it that no commit in it wrote go to the trash.
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

// Operations returns the last operations, up to most of them, the newest first.
func (s *Store) Operations(ctx context.Context, most int) (all []mdstore.Operation, err error) {
	parts, err := s.recordParts(0)
	at := map[int64]int{} // the index in all of the operation that began at a time
	for _, p := range slices.Backward(parts) {
		if ctx.Err() != nil || len(all) > most { // one more than most: its first lines may be in the previous file
			break
		}
		data, _, err := s.disk.ReadFile(p, 2*recordMost)
		if err != nil {
			continue // it was removed just now
		}
		for _, line := range slices.Backward(slices.Collect(bytes.Lines(data))) {
			if len(all) > most {
				break
			}
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

// opMark is in each line of an operation and in no other: the bytes of files are base64, which has no quotes.
var opMark = []byte(`"op":{`)

// operationID returns the id of the operation that began at a time. It begins with a letter, so that it cannot be taken
// for a number in a list.
func operationID(began int64) string {
	sum := sha256.Sum256(strconv.AppendInt(nil, began, 10))
	return "u" + hex.EncodeToString(sum[:])[:7]
}

// recordParts returns the files of the record that were written since a time, in Unix nanoseconds, the oldest first.
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

// recordSince calls f with each line of the files of the record that were written since a time, in Unix nanoseconds,
// the oldest first.
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

// recordOf returns, for each file, the steps within recordReach that changed it, the oldest first. Steps from before a
// move to or from its path do not count.
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

// pathMark precedes each path in a line, and nothing else: the bytes of files are base64, which has no colon.
var pathMark = []byte(`"path":`)

// pathsIn returns the path of each step in a line of the record.
func pathsIn(line []byte) (all []mdstore.Path) {
	for found := true; found; {
		var p mdstore.Path
		if _, line, found = bytes.Cut(line, pathMark); found && json.NewDecoder(bytes.NewReader(line)).Decode(&p) == nil {
			all = append(all, p)
		}
	}
	return all
}

// timeOf returns the time of a line, which begins with it; 0 if the line is damaged.
func timeOf(line []byte) int64 {
	line, _ = bytes.CutPrefix(line, []byte(`{"time":`))
	number, _, _ := bytes.Cut(line, []byte(","))
	at, _ := strconv.ParseInt(string(number), 10, 64)
	return at
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

// made adds the steps that a commit has made to the record, and their files to the history.
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
