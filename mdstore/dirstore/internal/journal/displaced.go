package journal

import (
	"cmp"
	"fmt"
	"io/fs"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// A program that opened a file before a commit replaced it may still write to it. Such a save lands in the displaced
// file, and is merged from there into the file that took its place. A file that no program has open is removed.
//
// A displaced file is named by what it is: <time>-<version>-<token>-<path>. Its bytes as they were lie beside it under
// the same name with the prefix base-, for the merge. One that holds a save, be it merged by now, has the prefix
// saved-.
type displaced struct {
	at      mdstore.Path // where it lies
	base    bool         // it is no more than a base: a crash came in between
	saved   bool
	since   int64        // Unix milliseconds of when it was displaced
	version string       // 16 hex digits of the version that it held
	path    mdstore.Path // "" if it is too long for a name
}

const (
	savedMark = "saved-"
	baseMark  = "base-"

	keepDisplaced = 60 * 1000           // milliseconds for which one stays, if the system does not tell who has it open
	keepSaved     = 24 * 60 * 60 * 1000 // and one that holds a save: a person may have read the file without it
	quiet         = 500                 // milliseconds without a write after which a save is taken for whole
)

// baseOf returns the place of the bytes that a displaced file held.
func baseOf(at mdstore.Path) mdstore.Path { return DisplacedDir.Join(baseMark + at.Base()) }

func parseDisplaced(name string) (d displaced, ok bool) {
	name, d.saved = strings.CutPrefix(name, savedMark)
	words := strings.SplitN(name, "-", 4)
	if len(words) != 4 || len(words[1]) != 16 {
		return d, false
	}
	var err error
	if d.since, err = strconv.ParseInt(words[0], 10, 64); err != nil {
		return d, false
	}
	p, err := url.PathUnescape(words[3])
	if d.version, d.path = words[1], mdstore.Path(p); err != nil || !d.path.Valid() || own(d.path) {
		d.path = ""
	}
	return d, true
}

// displace removes the temporary t, which was the file at p, or might have been, while it held known; or makes a
// displaced file of it, if another program may write to it still. If one has written to it since, that save is merged
// at once. After a failure t stays as a stray.
func (c *Committer) displace(t, p mdstore.Path, known []byte) {
	who := c.FS.Writers(t) // before the bytes are read: if no program has it open, they cannot change any more
	held, err := read(c.FS, t)
	switch {
	case err == nil && held == nil:
		return
	case err == nil && who == osfs.Closed && same(held, known):
		err = c.FS.Remove(t)
	case err == nil:
		var at mdstore.Path
		if at, err = c.putAway(t, p, false, known, known); err == nil && !same(held, known) {
			err = c.look(at, func() error { return nil })
		}
	}
	if err != nil {
		c.Log.Warn("a temporary file stays", "path", string(t), "error", err)
	}
}

// place returns a new place for a displaced file that was at p and held data.
func (c *Committer) place(saved bool, p mdstore.Path, data []byte) (mdstore.Path, error) {
	mark := ""
	if saved {
		mark = savedMark
	}
	path := url.PathEscape(string(p))
	name := fmt.Sprintf("%s%013d-%s-%s-%s", mark, c.Now()/1e6, digits(version(data)), c.token(), path)
	if len(name) > 240 { // 255 bytes are the limit of most file systems
		name = name[:239] + "%"
	}
	_, err := mkdirAll(c.FS, folders{}, DisplacedDir)
	return DisplacedDir.Join(name), err
}

// putAway moves t, which was at p, to the displaced files. held is what it holds or held; base, if it is not nil, is
// laid beside it for a merge.
func (c *Committer) putAway(t, p mdstore.Path, saved bool, held, base []byte) (at mdstore.Path, err error) {
	at, err = c.place(saved, p, held)
	if err != nil {
		return at, err
	}
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

// Displaced looks at every displaced file, merges what was saved in one, and removes those that are of no use any more.
// One to which a program may write stays, and so does a save for a day. begin is called before anything in the vault
// changes.
func (c *Committer) Displaced(begin func() error) error {
	all, err := c.displaced()
	for _, d := range all {
		if d.base {
			_ = c.FS.Remove(d.at)
		} else if err := c.look(d.at, begin); err != nil {
			return err
		}
	}
	return err
}

// Saved reports whether a displaced file holds a save that is to be merged.
func (c *Committer) Saved() (bool, error) {
	all, err := c.displaced()
	return slices.ContainsFunc(all, func(d displaced) bool {
		x, err := c.inspect(d.at)
		return err == nil && !d.base && x.changed
	}), err
}

// displaced returns the displaced files in the order of their names: the older of two of a kind comes first.
func (c *Committer) displaced() (all []displaced, err error) {
	if err := osfs.InTheWay(c.FS, DisplacedDir, true); err != nil {
		return nil, nil // a link or a file of another program, in which nothing was put
	}
	entries, err := c.FS.ReadDir(DisplacedDir)
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name] = true
	}
	for _, e := range entries {
		of, base := strings.CutPrefix(e.Name, baseMark)
		if d, ok := parseDisplaced(of); ok && !(base && names[of]) {
			d.at, d.base = DisplacedDir.Join(e.Name), base
			all = append(all, d)
		}
	}
	return all, osfs.UnlessMissing(err)
}

// An inspection is what a look at a displaced file found.
type inspection struct {
	displaced
	who        osfs.Writers
	held, base []byte // base is nil if it is not whole
	changed    bool   // it holds a save, which is whole
	over       bool   // it holds no save that is not merged, and nothing keeps it any longer
}

func (c *Committer) inspect(at mdstore.Path) (x inspection, err error) {
	x.displaced, _ = parseDisplaced(at.Base())
	x.who = c.FS.Writers(at)
	var info osfs.Info
	if x.held, info, err = describe(c.FS, at); err != nil || x.held == nil {
		return x, cmp.Or(err, fs.ErrNotExist)
	}
	if x.base, err = read(c.FS, baseOf(at)); err != nil || digits(version(x.base)) != x.version {
		x.base = nil
	}
	same := digits(version(x.held)) == x.version
	age := c.Now()/1e6 - x.since
	x.changed = !same && (x.who == osfs.Closed || c.Now()-info.Stamp.Mtime >= quiet*1e6)
	x.over = same && (x.who == osfs.Closed || x.who == osfs.Unknown && age >= keepDisplaced) &&
		(!x.saved || age >= keepSaved)
	return x, nil
}

// look merges what was saved in a displaced file, if anything was, and removes one that is of no use any more.
func (c *Committer) look(at mdstore.Path, begin func() error) error {
	x, err := c.inspect(at)
	if err != nil {
		return nil // it stays where it is
	}
	beside := baseOf(at)
	if x.over {
		_ = c.FS.Remove(at)
		_ = c.FS.Remove(beside)
	}
	if !x.changed {
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

// layLate makes a conflict copy of a save that cannot be merged: beside the file, or in the trash if the node's folder
// is gone.
func (c *Committer) layLate(x inspection) error {
	p := x.path
	text := "%s was saved, by a program that had opened it before, after a commit had changed it; that version lies beside it"
	there, err := exists(c.FS, p.Dir())
	if err != nil {
		return err
	}
	if !there || p == "" {
		p = mdstore.TrashPath("late-"+digits(version(x.held)), p)
		text = "%s was saved, by a program that had opened it before, after its folder was removed; that version is in the trash"
	}
	return c.layBeside(x.held, mdstore.Collision{Path: p, Text: fmt.Sprintf(text, x.path)})
}
