package txn

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// A file that a commit has displaced has no name that others know, but who opened it before may still write to it. Where the
// system says that nobody has it open, it is looked at a last time and removed. Else it waits in LateDir until they have closed it. What
// they wrote to it meanwhile is a save like any other: it is merged into the file that took its place, or lies beside it.

// LateDir is where displaced files wait for those who have them open.
const LateDir = mdstore.Path(mdstore.LocalDir + "/late")

// A displaced file NAME.file has its note beside it as NAME.json. The name ends with the version of what it held, for when the note is torn.
const (
	lateExt = ".file"
	noteExt = ".json"
)

const (
	patience  = 60 // seconds for which a displaced file waits where the system does not tell who has it open
	unchanged = 2  // seconds for which a late save must stay as it is to be taken for whole while it may be open
)

// A note says what a displaced file was.
type lateNote struct {
	Path  mdstore.Path `json:"path"`  // whose file it was
	Known []byte       `json:"known"` // what it held when it was displaced
	Since int64        `json:"since"` // Unix seconds of that

	Joined bool `json:"joined,omitempty"` // whether something that was saved in it has been brought to its place
}

// retire gets rid of the temporary t, which was the file at p, or might have been, while it held known. A failure leaves a stray and no error.
func (c *Committer) retire(t, p mdstore.Path, known []byte) {
	c.retireFrom(c.FS.Writers(t), t, p, known)
}

// retireFrom is retire where it is known who has t open.
func (c *Committer) retireFrom(who disk.Writers, t, p mdstore.Path, known []byte) {
	switch who {
	case disk.Nobody:
		c.dismiss(t, lateNote{Path: p, Known: known})
	case disk.Unknown:
		if c.Now == nil {
			c.dismiss(t, lateNote{Path: p, Known: known})
			return
		}
		fallthrough
	default:
		if err := c.park(t, p, known); err != nil {
			c.logger().Warn("a temporary file stays", "path", string(t), "error", err)
		}
	}
}

// dismiss removes t if it holds what is known of it still, and else brings together what was saved in it with what is in its place now. It
// reports whether t is gone from where it was.
func (c *Committer) dismiss(t mdstore.Path, n lateNote) bool {
	out, err := c.read(t)
	switch {
	case err != nil:
		c.logger().Warn("a temporary file stays", "path", string(t), "error", err)
		return false
	case out == nil:
		return true
	}
	return c.dismissAs(t, n, out)
}

// dismissAs is dismiss of a file that nobody has open and that holds out.
func (c *Committer) dismissAs(t mdstore.Path, n lateNote, out []byte) bool {
	var err error
	switch {
	case same(out, n.Known) && !n.Joined:
		err = c.FS.Remove(t)
	case same(out, n.Known), n.Known != nil && c.rejoin(n.Path, n.Known, out):
		if n.Joined || adds(n.Known, out) {
			_, err = c.shelve(t, n.Path, out)
		} else {
			err = c.FS.Remove(t)
		}
	default:
		return c.keep(t, n.Path, out, savedLate)
	}
	if err != nil {
		c.logger().Warn("a temporary file stays", "path", string(t), "error", err)
	}
	return err == nil
}

// rejoin merges what somebody made of known into the file at p, whatever that holds now.
func (c *Committer) rejoin(p mdstore.Path, known, theirs []byte) bool {
	for range tries {
		now, err := c.read(p)
		if err != nil || now == nil {
			return false
		}
		m, ok := join(known, theirs, now)
		if !ok || len(m) > mdstore.MaxFileSize {
			return false
		}
		if same(m, now) {
			return true
		}
		switch err := c.overwrite(p, now, m); {
		case err == nil:
			if c.FS.SyncDir(p.Dir()) != nil {
				return false
			}
			c.merged(p)
			return true
		case !errors.Is(err, errForeign):
			return false
		}
	}
	return false
}

// park moves t to where displaced files wait. The note is there first: a crash between the two leaves a stray beside p, which Sweep knows.
func (c *Committer) park(t, p mdstore.Path, known []byte) error {
	set := dirs{}
	if err := disk.InTheWay(c.FS, LateDir, true); err != nil {
		return err
	}
	if err := c.mkdirAll(set, LateDir); err != nil {
		return err
	}
	if !c.durable[LateDir] { // else a crash could keep the move and not the folder
		if err := c.sync(set); err != nil {
			return err
		}
	}
	n := lateNote{Path: p, Known: known}
	if c.Now != nil {
		n.Since = c.Now()
	}
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	name := string(LateDir.Join(c.token() + "-" + digits(version(known))))
	note := mdstore.Path(name + noteExt)
	if err := c.FS.Create(note, data, ""); err != nil {
		_ = c.FS.Remove(note)
		return err
	}
	if err := c.FS.RenameNew(t, mdstore.Path(name+lateExt)); err != nil {
		_ = c.FS.Remove(note)
		return err
	}
	return nil
}

// Waiting reports whether displaced files wait for those who have them open. None do in what a link leads to, which is somebody else's folder.
func (c *Committer) Waiting() (bool, error) {
	info, err := c.FS.Lstat(LateDir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil && info.Mode.IsDir(), err
}

// Late looks at the displaced files again, and finishes those that nobody has open any more. begin is called before anything changes in the vault.
// left says whether some wait on.
func (c *Committer) Late(begin func() error) (left bool, err error) {
	waiting, err := c.Waiting()
	if err != nil || !waiting {
		return false, err
	}
	if c.Now != nil {
		now := c.Now()
		if c.blind && now == c.looked {
			return true, nil // there may be many, and another second tells more
		}
		c.blind, c.looked = false, now
	}
	entries, err := c.FS.ReadDir(LateDir)
	if err != nil {
		return false, err
	}
	there := map[string]bool{}
	for _, e := range entries {
		there[e.Name] = e.Type.IsRegular()
	}
	for _, e := range entries {
		name, file := strings.CutSuffix(e.Name, lateExt)
		switch {
		case !e.Type.IsRegular():
		case file:
			waits, err := c.late(LateDir.Join(e.Name), LateDir.Join(name+noteExt), begin)
			if err != nil {
				return true, err
			}
			left = left || waits
		case strings.HasSuffix(e.Name, noteExt) && !there[strings.TrimSuffix(e.Name, noteExt)+lateExt], strings.HasPrefix(e.Name, TempPrefix):
			_ = c.FS.Remove(LateDir.Join(e.Name)) // the crash came before the file, or after it had gone
		}
	}
	if !left {
		c.forget(LateDir)
		if c.FS.Remove(LateDir) != nil { // what was displaced by what was merged just now may wait in its turn
			entries, err = c.FS.ReadDir(LateDir)
			left = err != nil || slices.ContainsFunc(entries, func(e disk.Entry) bool { return strings.HasSuffix(e.Name, lateExt) })
		}
	}
	return left, nil
}

// late looks at one displaced file, and reports whether it waits on.
func (c *Committer) late(t, note mdstore.Path, begin func() error) (waits bool, err error) {
	var n lateNote
	data, err := c.FS.ReadFile(note, maxRecord)
	if err == nil {
		err = json.Unmarshal(data, &n)
	}
	if err != nil || !n.Path.Valid() || own(n.Path) { // torn by a power failure, which nobody who had it open has survived
		n = lateNote{}
	}
	out, err := c.read(t)
	if err != nil {
		return true, nil // it stays where it is
	}
	switch c.FS.Writers(t) {
	case disk.Somebody:
		return true, c.meanwhile(t, note, n, out, begin)
	case disk.Unknown:
		c.blind = true
		if c.early(t, n, out) {
			return true, nil
		}
	}
	if n.Path == "" && strings.HasSuffix(string(t), "-"+digits(version(out))+lateExt) {
		n = lateNote{Path: t, Known: out} // nobody has written to it
	}
	if !same(out, n.Known) {
		if err := begin(); err != nil {
			return true, err
		}
		if n.Path != "" && n.Known != nil && c.rejoin(n.Path, n.Known, out) {
			// Noted at once: whatever keeps the file from going, it is not joined again.
			n.Joined, n.Known = n.Joined || adds(n.Known, out), out
			if err := c.renote(note, n); err != nil {
				return true, err
			}
		}
	}
	if n.Path == "" || !c.dismiss(t, n) {
		// Its folder is gone too, or nobody knows what it was.
		if err := c.toTrash(t, n.Path, out); err != nil {
			return true, err
		}
	}
	delete(c.seen, t)
	_ = c.FS.Remove(note)
	return false, nil
}

// toTrash keeps a displaced file that has no place any more where deleted files are.
func (c *Committer) toTrash(t, p mdstore.Path, out []byte) error {
	where := p
	if p == "" {
		where = "unknown"
	}
	kept, err := c.shelve(t, where, out)
	if err != nil {
		return err
	}
	c.conflict(p, kept, "%s was saved, by somebody who had opened it before, after a commit had changed it; its folder is gone, and that version is in %s", where, kept)
	return nil
}

// meanwhile brings what was saved in a displaced file to its place although somebody has it open still, once it has stayed the same for a while.
func (c *Committer) meanwhile(t, note mdstore.Path, n lateNote, out []byte, begin func() error) error {
	if c.Now == nil || n.Path == "" || same(out, n.Known) || !c.stable(t, out) {
		return nil
	}
	if err := begin(); err != nil {
		return err
	}
	if c.rejoin(n.Path, n.Known, out) {
		n.Joined = n.Joined || adds(n.Known, out)
	} else {
		r := &redoer{Committer: c, set: dirs{}}
		if err := r.lose(out, Conflict{Path: n.Path, Text: fmt.Sprintf(savedLate, n.Path)}); err != nil {
			return err
		}
		if err := c.sync(r.set); err != nil {
			return err
		}
	}
	n.Known, n.Since = out, c.Now()
	return c.renote(note, n)
}

// renote writes another note in place of the one of a displaced file.
func (c *Committer) renote(note mdstore.Path, n lateNote) error {
	data, err := json.Marshal(n)
	if err != nil {
		return err
	}
	next := LateDir.Join(TempPrefix + c.token())
	if err := c.putTemp(next, data, ""); err != nil {
		_ = c.FS.Remove(next)
		return err
	}
	return c.FS.Rename(next, note)
}

// stable reports whether a displaced file has held out for a while. It asks for the time, and so must be asked again.
func (c *Committer) stable(t mdstore.Path, out []byte) bool {
	now, v := c.Now(), version(out)
	if was, ok := c.seen[t]; ok && was.version == v {
		return now-was.at >= unchanged
	}
	if c.seen == nil {
		c.seen = map[mdstore.Path]sight{}
	}
	c.seen[t] = sight{v, now}
	return false
}

// early reports whether it is too early to take a displaced file for what it will be, by the clock alone.
func (c *Committer) early(t mdstore.Path, n lateNote, out []byte) bool {
	if c.Now == nil || n.Path == "" {
		return false
	}
	age := c.Now() - n.Since
	if age < 0 || age >= patience { // a clock that was set back, too, must not keep it forever
		return false
	}
	return same(out, n.Known) || !c.stable(t, out)
}

// A sight is what a displaced file held when it was first seen so.
type sight struct {
	version mdstore.Version
	at      int64 // Unix seconds
}
