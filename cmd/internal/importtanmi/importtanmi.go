// Package importtanmi reads the folders of TanmiWorkspace 1.x, so that they can be imported.
//
// The original keeps a workspace in two places: graph.json holds the tree, the statuses and the conclusions, the
// Markdown files hold the texts. If they contradict each other, graph.json counts.
//
// No text is lost. A file that is understood as a whole becomes part of a Workspace.md or Node.md. Every other file is
// attached: it is copied byte for byte below imported/ in the new workspace, and a warning names it with the reason.
// The parts of an attached file that are understood are imported nevertheless. Times of Info.md that differ from those
// of graph.json, the names of folders, and what TanmiWorkspace itself writes around texts, such as headings and hints,
// do not count as text.
package importtanmi

import (
	"cmp"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// Options have facts that are not in the files. The zero Options work.
type Options struct {
	// VaultName is the name of the vault's folder in the project; the paths of attached documents start with it. ""
	// means mdstore.DefaultVault.
	VaultName string

	// Zone is where the logs were written: they hold local times without a zone. nil means UTC.
	Zone *time.Location
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
	nodesDir      = mdstore.NodesDir
	memosDir      = "memos"
	archiveDir    = mdstore.ArchiveDir
)

// Read reads every workspace of fsys, which is a .tanmi-workspace folder, a single workspace's folder, or a project's
// folder that holds a .tanmi-workspace. It writes nothing and follows no symbolic links.
//
// The warnings are one line each and start with the file that they are about. Damaged files are warnings. It is an
// error when there is no workspace at all, and when a file or folder cannot be read; nothing is returned then.
func Read(fsys fs.FS, opt Options) ([]plan.Import, []string, error) {
	opt.VaultName = cmp.Or(opt.VaultName, mdstore.DefaultVault)
	r := &reader{fsys: fsys, opt: opt, ids: map[mdstore.ID]bool{}}
	dirs, err := r.findWorkspaces()
	if err != nil {
		return nil, nil, err
	}
	var all []plan.Import
	for _, dir := range dirs {
		imp, err := r.workspace(dir)
		if err != nil {
			return nil, nil, err
		}
		all = append(all, imp)
	}
	return all, r.warnings, nil
}

// A reader is one call of Read.
type reader struct {
	fsys     fs.FS
	opt      Options
	ids      map[mdstore.ID]bool // of the workspaces so far
	warnings []string
}

func (r *reader) warn(path, format string, args ...any) {
	r.warnings = append(r.warnings, fmt.Sprintf("%s: %.5000s", oneLine(path), oneLine(fmt.Sprintf(format, args...))))
}

// oneLine returns s with a space for each control character and line break.
func oneLine(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) || c == '\u2028' || c == '\u2029' {
			return ' '
		}
		return c
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// few lists the first of many names.
func few(names []string) string {
	const most = 8
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}
