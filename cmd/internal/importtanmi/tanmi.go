// Package tanmi reads the folders of TanmiWorkspace 1.x, so that they can be imported.
//
// The original keeps a workspace in two places: graph.json holds the tree, the statuses and the conclusions, and the Markdown
// files hold the texts. Where the two disagree graph.json counts, and the other text is kept beside it. The rule above all
// others: no text is lost. What has no place of its own goes to the note of its node, and what has no node goes to a file below
// imported/ in the new workspace. Whatever is not taken over exactly is named in a warning.
package importtanmi

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"arbor/engine"
	"arbor/mdstore"
)

// Options say what the files themselves do not. The zero Options are fit for use.
type Options struct {
	// VaultName is the folder of the project that holds the vault which is imported into; the paths of memos start with it.
	// "" means mdstore.DefaultVault.
	VaultName string

	// Zone is where the logs were written: they hold local times without a zone. nil means the distance from UTC that
	// a workspace's own files show, or UTC where they show none.
	Zone *time.Location
}

// ErrNone says that a folder holds nothing that could be imported.
var ErrNone = errors.New("no TanmiWorkspace found: a .tanmi-workspace folder, a project that has one, or a folder with a workspace.json or graph.json is expected")

// A SeveralError says that a folder holds no workspace itself, and that several folders in it do.
type SeveralError struct {
	Folders []string // their names, sorted; at least two
}

func (e *SeveralError) Error() string {
	const most = 10
	names := e.Folders[:min(len(e.Folders), most)]
	text := "no TanmiWorkspace here, but in " + strings.Join(names, ", ")
	if more := len(e.Folders) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text + "; name one of them"
}

// The names of the original's files and folders.
const (
	workspaceJSON = "workspace.json"
	graphJSON     = "graph.json"
	workspaceMD   = "Workspace.md"
	infoMD        = "Info.md"
	logMD         = "Log.md"
	problemMD     = "Problem.md"
	contentMD     = "Content.md"
	nodesDir      = "nodes"
	memosDir      = "memos"
	archiveDir    = "archive"
)

// Read reads every workspace of fsys, which is a .tanmi-workspace folder, a single workspace's folder, or a project's folder that
// holds a .tanmi-workspace; or else a folder that holds one of these. It writes nothing and follows no symbolic links.
//
// The warnings are one line each and start with the file they speak of. Damaged files are warnings, too: what can be read of a
// workspace is returned. The error is ErrNone where there is no workspace at all, a *SeveralError where several folders
// in fsys hold some and fsys itself none, and the file system's where fsys itself
// cannot be read.
func Read(fsys fs.FS, opt Options) ([]engine.Import, []string, error) {
	rep := &report{}
	top, err := openFolder(fsys, ".", rep)
	if err != nil {
		return nil, nil, err
	}
	if opt.VaultName == "" {
		opt.VaultName = mdstore.DefaultVault
	}
	r := &reading{opt: opt, rep: rep, ids: map[mdstore.ID]bool{}}
	folders, err := workspaceFolders(top)
	if err != nil {
		return nil, rep.lines, err
	}
	for _, dir := range folders {
		rep.begin()
		if imp, ok := r.workspace(dir); ok {
			r.imports = append(r.imports, imp)
		}
		rep.end()
	}
	r.zones.warn(rep)
	if len(r.imports) == 0 {
		return nil, rep.lines, ErrNone
	}
	return r.imports, rep.lines, nil
}

// A reading is one call of Read.
type reading struct {
	opt     Options
	rep     *report
	ids     map[mdstore.ID]bool // of the workspaces so far
	zones   zones
	imports []engine.Import
}
