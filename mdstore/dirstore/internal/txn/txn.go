// Package txn makes the changes of a commit on a disk, every one or none,
// whenever the machine or the process stops.
//
// What is to be written is first put into temporary files beside the targets
// and made durable; a lack of space or permission shows here, while nothing
// has changed. One change then replaces its file in a single step. Several are
// first described in a record, which holds the old and the new bytes: the
// moment that the record is durable is the commit point. From there on
// the steps are made in their order, again after any crash, until all of them
// are durable and the record is removed.
//
// A file is replaced by exchanging it with its new version and looking at what
// came out. Where that is not what the change was computed from, somebody
// saved in between, and their bytes go back to their place: before the commit
// point nothing changes, after it both versions are merged or kept side by side.
//
// Nobody else may commit while a Committer is used; the caller holds the lock.
package txn

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// JournalDir is where the records of unfinished commits lie.
const JournalDir = mdstore.Path(mdstore.LocalDir + "/journal")

// A Committer makes commits on a disk. The zero value of every field but FS is
// ready to use. It must not be used by two goroutines at once.
type Committer struct {
	FS FS

	// Token returns a word of up to 16 letters and digits that makes a name unlike all before; nil takes random ones.
	Token func() string
	// Log is told what a person may want to know about; nil drops it.
	Log *slog.Logger
	// SlotMost is how many bytes a record may have to be written over the one before; a larger one gets a file of its own. 0 means 256 KB.
	SlotMost int
	// Now returns the Unix seconds, for files of which the system does not tell who has them open; nil does not wait for these.
	Now func() int64
	// Ours reports whether the journal is the one still in which the last record was written, and not another one that somebody has made in its place; nil: it is.
	Ours func() bool
	// OnConflict is called when bytes of somebody else and ours could not be merged.
	OnConflict func(Conflict)
	// OnMerge is called when they were merged.
	OnMerge func(Conflict)

	rest func() error // what Finish is to do; nil: nothing
	met  int          // saves by others that were told of

	slotted bool // the slot is there, and its name durable

	// durable holds folders whose names are durable, up to the top, because this Committer has synced them. That
	// somebody else removes one and makes it again is not noticed.
	durable map[mdstore.Path]bool
	synced  map[mdstore.Path]mdstore.Stamp // folders that had rested when this Committer synced them, as they were then
	seen    map[mdstore.Path]sight         // what late saves held when they were last looked at
	looked  int64                          // Unix seconds of the last look at them
	blind   bool                           // whether the system did not tell then who has one open
}

// FS is the disk that a Committer works on.
type FS = disk.FS

// A Conflict says that somebody saved a file while a decided commit was
// changing it. Their version stays; what could not be merged lies beside it.
type Conflict struct {
	Path mdstore.Path // the file that somebody saved, moved or removed
	Copy mdstore.Path // where the version that lost lies; empty where there is none to keep
	Text string       // what happened

	Unmade bool // a step of the commit that is being made just now was not made
}

// errForeign says that a file is not what it was expected to be.
var errForeign = errors.New("changed by somebody else")

// maxRecord is the greatest size of a record in bytes: far above what a commit can be made of.
const maxRecord = 1 << 30

// read returns the bytes of a managed file, nil where there is none.
func (c *Committer) read(p mdstore.Path) ([]byte, error) {
	data, err := c.FS.ReadFile(p, mdstore.MaxFileSize)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, err
	case data == nil:
		return []byte{}, nil
	}
	return data, nil
}

// same compares contents, where nil stands for no file.
func same(a, b []byte) bool { return (a == nil) == (b == nil) && bytes.Equal(a, b) }

func version(data []byte) mdstore.Version {
	if data == nil {
		return mdstore.Version{}
	}
	return mdstore.VersionOf(data)
}

func (c *Committer) token() string {
	if c.Token != nil {
		return c.Token()
	}
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

func (c *Committer) logger() *slog.Logger {
	if c.Log != nil {
		return c.Log
	}
	return slog.New(slog.DiscardHandler)
}

func (c *Committer) conflict(p, kept mdstore.Path, format string, args ...any) {
	c.conflictOf(Conflict{Path: p, Copy: kept, Text: fmt.Sprintf(format, args...)})
}

func (c *Committer) conflictOf(k Conflict) {
	c.met++
	c.logger().Warn(k.Text, "path", string(k.Path), "copy", string(k.Copy))
	if c.OnConflict != nil {
		c.OnConflict(k)
	}
}

func (c *Committer) merged(p mdstore.Path) {
	k := Conflict{Path: p, Text: fmt.Sprintf("%s was changed by a commit and by somebody who had opened it before; it holds both changes now", p)}
	c.met++
	c.logger().Info(k.Text, "path", string(p))
	if c.OnMerge != nil {
		c.OnMerge(k)
	}
}

// dirs is a set of folders that are to be synced.
type dirs map[mdstore.Path]bool

// mark adds dir, and the folders above it whose own names are not known to be durable.
func (c *Committer) mark(set dirs, dir mdstore.Path) {
	set[dir] = true
	for d := dir; d != "" && !c.durable[d] && !c.rested(d.Dir()); d = d.Dir() {
		set[d.Dir()] = true
	}
}

// rest is how long a folder must have been left alone, in seconds, for its stamp to change with the next change of its names.
const rest = 2

// rested reports whether all names in dir are durable: this Committer has synced it, and nothing has changed in it since.
func (c *Committer) rested(dir mdstore.Path) bool {
	at, ok := c.synced[dir]
	if !ok {
		return false
	}
	info, err := c.FS.Lstat(dir)
	return err == nil && info.Stamp == at
}

// resting returns the folders above others of a set that have been left alone for a while, as they are before they are synced.
func (c *Committer) resting(set dirs) map[mdstore.Path]mdstore.Stamp {
	out := map[mdstore.Path]mdstore.Stamp{}
	for below := range set {
		d := below.Dir()
		if _, known := out[d]; known || below == "" || !set[d] || c.Now == nil {
			continue
		}
		info, err := c.FS.Lstat(d)
		if s := info.Stamp; err == nil && s.Inode != 0 && s.Ctime != 0 && c.Now()-max(s.Ctime, s.Mtime)/1e9 > rest {
			out[d] = s
		}
	}
	return out
}

// sync makes the entries of the folders durable. A folder that is gone is passed over.
func (c *Committer) sync(set dirs) error {
	set = maps.Clone(set)
	order := slices.Sorted(maps.Keys(set))
	rested := c.resting(set)
	return c.took(set, order, rested, disk.SyncAll(c.FS, nil, order))
}

// took notes which of the folders are durable, by what came of syncing each.
func (c *Committer) took(set dirs, order []mdstore.Path, rested map[mdstore.Path]mdstore.Stamp, errs []error) error {
	for i, err := range errs {
		if errors.Is(err, fs.ErrNotExist) {
			delete(set, order[i])
		} else if err != nil {
			return err
		}
	}
	if c.durable == nil {
		c.durable, c.synced = make(map[mdstore.Path]bool), make(map[mdstore.Path]mdstore.Stamp)
	}
	for d := range set {
		delete(c.synced, d)
		if at, ok := rested[d]; ok {
			c.synced[d] = at
		}
		if d != "" && set[d.Dir()] { // mark has added all above it that is not durable
			c.durable[d] = true
		}
	}
	return nil
}

// Forget drops what is known of the disk. It is called when another Committer may have changed it.
func (c *Committer) Forget() {
	clear(c.durable)
	clear(c.synced)
	c.slotted = false
}

// forget drops what is known of a folder and all below it, because it has moved or was made anew.
func (c *Committer) forget(dir mdstore.Path) {
	maps.DeleteFunc(c.durable, func(d mdstore.Path, _ bool) bool { return d.Under(dir) })
	maps.DeleteFunc(c.synced, func(d mdstore.Path, _ mdstore.Stamp) bool { return d.Under(dir) })
}

// mkdirAll makes a folder and those above it, and adds to set what makes them durable.
func (c *Committer) mkdirAll(set dirs, dir mdstore.Path) error {
	if dir == "" {
		return nil
	}
	info, err := c.FS.Lstat(dir)
	switch {
	case err == nil && info.Mode.IsDir():
	case err == nil:
		return fmt.Errorf("%s: a file is where a folder is needed", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	default:
		if err := c.mkdirAll(set, dir.Dir()); err != nil {
			return err
		}
		c.forget(dir)
		if err := c.FS.Mkdir(dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	c.mark(set, dir)
	return nil
}

// nearest returns dir or the closest folder above it that exists.
func (c *Committer) nearest(dir mdstore.Path) (mdstore.Path, error) {
	for ; dir != ""; dir = dir.Dir() {
		_, err := c.FS.Lstat(dir)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", nil
}
