// Package setup puts Arbor's MCP server, and hooks, into the configuration files of clients, the programs that
// assistants run in; takes them out again; and answers the hooks.
//
// Configuration files belong to people. Run changes no byte of them besides Arbor's own entries, and leaves a file
// alone that it cannot edit that way. Hook never stops a person's work.
package setup

import (
	"cmp"
	"errors"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/mdstore/guard"
)

// Options say what Run does.
type Options struct {
	Client  string              // one of Clients
	Scope   string              // Project or User; "" is the client's default
	Project string              // absolute path; an entry of scope User names it. "" is any project that is open
	Home    string              // the person's home folder, an absolute path
	Getenv  func(string) string // returns an environment variable
	GOOS    string              // the system whose paths to use; "" is this one
	Command string              // how the client starts arbor; "" is Program, or arbor, found by PATH
	Program string              // the absolute path of arbor if it is not on the PATH; "" if it is
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

// Run sets a client up, or undoes that. A second run changes nothing.
//
// Everything else in a file keeps its bytes: comments, order, layout, line ends, a byte order mark. Remove gives back
// the bytes from before the set-up and deletes a file that set-up made, unless the set-up was edited since. An object
// or list that is empty then stays if the layout does not show that set-up made it.
//
// The error is an *errs.Error: INVALID_PARAMS; INVALID_PATH for a path that is not a regular file or cannot be read or
// written; INVALID_CONTENT for a file that cannot be edited or whose entry set-up has not written; CONFLICT if another
// program changed the file meanwhile. Such a file was not changed.
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
		if err := f.apply(opt.Remove, opt.Force); err != nil {
			return nil, err
		}
		changed := f.changed()
		r := FileResult{Path: f.path, Changed: changed, Made: changed && f.text == "", Removed: changed && f.want == ""}
		if opt.DryRun {
			before, after := append([]byte(nil), f.text...), append([]byte(nil), f.want...) // nil for no file
			r.Diff = plan.UnifiedDiff(filepath.ToSlash(f.shown), before, after)
		}
		res.Files = append(res.Files, r)
		res.Changed = res.Changed || r.Changed
	}
	switch {
	case opt.DryRun && res.Changed:
		res.Hint = "this is a preview; nothing was written"
	case !res.Changed && opt.Remove:
		res.Hint = "Arbor was not in it; nothing was removed"
	case !res.Changed:
		res.Hint = "it is set up already"
	case opt.Remove && p.whole != nil:
		res.Hint = "it is gone with the next start of " + p.title
	case opt.Remove:
		res.Hint = "running sessions keep the server until they end"
	}
	if res.Changed && !opt.Remove && opt.Command == opt.Program && p.client != "obsidian" {
		note := "the PATH does not lead to this arbor, so the entry names " + opt.Program
		if p.scope == Project {
			note += ", which other machines do not have: do not commit it"
		}
		res.Hint = note + "; " + res.Hint
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
	given := opt.Command
	opt.Command = cmp.Or(given, opt.Program, ServerName)
	opt.GOOS = cmp.Or(opt.GOOS, runtime.GOOS)
	switch {
	case opt.Hooks && p.hooks == nil && !opt.Remove:
		return nil, errs.New(errs.InvalidParams, "hooks: %s has none that Arbor knows; %s have", p.title,
			strings.Join(HookClients(), ", "))
	case p.scope == Project && filepath.IsAbs(given):
		return nil, errs.New(errs.InvalidParams, "command %s: the configuration of a project is for everybody "+
			"who works on it, and names no path of one machine; use the scope %s, or %s by PATH", given, User, ServerName)
	case p.needsProject && opt.Project == "":
		return nil, errs.New(errs.InvalidPath, "%s knows no folder of a project; name the project (-C)", p.title)
	}
	if p.client == Agents {
		return opt.agentsOf()
	}
	if p.whole != nil {
		return opt.wholeOf(p)
	}
	path, err := opt.locate(p.file)
	if err != nil {
		return nil, err
	}
	server := opt.fileAt(p.scope, path, opt.serverSetting(p))
	files := []*file{server}
	if p.hooks == nil || !opt.Hooks && !opt.Remove {
		return files, nil
	}
	if path, err = opt.locate(p.hooks); err != nil {
		return nil, err
	}
	hooks := opt.hookSettings(p.client)
	data, err := guard.ReadFile(filepath.Dir(path), filepath.Base(path), mostBytes)
	refused := err != nil && !errors.Is(err, fs.ErrNotExist) // reading the file again reports this error
	switch {
	case path == server.path:
		server.settings = append(server.settings, hooks...)
	case opt.Hooks || refused || strings.Contains(string(data), ServerName):
		f := opt.fileAt(p.scope, path, hooks...)
		f.blank = p.blank
		files = append(files, f)
	}
	if opt.Remove { // the last one first, because it may lie in an object that the first one made
		for _, f := range files {
			slices.Reverse(f.settings)
		}
	}
	return files, nil
}

// apply makes the new text of the file: with what it gets, or without it if remove.
func (f *file) apply(remove, force bool) (err error) {
	f.want = f.text
	if !remove && strings.Trim(f.text, white) == "" {
		f.want = f.blank + f.text
	}
	if f.section {
		if f.want, err = putSection(f.want, remove, force); err != nil {
			return f.fail(errs.InvalidContent, "%v", err)
		}
	}
	if f.whole != "" {
		if f.want, err = putWhole(f.text, f.whole, remove, force); err != nil {
			return f.fail(errs.InvalidContent, "%v", err)
		}
	}
	for _, s := range f.settings {
		if f.want, err = s.put(f.want, remove, force); err != nil {
			return f.fail(errs.InvalidContent, "%v", err)
		}
	}
	if remove && f.changed() && f.want == f.blank {
		f.want = ""
	}
	if f.changed() && f.mode&0o200 == 0 {
		return f.fail(errs.InvalidPath, ": it is marked as read-only")
	}
	return nil
}
