// Package setup puts Arbor's MCP server, and hooks, into the configuration files of the programs that assistants run in
// ("clients"), takes them out again, and answers the hooks.
//
// Configuration files belong to people. Run changes no byte of them besides Arbor's own entries; a file that it cannot
// edit that way is left alone. Hook never stops a person's work.
package setup

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"arbor/engine"
)

// Options say what Run does.
type Options struct {
	Client  string              // one of Clients
	Scope   string              // Project or User; "" is the client's default
	Project string              // absolute path. An entry of scope User names it; with "" it is for whatever project is open
	Home    string              // the person's home folder, an absolute path
	Getenv  func(string) string // returns an environment variable
	GOOS    string              // the system whose paths are meant; "" is this one
	Command string              // how the client starts arbor; "" is arbor, found by PATH
	Args    []string            // further arguments of arbor mcp, such as --profile worker
	Hooks   bool                // write the hooks as well, where the client has them; Remove always removes them
	Remove  bool                // take Arbor's entries out
	Force   bool                // also replace or remove an entry with something in it that set-up does not write
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
// INVALID_CONTENT for a file that cannot be edited or whose entry set-up has not written; CONFLICT if another program
// changed the file meanwhile. Nothing was changed then, unless the error names a file that was.
func Run(opt Options) (*Result, error) {
	p, err := placeOf(opt.Client, opt.Scope)
	if err != nil {
		return nil, err
	}
	files, err := opt.files(p)
	if err != nil {
		return nil, err
	}
	res := &Result{Client: p.client, Scope: p.scope, DryRun: opt.DryRun, Files: []FileResult{}, Hint: p.hint}
	for _, f := range files {
		if err := f.read(); err != nil {
			return nil, err
		}
		if err := f.apply(p.format, opt.Remove, opt.Force); err != nil {
			return nil, err
		}
		r := FileResult{Path: f.path, Changed: f.changed()}
		r.Made, r.Removed = r.Changed && f.text == "", r.Changed && f.want == ""
		if opt.DryRun {
			before, after := append([]byte(nil), f.text...), append([]byte(nil), f.want...) // nil for no file
			r.Diff = engine.UnifiedDiff(filepath.ToSlash(f.shown), before, after)
		}
		res.Files = append(res.Files, r)
		res.Changed = res.Changed || r.Changed
	}
	switch {
	case opt.DryRun && res.Changed:
		res.Hint = "this is what would be done; nothing was written"
	case !res.Changed && opt.Remove:
		res.Hint = "there was nothing of Arbor's to take out"
	case !res.Changed:
		res.Hint = "it is set up already"
	case opt.Remove:
		res.Hint = "running sessions keep the server until they end"
	}
	if opt.DryRun {
		return res, nil
	}
	for _, f := range files {
		if err := f.commit(); err != nil {
			return nil, err
		}
	}
	return res, nil
}

// files returns the files of a place with the settings that they get or lose.
func (opt *Options) files(p place) ([]*file, error) {
	opt.Command = cmp.Or(opt.Command, ServerName)
	opt.GOOS = cmp.Or(opt.GOOS, runtime.GOOS)
	switch {
	case opt.Hooks && p.hooks == nil && !opt.Remove:
		return nil, engine.Fail(engine.InvalidParams, "hooks: %s has none that Arbor knows; claude-code has", p.title)
	case p.scope == Project && filepath.IsAbs(opt.Command):
		return nil, engine.Fail(engine.InvalidParams, "command %s: the configuration of a project is for everybody who works on it, "+
			"and names no path of one machine; use the scope %s, or %s by PATH", opt.Command, User, ServerName)
	}
	server, err := opt.server(p)
	if err != nil {
		return nil, err
	}
	path, err := opt.locate(p.file)
	if err != nil {
		return nil, err
	}
	files := []*file{opt.fileAt(p.scope, path, server)}
	if p.hooks == nil || !opt.Hooks && !opt.Remove {
		return files, nil
	}
	if path, err = opt.locate(p.hooks); err != nil {
		return nil, err
	}
	hooks := opt.hookSettings()
	if opt.Remove { // the last one first, because it may lie in an object that the first one made
		slices.Reverse(hooks)
	}
	if data, err := os.ReadFile(path); opt.Hooks || err == nil && strings.Contains(string(data), ServerName) {
		files = append(files, opt.fileAt(p.scope, path, hooks...))
	}
	return files, nil
}

// apply puts the settings into what the file is to be, or removes them.
func (f *file) apply(form format, remove, force bool) (err error) {
	f.want = f.text
	for _, s := range f.settings {
		if f.want, err = s.put(form, f.want, remove, force); err != nil {
			return f.fail(engine.InvalidContent, "%v", err)
		}
	}
	if f.changed() && f.mode&0o200 == 0 {
		return f.fail(engine.InvalidPath, ": it is marked as read-only")
	}
	return nil
}
