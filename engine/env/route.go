package env

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"arbor/engine/errs"
)

// A Place is an environment as a session sees it.
type Place struct {
	Environment
	Level   Level // how far a person of this machine trusts it; "" if Status is Untrusted
	Status  Status
	Root    string // the folder, without links; "" on a client
	Primary bool   // it is the session's own
	Has     []Tool // the tools that it offers to the session, built-in ones and its own
	Lacks   []Lack // the tools that it does not offer although a file defines them
}

// A Lack is a tool that a file defines and that a place does not offer.
type Lack struct {
	Tool string
	File string // that defines it: a path of the vault, or ToolsFile
	Why  string
	Told bool // check reports the problem of the file even without the definition
}

// Lacking returns why places do not offer a tool, to append to a text: "; FILE defines it, but …"; "" if no file from
// which they could have it defines it.
func Lacking(places []*Place, tool string) string {
	for _, p := range places {
		for _, l := range p.Lacks {
			if l.Tool == tool {
				return fmt.Sprintf("; %s defines it, but %s", l.File, l.Why)
			}
		}
	}
	return ""
}

// Tool returns the tool of this name, and whether the place has it.
func (p *Place) Tool(name string) (Tool, bool) {
	i := slices.IndexFunc(p.Has, func(t Tool) bool { return t.Name == name })
	if i < 0 {
		return Tool{}, false
	}
	return p.Has[i], true
}

// NotesDir is the folder of a session that its own environment shows.
const NotesDir = "Notes"

// A Target is what a call is about: the tool, the environment that it names, and the path of a tool for files.
type Target struct {
	Tool        string
	Environment string // "" for none
	Path        string // as the call gives it
	// Exists reports whether a place has a file or folder at the path.
	Exists func(*Place) bool
}

// files reports whether the target is one of the tools for files, which all environments have.
func (t Target) files() bool {
	return slices.ContainsFunc(BuiltIn(), func(b Tool) bool { return b.Name == t.Tool })
}

// Route returns the place that a call goes to. A call that names an environment goes there or fails: it never falls
// through to another one. Of those that name none:
//
//   - A program runs in the primary place if that has it, else in the first place that has it, in the order of
//     attachment.
//   - A path in Notes is of the primary place. Any other is of the attached place, or, with several, of the only one in
//     which it exists; if there is none such, the call is refused. Without an attached place, it is of the primary one.
func Route(places []*Place, t Target) (*Place, Tool, error) {
	switch {
	case t.Environment != "":
		return routeNamed(places, t)
	case t.files():
		return routeFile(places, t)
	}
	ordered := slices.Clone(places)
	slices.SortStableFunc(ordered, func(a, b *Place) int {
		switch {
		case a.Primary == b.Primary:
			return 0
		case a.Primary:
			return -1
		}
		return 1
	})
	for _, p := range ordered {
		if has, ok := p.Tool(t.Tool); ok {
			return p, has, p.usable()
		}
	}
	return nil, Tool{}, errs.New(errs.ToolNotFound, "%s: no environment of the session has such a tool%s; "+
		"{tool_list} shows those there are", t.Tool, Lacking(ordered, t.Tool))
}

func routeNamed(places []*Place, t Target) (*Place, Tool, error) {
	i := slices.IndexFunc(places, func(p *Place) bool { return p.ID == t.Environment })
	if i < 0 {
		return nil, Tool{}, errs.New(errs.EnvironmentNotFound, "%s: the session has no environment of this "+
			"name; attached: %s ({env_attach} adds one)",
			t.Environment, ids(places))
	}
	p := places[i]
	has, ok := p.Tool(t.Tool)
	if ok || p.Status == Missing {
		return p, has, p.usable()
	}
	return nil, Tool{}, errs.New(errs.ToolNotFound, "%s: the environment %s has no such tool%s; it has %s",
		t.Tool, t.Environment, Lacking([]*Place{p}, t.Tool), names(p.Has))
}

func routeFile(places []*Place, t Target) (*Place, Tool, error) {
	own, attached := filesOf(places, t.Tool)
	inNotes := t.Path != "" && strings.HasPrefix(path.Clean(t.Path)+"/", NotesDir+"/")
	if own != nil && (inNotes || len(places) == 1) {
		attached = []*Place{own}
	} else if len(attached) > 1 {
		there := slices.DeleteFunc(slices.Clone(attached), func(p *Place) bool { return p.Status != Active || !t.Exists(p) })
		if len(there) != 1 {
			what := fmt.Sprintf("%q exists in none of %s", t.Path, ids(attached))
			if len(there) > 1 {
				what = fmt.Sprintf("%q exists in each of %s", path.Clean(t.Path), ids(there))
			}
			return nil, Tool{}, errs.New(errs.EnvironmentNotFound, "%s: several environments are attached, and %s; "+
				"name one in {.environment}", t.Tool, what)
		}
		attached = there
	}
	if len(attached) == 0 {
		return nil, Tool{}, errs.New(errs.ToolNotFound, "%s: no environment of the session has such a tool%s; "+
			"{tool_list} shows those there are", t.Tool, Lacking(places, t.Tool))
	}
	has, _ := attached[0].Tool(t.Tool)
	return attached[0], has, attached[0].usable()
}

// filesOf returns the primary place, nil if there is none, and the attached places that have a tool for files, or may
// have it once they are there again.
func filesOf(places []*Place, tool string) (own *Place, attached []*Place) {
	for _, p := range places {
		if _, ok := p.Tool(tool); p.Primary {
			own = p
		} else if ok || p.Status == Missing {
			attached = append(attached, p)
		}
	}
	return own, attached
}

// Taken returns the ids of the environments that take the calls of a tool that name none, as things are now. They are
// several for a tool for files whose path decides.
func Taken(places []*Place, tool string) (taken []string) {
	t := Target{Tool: tool}
	if !t.files() {
		if p, _, err := Route(places, t); err == nil {
			taken = append(taken, p.ID)
		}
		return taken
	}
	own, attached := filesOf(places, tool)
	if own != nil && len(places) == 1 {
		attached = places
	}
	for _, p := range attached {
		if p.usable() == nil {
			taken = append(taken, p.ID)
		}
	}
	return taken
}

// usable returns an error if no tool can run in the place now.
func (p *Place) usable() error {
	switch p.Status {
	case Missing:
		return errs.New(errs.EnvironmentMissing, "%s: %s is not there now; {env_restore} looks again", p.ID, p.URI)
	case Untrusted:
		return errs.New(errs.EnvironmentUntrusted, "%s: a person has to trust %s first, at a terminal: arbor env trust %[1]s",
			p.ID, p.URI)
	}
	return nil
}

func ids(places []*Place) string {
	var all []string
	for _, p := range places {
		all = append(all, p.ID)
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}

func names(tools []Tool) string {
	var all []string
	for _, t := range tools {
		all = append(all, t.Name)
	}
	if all == nil {
		return "none"
	}
	return strings.Join(all, ", ")
}

// A Verdict says whether a call runs.
type Verdict string

// The verdicts.
const (
	Run    Verdict = "run"
	Ask    Verdict = "ask" // a person is asked first
	Refuse Verdict = "refuse"
)

// Decide says whether a tool runs at a level of trust. For a tool with a command, a person must also have approved the
// definition, whatever Decide says: see Call.Run in package act.
func Decide(level Level, t Tool) Verdict {
	reads := t.ReadOnly
	switch {
	case level == ReadOnly && (!reads || t.Command != nil):
		return Refuse
	case level == Full && !t.Asks, level == ReadOnly, level == Restricted && reads && !t.Asks:
		return Run
	case level == Full, level == Restricted:
		return Ask
	}
	return Refuse
}
