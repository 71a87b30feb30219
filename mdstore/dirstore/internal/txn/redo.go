package txn

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/mdoc"
)

// tries is how often a step is begun again because somebody else saved the file under it.
const tries = 100

func unreadable(err error) bool {
	_, ok := errors.AsType[*mdoc.UnreadableError](err)
	return ok
}

// errOther says that what is in the place of the journal is another one.
var errOther = errors.New("the journal was deleted meanwhile")

// A redoer makes the steps of one record, however many of them are made already.
type redoer struct {
	*Committer
	rec   mdstore.Path
	steps []*step
	moved []state // of each step that is a move
	set   dirs    // what is to be synced
	fresh bool    // the steps were staged just now, and none of them is made

	seen bool // the system has run on since they were staged, so that every call that was made is seen

	made []mdstore.Path // folders, while fresh
}

// redo makes the steps of a record in their order, unless note says that they are made, makes them durable, and removes the record.
func (c *Committer) redo(at mdstore.Path, rec *record, note string) error {
	r := c.redoer(at, rec.Steps, false)
	r.seen = rec.Boot != "" && rec.Boot == disk.Boot(c.FS)
	if !c.isMade(note) || !r.passOver() {
		if err := r.do(); err != nil {
			return err
		}
		c.noteMade(note)
	}
	return r.end()
}

func (c *Committer) redoer(rec mdstore.Path, steps []*step, fresh bool) *redoer {
	return &redoer{Committer: c, rec: rec, steps: steps, moved: make([]state, len(steps)), set: dirs{}, fresh: fresh, seen: fresh}
}

// do makes the steps. They are as durable as the record then.
func (r *redoer) do() error {
	if err := r.survey(); err != nil {
		return err
	}
	for i, s := range r.steps {
		var err error
		switch s.Do {
		case write:
			tried := false
			tried, err = r.first(i)
			if tried && i == 0 && errors.Is(err, errForeign) {
				return r.none(s)
			}
			if !tried || errors.Is(err, errForeign) {
				if err = r.again(i, r.write); err == nil {
					r.unused(i)
				}
			}
		case remove:
			err = r.again(i, r.remove)
		case move:
			err = r.move(i)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.Path, err)
		}
	}
	return nil
}

// unused discards the temporary of a write that was made without it, by a merge or a copy beside the file: while it holds what was to be written, nobody believes a note that the steps are made.
func (r *redoer) unused(i int) {
	s := r.steps[i]
	t := r.shift(i, s.Temp)
	if held, err := r.read(t); err != nil || !same(held, s.New) {
		return
	}
	if p, err := r.place(i, s.Path); err == nil {
		r.discard(s, t, p)
	}
}

// none ends a commit none of whose steps is made, because somebody has saved the file of the first.
func (r *redoer) none(s *step) error {
	r.discard(s, s.Temp, s.Path)
	_ = r.sync(r.set) // what was put back stays there
	return &mdstore.ConflictError{Paths: []mdstore.Path{s.Path}}
}

// end makes the steps durable without the record, and removes what is left of their making.
func (r *redoer) end() error {
	c := r.Committer
	// For as long as the record is there, what is displaced need not wait for the folders. A file system that is writing its journal keeps those waiting who change names: so they go first.
	var spent []mdstore.Path
	for i, s := range r.steps {
		if s.Do == write {
			if p, err := r.place(i, s.Path); err == nil {
				if t := r.shift(i, s.Temp); c.spent(s, t, p) {
					spent = append(spent, t)
				}
			}
		}
	}
	release := c.removeAll(spent)
	defer func() { go release() }()
	if err := c.sync(r.set); err != nil {
		return err
	}
	if r.fresh && c.Ours != nil && !c.Ours() {
		return errOther
	}
	return c.bury(r.rec)
}

// first makes a write that was staged just now, where it is to be made as it was staged; tried is false where it is not. The error is errForeign where the file is not what
// it was.
func (r *redoer) first(i int) (tried bool, err error) {
	s := r.steps[i]
	if !r.fresh || s.Temp.Dir() != s.Path.Dir() {
		return false, nil
	}
	if p, err := r.place(i, s.Path); err != nil || p != s.Path {
		return false, nil
	}
	r.mark(r.set, s.Path.Dir())
	err = r.put(s.Temp, s.Path, s.Base, s.New)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return true, err
}

// again repeats a step for as long as others save the file under it.
func (r *redoer) again(i int, do func(s *step, p, t mdstore.Path) error) error {
	s := r.steps[i]
	for range tries {
		p, err := r.place(i, s.Path)
		if err != nil {
			return err
		}
		if err := do(s, p, r.shift(i, s.Temp)); !errors.Is(err, errForeign) {
			return err
		}
	}
	return fmt.Errorf("%w all the time", errForeign)
}

// write makes the file at p hold s.New. t is the temporary of the step.
func (r *redoer) write(s *step, p, t mdstore.Path) error {
	now, err := r.read(p)
	if err != nil && !unreadable(err) {
		return err
	}
	if r.cameOut(s, t) {
		r.mark(r.set, p.Dir())
		r.mark(r.set, t.Dir())
		if err == nil && same(now, s.New) {
			return r.FS.Sync(p)
		}
		return nil
	}
	staged, err2 := r.settle(s, p, t, now)
	if err2 != nil {
		return err2
	}
	r.mark(r.set, p.Dir())
	switch {
	case err != nil: // a folder, a link, a file that is too large: not ours
		return r.yield(s, p, "%s became something that is no readable file; what was to be written lies beside it")
	case same(now, s.New):
		return r.FS.Sync(p)
	case same(now, s.Base):
		if err := r.mkdirAll(r.set, p.Dir()); err != nil {
			return err
		}
		if staged {
			if err := r.FS.Sync(t); err != nil { // who wrote it may have been killed before they did
				return err
			}
		} else {
			if err := r.mkdirAll(r.set, t.Dir()); err != nil {
				return err
			}
			if err := r.putTemp(t, s.New, p); err != nil {
				return err
			}
		}
		r.mark(r.set, t.Dir())
		return r.put(t, p, s.Base, s.New)
	case now == nil:
		return r.yield(s, p, "%s was removed while a commit was changing it; its new version lies beside")
	}
	return r.merge(s, p, now)
}

// settle brings the temporary of a step into one of two states: it holds the new bytes, or it is gone.
func (r *redoer) settle(s *step, p, t mdstore.Path, now []byte) (staged bool, err error) {
	held, err := r.read(t)
	switch {
	case unreadable(err):
		return false, fmt.Errorf("%s: cannot be read, and is in the way: %w", t, err)
	case err != nil:
		return false, err
	case held == nil:
		return false, nil
	case same(held, s.New):
		return true, nil
	case same(now, s.New):
		// The exchange was made, but what came out was never looked at: it is somebody's save, and goes back.
		err := r.putBack(t, p, s.Base)
		if errors.Is(err, errors.ErrUnsupported) {
			break
		}
		if err != nil {
			return false, err
		}
		return false, errForeign
	case len(held) < len(s.New) && same(held, s.New[:len(held)]):
		return false, r.clear(t, p, held) // torn by the crash
	}
	r.keep(t, p, held, unknown)
	return false, nil
}

// clear retires the temporary t, so that its name is free.
func (r *redoer) clear(t, p mdstore.Path, known []byte) error {
	r.retire(t, p, known)
	_, err := r.FS.Lstat(t)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil:
		err = fmt.Errorf("%s: cannot be removed, and is in the way", t)
	}
	return err
}

// merge joins what somebody saved with what the step was to write.
func (r *redoer) merge(s *step, p mdstore.Path, theirs []byte) error {
	if s.Base != nil {
		if m, ok := join(s.Base, s.New, theirs); ok && len(m) <= mdstore.MaxFileSize {
			if same(m, theirs) {
				return r.FS.Sync(p)
			}
			if err := r.overwrite(p, theirs, m); err != nil {
				return err
			}
			r.merged(p)
			return nil
		}
	}
	return r.yield(s, p, "%s was saved by somebody else while a commit was changing it; the commit's version lies beside it")
}

// overwrite makes the file at p, which should hold base, hold data.
func (c *Committer) overwrite(p mdstore.Path, base, data []byte) error {
	t := tempPath(p.Dir(), p, base, data, c.token())
	if err := c.putTemp(t, data, p); err != nil {
		_ = c.FS.Remove(t)
		return err
	}
	err := c.put(t, p, base, data)
	if _, unfinished := errors.AsType[*mdstore.UnfinishedError](err); unfinished { // somebody's save, whose place is taken or gone
		if held, again := c.read(t); again == nil {
			c.keep(t, p, held, savedTwice)
		}
		return err
	}
	c.discard(&step{Do: write, Path: p, Base: base, New: data}, t, p) // data, too, may have been in place for a moment
	return err
}

// yield leaves the file at p to who has changed it. What was to be written to it lies beside it.
func (r *redoer) yield(s *step, p mdstore.Path, format string) error {
	return r.lose(s.New, Conflict{Path: p, Text: fmt.Sprintf(format, p), Unmade: r.fresh})
}

// lose keeps data, which was to become the file of a conflict, beside it, and says so.
func (r *redoer) lose(data []byte, k Conflict) error {
	p := k.Path
	if err := r.mkdirAll(r.set, p.Dir()); err != nil {
		return err
	}
	for _, kept := range conflictPaths(p, data) {
		held, err := r.read(kept)
		if err == nil && same(held, data) {
			return r.FS.Sync(kept)
		}
		if err == nil && held == nil {
			t := tempPath(kept.Dir(), kept, nil, data, r.token())
			if err := r.putTemp(t, data, ""); err != nil {
				_ = r.FS.Remove(t)
				return err
			}
			if err = r.FS.RenameNew(t, kept); err == nil {
				k.Copy = kept
				r.conflictOf(k)
				return nil
			}
			_ = r.FS.Remove(t)
		}
		if err != nil && !unreadable(err) && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return fmt.Errorf("%s: no name is free for the version that lost", p)
}

// remove makes the file at p go.
func (r *redoer) remove(s *step, p, t mdstore.Path) error {
	now, err := r.read(p)
	if err != nil && !unreadable(err) {
		return err
	}
	held, err2 := r.read(t)
	if err2 != nil {
		return err2
	}
	if held != nil && !same(held, s.Base) {
		// Taken away, but never looked at: it is somebody's save.
		if now != nil || err != nil {
			r.keep(t, p, held, unknown)
			return errForeign
		}
		if err := r.FS.RenameNew(t, p); err != nil {
			return err
		}
		return errForeign
	}
	if held != nil {
		if err := r.clear(t, p, held); err != nil {
			return err
		}
	}
	r.mark(r.set, p.Dir())
	switch {
	case err != nil, now != nil && !same(now, s.Base):
		r.conflictOf(Conflict{Path: p, Text: fmt.Sprintf("%s was saved by somebody else while a commit was removing it; it stays", p), Unmade: r.fresh})
		return nil
	case now != nil:
		if err := r.take(p, t, s.Base); err != nil {
			return err
		}
		if err := r.clear(t, p, s.Base); err != nil {
			return err
		}
	}
	if nodeFolder(p) {
		return r.removeFolder(p.Dir())
	}
	return nil
}

// removeFolder removes a folder if it is empty.
func (r *redoer) removeFolder(dir mdstore.Path) error {
	entries, err := r.FS.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		r.mark(r.set, dir.Dir())
		return nil
	}
	if err != nil {
		return err
	}
	for _, e := range entries {
		if !e.Type.IsRegular() || !strings.HasPrefix(e.Name, TempPrefix) {
			return nil
		}
	}
	for _, e := range entries { // left by a crash
		if err := r.sweepTemp(dir.Join(e.Name)); err != nil {
			return err
		}
	}
	if err := r.FS.Remove(dir); err != nil {
		if entries, again := r.FS.ReadDir(dir); again == nil && len(entries) > 0 {
			return nil // somebody put a file there
		}
		return err
	}
	r.forget(dir)
	r.mark(r.set, dir.Dir())
	return nil
}
