package txn

import (
	"bytes"

	"arbor/mdstore"
)

// What somebody saves in a displaced file, or while a commit exchanges the file, is not at its place for a moment. Whoever reads the file in that moment and
// saves it later overwrites what has been brought to its place by then, and cannot know. So the bytes of such a save stay in the trash besides.

// putBack gives the file at t its name again, because it was not what was to come out at p when the two were exchanged. What somebody has made of known in it
// is kept first, as nobody would know of it after a kill; it is looked at again in case they were not done yet.
func (c *Committer) putBack(t, p mdstore.Path, known []byte) error {
	set := dirs{}
	for range looks {
		saved, err := c.read(t)
		if err != nil || !adds(known, saved) { // a folder, a link, half a save: nothing that could be missed
			break
		}
		if err := c.spare(set, p, saved); err != nil {
			c.logger().Warn("no copy of a save can be kept in the trash", "path", string(p), "error", err)
			break
		}
		known = saved
	}
	if err := c.FS.Exchange(t, p); err != nil {
		return err
	}
	if err := c.sync(set); err != nil {
		c.logger().Warn("a copy of a save is not durable", "path", string(p), "error", err)
	}
	return nil
}

// looks is how often a save is looked at that somebody is in the middle of.
const looks = 3

// spare puts a copy of what was saved at p into the trash. It is as durable as an editor's own save; what makes its name durable is added to set.
func (c *Committer) spare(set dirs, p mdstore.Path, saved []byte) error {
	kept, there, err := c.trashFor(set, p, saved)
	if err != nil || there {
		return err
	}
	return c.FS.Create(kept, saved, "")
}

// shelve moves the displaced file t, in which saved was saved for p, into the trash.
func (c *Committer) shelve(t, p mdstore.Path, saved []byte) (kept mdstore.Path, err error) {
	set := dirs{}
	kept, there, err := c.trashFor(set, p, saved)
	switch {
	case err != nil:
		return "", err
	case there:
		return kept, c.FS.Remove(t)
	}
	if err := c.sync(set); err != nil {
		return "", err
	}
	return kept, c.FS.RenameNew(t, kept)
}

// trashFor returns the place in the trash of what was saved at p, and makes its folder. there says that it is there already.
func (c *Committer) trashFor(set dirs, p mdstore.Path, saved []byte) (kept mdstore.Path, there bool, err error) {
	kept = mdstore.TrashPath("late-"+digits(version(saved)), p)
	if held, err := c.read(kept); err != nil || held != nil {
		if err == nil && same(held, saved) {
			return kept, true, nil
		}
		kept = mdstore.TrashPath("late-"+c.token(), p)
	}
	return kept, false, c.mkdirAll(set, kept.Dir())
}

// adds reports whether saved has a line that known has not.
func adds(known, saved []byte) bool {
	has := map[string]bool{}
	for l := range bytes.Lines(known) {
		has[string(l)] = true
	}
	for l := range bytes.Lines(saved) {
		if !has[string(l)] {
			return true
		}
	}
	return false
}
