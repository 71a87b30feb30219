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
	"arbor/mdstore/diff3"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/merge"
)

// A program that opened a file before a commit replaced it may still write to it. Such a save lands in the displaced
// file, and is merged from there into the file that took its place. A file that no program has open is removed.
//
// The name of a displaced file is <time>-<version>-<token>-<path>. Its original bytes lie beside it for the merge,
// under the same name with the prefix base-. The prefix saved- marks a displaced file whose original bytes were a save;
// it is kept for a day.
type displaced struct {
	saved   bool
	since   int64        // Unix milliseconds of when it was displaced
	version string       // 16 hex digits of the version that it held
	path    mdstore.Path // "" if it is too long for a name

	held, base []byte // its bytes, and the original ones; base is nil if they are incomplete
	changed    bool   // it holds a complete save that is not merged yet
	over       bool   // it holds no such save and is no longer needed
}

const (
	savedMark = "saved-"
	baseMark  = "base-"

	keepDisplaced = 60 * 1000           // milliseconds to keep one if the system does not tell who has it open
	keepSaved     = 24 * 60 * 60 * 1000 // and one marked saved-: a person may have read the file without the save
	quiet         = 500                 // milliseconds without a write after which a save counts as complete
)

// baseOf returns the path of the original bytes of a displaced file.
func baseOf(at mdstore.Path) mdstore.Path { return DisplacedDir.Join(baseMark + at.Base()) }

// displace clears away the temporary t, which was the file at p, or may have been. If t holds known, or one of the
// others that it may hold, and no program has it open, displace removes it. Otherwise it makes a displaced file of it.
// If t holds anything else, a program has saved to it, and displace merges that save at once. After a failure t stays
// as a stray.
func (c *Committer) displace(t, p mdstore.Path, known []byte, or ...[]byte) {
	who := c.FS.Writers(t) // before the bytes are read: if no program has it open, they cannot change any more
	held, err := read(c.FS, t)
	for _, also := range or {
		if err == nil && same(held, also) {
			known = also
		}
	}
	switch {
	case err == nil && held == nil:
		return
	case err == nil && who == osfs.Closed && same(held, known):
		err = c.FS.Remove(t)
	case err == nil:
		var at mdstore.Path
		if at, err = c.putAway(t, p, "", known); err == nil && !same(held, known) {
			err = c.look(at, func() error { return nil })
		}
	}
	if err != nil {
		c.Log.Warn("a temporary file stays", "path", string(t), "error", err)
	}
}

// place returns a new path for a displaced file that was at p and held data, and makes the folder. mark is savedMark or
// empty.
func (c *Committer) place(mark string, p mdstore.Path, data []byte) (mdstore.Path, error) {
	path := url.PathEscape(string(p))
	name := fmt.Sprintf("%s%013d-%s-%s-%s", mark, c.Now()/1e6, digits(version(data)), c.token(), path)
	if len(name) > 240 { // 255 bytes are the limit of most file systems
		name = name[:239] + "%"
	}
	_, err := mkdirAll(c.FS, folders{}, DisplacedDir)
	return DisplacedDir.Join(name), err
}

// putAway moves t, which was at p, to the displaced files. held, what it holds or originally held, is written beside it
// as its base.
func (c *Committer) putAway(t, p mdstore.Path, mark string, held []byte) (at mdstore.Path, err error) {
	at, err = c.place(mark, p, held)
	if err == nil {
		err = c.FS.Create(baseOf(at), held, "")
	}
	if err == nil {
		err = c.FS.RenameNew(t, at)
	}
	if err != nil {
		_ = c.FS.Remove(baseOf(at))
	}
	return at, err
}

// Displaced merges the saves in displaced files, and removes those that are no longer needed. A file that a program may
// still write to stays, and one marked saved- stays for a day. Displaced calls begin before it changes anything in the
// vault.
func (c *Committer) Displaced(begin func() error) error {
	all, err := c.displaced()
	for _, at := range all {
		if of, base := strings.CutPrefix(at.Base(), baseMark); base {
			if there, err := exists(c.FS, DisplacedDir.Join(of)); err == nil && !there {
				_ = c.FS.Remove(at) // a crash came before the displaced file was there
			}
		} else if err := c.look(at, begin); err != nil {
			return err
		}
	}
	return err
}

// Saved reports whether a displaced file holds a save that is to be merged.
func (c *Committer) Saved() (bool, error) {
	all, err := c.displaced()
	return slices.ContainsFunc(all, func(at mdstore.Path) bool {
		d, err := c.inspect(at)
		return err == nil && d.changed
	}), err
}

// displaced returns the displaced files and their bases in the order of their names: of two with the same prefix, the
// older comes first.
func (c *Committer) displaced() (all []mdstore.Path, err error) {
	if err := osfs.InTheWay(c.FS, DisplacedDir, true); err != nil {
		return nil, nil // a link or a file of another program, in which nothing was put
	}
	entries, err := c.FS.ReadDir(DisplacedDir)
	for _, e := range entries {
		all = append(all, DisplacedDir.Join(e.Name))
	}
	return all, osfs.UnlessMissing(err)
}

// inspect describes a displaced file. The error is an fs.ErrNotExist for a base, and for a file of another program.
func (c *Committer) inspect(at mdstore.Path) (d displaced, err error) {
	name, saved := strings.CutPrefix(at.Base(), savedMark)
	words := strings.SplitN(name, "-", 4)
	if len(words) != 4 || len(words[1]) != 16 {
		return d, fs.ErrNotExist
	}
	if d.since, err = strconv.ParseInt(words[0], 10, 64); err != nil {
		return d, fs.ErrNotExist
	}
	d.saved, d.version = saved, words[1]
	if p, err := url.PathUnescape(words[3]); err == nil && mdstore.Path(p).Valid() && !own(mdstore.Path(p)) {
		d.path = mdstore.Path(p)
	}
	who := c.FS.Writers(at) // before the bytes are read
	held, info, err := describe(c.FS, at)
	if err != nil || held == nil {
		return d, cmp.Or(err, fs.ErrNotExist)
	}
	whole := func(data []byte) bool { return digits(version(data)) == d.version }
	if d.held = held; !whole(held) && len(held) > 0 { // an empty file is no save: it is to be written anew
		d.changed = who == osfs.Closed || c.Now()-info.Stamp.Mtime >= quiet*1e6
	} else if age := c.Now()/1e6 - d.since; !d.saved || age >= keepSaved {
		d.over = who == osfs.Closed || who == osfs.Unknown && age >= keepDisplaced
	}
	if base, err := read(c.FS, baseOf(at)); err == nil && whole(base) {
		d.base = base
	}
	return d, nil
}

// look merges a save that went to a displaced file, if there was one, and removes displaced files that are no longer
// needed.
func (c *Committer) look(at mdstore.Path, begin func() error) error {
	d, err := c.inspect(at)
	switch {
	case err != nil:
		return nil // it stays where it is
	case d.over:
		_ = c.FS.Remove(at)
		_ = c.FS.Remove(baseOf(at))
	}
	if !d.changed {
		return nil
	}
	if err := begin(); err != nil {
		return err
	}
	if err := c.mergeLate(d); err != nil {
		return err
	}
	// From here on its present bytes count as known: a later save in it is a new one.
	if _, err := c.putAway(at, d.path, savedMark, d.held); err != nil {
		return err
	}
	_ = c.FS.Remove(baseOf(at))
	return nil
}

// mergeLate merges a save in a displaced file, and what commits have changed since, into the file at its path. What
// cannot be merged becomes a conflict copy.
func (c *Committer) mergeLate(d displaced) error {
	base := d.base
	if d.path != "" {
		base = c.base(d.path, base, d.held)
	}
	if len(base) == 0 {
		return c.layLate(d)
	}
	var laid error
	_, ok := c.Rejoin(d.path, d.held, func(now []byte) (joined []byte, missing []string) {
		if joined, ok := diff3.Add(base, d.held, now); ok {
			return joined, nil
		}
		if joined, missing = merge.Save(d.path, base, now, d.held); joined != nil && missing != nil {
			// Before it is replaced: if the process dies after that, nothing else has what is missing.
			if laid = c.LayBeside(d.path, now, strings.Join(missing, ", ")); laid != nil {
				return nil, nil
			}
		}
		return joined, missing
	})
	if laid == nil && !ok {
		return c.layLate(d)
	}
	return laid
}

// layLate makes a conflict copy of a save that cannot be merged: beside the file, or in the trash if the file's folder
// is gone or its path unknown.
func (c *Committer) layLate(d displaced) error {
	p := d.path
	text := "%s was saved, by a program that had opened it before, after a commit had changed it; that version lies beside it"
	there, err := exists(c.FS, p.Dir())
	if err != nil {
		return err
	}
	if !there || p == "" {
		p = mdstore.TrashPath("late-"+digits(version(d.held)), p)
		text = "%s was saved, by a program that had opened it before, after its folder was removed; that version is in the trash"
	}
	return c.layBeside(d.held, mdstore.Collision{Path: p, Text: fmt.Sprintf(text, d.path)})
}
