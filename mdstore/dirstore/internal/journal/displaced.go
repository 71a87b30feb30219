package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/merge"
)

// A program that opened a file before a commit replaced it may still write to it. Such a save lands in the displaced
// file, and is merged from there into the file that took its place.
//
// A displaced file is named by what it is: <time>-<version>-<token>-<path>. If a program may still write to it, its
// bytes as they were lie beside it under the same name with the prefix base-, for the merge. One that holds a save, be
// it merged by now, has the prefix saved-.
type displaced struct {
	saved   bool
	at      int64        // Unix milliseconds of when it was displaced
	version string       // 16 hex digits of the version that it held
	token   string       // makes the name unique
	path    mdstore.Path // "" if it is too long for a name
}

const (
	savedMark = "saved-"
	baseMark  = "base-"

	keepDisplaced = 60 * 1000             // milliseconds for which one stays to which a program may write
	keepSaved     = 24 * 60 * 60 * 1000   // and one that holds a save: a person may have read the file without it
	keepClosed    = 64                    // so many that no program has open
	quiet         = 500                   // milliseconds without a write after which a save is taken for whole
	coarse        = int64(2 * 1000 * 1e6) // nanoseconds: a change that is younger may not show in a stamp
)

func (d displaced) name() string {
	mark := ""
	if d.saved {
		mark = savedMark
	}
	name := fmt.Sprintf("%s%013d-%s-%s-%s", mark, d.at, d.version, d.token, url.PathEscape(string(d.path)))
	if len(name) > 240 { // 255 bytes are the limit of most file systems
		name = name[:239] + "%"
	}
	return name
}

// baseOf returns the place of the bytes that a displaced file held.
func baseOf(at mdstore.Path) mdstore.Path { return DisplacedDir.Join(baseMark + at.Base()) }

func parseDisplaced(name string) (d displaced, ok bool) {
	name, d.saved = strings.CutPrefix(name, savedMark)
	words := strings.SplitN(name, "-", 4)
	if len(words) != 4 || len(words[1]) != 16 {
		return d, false
	}
	var err error
	if d.at, err = strconv.ParseInt(words[0], 10, 64); err != nil {
		return d, false
	}
	p, err := url.PathUnescape(words[3])
	if d.version, d.token, d.path = words[1], words[2], mdstore.Path(p); err != nil || !d.path.Valid() || own(d.path) {
		d.path = ""
	}
	return d, true
}

// displace makes a displaced file of the temporary t, which was the file at p, or might have been, while it held
// known. If another program has written to it since, that save is merged at once. After a failure t stays as a stray,
// unless nothing is lost with it.
func (c *Committer) displace(t, p mdstore.Path, known []byte) {
	who := c.FS.Writers(t) // before the bytes are read: if no program has it open, they cannot change any more
	held, err := c.read(t)
	if err == nil && held == nil {
		return
	}
	var at mdstore.Path
	if err == nil {
		base := known
		if who == osfs.Closed && same(held, known) {
			base = nil
		}
		at, err = c.putAway(t, p, false, known, base)
	}
	if err == nil && !same(held, known) {
		err = c.look(at, func() error { return nil })
	}
	if err != nil && who == osfs.Closed && same(held, known) {
		err = c.FS.Remove(t) // there is no place for displaced files, and nothing is lost
	}
	if err != nil {
		c.logger().Warn("a temporary file stays", "path", string(t), "error", err)
	}
}

// spare keeps a copy of a save that a commit puts back to its place at p.
func (c *Committer) spare(p mdstore.Path, saved []byte) error {
	if err := c.mkdirAll(folders{}, DisplacedDir); err != nil {
		return err
	}
	return c.FS.Create(c.place(true, p, saved), saved, "")
}

// place returns a new place for a displaced file that was at p and held data.
func (c *Committer) place(saved bool, p mdstore.Path, data []byte) mdstore.Path {
	d := displaced{saved: saved, at: c.Now() / 1e6, version: digits(version(data)), token: c.token(), path: p}
	return DisplacedDir.Join(d.name())
}

// putAway moves t, which was at p, to the displaced files. held is what it holds or held; base, if it is not nil, is
// laid beside it for a merge.
func (c *Committer) putAway(t, p mdstore.Path, saved bool, held, base []byte) (at mdstore.Path, err error) {
	if err := c.mkdirAll(folders{}, DisplacedDir); err != nil {
		return "", err
	}
	at = c.place(saved, p, held)
	if base == nil {
		return at, c.FS.RenameNew(t, at)
	}
	beside := baseOf(at)
	if err = c.FS.Create(beside, base, ""); err == nil {
		err = c.FS.RenameNew(t, at)
	}
	if err != nil {
		_ = c.FS.Remove(beside)
	}
	return at, err
}

// Displaced looks at every displaced file that a program may still write to, merges what was saved in one, and removes
// those that are of no use any more. begin is called before anything in the vault changes.
func (c *Committer) Displaced(begin func() error) error {
	entries, err := c.displaced()
	if err != nil {
		return err
	}
	for _, at := range entries.open {
		if err := c.look(at, begin); err != nil {
			return err
		}
	}
	c.prune(entries)
	return nil
}

// Saved reports whether a displaced file holds a save that is to be merged.
func (c *Committer) Saved() (bool, error) {
	entries, err := c.displaced()
	if err != nil {
		return false, err
	}
	for _, at := range entries.open {
		if x, err := c.inspect(at); err == nil && x.changed {
			return true, nil
		}
	}
	return false, nil
}

// The names in DisplacedDir, the oldest first.
type displacedFiles struct {
	open   []mdstore.Path // to which a program may still write: they have their base beside them
	closed []mdstore.Path // to which none can
	saved  []mdstore.Path // of these, those that hold a save
	bases  []mdstore.Path // of no file: a crash came in between
}

func (c *Committer) displaced() (out displacedFiles, err error) {
	if err := osfs.InTheWay(c.FS, DisplacedDir, true); err != nil {
		return out, nil // a link or a file of another program, in which nothing was put
	}
	entries, err := c.FS.ReadDir(DisplacedDir)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return out, err
	}
	bases := map[string]bool{}
	for _, e := range entries {
		if of, ok := strings.CutPrefix(e.Name, baseMark); ok {
			bases[of] = true
		}
	}
	for _, e := range entries {
		name := e.Name
		at := DisplacedDir.Join(name)
		switch {
		case strings.HasPrefix(name, baseMark):
			continue
		case bases[name]:
			out.open = append(out.open, at)
		case strings.HasPrefix(name, savedMark):
			out.saved = append(out.saved, at)
		default:
			out.closed = append(out.closed, at)
		}
		delete(bases, name)
	}
	for name := range bases {
		out.bases = append(out.bases, DisplacedDir.Join(baseMark+name))
	}
	return out, nil
}

// An inspection is what a look at a displaced file found.
type inspection struct {
	displaced
	who        osfs.Writers
	held, base []byte // base is nil if it is not whole
	changed    bool   // it holds a save, which is whole
	old        bool   // no program is waited for that may have it open
}

func (c *Committer) inspect(at mdstore.Path) (x inspection, err error) {
	x.displaced, _ = parseDisplaced(at.Base())
	x.who = c.FS.Writers(at)
	info, err := c.FS.Lstat(at)
	if err != nil {
		return x, err
	}
	x.old = x.who == osfs.Closed || x.who == osfs.Unknown && c.Now()/1e6-x.at >= keepDisplaced
	beside := baseOf(at)
	if was, err := c.FS.Lstat(beside); err == nil && !x.old {
		if m := info.Stamp.Mtime; m != 0 && m < was.Stamp.Mtime-coarse {
			return x, nil
		}
	}
	if x.held, err = c.read(at); err != nil {
		return x, err
	}
	if x.base, err = c.read(beside); err != nil || digits(version(x.base)) != x.version {
		x.base = nil
	}
	whole := x.who == osfs.Closed || c.Now()-info.Stamp.Mtime >= quiet*1e6
	x.changed = digits(version(x.held)) != x.version && whole
	return x, nil
}

// look merges what was saved in a displaced file, if anything was. If no program has it open any more, its base is
// removed.
func (c *Committer) look(at mdstore.Path, begin func() error) error {
	x, err := c.inspect(at)
	if err != nil {
		return nil // it stays where it is
	}
	beside := baseOf(at)
	if !x.changed {
		if x.old && digits(version(x.held)) == x.version {
			_ = c.FS.Remove(beside)
		}
		return nil
	}
	if err := begin(); err != nil {
		return err
	}
	if x.path == "" || x.base == nil || !c.rejoin(x.path, x.base, x.held) {
		if err := c.layLate(x); err != nil {
			return err
		}
	}
	// From here on it is a file that held what it holds now: that is merged, and what is saved in it later is another
	// save.
	base := x.held
	if x.who == osfs.Closed {
		base = nil
	}
	if _, err := c.putAway(at, x.path, true, x.held, base); err != nil {
		return err
	}
	_ = c.FS.Remove(beside)
	return nil
}

// rejoin merges what a person made of base into the file at p, whatever that holds now.
func (c *Committer) rejoin(p mdstore.Path, base, theirs []byte) bool {
	for range tries {
		now, err := c.read(p)
		if err != nil || now == nil {
			return false
		}
		joined, ok := merge.Add(base, theirs, now)
		if !ok || len(joined) > mdstore.MaxFileSize {
			return false
		}
		if same(joined, now) {
			return true
		}
		if err = c.overwrite(p, now, joined); err == nil {
			return c.FS.SyncDir(p.Dir()) == nil
		}
		if !errors.Is(err, errForeign) {
			return false
		}
	}
	return false
}

// layLate makes a conflict copy of a save that cannot be merged: beside the file, or in the trash if the node's folder
// is gone.
func (c *Committer) layLate(x inspection) error {
	p, text := x.path, savedLate
	there, err := c.exists(p.Dir())
	if err != nil {
		return err
	}
	if !there || p == "" {
		p = mdstore.TrashPath("late-"+digits(version(x.held)), p)
		text = "%s was saved, by a program that had opened it before, after its folder was removed; that version is in the trash"
	}
	set := folders{}
	k := mdstore.Collision{Path: p, Text: fmt.Sprintf(text, x.path)}
	if err := c.layBeside(set, x.held, k); err != nil {
		return err
	}
	return c.sync(set)
}

// prune removes displaced files. No other function does. One to which a program may write stays, and so does a save
// for a day.
func (c *Committer) prune(files displacedFiles) {
	old := func(at mdstore.Path, most int64) bool {
		d, ok := parseDisplaced(strings.TrimPrefix(at.Base(), baseMark))
		return ok && c.Now()/1e6-d.at >= most
	}
	for i, at := range files.closed {
		if i >= len(files.closed)-keepClosed && !old(at, keepDisplaced) {
			break
		}
		_ = c.FS.Remove(at)
	}
	for _, at := range append(files.saved, files.bases...) {
		if old(at, keepSaved) {
			_ = c.FS.Remove(at)
		}
	}
}
