// Package dirstore is the mdstore.Store in a folder of the operating system,
// which people, editors, git and sync programs write to as well.
//
// Every path is opened below the vault's folder and no link leads out of it.
// Files are read without any lock. A commit takes the lock of the vault,
// .local/lock, which the system releases when its holder dies, compares each
// file with the version that the change was computed from, and makes every
// change or none, whenever the machine stops. A file that somebody saves while it is
// being replaced is exchanged back, so that no save is ever lost. One that was opened
// before it was replaced waits in .local/late until it is closed, and what was written to it is merged then.
//
// What .local/ holds is made at the first commit and may be deleted at any
// time while no commit is unfinished: the lock, the number of the last commit,
// the journal of a commit of several files, and an index of what was found when the nodes were last read. A vault that may not be written can be read.
//
// On Linux and macOS files are exchanged in one step. On other systems, and on
// file systems that cannot, a save is lost if it falls into the moment between
// the last comparison and the rename. Windows cannot make the names in a folder
// durable; there a power failure may undo a commit that has returned, as a whole.
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
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/dirstore/internal/txn"
)

// The codes of the diagnostics in an *mdoc.UnreadableError for what is not to be read or written, beside mdoc.CodeTooLarge.
const (
	CodeNotAFile   = disk.CodeNotAFile   // a folder, a pipe, a device or a socket
	CodeSymlink    = disk.CodeSymlink    // a symbolic link
	CodeHardLink   = disk.CodeHardLink   // one of several names of a file: it is read, but never written
	CodePermission = disk.CodePermission // not readable or not writable for this user, or marked read-only
	CodeUnstable   = disk.CodeUnstable   // changed each time that it was read
)

// TempPrefix starts the names of the temporary files that a commit makes
// beside the files that it writes. They are no part of the vault.
const TempPrefix = txn.TempPrefix

// Options say how to open a vault. The zero value is good.
type Options struct {
	// ProjectRoot is the folder whose documents ReadDoc reads; empty means the one that holds the vault.
	ProjectRoot string
	// GitPatience is how long a commit waits while git is in the middle of something; 0 is five seconds. Below zero, commits do not look at git at all,
	// which is for programs that git itself runs, as its hooks.
	GitPatience time.Duration
	// Log is told of commits that were finished after a crash, and of saves that had to be kept beside a file; nil drops it.
	Log *slog.Logger
	// Through, if it is not nil, returns the disk that commits go through: a seam for tests. Only packages below this folder can name its type. What a commit
	// leaves is settled by whoever made it then, so that the disk can end the caller's life.
	Through func(disk.FS) disk.FS
}

// A Conflict says that somebody saved a file while a decided commit was
// changing it, and that the two versions could not be merged.
type Conflict = txn.Conflict

// A Store is a vault in a folder. It is safe for concurrent use, and so are several Stores of one folder, in one
// process or many.
type Store struct {
	dir     string
	root    *os.Root
	disk    disk.Root
	docs    *os.Root // nil when the project's folder cannot be opened
	docsDir string
	log     *slog.Logger

	real        string // dir without links in it
	boot        string // as disk.Boot has it
	git         *gitPlace
	gitPatience time.Duration
	now         func() time.Time // the clock that files are stamped by
	leavesOf    func(disk.Folder, string) *disk.Leaves
	waiting     time.Duration // for each folder of a skim, from which on the disk decides

	// turn holds one value while nobody in this process has the lock. Whoever takes it may use what follows.
	turn      chan struct{}
	lock      *disk.Lock
	committer *txn.Committer
	last      uint64 // the number after this store's last commit; 0 for none, and while one is unfinished
	number    uint64 // of the last commit, and whether it is one, once it was read under the lock
	numberOK  bool
	numbered  bool
	debt      *debt         // nil: the last commit has left nothing to do
	atOnce    bool          // settle before the lock is given back to who asked for it
	signed    mdstore.Stamp // of the lock when this store last signed it
	signedAt  time.Time
	freed     time.Time             // when this store last gave the lock back
	taken     time.Time             // when it last took it after it had been there for all
	kept      map[mdstore.Path]held // what files held that plans have read
	calm      atomic.Bool           // no displaced file waited when this store last looked, or after its last commit; whoever knows better makes it false

	rested atomic.Pointer[numbered] // nil: nothing proves the number of the last commit without reading it
	done   atomic.Uint64            // the number after a commit of this store that is done and not settled; 0 for none

	opened   os.FileInfo  // the vault's folder
	sequence *disk.Handle // of the number of the last commit
	recent   *disk.Handle // of what the last commits changed

	indexing sync.WaitGroup // of what writes indexes
	indexMu  sync.Mutex     // held while one is written
	toIndex  sync.Map       // what is to be written: a *ground by the path of its workspace

	mu        sync.Mutex
	conflicts []Conflict
	untold    []mdstore.Collision // since Collisions was last asked
	later     *time.Timer         // guarded by mu: looks at the files that wait; nil where none is set
	pause     time.Duration       // guarded by mu: before the next look
	closed    bool                // guarded by mu
	timers    sync.WaitGroup      // of later
	polls     bool                // Watch looks from time to time, and why
	pollsWhy  error
	present   map[string]*flock.Flock // guarded by mu: who appeared through this store, by token
}

var (
	_ mdstore.Store   = (*Store)(nil)
	_ mdstore.History = (*Store)(nil)
	_ mdstore.Strays  = (*Store)(nil)
	_ mdstore.Docs    = (*Store)(nil)
)

// Create makes the folder of a new vault and the missing folders above it, all
// of them durable. A folder that exists stays as it is.
func Create(dir string) error {
	missing, _, err := missingFolders(dir)
	if err != nil {
		return err
	}
	for _, d := range slices.Backward(missing) {
		if err := os.Mkdir(d, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		parent, err := os.OpenRoot(filepath.Dir(d))
		if err != nil {
			return err
		}
		if err := errors.Join(disk.Root{R: parent}.SyncDir(""), parent.Close()); err != nil {
			return err
		}
	}
	return nil
}

// MayCreate returns why Create would fail, as far as that can be told without making anything.
func MayCreate(dir string) error {
	missing, above, err := missingFolders(dir)
	if err != nil || len(missing) == 0 {
		return err
	}
	r, err := os.OpenRoot(above)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := (disk.Root{R: r}).MayWrite(""); err != nil {
		return &fs.PathError{Op: "mkdir", Path: missing[len(missing)-1], Err: fs.ErrPermission}
	}
	return nil
}

// missingFolders returns those of a folder and the ones above it that are not there, the lowest first, and the one above them, which is.
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

// Open opens the vault in a folder. It finishes the commit that a crash left
// unfinished, unless another process is at it. Where that cannot be done,
// because the vault may not be written or a newer version began the commit, the
// vault can be read, and Commit says why it refuses.
func Open(dir string, opt Options) (*Store, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	s := &Store{dir: dir, root: root, disk: disk.NewRoot(root), log: opt.Log, now: time.Now, leavesOf: disk.LeavesOf, waiting: waiting, gitPatience: cmp.Or(opt.GitPatience, gitPatience), turn: make(chan struct{}, 1)}
	if s.real, err = filepath.EvalSymlinks(dir); err != nil {
		s.real = dir
	}
	s.git, s.boot = newGitPlace(s.real), disk.Boot(s.disk)
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.docsDir = opt.ProjectRoot
	if s.docsDir == "" {
		s.docsDir = filepath.Dir(dir)
	} else if s.docsDir, err = filepath.Abs(s.docsDir); err != nil {
		return nil, errors.Join(err, s.disk.Close())
	}
	if s.docs, err = os.OpenRoot(s.docsDir); err != nil {
		s.log.Warn("the project's documents cannot be read", "folder", s.docsDir, "error", err)
		s.docs = nil
	}
	s.lock, s.sequence, s.recent = s.disk.Lock(dir, lockPath), s.disk.Handle(sequencePath), s.disk.Handle(recentPath)
	if s.opened, err = root.Stat("."); err != nil {
		return nil, errors.Join(err, s.disk.Close())
	}
	s.committer = &txn.Committer{FS: s.disk, Log: s.log, OnConflict: s.noteConflict, OnMerge: s.noteMerge, Ours: s.holds, Now: func() int64 { return time.Now().Unix() }}
	if opt.Through != nil {
		s.committer.FS, s.atOnce = opt.Through(s.disk), true
	}
	s.committer.FS = &pulse{FS: s.committer.FS, show: s.show, parks: func() { s.calm.Store(false) }}
	s.turn <- struct{}{}
	if unfinished, err := s.unfinished(); err != nil || !unfinished && !s.waits() || s.gitBusy() != nil {
		return s, nil
	}
	release, err := s.tryAcquire(context.Background())
	if err != nil {
		s.log.Warn("an unfinished commit cannot be finished; the vault can only be read", "vault", dir, "error", err)
	} else if release != nil {
		release()
	}
	return s, nil
}

// Close waits for the commit that is being made and releases what the store
// holds. It must not be used afterwards.
func (s *Store) Close() error {
	<-s.turn
	s.takeOver()
	s.still()
	s.leaveAll()
	s.indexing.Wait()
	err := errors.Join(s.lock.Close(), s.sequence.Close(), s.recent.Close(), s.disk.Close())
	if s.docs != nil {
		err = errors.Join(err, s.docs.Close())
	}
	s.turn <- struct{}{}
	return err
}

// Dir returns the absolute path of the vault's folder.
func (s *Store) Dir() string { return s.dir }

// Conflicts returns what could not be merged since the store was opened.
func (s *Store) Conflicts() []Conflict {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.conflicts)
}

func (s *Store) noteConflict(c Conflict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conflicts = append(s.conflicts, c)
	s.tell(c)
}

// tell keeps what is to be told, once. s.mu must be held.
func (s *Store) tell(c Conflict) {
	if k := mdstore.Collision(c); !slices.Contains(s.untold, k) {
		s.untold = append(s.untold, k)
	}
}

func (s *Store) noteMerge(c Conflict) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell(c)
}

// collisions returns what commits have met since it was last asked: saves that were merged, and those that were not.
func (s *Store) collisions() []mdstore.Collision {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.untold
	s.untold = nil
	return all
}

// Read returns the file at p. A file that changes while it is read is read again. One that lies behind a link is an *mdoc.UnreadableError.
func (s *Store) Read(ctx context.Context, p mdstore.Path) (mdstore.File, error) {
	if err := ctx.Err(); err != nil {
		return mdstore.File{}, err
	}
	if !p.Valid() {
		return mdstore.File{}, &fs.PathError{Op: "read", Path: string(p), Err: fs.ErrInvalid}
	}
	began := s.now()
	if data, info, ok := disk.ReadStraight(s.disk, p, mdstore.MaxFileSize); ok {
		return found(p, data, firm(info.Stamp, began), nil).file, nil
	}
	in := s.reading(p)
	for d := p.Dir(); d != "" && !errors.Is(in.err, fs.ErrNotExist); d = d.Dir() { // no listing looks behind a link either
		if err := s.linked(d); err != nil {
			return mdstore.File{}, err
		}
	}
	if in.err != nil {
		return mdstore.File{}, in.err
	}
	return in.file, nil
}
