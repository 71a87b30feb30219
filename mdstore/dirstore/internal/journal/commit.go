package journal

import (
	"errors"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// Commit makes the changes. After nil they are made and durable; after an *mdstore.UnfinishedError they are made, or
// will be by Recover; after any other error nothing has changed. begin is called before the first change, and not at
// all if there is none.
func (c *Committer) Commit(changes []mdstore.Change, begin func() error) error {
	x, err := c.compare(changes)
	if err != nil || len(x.steps) == 0 {
		return err
	}
	if err := begin(); err != nil {
		return unchanged(err)
	}
	if err := c.stage(x.steps); err != nil {
		for _, s := range x.steps {
			if s.Do == write && s.Temp != "" {
				_ = c.FS.Remove(s.Temp) // one that cannot be removed is left as a stray
			}
		}
		return unchanged(err)
	}
	m := &maker{Committer: c, steps: x.steps, fresh: true, folders: folders{}}
	var record mdstore.Path
	if x.several {
		if record, err = c.writeRecord(x.steps); err == nil {
			_, err = c.compare(changes) // writing has taken a while; after this, the commit is decided
		}
	}
	if err == nil {
		err = m.makeAll()
	}
	if err != nil {
		return m.giveUp(record, err)
	}
	if err = m.end(record); err == nil {
		m.displaceAll(write) // before the flush, which makes it durable as well
		err = flush(c.FS, m.folders)
	}
	if err != nil {
		return &mdstore.UnfinishedError{Err: err}
	}
	return nil
}

// end removes the record, if there is one, of a commit whose steps are all made, or none of them. The next flush is to
// make that durable: a record that came back after a later commit would undo that.
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

// giveUp ends a commit that failed because of err once its temporaries were written, and returns what its caller is
// told.
func (m *maker) giveUp(record mdstore.Path, err error) error {
	if unfinished(err) {
		return err
	}
	_, conflict := errors.AsType[*mdstore.ConflictError](err)
	if !conflict && m.begun && !m.takeBack() {
		return &mdstore.UnfinishedError{Err: err}
	}
	gone := m.end(record) // no step is made
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

// stage gives every step its temporary file, beside its target. That of a write holds the new bytes, durably.
func (c *Committer) stage(steps []*step) error {
	var temps []mdstore.Path
	for _, s := range steps {
		if s.Do == move {
			continue
		}
		dir, err := nearest(c.FS, s.Path.Dir())
		if err != nil {
			return err
		}
		s.Temp = tempPath(dir, s.Path, s.Base, s.New, c.token())
		if s.Do == remove {
			continue
		}
		if err := c.FS.Create(s.Temp, s.New, s.Path); err != nil {
			return err
		}
		temps = append(temps, s.Temp)
	}
	return osfs.SyncAll(c.FS, temps, nil)
}

// writeRecord writes the record of a commit and makes it durable, and with it the names of the journal and of the
// folders above it, which an earlier process may have made just before it was killed.
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

// sync makes a record durable, and its name.
func (c *Committer) sync(record mdstore.Path) error {
	return osfs.SyncAll(c.FS, []mdstore.Path{record}, []mdstore.Path{"", mdstore.LocalDir, Dir})
}
