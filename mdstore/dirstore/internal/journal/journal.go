// Package journal makes the changes of a commit on a disk, all or none, whenever the machine or the process stops.
//
// The new bytes are written to temporary files beside their targets and made durable; a lack of space or permission
// shows here, while nothing has changed. One change that the disk makes in a single step needs no more. Several are
// described in a record, which holds the old and the new bytes. The commit point is the moment in which the record is
// durable. From there on the steps are made in their order, again after any crash, until all of them are durable and
// the record is removed.
//
// A file is replaced by exchanging it with its new version and looking at what came out. If that is not what the
// change was computed from, a person has saved the file in between, and their bytes go back to their place: the first
// step of a commit is a conflict then, and a later one is merged with the save, or laid beside it as a conflict copy.
//
// What was replaced becomes a displaced file if an editor may still have it open.
//
// The caller holds the lock of the vault while it uses a Committer.
package journal

import (
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
	"arbor/mdstore/mdoc"
)

// The folders of the journal.
const (
	Dir          = mdstore.Path(mdstore.LocalDir + "/journal")   // records of unfinished commits
	DisplacedDir = mdstore.Path(mdstore.LocalDir + "/displaced") // files that commits have replaced and a program may have open
)

// A Committer makes commits on a disk. It must not be used by two goroutines at once.
type Committer struct {
	FS  osfs.FS
	Now func() int64 // Unix nanoseconds

	Token       func() string // up to 16 lower-case letters and digits that make a name unique; nil: random ones
	Log         *slog.Logger
	OnCollision func(mdstore.Collision) // called for each save that collided with a commit
	OnMade      func([]Made)            // called after files were changed, before the change is durable
	OnStaged    func()                  // called for each step that was prepared; nil: not called

	// BaseOf returns the older version that a save at p was made from, if that is proved, and else nil. If BaseOf is
	// nil, no save is made from an older version.
	BaseOf func(p mdstore.Path, save []byte) []byte

	done []Made // not yet reported to OnMade
}

// A Made is a change that was made.
type Made struct {
	Path mdstore.Path
	To   mdstore.Path // of a move, which has neither Base nor New
	Base []byte       // the file's bytes before; nil: there was no file
	New  []byte       // nil: it was removed
	Late bool         // Base is a save that lacked an earlier commit, and New has both
}

// errForeign says that a file is not what it was expected to be, because another program has changed it.
var errForeign = errors.New("changed by another program")

// tries is how often a step is begun again because another program saved the file meanwhile.
const tries = 100

func unreadable(err error) bool {
	_, ok := errors.AsType[*mdoc.UnreadableError](err)
	return ok
}

func unchanged(err error) error { return fmt.Errorf("nothing was changed: %w", err) }

func (c *Committer) token() string {
	if c.Token != nil {
		return c.Token()
	}
	return strings.ToLower(rand.Text()[:12])
}

// report logs and reports a save that collided with a commit.
func (c *Committer) report(k mdstore.Collision) {
	c.Log.Warn(k.Text, "path", string(k.Path), "copy", string(k.Copy))
	c.OnCollision(k)
}

// tell reports the steps that were made to OnMade.
func (c *Committer) tell() {
	if len(c.done) > 0 {
		c.OnMade(c.done)
	}
	c.done = nil
}
