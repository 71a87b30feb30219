package txn

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// A commit is answered when its record is durable and its steps are made, and the record goes after that. If the process is killed in between, whoever comes next finds a
// record of steps that are all made, perhaps hours later, when people have worked on: taken the commit back with git, or edited its files. Making the steps again would undo
// that. So it is noted that they are made. The note costs no sync: it counts only as long as the system runs on, and then every
// call that was made is seen. After a power failure names may be as they were before, and the steps are made again.

// madePath holds such a note of the newest commit that has a record.
const madePath = JournalDir + "/commit.made"

// noteOf is the note that the steps of a record are made; "" where nobody can tell whether the system has run on. The first line of a record is of no other one.
func (c *Committer) noteOf(record []byte) string {
	boot := disk.Boot(c.FS)
	if boot == "" {
		return ""
	}
	head, _, _ := bytes.Cut(record, []byte("\n"))
	return fmt.Sprintf("made %s of %s\n", boot, head)
}

// noteMade notes that all steps of a record are made. Without the note they are made again, so that a failure is no error.
func (c *Committer) noteMade(note string) {
	if note == "" {
		return
	}
	err := c.FS.Overwrite(madePath, []byte(note))
	if errors.Is(err, fs.ErrNotExist) {
		err = c.FS.Create(madePath, []byte(note), "")
	}
	if err != nil {
		c.logger().Debug("it cannot be noted that a commit is made", "error", err)
	}
}

// isMade reports whether it is noted that all steps of a record are made.
func (c *Committer) isMade(note string) bool {
	if note == "" {
		return false
	}
	data, err := c.FS.ReadFile(madePath, 1<<10)
	return err == nil && string(data[:min(len(data), len(note))]) == note
}

// passOver takes the steps for made. What lies in their places now came after them, and stays. It reports false, and takes nothing for made, where a file that a step was to
// put in its place is still beside it: whatever a note says, no disk that has lost that step is trusted to have it.
func (r *redoer) passOver() bool {
	for i, s := range r.steps {
		if s.Do == move {
			r.moved[i] = done
		}
	}
	for i, s := range r.steps {
		if s.Do != write {
			continue
		}
		if held, err := r.read(r.shift(i, s.Temp)); err != nil || same(held, s.New) {
			clear(r.moved)
			return false
		}
	}
	for i, s := range r.steps {
		r.mark(r.set, r.shift(i, s.Path).Dir())
		if s.Do == move {
			r.mark(r.set, s.To.Dir())
		}
	}
	return true
}

// cameOut reports whether the temporary of a step holds what the step takes from its place, or, where that was nothing, is gone. That is so since the step was made, in one call, and so whatever is in
// the place now came after it. After a power failure what is there may be the new bytes, torn, and a temporary that is gone may never have been durable.
func (r *redoer) cameOut(s *step, t mdstore.Path) bool {
	held, err := r.read(t)
	switch {
	case err != nil:
		return false
	case held == nil || s.Base == nil:
		return held == nil && s.Base == nil && r.seen && !r.fresh
	}
	return same(held, s.Base) && (r.seen || !bytes.HasPrefix(s.New, s.Base))
}
