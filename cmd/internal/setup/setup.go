package setup

import (
	"path/filepath"
	"runtime"

	"arbor/engine"
)

// A Setup puts Arbor's MCP server into the configuration of a client, or takes it out.
//
// What stands in the file stays as it is to the byte: comments, order, indentation, line ends, a byte order mark. Doing it again changes nothing. Taking it out
// gives back the bytes that were there before, and removes a file that set-up made, which is one whose content is exactly what set-up writes where there is no
// file, together with the folder where nothing else is in it; a file with anything else in it stays, if only with empty braces. An object that only holds Arbor's entry is removed with it, unless it was there
// before. That much holds for as long as nobody has changed the entry's surroundings meanwhile.
type Setup struct {
	Client  string              // one of Clients
	Scope   string              // Project or User; "" is the client's default
	Project string              // the project's folder, an absolute path. The entry of a person names it; "" makes one for whatever project is open
	Home    string              // the person's folder, an absolute path
	Getenv  func(string) string // nil: no variable is set
	GOOS    string              // the system whose places are meant; "" is this one
	Command string              // how the client is to start arbor; "" is arbor, found by PATH
	Args    []string            // further arguments of arbor mcp, as --profile worker
	Hooks   bool                // set up the hooks too, where the client has them; taking out takes them out in any case
	Remove  bool                // take out
	Force   bool                // replace or take out an entry that a person has changed
	DryRun  bool                // say what would be done, and do nothing
}

// A Result is what a Setup did, or would have.
type Result struct {
	Client  string       `json:"client"`
	Scope   string       `json:"scope"`
	Changed bool         `json:"changed"`
	DryRun  bool         `json:"dryRun,omitempty"`
	Files   []FileResult `json:"files"`
	Hint    string       `json:"hint"`
}

// A FileResult is what became of one file.
type FileResult struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Made    bool   `json:"made,omitempty"`    // there was none
	Removed bool   `json:"removed,omitempty"` // there is none now
	Diff    string `json:"diff,omitempty"`    // a unified diff, of a dry run
}

// Run does it. The error is an *engine.Error: INVALID_PARAMS, INVALID_PATH for a file that is none or a link, INVALID_CONTENT for one that cannot be edited or
// whose entry a person has changed, CONFLICT where another program changed it meanwhile. Nothing is changed then, unless the error names a file that is.
func (s Setup) Run() (*Result, error) {
	c, p, err := find(s.Client, s.Scope)
	if err != nil {
		return nil, err
	}
	jobs, err := s.jobs(c, p)
	if err != nil {
		return nil, err
	}
	res := &Result{Client: c.name, Scope: p.scope, DryRun: s.DryRun, Files: []FileResult{}}
	for i := range jobs {
		j := &jobs[i]
		if err := s.plan(j); err != nil {
			if j.aside && !j.file.mentions(ServerName) {
				j.keep, j.want = j.file.there, j.file.content
				continue
			}
			return nil, err
		}
		f := FileResult{Path: j.file.path, Changed: j.changed(), Made: !j.file.there && j.keep, Removed: j.file.there && !j.keep}
		if s.DryRun && f.Changed {
			f.Diff = j.diff()
		}
		res.Files, res.Changed = append(res.Files, f), res.Changed || f.Changed
	}
	res.Hint = s.hint(p, res.Changed)
	if s.DryRun {
		return res, nil
	}
	for i := range jobs {
		if err := s.commit(&jobs[i]); err != nil {
			return nil, after(jobs[:i], err)
		}
	}
	return res, nil
}

// A job is one file and what is to be in it.
type job struct {
	file  *file
	items []item
	aside bool // the file matters only where something of Arbor's is in it
	keep  bool // whether the file is to be there
	want  string
}

func (j *job) changed() bool { return j.keep != j.file.there || j.want != j.file.content }

func (j *job) diff() string {
	old, want := []byte(j.file.content), []byte(j.want)
	if !j.file.there {
		old = nil
	}
	if !j.keep {
		want = nil
	}
	return engine.UnifiedDiff(filepath.ToSlash(j.file.shown), old, want)
}

// jobs returns the files that are concerned.
func (s *Setup) jobs(c client, p place) ([]job, error) {
	if s.Command == "" {
		s.Command = ServerName
	}
	if s.Getenv == nil {
		s.Getenv = func(string) string { return "" }
	}
	if s.GOOS == "" {
		s.GOOS = runtime.GOOS
	}
	switch {
	case s.Hooks && p.hooks == nil && !s.Remove:
		return nil, engine.Fail(engine.InvalidParams, "hooks: %s has none that Arbor knows; claude-code has", c.title)
	case p.scope == Project && filepath.IsAbs(s.Command):
		return nil, engine.Fail(engine.InvalidParams, "command %s: the configuration of a project is for everybody who works on it, and names no path of one machine; use the scope %s, or %s by PATH", s.Command, User, ServerName)
	case s.Project != "" && !filepath.IsAbs(s.Project):
		return nil, engine.Fail(engine.InvalidPath, "project %s: an absolute path is expected", s.Project)
	}
	around := surroundings{project: s.Project, home: s.Home, getenv: s.Getenv, goos: s.GOOS}
	entry, err := s.server(c, p)
	if err != nil {
		return nil, err
	}
	path, err := p.file(around)
	if err != nil {
		return nil, err
	}
	jobs := []job{{file: s.at(p, path), items: []item{entry}}}
	if p.hooks != nil && (s.Hooks || s.Remove) {
		if path, err = p.hooks(around); err != nil {
			return nil, err
		}
		jobs = append(jobs, job{file: s.at(p, path), items: s.hookItems(), aside: !s.Hooks})
	}
	return jobs, nil
}

// plan reads a job's file and decides what is to become of it.
func (s *Setup) plan(j *job) error {
	err := j.file.read()
	if err != nil {
		return err
	}
	if s.Remove {
		j.want, j.keep, err = take(j.file.path, j.file.content, j.file.there, j.items, s.Force)
	} else {
		j.keep = true
		j.want, err = put(j.file.path, j.file.content, j.file.there, j.items, s.Force)
	}
	if err == nil && j.changed() && j.file.there && j.file.mode&0o200 == 0 {
		err = j.file.refuse("it is marked as read-only")
	}
	return err
}

func (s *Setup) hint(p place, changed bool) string {
	switch {
	case s.DryRun && changed:
		return "this is what would be done; nothing was written"
	case !changed && s.Remove:
		return "there was nothing of Arbor's to take out"
	case !changed:
		return "it is set up already"
	case s.Remove:
		return "running sessions keep the server until they end"
	}
	return p.hint
}
