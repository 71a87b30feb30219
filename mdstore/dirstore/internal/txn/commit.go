package txn

import (
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// Do makes the changes. After nil they are made and durable, and Finish clears away what is left of the making; after an
// *mdstore.UnfinishedError they are made, or will be by Recover; after any other error nothing has changed.
func (p *Plan) Do() error {
	if p.Empty() {
		return nil
	}
	c := p.c
	if _, err := c.Finish(); err != nil {
		return fmt.Errorf("nothing was changed: %w", err)
	}
	staged, record, err := p.stage()
	var draft mdstore.Path
	if err == nil && p.journal {
		if draft, err = c.draft(record); draft != "" {
			staged = append(staged, draft)
		}
	}
	if err == nil {
		err = errors.Join(disk.SyncAll(c.FS, staged, nil)...)
	}
	switch {
	case err != nil && draft == slot:
		return c.undecide(p.steps, slot, err)
	case err != nil:
		if draft != "" {
			_ = c.FS.Remove(draft)
		}
		c.unstage(p.steps)
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if !p.journal {
		return c.direct(p.steps[0])
	}
	rec, err := c.decide(p.steps, draft)
	if err != nil {
		return err
	}
	r := c.redoer(rec, p.steps, true)
	if err = p.overtaken(); err == nil {
		err = r.do()
	}
	if moved, ok := errors.AsType[*mdstore.ConflictError](err); ok {
		// No step is made, and nobody was told of the commit: it is taken back, and they plan anew over what was saved.
		if err := c.undecide(p.steps, rec, moved); errors.As(err, new(*mdstore.UnfinishedError)) {
			return err
		}
		return moved
	}
	if err != nil && r.takeBack() {
		return c.undecide(p.steps, rec, err)
	}
	if err != nil {
		return &mdstore.UnfinishedError{Err: err}
	}
	c.noteMade(c.noteOf(record))
	c.rest = r.end
	return nil
}

// overtaken returns a *mdstore.ConflictError where a look tells that somebody has saved a file since it was compared with its base. What is saved later still comes to
// light when the file is changed.
func (p *Plan) overtaken() error {
	var moved []mdstore.Path
	for _, s := range p.steps {
		if s.seen == (mdstore.Stamp{}) {
			continue
		}
		if now, err := p.c.FS.Lstat(s.Path); err != nil || now.Stamp != s.seen {
			moved = append(moved, s.Path)
		}
	}
	if moved == nil {
		return nil
	}
	return &mdstore.ConflictError{Paths: moved}
}

// Finish clears away what the last commit has left: what it displaced and, where it has one, its record. Whoever waited for the commit need not
// wait for that; nobody else may commit before. met says that a save by somebody else came to light, so that the files hold more than the commit made
// of them. After an error, as after a crash, Recover and Sweep do it.
func (c *Committer) Finish() (met bool, err error) {
	rest := c.rest
	c.rest = nil
	if rest == nil {
		return false, nil
	}
	before := c.met
	err = rest()
	return c.met != before, err
}

// direct makes a commit of one step that the disk makes in one step.
func (c *Committer) direct(s *step) error {
	set := dirs{}
	var err error
	switch s.Do {
	case write:
		err = c.put(s.Temp, s.Path, s.Base, s.New)
	case remove:
		err = c.take(s.Path, s.Temp, s.Base)
	case move:
		err = c.FS.RenameNew(s.Path, s.To)
		c.mark(set, s.To.Dir())
	}
	c.mark(set, s.Path.Dir())
	switch {
	case s.Do == move && errors.Is(err, fs.ErrExist):
		return &mdstore.ConflictError{Paths: []mdstore.Path{s.To}}
	case errors.As(err, new(*mdstore.UnfinishedError)):
		return err
	case err != nil:
		c.discard(s, s.Temp, s.Path)
		_ = c.sync(set) // what was put back stays there
		if errors.Is(err, errForeign) || s.Do == move && errors.Is(err, fs.ErrNotExist) {
			return &mdstore.ConflictError{Paths: []mdstore.Path{s.Path}}
		}
		return fmt.Errorf("nothing was changed: %w", err)
	}
	if s.Do == move {
		c.forget(s.Path)
		c.forget(s.To)
	}
	if err := c.sync(set); err != nil {
		return &mdstore.UnfinishedError{Err: err}
	}
	early := false
	if s.Temp != "" && c.FS.Writers(s.Temp) != disk.Nobody {
		// What they write to it is somebody's save, which nobody could tell from one that the commit has to give way to, if this process died after its answer:
		// it is set aside with a note of what it was before that.
		before := c.met
		c.discard(s, s.Temp, s.Path)
		early = c.met != before
	}
	c.rest = func() error {
		if early {
			c.met++
		}
		c.discard(s, s.Temp, s.Path)
		return nil
	}
	return nil
}

// put replaces the file at p, which should hold base, by the temporary t, which holds data. The error is errForeign when
// p holds something else; p is left alone then. On success t may hold what was displaced.
func (c *Committer) put(t, p mdstore.Path, base, data []byte) error {
	if base == nil {
		err := c.FS.RenameNew(t, p)
		if errors.Is(err, fs.ErrExist) {
			return errForeign
		}
		return err
	}
	err := c.FS.Exchange(t, p)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errForeign
	case errors.Is(err, errors.ErrUnsupported):
		return c.replace(t, p, base)
	case err != nil:
		return err
	}
	out, err := c.read(t)
	if err == nil && same(out, base) {
		return nil
	}
	// Somebody was faster, or what came out cannot be read: it goes back.
	if back := c.putBack(t, p, base); back != nil {
		return &mdstore.UnfinishedError{Err: fmt.Errorf("%s: what was there before is in %s: %w", p, t, back)}
	}
	if ours, again := c.read(t); again != nil || !same(ours, data) {
		// And yet another save came between: the first stays, the second lies beside it.
		c.keep(t, p, ours, savedTwice)
		return errForeign
	}
	if err != nil && !unreadable(err) {
		return err
	}
	return errForeign
}

// replace is put where files cannot be exchanged. Between its look and its rename a save can be lost.
func (c *Committer) replace(t, p mdstore.Path, base []byte) error {
	now, err := c.read(p)
	if err != nil && !unreadable(err) {
		return err
	}
	if err != nil || !same(now, base) {
		return errForeign
	}
	return c.FS.Rename(t, p)
}

// take removes the file at p, which should hold base, by moving it to t. The error is errForeign when it holds something else.
func (c *Committer) take(p, t mdstore.Path, base []byte) error {
	err := c.FS.RenameNew(p, t)
	if errors.Is(err, fs.ErrNotExist) {
		return errForeign
	}
	if err != nil {
		return err
	}
	out, err := c.read(t)
	if err == nil && same(out, base) {
		return nil
	}
	if back := c.FS.RenameNew(t, p); errors.Is(back, fs.ErrExist) {
		c.keep(t, p, out, savedTwice)
	} else if back != nil {
		return &mdstore.UnfinishedError{Err: fmt.Errorf("%s: what was there before is in %s: %w", p, t, back)}
	}
	if err != nil && !unreadable(err) {
		return err
	}
	return errForeign
}

// discard gets rid of the temporary t of a step that is made, or was given up before it was decided: t holds what the step displaced, or the new bytes, which
// may have been in place for a moment.
func (c *Committer) discard(s *step, t, p mdstore.Path) {
	if c.spent(s, t, p) {
		c.removeAll([]mdstore.Path{t})()
	}
}

// spent is discard that leaves a temporary to be removed, and reports so, where that is all: nobody has it open, and it holds what is known of it.
func (c *Committer) spent(s *step, t, p mdstore.Path) bool {
	if t == "" {
		return false
	}
	who := c.FS.Writers(t) // before it is read, so that what nobody has open need not be read again
	out, err := c.read(t)
	if err != nil {
		c.logger().Warn("a temporary file stays", "path", string(t), "error", err)
	}
	if err != nil || out == nil {
		return false
	}
	n := lateNote{Path: p, Known: s.Base}
	if s.Do == write && same(out, s.New) {
		n.Known = s.New
	}
	switch {
	case who != disk.Nobody:
		c.retireFrom(who, t, p, n.Known)
	case same(out, n.Known):
		return true
	default:
		c.dismissAs(t, n, out)
	}
	return false
}

// removeAll removes temporaries. One that cannot be removed is left as a stray. release is that of disk.RemoveAll.
func (c *Committer) removeAll(ts []mdstore.Path) (release func()) {
	errs, release := disk.RemoveAll(c.FS, ts)
	for i, err := range errs {
		if err != nil {
			c.logger().Warn("a temporary file stays", "path", string(ts[i]), "error", err)
		}
	}
	return release
}

// What keep says of the bytes that it keeps.
const (
	savedTwice = "%s was saved twice while a commit was changing it; one of the versions lies beside it"
	savedLate  = "%s was saved, by somebody who had opened it before, after a commit had changed it; that version lies beside it"
	savedFirst = "%s was saved by somebody just when a commit that a crash ended was changing it; the commit's version lies beside it"
	unknown    = "%s was being changed when a crash came; bytes of unknown origin were found and lie beside it"
)

// keep turns a temporary that holds somebody else's bytes into a copy beside p. One that cannot be renamed stays as a stray, and
// keep reports false.
func (c *Committer) keep(t, p mdstore.Path, data []byte, format string) bool {
	if data != nil {
		for _, kept := range conflictPaths(p, data) {
			err := c.FS.RenameNew(t, kept)
			if err == nil {
				c.conflict(p, kept, format, p)
				return true
			}
			if held, again := c.read(kept); again == nil && same(held, data) {
				c.retire(t, p, data) // kept already
				return true
			}
			if !errors.Is(err, fs.ErrExist) {
				break
			}
		}
	}
	if !t.Under(LateDir) {
		c.conflict(p, t, format, p)
	}
	return false
}
