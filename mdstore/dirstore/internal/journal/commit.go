package journal

import (
	"cmp"
	"errors"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// Commit makes the changes. After nil they are made and durable; after an *mdstore.UnfinishedError they are made, or
// will be by Recover; after any other error nothing has changed. begin is called before the first change, and not at
// all if there is none.
func (c *Committer) Commit(changes []mdstore.Change, begin func() error) error {
	steps, err := c.compare(changes)
	if err != nil || len(steps) == 0 {
		return err
	}
	if err := begin(); err != nil {
		return unchanged(err)
	}
	several, err := c.stage(steps)
	if err != nil {
		for _, s := range steps {
			if s.Do == write && s.Temp != "" {
				_ = c.FS.Remove(s.Temp) // one that cannot be removed is left as a stray
			}
		}
		return unchanged(err)
	}
	m := &maker{Committer: c, steps: steps, fresh: true, folders: folders{}}
	var record mdstore.Path
	if several {
		if record, err = c.writeRecord(steps); err == nil {
			_, err = c.compare(changes) // writing has taken a while; after this, the commit is decided
		}
	}
	begun := err == nil
	if begun {
		err = m.makeAll()
	}
	if err != nil {
		return m.giveUp(record, begun, err)
	}
	if err = m.end(record); err == nil {
		m.tell()
		m.displaceAll(write) // before the flush, which makes it durable as well
		err = flush(c.FS, m.folders)
	}
	if err != nil {
		return &mdstore.UnfinishedError{Err: err}
	}
	return nil
}

// end removes the record, if there is one, of a commit of which all steps are made, or none. The caller must flush
// m.folders afterwards: a record that came back after a crash would undo later commits.
func (m *maker) end(record mdstore.Path) error {
	if record == "" {
		return nil
	}
	err := flush(m.FS, m.folders)
	if err == nil {
		err = osfs.UnlessMissing(m.FS.Remove(record))
	}
	m.folders[Dir] = true
	return err
}

// giveUp ends a commit that failed with err after its temporaries were written, and returns the error for its caller.
// begun says that a step may have been made.
func (m *maker) giveUp(record mdstore.Path, begun bool, err error) error {
	if _, ok := errors.AsType[*mdstore.UnfinishedError](err); ok {
		return err
	}
	_, conflict := errors.AsType[*mdstore.ConflictError](err)
	if begun && !conflict && !m.takeBack() {
		return &mdstore.UnfinishedError{Err: err}
	}
	m.done = nil // no step is made
	gone := m.end(record)
	if gone == nil {
		gone = flush(m.FS, m.folders)
	}
	if gone != nil && record != "" {
		return &mdstore.UnfinishedError{Err: errors.Join(err, gone)}
	}
	m.displaceAll(write)
	if conflict {
		return err
	}
	return unchanged(err)
}

// stage names the temporary file of each write and removal, beside its target, and makes those of writes, durably, with
// the new bytes. several says that the commit takes several steps on the disk, so that it needs a record.
func (c *Committer) stage(steps []*step) (several bool, err error) {
	several = len(steps) > 1
	var temps []mdstore.Path
	for _, s := range steps {
		want := cmp.Or(s.To, s.Path).Dir()
		dir, err := nearest(c.FS, want)
		if err != nil {
			return several, err
		}
		several = several || dir != want || s.Do == remove && nodeFolder(s.Path)
		if s.Do != move {
			s.Temp = tempPath(dir, s.Path, s.Base, s.New, c.token())
		}
		if s.Do == write {
			if err := c.FS.Create(s.Temp, s.New, s.Path); err != nil {
				return several, err
			}
			temps = append(temps, s.Temp)
		}
		if c.OnStaged != nil {
			c.OnStaged()
		}
	}
	return several, osfs.SyncAll(c.FS, temps, nil)
}

// writeRecord writes the record of a commit durably. It also makes the folders of the journal durable, which an earlier
// process may have made just before it was killed.
func (c *Committer) writeRecord(steps []*step) (record mdstore.Path, err error) {
	record = Dir.Join(c.token() + recordExt)
	if _, err := mkdirAll(c.FS, folders{}, Dir); err != nil {
		return record, err
	}
	if err := c.FS.Create(record, encodeRecord(steps), ""); err != nil {
		return record, err
	}
	return record, c.sync(record)
}

// sync makes a record and its name durable.
func (c *Committer) sync(record mdstore.Path) error {
	return osfs.SyncAll(c.FS, []mdstore.Path{record}, []mdstore.Path{"", mdstore.LocalDir, Dir})
}
