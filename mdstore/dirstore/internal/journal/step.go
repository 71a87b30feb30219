package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/merge"
)

// A maker makes the steps of one commit, however many of them are made already.
type maker struct {
	*Committer
	steps   []*step
	fresh   bool           // the temporaries were written just now, and no step was made by an earlier process
	begun   bool           // a step may be made
	moves   []state        // of each step that is a move
	folders folders        // those whose entries changed
	made    []mdstore.Path // folders that a fresh commit made
}

func newMaker(c *Committer, steps []*step, fresh bool) *maker {
	return &maker{Committer: c, steps: steps, fresh: fresh, moves: make([]state, len(steps)), folders: folders{}}
}

// makeAll makes the steps. The error is a *mdstore.ConflictError if another program changed the path of the first step
// of a fresh commit; no step is made then.
func (m *maker) makeAll() error {
	if err := m.survey(); err != nil {
		return err
	}
	m.begun = true
	for i, s := range m.steps {
		if m.movedLater(i) {
			continue // it was made before its folder moved
		}
		var err error
		switch s.Do {
		case write:
			err = m.write(i)
		case remove:
			err = m.remove(i)
		case move:
			err = m.move(i)
		}
		if m.first(i) && errors.Is(err, errForeign) {
			return &mdstore.ConflictError{Paths: []mdstore.Path{s.Path}}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	return nil
}

// first reports whether step i is the first of a fresh commit, before which nothing was changed.
func (m *maker) first(i int) bool { return m.fresh && i == 0 }

// mark notes that entries of a folder changed. After a crash the folders above it may not be durable either.
func (m *maker) mark(dir mdstore.Path) {
	m.folders[dir] = true
	for !m.fresh && dir != "" {
		dir = dir.Dir()
		m.folders[dir] = true
	}
}

// mkdirAll is Committer.mkdirAll that remembers which folders it made.
func (m *maker) mkdirAll(dir mdstore.Path) error {
	for d := dir; m.fresh && d != ""; d = d.Dir() {
		if there, err := exists(m.FS, d); there || err != nil {
			break
		}
		m.made = append(m.made, d)
	}
	return mkdirAll(m.FS, m.folders, dir)
}

// write makes step i, a write.
func (m *maker) write(i int) error {
	s := m.steps[i]
	if err := m.mkdirAll(s.Path.Dir()); err != nil {
		return err
	}
	m.mark(s.Path.Dir())
	m.mark(s.Temp.Dir())
	if m.fresh {
		err := m.put(s.Temp, s.Path, s.Base, s.New)
		if err == nil || i == 0 || !errors.Is(err, errForeign) && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for range tries {
		if err := m.writeAgain(s); !errors.Is(err, errForeign) {
			return err
		}
	}
	return fmt.Errorf("%w all the time", errForeign)
}

// writeAgain makes a write that may be made already, or whose file a person may have saved. The error is errForeign if
// it is to be tried once more.
func (m *maker) writeAgain(s *step) error {
	now, failed := read(m.FS, s.Path)
	if failed != nil && !unreadable(failed) {
		return failed
	}
	held, err := read(m.FS, s.Temp)
	if err != nil {
		return fmt.Errorf("%s: cannot be read, and is in the way: %w", s.Temp, err)
	}
	switch {
	case held == nil || same(held, s.New):
	case same(held, s.Base):
		return nil // it was exchanged, and whatever is at the path now came after that
	case failed == nil && same(now, s.New):
		// The exchange was made, but what came out was never looked at: a person's save, which goes back.
		if err := m.putBack(s.Temp, s.Path, s.Base); err != nil {
			return err
		}
		return errForeign
	default:
		m.keep(s.Temp, s.Path, held, unknown)
		held = nil
	}
	switch {
	case failed != nil: // a folder, a link, a file that is too large
		return m.yield(s, "%s became something that is no readable file; what was to be written lies beside it")
	case same(now, s.New):
		return m.FS.Sync(s.Path)
	case same(now, s.Base):
		if held == nil {
			// The temporary gets its name only when it is whole: what comes out of an exchange could look like the
			// half of it.
			t := tempPath(s.Temp.Dir(), s.Path, nil, s.New, m.token())
			if err := putTemp(m.FS, t, s.New, s.Path); err != nil {
				return err
			}
			if err := m.FS.RenameNew(t, s.Temp); err != nil {
				return err
			}
		}
		return m.put(s.Temp, s.Path, s.Base, s.New)
	case now == nil:
		return m.yield(s, "%s was removed while a commit was changing it; its new version lies beside")
	}
	if s.Base != nil {
		if joined, ok := merge.Add(s.Base, s.New, now); ok && len(joined) <= mdstore.MaxFileSize {
			return m.overwrite(s.Path, now, joined)
		}
	}
	return m.yield(s, "%s was saved by another program while a commit was changing it; the commit's version lies beside it")
}

// yield leaves the file of a write to the program that changed it. What was to be written lies beside it.
func (m *maker) yield(s *step, format string) error {
	k := mdstore.Collision{Path: s.Path, Text: fmt.Sprintf(format, s.Path), Unmade: m.fresh}
	return m.layBeside(m.folders, s.New, k)
}

// remove makes step i, a removal.
func (m *maker) remove(i int) error {
	s := m.steps[i]
	for range tries {
		if err := m.removeOnce(s, m.first(i)); !errors.Is(err, errForeign) || m.first(i) {
			return err
		}
	}
	return fmt.Errorf("%w all the time", errForeign)
}

func (m *maker) removeOnce(s *step, first bool) error {
	now, failed := read(m.FS, s.Path)
	if failed != nil && !unreadable(failed) {
		return failed
	}
	held, err := read(m.FS, s.Temp)
	if err != nil {
		return err
	}
	m.mark(s.Path.Dir())
	if held != nil && !same(held, s.Base) {
		// It was taken away, but never looked at: a person's save.
		if now != nil || failed != nil {
			m.keep(s.Temp, s.Path, held, unknown)
		} else if err := m.FS.RenameNew(s.Temp, s.Path); err != nil {
			return err
		}
		return errForeign
	}
	switch {
	case failed == nil && same(now, s.Base):
		if err := m.take(s.Path, s.Temp, s.Base); err != nil {
			return err
		}
	case failed != nil || now != nil:
		if first {
			return errForeign
		}
		m.report(mdstore.Collision{Path: s.Path, Unmade: m.fresh,
			Text: fmt.Sprintf("%s was saved by another program while a commit was removing it; it stays", s.Path)})
		return nil
	}
	m.displace(s.Temp, s.Path, s.Base)
	if nodeFolder(s.Path) {
		return m.removeFolder(s.Path.Dir())
	}
	return nil
}

// removeFolder removes a folder if it is empty but for temporaries.
func (m *maker) removeFolder(dir mdstore.Path) error {
	entries, err := m.FS.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		m.mark(dir.Dir())
		return nil
	}
	if err != nil {
		return err
	}
	if slices.ContainsFunc(entries, func(e osfs.Entry) bool { return !leftover(e) }) {
		return nil
	}
	for _, e := range entries { // a crash left it
		if err := m.sweepTemp(dir.Join(e.Name)); err != nil {
			return err
		}
	}
	if err := m.FS.Remove(dir); err != nil {
		if entries, again := m.FS.ReadDir(dir); again == nil && len(entries) > 0 {
			return nil // another program put a file there
		}
		return err
	}
	m.mark(dir.Dir())
	return nil
}

// displaceAll makes displaced files of the temporaries of all writes, which hold what the steps took out of their
// places.
func (m *maker) displaceAll() {
	for i, s := range m.steps {
		if s.Do != write {
			continue
		}
		t, p := s.Temp, s.Path
		for j := i + 1; j < len(m.steps); j++ {
			if later := m.steps[j]; later.Do == move && m.moves[j] == done {
				t, p = later.through(t), later.through(p)
			}
		}
		known := s.Base
		if held, err := read(m.FS, t); err == nil && same(held, s.New) {
			known = s.New // the step gave way, or was taken back
		}
		m.displace(t, p, known)
	}
}
