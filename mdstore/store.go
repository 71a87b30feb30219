package mdstore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"strings"
	"unicode"

	"arbor/mdstore/mdoc"
)

// A Path names a file or folder of the vault: slash-separated, relative to the
// vault, without "." or ".." elements, as fs.ValidPath has it.
type Path string

// Valid reports whether p can name something in a vault on every platform:
// fs.ValidPath, no control characters, no backslash, nothing that git would
// take for its own folder, and no other spelling of LocalDir.
func (p Path) Valid() bool {
	return fs.ValidPath(string(p)) && p != "." && !strings.ContainsFunc(string(p), unfit) && !p.taken()
}

// taken reports whether an element of p leads, on some platform, into the folder of git, whose settings name programs,
// or into LocalDir by another spelling.
func (p Path) taken() bool {
	if p == "" || p[0] != '.' && !strings.Contains(string(p), "/.") && !strings.Contains(string(p), "~") {
		return false
	}
	for elem := range strings.SplitSeq(string(p), "/") {
		name, _, _ := strings.Cut(elem, ":") // a stream of a file, on Windows
		name = strings.TrimRight(strings.Map(shown, name), " .")
		if strings.EqualFold(name, ".git") || strings.EqualFold(name, "git~1") ||
			strings.EqualFold(name, LocalDir) && elem != LocalDir {
			return true
		}
	}
	return false
}

// shown drops the characters that file systems of macOS ignore.
func shown(r rune) rune {
	if unicode.Is(unicode.Cf, r) {
		return -1
	}
	return r
}

// unfit reports whether some platform does not allow r in the name of a file.
func unfit(r rune) bool { return r < 0x20 || r == 0x7f || r == '\\' }

// Dir returns all but the last element, "" for a path of one element.
func (p Path) Dir() Path {
	if i := strings.LastIndexByte(string(p), '/'); i >= 0 {
		return p[:i]
	}
	return ""
}

// Base returns the last element.
func (p Path) Base() string { return string(p[strings.LastIndexByte(string(p), '/')+1:]) }

// Join returns the path of a file below p.
func (p Path) Join(elem ...string) Path {
	if p == "" {
		return Path(strings.Join(elem, "/"))
	}
	return p + "/" + Path(strings.Join(elem, "/"))
}

// Under reports whether p is dir or lies below it. Everything lies under "".
func (p Path) Under(dir Path) bool {
	return dir == "" || p == dir || strings.HasPrefix(string(p), string(dir)+"/")
}

// A Version is the SHA-256 digest of a file's exact bytes. The zero Version
// means that there is no file.
type Version [sha256.Size]byte

// VersionOf returns the version of a file that holds data.
func VersionOf(data []byte) Version { return sha256.Sum256(data) }

// IsZero reports whether v stands for a file that does not exist.
func (v Version) IsZero() bool { return v == Version{} }

// String returns the first 16 hex digits, enough to tell the versions of one file apart; "" for the zero Version.
func (v Version) String() string {
	if v.IsZero() {
		return ""
	}
	return hex.EncodeToString(v[:8])
}

// A File is what a path held when it was read.
type File struct {
	Path    Path
	Version Version
	Data    []byte // must not be modified
	Stamp   Stamp  // zero if the store has none

	// Doc is Data as it was parsed already, without a diagnostic; nil: it was not.
	Doc *mdoc.Doc
}

// parsed returns the document of a file.
func (f File) parsed(form *mdoc.Form) (*mdoc.Doc, []mdoc.Diagnostic) {
	if f.Doc != nil {
		return f.Doc, nil
	}
	return ParseFile(f.Path, f.Data, form)
}

// A Change is one step of a commit. Exactly one of these holds:
//
//   - New is set: the file at Path becomes New.
//   - New is nil, To and Keep are unset: the file at Path is removed.
//   - To is set: the file or folder at Path moves to To with all it holds, its known files and others. To must not
//     exist; the folder above it is made. Base is ignored.
//   - Keep: nothing is written; the file at Path must still be at Base when the others are. A plan has one for each
//     file that it only read.
type Change struct {
	Path Path
	Base Version // the version that the change was computed from; zero: Path must not exist
	New  []byte  // the new bytes; an empty file is a non-nil empty slice
	To   Path
	Keep bool
}

// A Store holds the files of one vault. It is safe for concurrent use.
// The package storetest states and checks its promises.
type Store interface {
	// Read returns the file at p. If there is no file, the error is an fs.ErrNotExist. For a folder, a pipe, a link or
	// a file that is too large it is an *mdoc.UnreadableError.
	Read(ctx context.Context, p Path) (File, error)

	// List yields where files of the table of kinds lie, in the order of their whole paths, byte by byte. Under "" it
	// yields the Workspace.md of every workspace, active and archived; one that is missing beside a folder nodes/ is
	// yielded with an fs.ErrNotExist. Under a workspace's folder it yields that Workspace.md, missing or not, and the
	// files of every other kind; of a kind whose Place says Each, a folder that holds none at any depth yields its
	// missing file with an fs.ErrNotExist. A file that cannot be read is yielded with its path and the error, and the
	// listing goes on. Folders whose names start with a dot are not looked into, and links to folders are yielded as
	// what cannot be read, except those beside a Node.md, which are the node's own. When ctx ends first, the last that
	// is yielded is an Entry without a path and ctx's error.
	List(ctx context.Context, under Path) iter.Seq2[Entry, error]

	// Stat returns the stamp of the file at p, as it is now. The errors are those of Read, except for a missing
	// permission to read, which only opening the file shows.
	Stat(ctx context.Context, p Path) (Stamp, error)

	// Commit refuses what CheckChanges refuses, before it looks at a file. It makes every change or none, also across a
	// crash, and returns a nil error only when they are durable. If a path is no longer at its Base it changes nothing
	// and returns a *ConflictError naming those paths. After an *UnfinishedError the changes are made, or will be by
	// the next process that opens the vault: never try again. After any other error nothing was changed. The Result
	// counts only after a nil error, except its Collisions, which count always.
	Commit(ctx context.Context, changes []Change) (Result, error)

	// Update calls f while no other writer, of this or another process, can commit. f reads and commits through the Tx
	// that it is given, which must not be used after f has returned. Update may call f again if f's commit was refused
	// without any change, because another program was in the middle of something. It waits for the lock as long as ctx
	// allows and its holders make progress; the error is a *BusyError if they do not. What f commits may be durable only
	// when Update has returned: after an error of its own, other than an *UnfinishedError, nothing was changed.
	Update(ctx context.Context, f func(Tx) error) error
}

// A Tx is a store while its lock is held.
type Tx interface {
	Read(ctx context.Context, p Path) (File, error)
	Commit(ctx context.Context, changes []Change) (Result, error)
}

// An Entry is a file as a listing finds it.
type Entry struct {
	Path  Path
	Stamp Stamp
}

// A Result is what the caller of a commit learns about it.
type Result struct {
	Versions   map[Path]Version // of the files that the commit wrote
	Collisions []Collision      // with saves by other programs: of this commit, and unreported ones of earlier commits
	Generation uint64           // the store's generation after the commit; 0 if it has none
}

// VersionsOf returns the versions that the changes give to the files that they write.
func VersionsOf(changes []Change) map[Path]Version {
	out := make(map[Path]Version, len(changes))
	for _, c := range changes {
		if c.New != nil {
			out[c.Path] = VersionOf(c.New)
		}
	}
	return out
}

// AsStore returns the first store with the capability T among st and the stores that it wraps. A decorator that wraps a
// store implements Unwrap() Store and forwards only what it changes.
//
// The capabilities are Scanner, Watcher, History, Operations, Docs, Strays, Writable and Local; there are no others.
func AsStore[T any](st Store) (T, bool) {
	for st != nil {
		if c, ok := st.(T); ok {
			return c, true
		}
		w, ok := st.(interface{ Unwrap() Store })
		if !ok {
			break
		}
		st = w.Unwrap()
	}
	var none T
	return none, false
}

// History is the capability of stores that several processes write to and that remember their last commits.
type History interface {
	// Generation returns a number that grows with each commit of any process. It waits while a commit is being made.
	// Files that were read between two calls with the same result are of one state of the vault, apart from people's
	// saves. If the commit makes no progress, the error is a *BusyError.
	Generation(ctx context.Context) (uint64, error)

	// ChangedSince returns the paths of the files and folders that the commits changed which were made between two
	// generations. ok is false if unknown: anything may have changed.
	ChangedSince(ctx context.Context, before, now uint64) (paths []Path, ok bool)
}

// Committed is the capability of stores whose files change by commits alone: History tells of every change.
type Committed interface{ OnlyByCommits() }

// Watcher is the capability of stores that can tell when files may have changed, whichever program changed them.
type Watcher interface {
	// Watch tells w what may have changed until ctx ends. What it tells are hints: readers compare versions. It returns
	// ctx's error, or why it could not watch at all.
	Watch(ctx context.Context, w Watching) error

	// InPlace returns nil while the folder that the store opened is still at its path. The error is an fs.ErrNotExist
	// while there is no folder, because it was moved or deleted, and an ErrReplaced if there is another one, which
	// needs a new store.
	InPlace() error

	// Polls reports whether Watch finds changes by looking from time to time, and why the system gives no events.
	Polls() (polls bool, why error)
}

// Watching has the functions that a Watcher calls. None is nil, none is called twice at the same time, and only Settled
// may take long.
type Watching struct {
	Ready   func()                       // once: changes from now on are reported
	Early   func(Path)                   // at once, for each file or folder that may have changed; "" if unknown what
	Settled func(paths []Path, all bool) // what may have changed, once it is settled; all: anything may have
}

// ErrReplaced says that the vault's folder is no longer the one that was opened.
var ErrReplaced = errors.New("the folder was replaced by another; open it again")

// Strays is the capability of stores that can find files that do not belong to a vault: copies that sync programs made
// of conflicts, backups of editors, temporary files left by a crash.
type Strays interface {
	// Strays returns those below a workspace's folder, or with "" those between the workspaces, in the order of their
	// paths, and folders without any file.
	Strays(ctx context.Context, under Path) ([]Stray, error)

	// Sweep clears away leftovers of commits while no commit is being made, and reports each. It removes a leftover
	// that is empty or equals the file beside it, and moves any other to the trash. With dry it only reports.
	Sweep(ctx context.Context, leftovers []Path, trash Path, dry bool) ([]Swept, error)

	// Late finds saves by other programs that collided with commits: saves to files that commits had replaced, and
	// saves that were made from an older version of a file. With merge, it merges each save with the changes of the
	// commits; a version that cannot be merged becomes a conflict copy. It returns what happened to the saves, or
	// without merge what will happen, and collisions of earlier commits that were not reported yet.
	Late(ctx context.Context, merge bool) ([]Collision, error)

	// TakenOut returns what saves by other programs and git took out of files within the last day, in words that name
	// the operations that wrote it, for each file that it is not back in.
	TakenOut(ctx context.Context) ([]Collision, error)

	// Saving reports whether another program is saving one of these files at this moment, as far as that can be told.
	Saving(ctx context.Context, paths []Path) bool
}

// A Stray is a file that is not part of the vault but looks as if it should be.
type Stray struct {
	Path Path
	Kind StrayKind
	Of   Path // of a conflict copy: the file that it is a version of; "" if its name does not tell
}

// StrayKind says where a stray comes from.
type StrayKind string

// The kinds of strays.
const (
	StrayConflictCopy StrayKind = "conflict copy"    // of Syncthing, Dropbox or Arbor itself
	StrayBackup       StrayKind = "backup"           // of an editor
	StrayTemporary    StrayKind = "temporary"        // of another program
	StrayFolder       StrayKind = "empty folder"     // there is no file in it, nor in a folder below
	StrayMarkdown     StrayKind = "no node"          // Markdown among the nodes, in a folder without a node
	StrayUnfit        StrayKind = "unfit name"       // a Node.md in a folder whose name no file of a vault may have
	StrayHidden       StrayKind = "hidden"           // a Node.md below a folder whose name begins with a dot
	StrayBindings     StrayKind = "damaged bindings" // a SessionsFile that could not be read and was kept
	StrayLeftover     StrayKind = "leftover"         // of a commit of this store that a crash cut short; see Strays.Sweep
)

// A Collision is a save by another program that collided with a commit, and what happened to both.
type Collision struct {
	Path Path `json:"path"` // the file that the other program saved, moved or removed
	// the path of the version that lost; "" if both are in the file, or there is none to keep
	Copy Path   `json:"copy,omitempty"`
	Text string `json:"text"` // what happened

	// Unmade says that the commit's own change of the file was not made, although its other changes were. Copy holds
	// the bytes that it would have written.
	Unmade bool `json:"unmade,omitempty"`

	Time int64 `json:"-"` // when it was found, Unix nanoseconds; 0: just now
}

// Local is the capability of stores that keep files of this machine in .local/: the sessions' notes of what they have
// seen, claims. They are not part of commits: a file is replaced as a whole, by a rename. A power failure may take back
// what WriteLocal wrote, as losing it loses no text of people, and leaves what KeepLocal wrote. Names are paths below
// .local/. Paths that the store itself needs are refused with an fs.ErrInvalid.
type Local interface {
	ReadLocal(ctx context.Context, name Path) ([]byte, error) // fs.ErrNotExist if it is missing; no link is followed
	WriteLocal(ctx context.Context, name Path, data []byte) error
	// KeepLocal is WriteLocal of what must last: once it has returned, a power failure leaves it. Within Update it lasts
	// once that has returned.
	KeepLocal(ctx context.Context, name Path, data []byte) error
	RemoveLocal(ctx context.Context, name Path) error // nil if it is missing
	ListLocal(ctx context.Context, dir Path) ([]LocalFile, error)
}

// A LocalFile is a file in a folder of .local/.
type LocalFile struct {
	Name  string // the last element of its path
	Stamp Stamp
}

// Swept is a leftover that was cleared away.
type Swept struct {
	Path Path
	To   Path // its path now; "" if it was removed
}

// Writable is the capability of stores that can tell beforehand that a file cannot be written or moved. Writable
// returns nil for a file that can be written or made, and otherwise an *mdoc.UnreadableError with the reason: the file
// has several names or is marked read-only, or this user may not write to its folder. For LocalDir it returns an
// obstacle to every commit. Movable does the same for a file or folder to be moved.
type Writable interface {
	Writable(ctx context.Context, p Path) error
	Movable(ctx context.Context, from, to Path) error
}

// Docs is the capability of stores that can read the project around the vault. ReadDoc returns a document of it, which
// may have at most most bytes. target is relative to the project's folder, or absolute below it; how it encodes accents
// makes no difference. The error is an
// fs.ErrNotExist if there is none; a target outside of the project is refused with an fs.ErrPermission.
type Docs interface {
	ReadDoc(ctx context.Context, target string, most int64) ([]byte, error)

	// MakeDoc makes a document of the project, in an existing folder. The error is an fs.ErrExist if anything is at its
	// path, and an fs.ErrPermission in the vault and below names that begin with a dot; other errors are those of
	// ReadDoc.
	MakeDoc(ctx context.Context, target string, data []byte) error

	// Alike returns the path of the only document whose path differs from that of a missing one in the case of letters,
	// "" if there is none or several.
	Alike(ctx context.Context, target string) string

	// Head returns the id of the commit that git has checked out there, "" if there is none or it cannot be told.
	Head(ctx context.Context) string

	// Tree returns the files and folders below a folder of the project, at most most, breadth first and by name within
	// a folder; more says that there are more. It leaves out files that the .gitignore files in the project ignore,
	// folders whose names begin with a dot, the vault, and links. The errors are those of ReadDoc.
	Tree(ctx context.Context, dir string, most int) (found []TreeEntry, more bool, err error)
}

// A TreeEntry is a file or folder of the project.
type TreeEntry struct {
	Path     string // relative to the project's folder, with slashes
	Folder   bool
	Modified int64 // of a file, Unix milliseconds
}
