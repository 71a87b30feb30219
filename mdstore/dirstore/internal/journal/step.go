package journal

import (
	"errors"
	"fmt"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/merge"
)

// A maker makes the steps of one commit. Any number of them may be made already.
type maker struct {
	*Committer
	steps   []*step
	fresh   bool           // the temporaries were written just now, and no step was made by an earlier process
	folders folders        // those whose entries changed
	made    []mdstore.Path // folders that were made, each after the one above it
	moves   int            // the steps up to the last move
}

// makeAll makes the steps. The error is a *mdstore.ConflictError if another program changed the path of the first step
// of a fresh commit; no step is made then.
func (m *maker) makeAll() error {
	m.moves = len(m.steps)
	for m.moves > 0 && m.steps[m.moves-1].Do != move {
		m.moves--
	}
	if err := m.survey(); err != nil {
		return err
	}
	for i, s := range m.steps {
		if m.now(i, s.Path) != s.Path {
			continue // it was made before its folder moved
		}
		do := m.replace
		if s.Do == move {
			do = m.move
		}
		err := do(i)
		if m.first(i) && errors.Is(err, errForeign) {
			return &mdstore.ConflictError{Paths: []mdstore.Path{s.Path}}
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	m.displaceAll(remove)
	for i, s := range m.steps {
		if s.Do == remove && nodeFolder(s.Path) {
			if err := m.removeFolder(m.now(i, s.Path).Dir()); err != nil {
				return fmt.Errorf("%s: %w", s.Path, err)
			}
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

func (m *maker) mkdirAll(dir mdstore.Path) error {
	made, err := mkdirAll(m.FS, m.folders, dir)
	m.made = append(m.made, made...)
	return err
}

// replace makes step i, a write or a removal.
func (m *maker) replace(i int) error {
	s := m.steps[i]
	if s.Do == write {
		if err := m.mkdirAll(s.Path.Dir()); err != nil {
			return err
		}
	}
	m.mark(s.Path.Dir())
	m.mark(s.Temp.Dir())
	for range tries {
		if err := m.replaceOnce(s, m.first(i)); !errors.Is(err, errForeign) || m.first(i) {
			return err
		}
	}
	return fmt.Errorf("%w all the time", errForeign)
}

// replaceOnce makes a step. The step may be made already, and a person may have saved its file. After errForeign, try
// again.
func (m *maker) replaceOnce(s *step, first bool) error {
	now, failed := read(m.FS, s.Path)
	if failed != nil && !unreadable(failed) {
		return failed
	}
	held := s.New
	var err error
	if !first { // else it was written just now
		held, err = read(m.FS, s.Temp)
	}
	if err != nil {
		return fmt.Errorf("%s: cannot be read, and is in the way: %w", s.Temp, err)
	}
	switch {
	case first && (failed != nil || !same(now, s.Base)):
		return errForeign
	case held == nil || same(held, s.New):
	case same(held, s.Base):
		m.note(s)
		return nil // it was made; what is at the path now came later
	case failed == nil && same(now, s.New):
		// The files were exchanged, but what came out was never checked. It is a person's save, which goes back.
		if err := m.putBack(s.Temp, s.Path, s.Base, s.New); err != nil {
			return err
		}
		return errForeign
	default:
		m.keep(s.Temp, s.Path, held, unknown)
		held = nil
	}
	switch {
	case failed == nil && same(now, s.New):
		if s.Do == remove {
			return nil
		}
		if !m.fresh { // the process that made it may have been killed before it reported this
			m.note(s)
		}
		return m.FS.Sync(s.Path)
	case failed != nil || !same(now, s.Base):
		return m.yield(s, now, failed)
	case held == nil && s.New != nil:
		// The temporary gets its name only when it is complete. Otherwise a save that came out of an exchange could be
		// taken for an incomplete temporary.
		if err := m.createWhole(s.Temp, s.New, s.Path); err != nil {
			return err
		}
	}
	if err := m.put(s.Temp, s.Path, s.Base, s.New); err != nil {
		return err
	}
	m.note(s)
	return nil
}

// note adds a step that is made to done.
func (m *maker) note(s *step) {
	m.done = append(m.done, Made{Path: s.Path, To: s.To, Base: s.Base, New: s.New})
}

// yield leaves the file of a step to the program that changed it. now holds the file's bytes, if it can be read. A
// write is merged with them, or its bytes become a conflict copy.
func (m *maker) yield(s *step, now []byte, failed error) error {
	text := "%s was saved by another program while a commit was changing it; the commit's version lies beside it"
	switch {
	case s.Do == remove:
		text = "%s was saved by another program while a commit was removing it; it stays"
	case failed != nil: // a folder, a link, a file that is too large
		text = "%s became something that is no readable file; what was to be written lies beside it"
	case now == nil:
		text = "%s was removed while a commit was changing it; its new version lies beside"
	case s.Base != nil:
		mine := func(now []byte) ([]byte, []string) {
			joined, missing := merge.Save(s.Path, m.base(s.Path, s.Base, now), s.New, now)
			if missing != nil {
				joined = nil
			}
			return joined, nil
		}
		if _, ok := m.rejoin(s.Path, mine); ok {
			return nil
		}
	}
	k := mdstore.Collision{Path: s.Path, Text: fmt.Sprintf(text, s.Path), Unmade: m.fresh}
	if s.Do == write {
		return m.layBeside(s.New, k)
	}
	m.report(k)
	return nil
}

// removeFolder removes a folder if it is empty except for temporaries, which displaceAll could not clear away.
func (m *maker) removeFolder(dir mdstore.Path) error {
	entries, err := m.FS.ReadDir(dir)
	if slices.ContainsFunc(entries, func(e osfs.Entry) bool { return !Leftover(e.Name) }) {
		return nil
	}
	for _, e := range entries {
		if err := m.sweepTemp(dir.Join(e.Name)); err != nil {
			return err
		}
	}
	if err == nil {
		err = m.FS.Remove(dir)
	}
	m.mark(dir.Dir())
	return osfs.UnlessMissing(err)
}

// displaceAll calls displace for the files that the writes, or the removals, replaced.
func (m *maker) displaceAll(do verb) {
	for i, s := range m.steps {
		if s.Do != do {
			continue
		}
		m.displace(m.now(i, s.Temp), m.now(i, s.Path), s.Base, s.New) // New, if the step yielded or was undone
	}
}
