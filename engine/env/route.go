package env

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

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

// Route returns the place that a call of a tool goes to. A call that names an environment goes there or fails: it never
// falls through to another one. A call that names none goes to the primary place if that has the tool, else to the
// first place that has it, in the order of attachment.
func Route(places []*Place, tool, named string) (*Place, Tool, error) {
	if named != "" {
		i := slices.IndexFunc(places, func(p *Place) bool { return p.ID == named })
		if i < 0 {
			return nil, Tool{}, errs.New(errs.EnvironmentNotFound, "%s: the session has no environment of this "+
				"name; attached: %s ({env_attach} adds one)",
				named, ids(places))
		}
		p := places[i]
		t, ok := p.Tool(tool)
		if ok || p.Status == Missing {
			return p, t, p.usable()
		}
		return nil, Tool{}, errs.New(errs.ToolNotFound, "%s: the environment %s has no such tool%s; it has %s",
			tool, named, Lacking([]*Place{p}, tool), names(p.Has))
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
		if t, ok := p.Tool(tool); ok {
			return p, t, p.usable()
		}
	}
	return nil, Tool{}, errs.New(errs.ToolNotFound, "%s: no environment of the session has such a tool%s; "+
		"{tool_list} shows those there are", tool, Lacking(ordered, tool))
}

// usable returns an error if no tool can run in the place now.
func (p *Place) usable() error {
	switch p.Status {
	case Missing:
		return errs.New(errs.EnvironmentMissing, "%s: %s is not there now; {env_restore} looks again", p.ID, p.URI)
	case Untrusted:
		return errs.New(errs.EnvironmentUntrusted, "%s: no person of this machine lets tools run in %s; arbor env trust %s does", p.ID, p.URI, p.ID)
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

// A Loop counts how often in a row a session made the same call and got the same result.
type Loop struct {
	key  string
	last []byte
	n    int
}

// MaxSame is how often in a row the same call may have the same result.
const MaxSame = 4

// Stuck reports whether a call repeats the last MaxSame calls, all of which had the same result.
func (l *Loop) Stuck(environment, tool string, args json.RawMessage) bool {
	return l.n >= MaxSame && l.key == loopKey(environment, tool, args)
}

// Ran notes the result of a call.
func (l *Loop) Ran(environment, tool string, args json.RawMessage, result []byte) {
	key := loopKey(environment, tool, args)
	if key != l.key || !bytes.Equal(result, l.last) {
		l.key, l.last, l.n = key, bytes.Clone(result), 0
	}
	l.n++
}

func loopKey(environment, tool string, args json.RawMessage) string {
	var v any
	if json.Unmarshal(args, &v) == nil {
		args, _ = json.Marshal(v)
	}
	return fmt.Sprintf("%q %q %s", environment, tool, args)
}

// A CallLog has the calls that a server remembers for its sessions, as long as it runs. A nil CallLog remembers
// nothing. Its methods may be called by several goroutines at once.
type CallLog struct {
	mu    sync.Mutex
	loops map[string]*Loop
	seen  map[[3]string]string // the version of a file, by session, environment and path
}

const maxSeen = 10_000 // entries of Memory.seen; when it is full, Show empties it first

func (m *CallLog) loop(session string) *Loop {
	if m.loops == nil {
		m.loops = map[string]*Loop{}
	}
	if m.loops[session] == nil {
		m.loops[session] = &Loop{}
	}
	return m.loops[session]
}

// Stuck is Loop.Stuck of a session.
func (m *CallLog) Stuck(session, environment, tool string, args json.RawMessage) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.loop(session).Stuck(environment, tool, args)
}

// Ran is Loop.Ran of a session.
func (m *CallLog) Ran(session, environment, tool string, args json.RawMessage, result []byte) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.loop(session).Ran(environment, tool, args, result)
}

// Show notes that a session knows a version of a file.
func (m *CallLog) Show(session, environment, path, version string) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.seen == nil || len(m.seen) >= maxSeen {
		m.seen = map[[3]string]string{}
	}
	m.seen[[3]string{session, environment, path}] = version
}

// Saw reports whether a session knows this version of a file.
func (m *CallLog) Saw(session, environment, path, version string) bool {
	if m == nil {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.seen[[3]string{session, environment, path}] == version
}
