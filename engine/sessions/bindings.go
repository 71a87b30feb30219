// Package sessions keeps the data of this machine's sessions: their bindings in sessions.json, and what each has seen.
package sessions

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/internal/nearest"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// A Binding makes a workspace, and a node of it, the default of a session.
type Binding struct {
	SessionID     string
	WorkspaceID   mdstore.ID
	FocusedNodeID mdstore.ID // the session's own focus; "" if the workspace's counts
	BoundAt       int64      // Unix milliseconds
}

// bindingJSON is a binding in the form of the file.
type bindingJSON struct {
	SessionID     string      `json:"sessionId"`
	WorkspaceID   mdstore.ID  `json:"workspaceId"`
	FocusedNodeID *mdstore.ID `json:"focusedNodeId"` // null for none
	BoundAt       int64       `json:"boundAt"`
}

// MarshalJSON implements json.Marshaler.
func (b Binding) MarshalJSON() ([]byte, error) {
	j := bindingJSON{SessionID: b.SessionID, WorkspaceID: b.WorkspaceID, BoundAt: b.BoundAt}
	if b.FocusedNodeID != "" {
		j.FocusedNodeID = &b.FocusedNodeID
	}
	return json.Marshal(j)
}

// UnmarshalJSON implements json.Unmarshaler.
func (b *Binding) UnmarshalJSON(data []byte) error {
	var j bindingJSON
	if err := json.Unmarshal(data, &j); err != nil {
		return err
	}
	*b = Binding{SessionID: j.SessionID, WorkspaceID: j.WorkspaceID, BoundAt: j.BoundAt}
	if j.FocusedNodeID != nil {
		b.FocusedNodeID = *j.FocusedNodeID
	}
	return nil
}

// Bindings is the content of sessions.json. Unknown members of it are kept.
type Bindings struct {
	rest     map[string]json.RawMessage
	bindings map[string]json.RawMessage
	version  mdstore.Version
	raw      []byte
	corrupt  error
}

// ReadBindings reads sessions.json. A damaged file is not an error: what can be read of it counts. See Corrupt.
func ReadBindings(ctx context.Context, st mdstore.Store) (*Bindings, error) {
	f, err := st.Read(ctx, mdstore.SessionsFile)
	s := &Bindings{version: f.Version, raw: f.Data}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return s, nil
	case err != nil:
		return nil, err
	}
	if s.corrupt = json.Unmarshal(f.Data, &s.rest); s.corrupt == nil {
		if b, ok := s.rest["bindings"]; ok {
			s.corrupt = json.Unmarshal(b, &s.bindings)
		}
	}
	if s.corrupt != nil {
		s.rest, s.bindings = nil, salvaged(f.Data)
	}
	return s, nil
}

// Get returns the binding of a session.
func (s *Bindings) Get(id string) (Binding, bool) {
	raw, ok := s.bindings[id]
	var b Binding
	if !ok || json.Unmarshal(raw, &b) != nil {
		return Binding{}, false
	}
	return b, true
}

var digits = pattern.Of("[0-9]+")

// Like returns the id with a binding that an id without one is probably meant to be: they differ in case, or in a
// letter or two. Ids that differ only in their digits are different ones. "" if there is none.
func (s *Bindings) Like(session string) (like string) {
	if _, ok := s.bindings[session]; ok {
		return ""
	}
	low := strings.ToLower(session)
	most := min(2, len(low)/4)
	letters := func(id string) string { return digits().ReplaceAllString(id, "0") }
	for _, id := range slices.Sorted(maps.Keys(s.bindings)) {
		other := strings.ToLower(id)
		slips := nearest.Distance(low, other)
		if slips == 0 || slips <= most && letters(other) != letters(low) {
			like, most = id, slips-1
		}
	}
	return like
}

// Whole reports whether the file is there and can be read.
func (s *Bindings) Whole() bool { return s.corrupt == nil && !s.version.IsZero() }

// Restore adds the bindings that a damaged or missing file lacks: each identifier is bound to the workspace that was
// created for it, the newest of several, unless a binding that can be read says otherwise.
func (s *Bindings) Restore(all []*mdstore.Workspace) error {
	restored := map[string]json.RawMessage{}
	for _, w := range all { // oldest first
		if ValidID(w.Identifier) != nil {
			continue
		}
		raw, err := json.Marshal(Binding{SessionID: w.Identifier, WorkspaceID: w.ID, BoundAt: w.CreatedAt})
		if err != nil {
			return err
		}
		restored[w.Identifier] = raw
	}
	maps.Copy(restored, s.bindings)
	s.bindings = restored
	return nil
}

// rewritten returns the commit that writes the file with its bindings edited. A corrupt file is kept under another
// name, and its readable bindings are copied.
func (s *Bindings) rewritten(now time.Time, edit func(map[string]json.RawMessage)) ([]mdstore.Change, error) {
	var out []mdstore.Change
	rest, bindings := maps.Clone(s.rest), maps.Clone(s.bindings)
	if s.corrupt != nil {
		aside := mdstore.Path(mdstore.CorruptPrefix + now.UTC().Format(mdstore.StampLayout))
		out = append(out, mdstore.Change{Path: aside, New: s.raw})
	}
	if rest == nil {
		rest = map[string]json.RawMessage{}
	}
	if bindings == nil {
		bindings = map[string]json.RawMessage{}
	}
	edit(bindings)
	raw, err := json.Marshal(bindings)
	if err != nil {
		return nil, err
	}
	rest["bindings"] = raw
	data, err := json.MarshalIndent(rest, "", "  ")
	if err != nil {
		return nil, err
	}
	return append(out, mdstore.Change{Path: mdstore.SessionsFile, Base: s.version, New: append(data, '\n')}), nil
}

// MadePrefix begins the ids of sessions that session_bind makes. The next binding drops those of such sessions that
// were bound longer than madeLife ago.
const (
	MadePrefix = "s"
	madeLife   = 30 * 24 * time.Hour
)

// Set returns the commit that binds a session.
func (s *Bindings) Set(b Binding, now time.Time) ([]mdstore.Change, error) {
	old, ok := s.Get(b.SessionID)
	if made := mdstore.ID(b.SessionID).Generated(MadePrefix); !made || b.BoundAt-old.BoundAt < madeLife.Milliseconds()/30 {
		old.BoundAt = b.BoundAt
	}
	if ok && old == b && s.Whole() {
		return nil, nil
	}
	raw, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	return s.rewritten(now, func(all map[string]json.RawMessage) {
		for id := range all {
			made, ok := s.Get(id)
			if ok && mdstore.ID(id).Generated(MadePrefix) && now.Sub(time.UnixMilli(made.BoundAt)) > madeLife {
				delete(all, id)
			}
		}
		all[b.SessionID] = raw
	})
}

// Unset undoes Set. The error is SESSION_NOT_FOUND if there is no binding.
func (s *Bindings) Unset(session string, now time.Time) ([]mdstore.Change, error) {
	if _, ok := s.bindings[session]; !ok {
		return nil, errs.New(errs.SessionNotFound, "%s: no such session is bound; bound are: %s", session, orNone(slices.Sorted(maps.Keys(s.bindings))))
	}
	return s.rewritten(now, func(all map[string]json.RawMessage) { delete(all, session) })
}

// SetFile returns the commit that binds a caller to a session with a file, in the session's workspace. With "" for the
// focus the caller keeps its own.
func (s *Bindings) SetFile(caller string, ws, focus mdstore.ID, now time.Time) ([]mdstore.Change, error) {
	b, _ := s.Get(caller)
	if b.WorkspaceID != ws {
		b = Binding{}
	}
	b.FocusedNodeID = cmp.Or(focus, b.FocusedNodeID)
	b.SessionID, b.WorkspaceID, b.BoundAt = caller, ws, now.UnixMilli()
	return s.Set(b, now)
}

// UnsetFile returns the commit that ends the bindings to a session with a file of a workspace, and whose they were. of
// returns the session of a caller. Bindings that cannot be read stay as they are.
func (s *Bindings) UnsetFile(
	ws mdstore.ID, of func(caller string) (mdstore.ID, bool), session mdstore.ID, now time.Time,
) (cs []mdstore.Change, callers []string, err error) {
	for _, id := range slices.Sorted(maps.Keys(s.bindings)) {
		b, ok := s.Get(id)
		if !ok || b.WorkspaceID != ws {
			continue
		}
		if has, ok := of(id); ok && has == session {
			callers = append(callers, id)
		}
	}
	if callers == nil {
		return nil, nil, nil
	}
	cs, err = s.rewritten(now, func(all map[string]json.RawMessage) {
		for _, id := range callers {
			delete(all, id)
		}
	})
	return cs, callers, err
}

// Corrupt returns an error if the file is not valid JSON.
func (s *Bindings) Corrupt() error {
	if s.corrupt == nil {
		return nil
	}
	return errs.New(errs.FileUnreadable, "%s: no valid JSON (%v); the next {session_bind} keeps it under another "+
		"name and starts a new one with the bindings that can be read", mdstore.SessionsFile, s.corrupt).
		With(errs.Details{Paths: []string{mdstore.SessionsFile}})
}

// Raw returns the bytes of the file, nil if there is none.
func (s *Bindings) Raw() []byte { return s.raw }

// ValidID returns an error for a text that cannot be the id of a session.
func ValidID(id string) error { return ValidKey("sessionId", id) }

// ValidKey returns an error for a text that cannot be a key of bindings. param is the parameter that gives it.
func ValidKey(param, key string) error {
	if key == "" || len(key) > 256 || !utf8.ValidString(key) || strings.ContainsFunc(key, unicode.IsControl) {
		shown, more := key, ""
		if len(key) > 256 {
			shown, more = key[:64], fmt.Sprintf("… (%d bytes)", len(key))
		}
		return errs.New(errs.InvalidParams, "%s %q%s: 1 to 256 bytes of UTF-8 without control characters are expected", param, shown, more).
			With(errs.Details{Param: param})
	}
	return nil
}

func orNone(s []string) string {
	if len(s) == 0 {
		return "none"
	}
	if len(s) > view.CandidatesShown {
		s = append(slices.Clone(s[:view.CandidatesShown]), fmt.Sprintf("… (%d in all)", len(s)))
	}
	return strings.Join(s, ", ")
}

// Diagnostics returns the problems of the file: invalid JSON, invalid bindings in it, and bindings to a workspace that
// the vault does not have.
func (s *Bindings) Diagnostics(has func(mdstore.ID) bool) []mdoc.Diagnostic {
	if s.corrupt != nil {
		line, col := s.damage()
		return []mdoc.Diagnostic{{File: mdstore.SessionsFile, Line: line, Col: col, Code: mdstore.CodeSessions,
			Text: "no valid JSON (" + s.corrupt.Error() + "); the next binding of a session keeps it under another " +
				"name and starts a new one with the bindings that can be read"}}
	}
	var out []mdoc.Diagnostic
	for _, id := range slices.Sorted(maps.Keys(s.bindings)) {
		what := "names no workspace"
		if b, ok := s.Get(id); ok && b.WorkspaceID != "" {
			if has(b.WorkspaceID) {
				continue
			}
			what = "leads to " + string(b.WorkspaceID) + ", which the vault does not have"
		}
		line, col := s.key(id)
		out = append(out, mdoc.Diagnostic{File: mdstore.SessionsFile, Line: line, Col: col, Code: mdstore.CodeSessions,
			Text: fmt.Sprintf("the binding of session %s %s; bind the session again, or remove it", strconv.Quote(id), what)})
	}
	return out
}

// key returns the place of a session's binding; 0 and 0 if the file writes its id in another way.
func (s *Bindings) key(id string) (line, col int) {
	quoted, err := json.Marshal(id)
	from := bytes.Index(s.raw, []byte(`"bindings"`))
	if err != nil || from < 0 {
		return 0, 0
	}
	at := regexp.MustCompile(regexp.QuoteMeta(string(quoted)) + `\s*:`).FindIndex(s.raw[from:])
	if at == nil {
		return 0, 0
	}
	return placeIn(s.raw[:from+at[0]])
}

// placeIn returns the place behind some text.
func placeIn(before []byte) (line, col int) {
	return 1 + bytes.Count(before, []byte("\n")), len(before) - bytes.LastIndexByte(before, '\n')
}

// damage returns where sessions.json stops being valid.
func (s *Bindings) damage() (line, col int) {
	var syntax *json.SyntaxError
	if !errors.As(s.corrupt, &syntax) {
		return 0, 0
	}
	return placeIn(s.raw[:min(max(int(syntax.Offset)-1, 0), len(s.raw))])
}
