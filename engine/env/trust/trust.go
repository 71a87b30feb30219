// Package trust keeps the decisions of this machine's person about environments, tools and calls. They are outside of
// every vault, so that nothing that comes with a folder counts as trust.
package trust

import (
	"bytes"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"time"

	"arbor/engine/env"
	"arbor/engine/errs"
)

// How long decisions and requests are valid.
const (
	approvalLasts = 10 * time.Minute // how long an unused approval or denial stays
	requestLasts  = 24 * time.Hour   // how long an unanswered request stays
	maxRequests   = 200
)

// A Book holds a person's decisions about one vault.
type Book struct {
	Vault        string            `json:"vault"` // its folder, without links
	Environments []Trusted         `json:"environments,omitempty"`
	Machine      []env.Environment `json:"machine,omitempty"` // environments outside of the project: of this machine alone
	Tools        []ApprovedTool    `json:"tools,omitempty"`
	Requests     []Request         `json:"requests,omitempty"`
	Grants       []Grant           `json:"grants,omitempty"`
	// if this machine serves a folder: its tokens, by server address
	Servers map[string]string `json:"servers,omitempty"`
	Clients []Client          `json:"clients,omitempty"` // clients that may connect
	Page    *Page             `json:"page,omitempty"`    // of the running server
	Tabs    []Tab             `json:"tabs,omitempty"`
	Port    int               `json:"port,omitempty"` // the vault's own, for its server
	// questions, problems and nodes in validation that wait for this person, as the vault's server counted them last
	Waits int `json:"waits,omitempty"`

	Deciders []string `json:"deciders,omitempty"` // ids of the persons who may decide through a server what programs may do
}

// A Trusted is an environment as a person saw it when they said that tools may run there.
type Trusted struct {
	ID    string    `json:"id"`
	URI   string    `json:"uri"`
	Root  string    `json:"root,omitempty"` // the folder, without links; "" on a client
	Trust env.Level `json:"trust"`
	Tools []string  `json:"tools,omitempty"`
	At    Moment    `json:"at"`
}

// An ApprovedTool is the exact definition of a tool that a person let run, and the program in the root that it runs.
type ApprovedTool struct {
	Environment string `json:"environment"`
	Name        string `json:"name"`
	Digest      string `json:"digest"`               // of the definition
	Program     string `json:"program,omitempty"`    // SHA-256 of the files of the root that it names, with their paths; "" for none
	Unconfined  bool   `json:"unconfined,omitempty"` // even if nothing confines it
	At          Moment `json:"at"`
}

// Level returns how far an environment is trusted. It is trusted as long as it has the id, URI, trust and tools that a
// person saw, and its root is the same folder.
func (b *Book) Level(e env.Environment, root string) (env.Level, bool) {
	for _, t := range b.Environments {
		if t.ID == e.ID && t.URI == e.URI && t.Trust == e.Trust && t.Root == root && slices.Equal(t.Tools, e.Tools) {
			return t.Trust, true
		}
	}
	return "", false
}

// Trust notes that a person lets tools run in an environment in its present form. If only its list of tools has
// changed, earlier approvals, grants and requests stay valid for the tools that it still lists.
func (b *Book) Trust(e env.Environment, root string, at time.Time) {
	b.Requests = slices.DeleteFunc(b.Requests, func(r Request) bool { return r.Kind == KindRegister && r.State == Open && r.Environment == e.ID })
	gone := func(tool string) bool { return len(e.Tools) > 0 && !slices.Contains(e.Tools, tool) }
	if !slices.ContainsFunc(b.Environments, func(t Trusted) bool {
		return t.ID == e.ID && t.URI == e.URI && t.Root == root && t.Trust == e.Trust
	}) {
		gone = func(string) bool { return true }
	}
	b.distrust(e.ID, gone)
	b.Environments = append(b.Environments, Trusted{e.ID, e.URI, root, e.Trust, e.Tools, momentOf(at)})
}

// Distrust takes the trust in an environment back, with all that was granted there.
func (b *Book) Distrust(id string) { b.distrust(id, func(string) bool { return true }) }

// distrust takes the trust in an environment back, with all that was granted there for the tools that are gone.
func (b *Book) distrust(id string, gone func(tool string) bool) {
	b.Environments = slices.DeleteFunc(b.Environments, func(t Trusted) bool { return t.ID == id })
	b.Tools = slices.DeleteFunc(b.Tools, func(t ApprovedTool) bool { return t.Environment == id && gone(t.Name) })
	b.Grants = slices.DeleteFunc(b.Grants, func(g Grant) bool { return g.Environment == id && gone(g.Tool) })
	b.Requests = slices.DeleteFunc(b.Requests, func(r Request) bool {
		return r.Environment == id && r.Kind != KindRegister && gone(r.Tool)
	})
}

// Approved reports whether a person let exactly this definition run with exactly this program.
func (b *Book) Approved(t ApprovedTool) bool {
	return slices.ContainsFunc(b.Tools, func(a ApprovedTool) bool {
		return a.Environment == t.Environment && a.Name == t.Name && a.Digest == t.Digest && a.Program == t.Program && (a.Unconfined || !t.Unconfined)
	})
}

// Approve records that a person allows a definition to run.
func (b *Book) Approve(t ApprovedTool) {
	b.Tools = slices.DeleteFunc(b.Tools, func(a ApprovedTool) bool { return a.Environment == t.Environment && a.Name == t.Name })
	b.Tools = append(b.Tools, t)
}

// A Call is exactly what an approval allows.
type Call struct {
	Session     string          `json:"session"`
	Environment string          `json:"environment"`
	Tool        string          `json:"tool"`
	Arguments   json.RawMessage `json:"arguments,omitempty"`
	Path        string          `json:"path,omitempty"` // the file that would change; "" for a command
	// the version of that file; for a command, the SHA-256 of the files in the root that it names
	Version string `json:"version,omitempty"`
}

// same reports whether two calls are one: their arguments are the same values.
func (c Call) same(d Call) bool {
	return c.Session == d.Session && c.Environment == d.Environment && c.Tool == d.Tool && c.Path == d.Path &&
		c.Version == d.Version && bytes.Equal(canonical(c.Arguments), canonical(d.Arguments))
}

// canonical returns JSON with sorted keys and without blanks. Text that is no JSON is returned unchanged.
func canonical(raw json.RawMessage) []byte {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil || d.More() {
		return raw
	}
	out, err := json.Marshal(v)
	if err != nil {
		return raw
	}
	return out
}

// The kinds of requests.
const (
	KindCall     = "call"     // one call
	KindTool     = "tool"     // that a definition may run: see Request.Definition
	KindRegister = "register" // trust in an environment
	KindAccess   = "access"   // that a session may use an environment
)

// The states of a request.
const (
	Open     = "open"
	Approved = "approved"
	Denied   = "denied"
)

// A Request is a question to the person of this machine.
type Request struct {
	ID   string `json:"id"`
	Kind string `json:"kind"`
	Call
	Reason     string           `json:"reason,omitempty"`     // why the caller wants it, in its own words
	Diff       string           `json:"diff,omitempty"`       // the change as a diff
	Definition *ApprovedTool    `json:"definition,omitempty"` // of KindTool
	Subject    *env.Environment `json:"subject,omitempty"`    // of KindRegister
	Root       string           `json:"root,omitempty"`       // of KindRegister: the folder, without links
	Asked      Moment           `json:"asked"`
	State      string           `json:"state"`
	Decided    Moment           `json:"decided,omitempty"`
	By         string           `json:"by,omitempty"` // how the person decided: at the command line, on the page, in the client
}

// over reports whether a request has expired.
func (r Request) over(now time.Time) bool {
	if r.State == Open {
		return now.Sub(r.Asked.Time()) > requestLasts
	}
	return now.Sub(r.Decided.Time()) > approvalLasts
}

// A Grant lets calls of a tool run without a question.
type Grant struct {
	ID          string          `json:"id"`
	Session     string          `json:"session,omitempty"` // "" for every session
	Environment string          `json:"environment"`
	Tool        string          `json:"tool"`
	Glob        string          `json:"glob,omitempty"`      // of the paths
	Arguments   json.RawMessage `json:"arguments,omitempty"` // for a tool that changes no file itself: exact arguments
	Version     string          `json:"version,omitempty"`   // and the files that they name, as they were
	At          Moment          `json:"at"`
}

// covers reports whether a grant is of a call.
func (g Grant) covers(c Call) bool {
	if g.Session != "" && g.Session != c.Session || g.Environment != c.Environment || g.Tool != c.Tool {
		return false
	}
	if c.Path == "" || g.Glob == "" {
		return c.Path == "" && g.Glob == "" && g.Version == c.Version && bytes.Equal(canonical(g.Arguments), canonical(c.Arguments))
	}
	return globbed(strings.Split(g.Glob, "/"), strings.Split(c.Path, "/"))
}

// globbed reports whether a path, in parts, matches a pattern, in which ** stands for any number of folders.
func globbed(pattern, parts []string) bool {
	switch {
	case len(pattern) == 0:
		return len(parts) == 0
	case pattern[0] == "**":
		return globbed(pattern[1:], parts) || len(parts) > 0 && globbed(pattern, parts[1:])
	case len(parts) == 0:
		return false
	}
	ok, err := path.Match(pattern[0], parts[0])
	return ok && err == nil && globbed(pattern[1:], parts[1:])
}

// Ask notes a request. If the same request is open already, Ask returns that one.
func (b *Book) Ask(now time.Time, r Request, id string) Request {
	b.Tidy(now)
	for _, q := range b.Requests {
		if q.Kind == r.Kind && q.same(r.Call) && q.State == Open && q.sameSubject(r) {
			return q
		}
	}
	r.ID, r.Asked, r.State = id, momentOf(now), Open
	b.Requests = append(b.Requests, r)
	if more := len(b.Requests) - maxRequests; more > 0 {
		b.Requests = slices.Delete(b.Requests, 0, more)
	}
	return r
}

// Declined reports whether a person has recently refused a request, which is then not asked again for a while.
func (b *Book) Declined(now time.Time, r Request) bool {
	b.Tidy(now)
	return slices.ContainsFunc(b.Requests, func(q Request) bool {
		return q.Kind == r.Kind && q.same(r.Call) && q.State == Denied && q.sameSubject(r)
	})
}

// Withdraw removes an unanswered request.
func (b *Book) Withdraw(id string) {
	b.Requests = slices.DeleteFunc(b.Requests, func(r Request) bool { return r.ID == id && r.State == Open })
}

// sameSubject reports whether two questions are about the same definition and environment.
func (r Request) sameSubject(o Request) bool {
	x, err := json.Marshal([]any{r.Definition, r.Subject, r.Root})
	y, err2 := json.Marshal([]any{o.Definition, o.Subject, o.Root})
	return err == nil && err2 == nil && bytes.Equal(x, y)
}

// Tidy drops requests and approvals that have expired.
func (b *Book) Tidy(now time.Time) {
	b.Requests = slices.DeleteFunc(b.Requests, func(r Request) bool { return r.over(now) })
}

// Pending returns the questions that wait for an answer, the oldest first.
func (b *Book) Pending(now time.Time) (all []Request) {
	for _, r := range b.Requests {
		if r.State == Open && !r.over(now) {
			all = append(all, r)
		}
	}
	return all
}

// The scopes of an answer.
const (
	Once       = "once"
	ForSession = "session"
	Always     = "always"
)

// A Decision is the answer of a person.
type Decision struct {
	Allow bool
	Scope string // Once, ForSession or Always
	Glob  string // of a grant: the paths; "" is the path of the request itself
	By    string
}

// GrantOf returns the grant that a decision makes besides approving the call; nil for none.
func GrantOf(r Request, d Decision) *Grant {
	if !d.Allow || d.Scope == Once || d.Scope == "" || r.Kind != KindCall {
		return nil
	}
	g := &Grant{Environment: r.Environment, Tool: r.Tool}
	if d.Scope == ForSession {
		g.Session = r.Session
	}
	switch {
	case r.Path == "":
		g.Arguments, g.Version = r.Arguments, r.Version
	case d.Glob == "":
		g.Glob = escape.Replace(r.Path)
	default:
		g.Glob = d.Glob
	}
	return g
}

var escape = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// Decide notes the answer to a question, which is open, and what follows from it. The id is that of a grant.
func (b *Book) Decide(now time.Time, id string, d Decision, grant string) (Request, error) {
	b.Tidy(now)
	i := slices.IndexFunc(b.Requests, func(r Request) bool { return r.ID == id })
	switch {
	case i < 0:
		return Request{}, errs.New(errs.RequestNotFound, "%s: no request waits under this id; it may be too "+
			"old. arbor env approve lists what waits", id)
	case b.Requests[i].State != Open:
		return Request{}, errs.New(errs.RequestNotFound, "%s: it is %s already", id, b.Requests[i].State)
	}
	r := &b.Requests[i]
	if d.Glob != "" && !validGlob(d.Glob) {
		return Request{}, errs.New(errs.InvalidParams, "%q is no pattern of paths below the environment, as src/**/*.go", d.Glob)
	}
	r.State, r.Decided, r.By = Denied, momentOf(now), d.By
	out := *r
	if !d.Allow {
		return out, nil
	}
	r.State = Approved
	out.State = Approved
	if g := GrantOf(out, d); g != nil {
		g.ID, g.At = grant, momentOf(now)
		b.Grants = append(b.Grants, *g)
	}
	switch r.Kind {
	case KindTool:
		approved := *r.Definition
		approved.At = momentOf(now)
		b.Approve(approved)
	case KindRegister, KindAccess:
		b.Trust(*r.Subject, r.Root, now)
	}
	return out, nil
}

func validGlob(glob string) bool {
	for part := range strings.SplitSeq(glob, "/") {
		if _, err := path.Match(part, ""); err != nil || part == "" || part == "." || part == ".." {
			return false
		}
	}
	return true
}

// Revoke takes a grant back.
func (b *Book) Revoke(id string) error {
	n := len(b.Grants)
	b.Grants = slices.DeleteFunc(b.Grants, func(g Grant) bool { return g.ID == id })
	if len(b.Grants) == n {
		return errs.New(errs.RequestNotFound, "%s: no grant has this id; arbor env grants lists them", id)
	}
	return nil
}

// Spend returns the decision about a call: that of a grant, or of an approval, which it uses up, or of a denial; by
// says which. If state is "", there is none, and a person must be asked.
func (b *Book) Spend(now time.Time, c Call) (state, by string) {
	b.Tidy(now)
	if i := slices.IndexFunc(b.Grants, func(g Grant) bool { return g.covers(c) }); i >= 0 {
		return Approved, "under the grant " + b.Grants[i].ID
	}
	for i, r := range b.Requests {
		if r.Kind == KindCall && r.State != Open && r.same(c) {
			if r.State == Approved {
				b.Requests = slices.Delete(b.Requests, i, i+1)
			}
			return r.State, "approved as " + r.ID
		}
	}
	return "", ""
}
