package mdstore

import (
	"strings"
	"time"
)

// The names that the layout of a vault is made of.
const (
	WorkspaceFile = "Workspace.md"
	NodeFile      = "Node.md"
	NodesDir      = "nodes"
	sessionsDir   = "sessions"
	sessionFile   = "Session.md"
	MemoryDir     = "memory"
	ArchiveDir    = "archive"
	ReplacedDir   = "replaced"                 // in LocalDir: files with texts that were replaced, for 30 days
	LocalDir      = ".local"                   // locks, journal, trash: never needed to read the vault
	TrashDir      = LocalDir + "/trash"        // deleted files and folders
	SessionsFile  = "sessions.json"            // session bindings of this machine
	CorruptPrefix = SessionsFile + ".corrupt-" // of copies of a SessionsFile that could not be read
	ConfigFile    = "config.toml"              // settings of the vault, and of a workspace in its folder
	IgnoreFile    = ".gitignore"
	TempPrefix    = ".arbor-" // of the temporary files of a write, which are beside the files that they become

	// DefaultVault is the folder of a project that holds its vault, unless told otherwise.
	DefaultVault = ".tanmi-workspace"

	// FormatVersion is the newest format of the files that this code reads and writes.
	FormatVersion = 1
)

// MaxFileSize is the size in bytes beyond which a file is neither read nor written, except slots: see MaxSize.
const MaxFileSize = 1 << 20

// MaxSize returns the size in bytes beyond which the file at p is neither read nor written.
func MaxSize(p Path) int64 {
	if k := AllKinds().Of(p); k != nil && k.Form != nil && k.Form.Most > 0 {
		return int64(k.Form.Most)
	}
	// These hold what files of every kind do.
	if name := p.Base(); p.Under(LocalDir) || strings.HasPrefix(name, TempPrefix) || strings.Contains(name, ".conflict-") {
		return MaxSlot
	}
	return MaxFileSize
}

// WorkspacePath returns the path of a workspace's own file, given its folder.
func WorkspacePath(dir Path) Path { return WorkspaceKind.File(dir) }

// NodePath returns the path of a new node's file in the workspace's folder.
func NodePath(dir Path, id ID) Path { return NodeKind.File(NodeKind.Folder(dir).Join(string(id))) }

// Archived reports whether a workspace's folder lies in the archive.
func Archived(dir Path) bool { return dir.Under(ArchiveDir) }

// StampLayout is the form of the time that a stamp begins with, for the package time.
const StampLayout = "20060102T150405.000"

// TrashStamp returns the name of a trash folder: the time of the deletion and what was deleted.
func TrashStamp(at time.Time, of string) string { return at.UTC().Format(StampLayout) + "-" + of }

// TrashPath returns where a deleted file or folder goes; stamp tells deletions apart. With an empty p it is the folder
// of that deletion.
func TrashPath(stamp string, p Path) Path {
	dir := Path(TrashDir).Join(stamp)
	if p == "" {
		return dir
	}
	return dir.Join(string(p))
}
