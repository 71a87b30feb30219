package txn

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// slot is the file in which records are written one over the other: it has its name and its place on the disk already, so that a record in it is durable by a
// single sync, together with the temporaries that it names. A record that is not whole, as after a crash in the middle of the writing, is none.
const slot = JournalDir + "/commit" + recordExt

// slotMost is the usual Committer.SlotMost.
const slotMost = 256 << 10

// draft writes the record of a commit, and returns where it is, which is to be made durable with the temporaries that the record names. In the slot it decides the commit then; in a
// file of its own it does when decide has given that its name.
func (c *Committer) draft(record []byte) (mdstore.Path, error) {
	if len(record) <= cmp.Or(c.SlotMost, slotMost) {
		if err := c.fill(record); !denied(err) {
			return slot, err
		}
	}
	set := dirs{}
	if err := c.mkdirAll(set, JournalDir); err != nil {
		return "", err
	}
	if !c.durable[JournalDir] {
		if err := c.sync(set); err != nil {
			return "", err
		}
	}
	t := JournalDir.Join(TempPrefix + c.token())
	return t, c.FS.Create(t, record, "")
}

// denied reports whether err says that the slot may not be written, so that nothing was: it is another user's, read-only, a link, a folder or one of several
// names of a file.
func denied(err error) bool { return unreadable(err) || errors.Is(err, fs.ErrPermission) }

// fill writes a record into the slot, which is made where it is missing, and anew where it may not be written.
func (c *Committer) fill(data []byte) error {
	for range tries {
		if !c.slotted {
			if err := c.makeSlot(); err != nil {
				return err
			}
		}
		switch err := c.FS.Overwrite(slot, data); {
		case errors.Is(err, fs.ErrNotExist): // somebody has deleted .local/
			c.forget(mdstore.LocalDir)
		case !denied(err):
			return err
		default:
			if gone := c.FS.Remove(slot); gone != nil && !errors.Is(gone, fs.ErrNotExist) {
				return err
			}
		}
		c.slotted = false
	}
	return fmt.Errorf("%s: is removed all the time", slot)
}

// makeSlot makes a slot that holds no record, and its name durable.
func (c *Committer) makeSlot() error {
	set := dirs{}
	if err := c.mkdirAll(set, JournalDir); err != nil {
		return err
	}
	err := c.FS.Create(slot, []byte(noRecord), "")
	if err == nil {
		err = c.FS.Sync(slot)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	if err := c.sync(set); err != nil {
		return err
	}
	c.slotted = true
	return nil
}

// decide makes the draft of a record the record of its commit. When it returns a path, the commit is decided; when it returns an error other
// than *mdstore.UnfinishedError, it is not, and nothing is left of it.
func (c *Committer) decide(steps []*step, draft mdstore.Path) (mdstore.Path, error) {
	if draft == slot {
		return slot, nil // when it was made durable
	}
	rec := JournalDir.Join(strings.TrimPrefix(draft.Base(), TempPrefix) + recordExt)
	if err := c.FS.RenameNew(draft, rec); err != nil {
		_ = c.FS.Remove(draft)
		c.unstage(steps)
		return "", fmt.Errorf("nothing was changed: %w", err)
	}
	if err := c.FS.SyncDir(JournalDir); err != nil {
		return "", c.undecide(steps, rec, err)
	}
	return rec, nil
}

// undecide takes back a record of which it is not known whether it would survive, because of err, and returns what is to be told.
func (c *Committer) undecide(steps []*step, rec mdstore.Path, err error) error {
	if gone := c.bury(rec); gone != nil {
		return &mdstore.UnfinishedError{Err: errors.Join(err, gone)}
	}
	c.unstage(steps)
	return fmt.Errorf("nothing was changed: %w", err)
}

// bury makes a record go for good: one that came back after later commits would undo them.
func (c *Committer) bury(rec mdstore.Path) error {
	var err error
	if rec == slot {
		if err = c.FS.Overwrite(slot, []byte(noRecord)); err == nil {
			return c.FS.SyncData(slot)
		}
		if denied(err) {
			c.slotted, err = false, c.FS.Remove(slot)
		}
	} else {
		err = c.FS.Remove(rec)
	}
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		err = c.FS.SyncDir(JournalDir)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// vacant reports whether an entry of the journal holds no record: it is the slot after a commit, or a note that steps are made.
func (c *Committer) vacant(e disk.Entry) bool {
	if JournalDir.Join(e.Name) == madePath {
		return true
	}
	if JournalDir.Join(e.Name) != slot || !e.Type.IsRegular() {
		return false
	}
	data, err := c.FS.ReadFile(slot, maxRecord)
	return err == nil && strings.HasPrefix(string(data[:min(len(data), len(noRecord))]), noRecord)
}
