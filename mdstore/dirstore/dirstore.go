// Package dirstore implements mdstore.Store in a folder of the operating system. People, editors, git and sync programs
// write to the same folder.
//
// The store opens every path below the vault's folder, and no link leads out of it. It reads files without a lock. A
// commit takes the lock of the vault, .local/lock, which the system releases when its holder dies. The commit compares
// each file with the version from which its change was computed. It then makes all changes or none, at whatever moment
// the machine stops. If a person saves a file while the commit replaces it, the commit exchanges the file back, so that
// no save is ever lost. A replaced file that an editor may have open stays in .local/displaced for a while, and the
// next writer merges what the editor writes to it. The next writer also merges a save that was made from an older
// version; it recognizes such a save by the record of the last commits.
//
// The first commit makes .local/; in a vault with a .gitignore, a scan may make it earlier. It holds the lock, the
// generation, the record, the journal of a commit of several files, and a cache of each scanned workspace. Anyone may
// delete it at any time while no commit is unfinished. A vault that may not be written can still be read.
//
// On Linux and macOS the store exchanges two files in one step. On other systems, and on file systems that cannot do
// this, a save is lost if it falls between the last comparison and the rename. Windows cannot make the names in a
// folder durable; a power failure there may undo, as a whole, a commit that has returned.
package dirstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

// These codes of an *mdoc.UnreadableError say why the store refuses to read or write something. mdoc.CodeTooLarge is
// another one.
const (
	CodeNotAFile   = osfs.CodeNotAFile   // a folder, a pipe, a device or a socket
	CodeSymlink    = osfs.CodeSymlink    // a symbolic link
	CodeHardLink   = osfs.CodeHardLink   // a file with several names: the store reads it, but never writes it
	CodePermission = osfs.CodePermission // not readable or not writable for this user, or marked read-only
	CodeUnstable   = osfs.CodeUnstable   // changed during each attempt to read it
)

// TempPrefix starts the names of the temporary files that a commit makes beside the files that it writes. Temporary
// files are not part of the vault.
const TempPrefix = journal.TempPrefix

// Options say how to open a vault. The zero value is good.
type Options struct {
	// ProjectRoot is the folder whose documents ReadDoc reads; empty means the folder that holds the vault.
	ProjectRoot string
	// GitPatience is how long a commit waits while git is in the middle of an operation; 0 means five seconds. If it is
	// negative, commits ignore git; programs that git itself runs, such as hooks, need this.
	GitPatience time.Duration
	// SaveQuiet is how long another program must have left a file alone before a commit changes it; 0 means a tenth of
	// a second. If it is negative, commits do not check.
	SaveQuiet time.Duration
	// Log receives, among other messages, one for each commit finished after a crash and one for each save that
	// collided with a commit; nil discards them.
	Log *slog.Logger
	// Kinds is the table of the kinds of files; nil means mdstore.AllKinds().
	Kinds mdstore.Kinds
	// Through, if it is not nil, returns the disk that commits use instead of the one it gets: a seam for tests. Only
	// packages below this folder can name its type.
	Through func(osfs.FS) osfs.FS
}

// A Store is a vault in a folder. It is safe for concurrent use, and so are several Stores of one folder, in one
// process or many.
type Store struct {
	vault
	docs
	scans
	git git
	gen generation

	saveQuiet time.Duration // as in Options

	// turn holds one value while no goroutine of this process has the lock. The goroutine that takes the value may use
	// gen and the fields from lock to merged.
	turn      chan struct{}
	lock      *flock.Flock // nil while it is not held
	committer *journal.Committer
	operation *mdstore.Operation    // the operation of the running commit; nil for none
	making    []journal.Made        // the steps that the running commit has made so far
	madeAt    int64                 // when the last of them was made; Unix nanoseconds by the file system's clock
	skew      atomic.Int64          // nanoseconds by which the file system's clock is ahead; also read without the lock
	touched   []versioned           // the changed files, and those of collisions, since a commit or mergeLate began
	lately    map[mdstore.Path]bool // files that commits changed recently; nil if unknown
	latelyAt  uint64                // the generation up to which lately is complete
	looked    time.Time             // when mergeForeign has last looked at all files
	merged    mdstore.Stamp         // the stamp of git's index when it last had no unmerged file

	mu      sync.Mutex
	watched bool // guarded by mu: Watch runs and reports saves
	// guarded by mu: files that may have been saved since mergeForeign last took them; with anySuspect any file may
	suspects   map[mdstore.Path]bool
	anySuspect bool
	met        []mdstore.Collision // guarded by mu: collisions that no caller has received yet
	polls      bool                // guarded by mu: Watch polls, and pollsWhy is the reason
	pollsWhy   error
}

var (
	_ mdstore.Store      = (*Store)(nil)
	_ mdstore.History    = (*Store)(nil)
	_ mdstore.Operations = (*Store)(nil)
	_ mdstore.Strays     = (*Store)(nil)
	_ mdstore.Docs       = (*Store)(nil)
	_ mdstore.Writable   = (*Store)(nil)
	_ mdstore.Local      = (*Store)(nil)
	_ mdstore.Scanner    = (*Store)(nil)
	_ mdstore.Watcher    = (*Store)(nil)
)

// Create makes the folder of a new vault and the missing folders above it, all of them durable. A folder that exists
// stays as it is.
func Create(dir string) error {
	missing, _, err := missingFolders(dir)
	if err != nil {
		return err
	}
	for _, d := range slices.Backward(missing) {
		if err := os.Mkdir(d, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		parent, err := osfs.OpenRoot(filepath.Dir(d))
		if err != nil {
			return err
		}
		if err := errors.Join(parent.SyncDir(""), parent.Close()); err != nil {
			return err
		}
	}
	return nil
}

// MayCreate returns the error that Create would return, as far as it can tell without making anything; otherwise nil.
func MayCreate(dir string) error {
	missing, above, err := missingFolders(dir)
	if err != nil || len(missing) == 0 {
		return err
	}
	r, err := osfs.OpenRoot(above)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := r.MayWrite(""); err != nil {
		return &fs.PathError{Op: "mkdir", Path: missing[len(missing)-1], Err: fs.ErrPermission}
	}
	return nil
}

// missingFolders returns those of dir and the folders above it that do not exist, the lowest first. above is the lowest
// folder that exists.
func missingFolders(dir string) (missing []string, above string, err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, "", err
	}
	for d := dir; ; d = filepath.Dir(d) {
		fi, err := os.Stat(d)
		switch {
		case err == nil && fi.IsDir():
			return missing, d, nil
		case err == nil:
			return nil, "", fmt.Errorf("%s: a file is where the vault's folder is to be", d)
		case !errors.Is(err, fs.ErrNotExist) || d == filepath.Dir(d):
			return nil, "", err
		}
		missing = append(missing, d)
	}
}

// Open opens the vault in a folder. If a crash left a commit unfinished, Open finishes it, unless another process or
// git is working on the vault. If Open cannot finish it, because the vault is not writable or a newer version of Arbor
// began the commit, the vault can still be read, and Commit returns the reason.
func Open(dir string, opt Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	disk, err := osfs.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	log := cmp.Or(opt.Log, slog.New(slog.DiscardHandler))
	s := &Store{vault: vault{dir: dir, disk: disk, log: log, now: time.Now, kinds: opt.Kinds}, turn: make(chan struct{}, 1)}
	s.scans.vault, s.gen.vault, s.trees = &s.vault, &s.vault, map[mdstore.Path]*tree{}
	s.suspects, s.anySuspect = map[mdstore.Path]bool{}, true
	if s.kinds == nil {
		s.kinds = mdstore.AllKinds()
	}
	s.strayPatterns = sync.OnceValue(func() []*regexp.Regexp { return strayPatterns(s.kinds) })
	if s.opened, err = disk.R.Stat("."); err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	if s.docs, err = openDocs(cmp.Or(opt.ProjectRoot, filepath.Dir(dir)), dir, s.log); err != nil {
		return nil, errors.Join(err, disk.Close())
	}
	s.saveQuiet = cmp.Or(opt.SaveQuiet, saveQuiet)
	s.git = git{vault: dir, patience: cmp.Or(opt.GitPatience, gitPatience)}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		s.git.vault = real
	}
	s.committer = &journal.Committer{FS: s.disk, Log: s.log, Now: func() int64 { return time.Now().UnixNano() },
		OnCollision: s.meet, OnMade: s.made, BaseOf: s.baseOf}
	if opt.Through != nil {
		s.committer.FS = opt.Through(s.disk)
	}
	s.turn <- struct{}{}
	unfinished, err := s.unfinished()
	if err != nil || !unfinished || s.git.busy() != nil {
		return s, nil
	}
	switch release, err := s.acquire(context.Background(), openWait); {
	case err == nil:
		release()
	case !errors.As(err, new(*stuckError)):
		s.log.Warn("an unfinished commit cannot be finished; the vault can only be read", "vault", dir, "error", err)
	}
	return s, nil
}

// Close waits for a running commit and releases the store's resources. The store must not be used afterwards.
func (s *Store) Close() error {
	<-s.turn
	err := s.disk.Close()
	if s.docs.root != nil {
		err = errors.Join(err, s.docs.root.Close())
	}
	s.turn <- struct{}{}
	return err
}

func (s *Store) meet(k mdstore.Collision) {
	s.touched = append(s.touched, versioned{path: k.Path})
	s.dropLate()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.met, k) {
		s.met = append(s.met, k)
	}
}

// collisions returns the collisions with saves by other programs since its last call. earlier says that they belong to
// earlier commits, whose callers already have their results; collisions then clears Unmade.
func (s *Store) collisions(earlier bool) []mdstore.Collision {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.met
	s.met = nil
	for i := range all {
		all[i].Unmade = all[i].Unmade && !earlier
	}
	return all
}
