// Package setup puts Arbor's MCP server, and hooks, into the configuration files of the programs that assistants run in
// ("clients"), takes them out again, and answers the hooks.
//
// Configuration files belong to people. Run changes no byte of them besides Arbor's own entries; a file that it cannot
// edit that way is left alone. Hook never fails in a way that stops a person's work.
package setup

import (
	"path/filepath"
	"runtime"

	"arbor/engine"
)

// Options say what Run does.
type Options struct {
	Client  string              // one of Clients
	Scope   string              // Project or User; "" is the client's default
	Project string              // absolute path. An entry of scope User names it; with "" it is for whatever project is open
	Home    string              // the person's home folder, an absolute path
	Getenv  func(string) string // nil: no variable is set
	GOOS    string              // the system whose paths are meant; "" is this one
	Command string              // how the client starts arbor; "" is arbor, found by PATH
	Args    []string            // further arguments of arbor mcp, such as --profile worker
	Hooks   bool                // write the hooks as well, where the client has them; Remove always removes them
	Remove  bool                // take Arbor's entries out
	Force   bool                // also replace or remove an entry that was edited by hand
	DryRun  bool                // write nothing; the result has the diffs
}

// A Result is what Run changed, or would change.
type Result struct {
	Client  string       `json:"client"`
	Scope   string       `json:"scope"`
	Changed bool         `json:"changed"`
	DryRun  bool         `json:"dryRun,omitempty"`
	Files   []FileResult `json:"files"`
	Hint    string       `json:"hint"`
}

// A FileResult is what happened to one file.
type FileResult struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Made    bool   `json:"made,omitempty"`
	Removed bool   `json:"removed,omitempty"`
	Diff    string `json:"diff,omitempty"` // a unified diff, of a dry run
}

// Run sets a client up, or undoes that.
//
// Everything else in a file keeps its bytes: comments, order, layout, line ends, a byte order mark. A second run changes
// nothing. Remove gives back the bytes from before the set-up and deletes a file that set-up made; where the layout does
// not show whether an object or list was empty before or is set-up's, it stays, empty. All of this holds while nobody
// edits what set-up wrote.
//
// The error is an *engine.Error: INVALID_PARAMS; INVALID_PATH for what is no regular file or cannot be read or written;
// INVALID_CONTENT for a file that cannot be edited or whose entry was edited by hand; CONFLICT if another program changed
// the file meanwhile. Nothing was changed then, unless the error names a file that was.
func Run(opt Options) (*Result, error) {
	c, p, err := find(opt.Client, opt.Scope)
	if err != nil {
		return nil, err
	}
	edits, err := opt.edits(c, p)
	if err != nil {
		return nil, err
	}
	res := &Result{Client: c.name, Scope: p.scope, DryRun: opt.DryRun, Files: []FileResult{}}
	for _, e := range edits {
		if err := e.plan(&opt); err != nil {
			if e.optional && !e.file.mentions(ServerName) {
				e.want = e.file.config
				continue
			}
			return nil, err
		}
		before, after := e.file.config, e.want
		f := FileResult{Path: before.path, Changed: e.changed(), Made: after.exists && !before.exists, Removed: before.exists && !after.exists}
		if opt.DryRun && f.Changed {
			f.Diff = engine.UnifiedDiff(filepath.ToSlash(e.file.shown), before.bytes(), after.bytes())
		}
		res.Files = append(res.Files, f)
		res.Changed = res.Changed || f.Changed
	}
	res.Hint = opt.hint(p, res.Changed)
	if opt.DryRun {
		return res, nil
	}
	for i, e := range edits {
		if err := e.commit(); err != nil {
			return nil, nameChanged(edits[:i], err)
		}
	}
	return res, nil
}

// An edit is one file and the settings that it gets or loses.
type edit struct {
	file     *file
	format   format
	settings []setting
	optional bool   // a file that cannot be edited is skipped if Arbor's name is not in it
	want     config // what the file is to be, set by plan
}

func (e *edit) changed() bool { return e.want != e.file.config }

// edits returns an edit for each file of a place.
func (opt *Options) edits(c client, p place) ([]*edit, error) {
	if opt.Command == "" {
		opt.Command = ServerName
	}
	if opt.Getenv == nil {
		opt.Getenv = func(string) string { return "" }
	}
	if opt.GOOS == "" {
		opt.GOOS = runtime.GOOS
	}
	switch {
	case opt.Hooks && p.hooks == nil && !opt.Remove:
		return nil, engine.Fail(engine.InvalidParams, "hooks: %s has none that Arbor knows; claude-code has", c.title)
	case p.scope == Project && filepath.IsAbs(opt.Command):
		return nil, engine.Fail(engine.InvalidParams, "command %s: the configuration of a project is for everybody who works on it, "+
			"and names no path of one machine; use the scope %s, or %s by PATH", opt.Command, User, ServerName)
	case opt.Project != "" && !filepath.IsAbs(opt.Project):
		return nil, engine.Fail(engine.InvalidPath, "project %s: an absolute path is expected", opt.Project)
	}
	server, err := opt.server(c, p)
	if err != nil {
		return nil, err
	}
	path, err := opt.locate(p.file)
	if err != nil {
		return nil, err
	}
	edits := []*edit{{file: opt.fileAt(p, path), format: p.format, settings: []setting{server}}}
	if p.hooks != nil && (opt.Hooks || opt.Remove) {
		if path, err = opt.locate(p.hooks); err != nil {
			return nil, err
		}
		edits = append(edits, &edit{file: opt.fileAt(p, path), format: p.format, settings: opt.hooks(), optional: !opt.Hooks})
	}
	return edits, nil
}

// plan reads the file and decides what it is to be.
func (e *edit) plan(opt *Options) error {
	if err := e.file.read(); err != nil {
		return err
	}
	if err := e.apply(opt.Remove, opt.Force); err != nil {
		return err
	}
	if e.changed() && e.file.exists && e.file.mode&0o200 == 0 {
		return e.file.refuse("it is marked as read-only")
	}
	return nil
}

// apply puts the settings in, or removes them.
func (e *edit) apply(remove, force bool) (err error) {
	e.want = e.file.config
	for i := range e.settings {
		s, change := e.settings[i], setting.put
		if remove { // the last one first, because it may lie in an object that the first one made
			s, change = e.settings[len(e.settings)-1-i], setting.remove
		}
		if e.want, err = change(s, e.format, e.want, force); err != nil {
			return err
		}
	}
	return nil
}

func (opt *Options) hint(p place, changed bool) string {
	switch {
	case opt.DryRun && changed:
		return "this is what would be done; nothing was written"
	case !changed && opt.Remove:
		return "there was nothing of Arbor's to take out"
	case !changed:
		return "it is set up already"
	case opt.Remove:
		return "running sessions keep the server until they end"
	}
	return p.hint
}
