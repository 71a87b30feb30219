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
	if err := c.stage(x); err != nil {
		for _, s := range x.steps {
			if s.Do == write && s.Temp != "" {
				_ = c.FS.Remove(s.Temp) // one that cannot be removed is left as a stray
			}
		}
		return unchanged(err)
	}
	m := newMaker(c, x.steps, true)
	var record mdstore.Path
	if x.several {
		if record, err = c.writeRecord(x.steps); err == nil { // the commit point
			err = c.unmoved(x.steps)
		}
	}
	if err == nil {
		err = m.makeAll()
	}
	if err != nil {
		return m.giveUp(record, err)
	}
	if record != "" {
		if err = flush(c.FS, m.folders); err == nil {
			err = osfs.UnlessMissing(c.FS.Remove(record))
		}
		m.folders[Dir] = true // a record that came back after a later commit would undo that
	}
	if err == nil {
		m.displaceAll() // before the flush, which makes it durable as well
		err = flush(c.FS, m.folders)
	}
	if err != nil {
		return &mdstore.UnfinishedError{Err: err}
	}
	return nil
}

// giveUp ends a commit that failed because of err once its temporaries were written, and returns what its caller is
// told.
func (m *maker) giveUp(record mdstore.Path, err error) error {
	if unfinished(err) {
		return err
	}
	conflict, isConflict := errors.AsType[*mdstore.ConflictError](err)
	if !isConflict && m.begun && !m.takeBack() {
		return &mdstore.UnfinishedError{Err: err}
	}
	// No step is made. What was put back to its place stays there, and the record must not come back.
	_ = flush(m.FS, m.folders)
	if record != "" {
		gone := osfs.UnlessMissing(m.FS.Remove(record))
		if gone == nil {
			gone = flush(m.FS, folders{Dir: true})
		}
		if gone != nil {
			return &mdstore.UnfinishedError{Err: errors.Join(err, gone)}
		}
	}
	m.displaceAll()
	if isConflict {
		return conflict
	}
	return unchanged(err)
}

// stage writes the new bytes of every write into a durable temporary file beside its target, and tries whether the
// folders of the other steps can be changed.
func (c *Committer) stage(x *comparison) error {
	tried := folders{}
	var temps []mdstore.Path
	for _, s := range x.steps {
		dir, err := nearest(c.FS, s.Path.Dir())
		if err != nil {
			return err
		}
		if s.Do != move {
			s.Temp = tempPath(dir, s.Path, s.Base, s.New, c.token())
		}
		switch s.Do {
		case write:
			err = c.FS.Create(s.Temp, s.New, s.Path)
			temps, tried[dir] = append(temps, s.Temp), true
		case move:
			if err = c.try(tried, dir); err == nil {
				if dir, err = nearest(c.FS, s.To.Dir()); err == nil {
					err = c.try(tried, dir)
				}
			}
		case remove:
			err = c.try(tried, dir)
		}
		if err != nil {
			return err
		}
	}
	return osfs.SyncAll(c.FS, temps, nil)
}

// try makes and removes a file in dir: a folder that cannot be changed is to show before the commit point. Those of
// .local are not tried, as no sweep looks into them.
func (c *Committer) try(tried folders, dir mdstore.Path) error {
	if tried[dir] || dir.Under(mdstore.LocalDir) {
		return nil
	}
	tried[dir] = true
	t := tempPath(dir, "", nil, nil, c.token())
	err := c.FS.Create(t, nil, "")
	if gone := c.FS.Remove(t); err == nil {
		err = gone
	}
	return err
}

// writeRecord writes the record of a commit and makes it durable, and with it the names of the journal and of the
// folders above it, which an earlier process may have made just before it was killed.
func (c *Committer) writeRecord(steps []*step) (record mdstore.Path, err error) {
	record = Dir.Join(c.token() + recordExt)
	if err := mkdirAll(c.FS, folders{}, Dir); err != nil {
		return record, err
	}
	if err := c.FS.Create(record, encodeRecord(steps), ""); err != nil {
		return record, err
	}
	return record, osfs.SyncAll(c.FS, []mdstore.Path{record}, []mdstore.Path{"", mdstore.LocalDir, Dir})
}
