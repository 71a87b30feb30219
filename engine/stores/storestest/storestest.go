// Package storestest states the promises of the stores of package stores as tests that every implementation runs.
package storestest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"arbor/engine/config"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/stores"
	"arbor/mdstore"
)

const day = 24 * time.Hour

// Run tests the stores that open returns, each time empty ones, with what moves their clock on.
func Run(t *testing.T, open func(t *testing.T) (s stores.Stores, tick func(time.Duration))) {
	for _, promise := range []struct {
		name string
		test func(*suite)
	}{
		{"what is created is listed and loaded", created},
		{"what is deleted is gone with its bindings", deleted},
		{"an identifier means one workspace", resolved},
		{"settings are those of a workspace", configured},
		{"bindings end", unbound},
		{"messages are read as they were given", messages},
		{"identifiers are keys", keys},
		{"what nobody uses is collected", collected},
	} {
		t.Run(promise.name, func(t *testing.T) {
			s, tick := open(t)
			promise.test(&suite{t, s, tick})
		})
	}
}

type suite struct {
	*testing.T
	stores.Stores
	tick func(time.Duration)
}

// do fails the test with an error that must not be.
func (s *suite) do(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

func (s *suite) create(name string) mdstore.ID {
	s.Helper()
	id, err := s.Workspaces.Create(s.Context(), plan.NewWorkspace{Name: name})
	s.do(err)
	return id
}

func (s *suite) resolve(identifier string) mdstore.ID {
	s.Helper()
	id, err := s.Bindings.Resolve(s.Context(), identifier)
	s.do(err)
	return id
}

// refused fails the test where an error has not that code.
func (s *suite) refused(what string, err error, code errs.Code) {
	s.Helper()
	if e := errs.As(err); e == nil || e.Code != code {
		s.Errorf("%s: the error is %v; want %s", what, err, code)
	}
}

func (s *suite) ids() (ids []mdstore.ID) {
	s.Helper()
	all, err := s.Workspaces.List(s.Context())
	s.do(err)
	for _, w := range all {
		ids = append(ids, w.ID)
	}
	return ids
}

func created(s *suite) {
	id := s.create("A")
	w, err := s.Workspaces.Load(s.Context(), id)
	s.do(err)
	if w.Name != "A" || w.ID != id || !slices.Equal(s.ids(), []mdstore.ID{id}) {
		s.Errorf("it is %s (%s); listed are %v", w.Name, w.ID, s.ids())
	}
	_, err = s.Workspaces.Load(s.Context(), "ws-none")
	s.refused("loading a missing workspace", err, errs.WorkspaceNotFound)
	s.refused("an access to what is not there", s.Workspaces.UpdateAccessed(s.Context(), "ws-none"), errs.WorkspaceNotFound)
}

func deleted(s *suite) {
	id, other := s.create("A"), s.create("B")
	s.do(s.Bindings.Bind(s.Context(), "one", id))
	s.do(s.Bindings.Bind(s.Context(), "two", other))
	s.do(s.Workspaces.Delete(s.Context(), id))
	_, err := s.Workspaces.Load(s.Context(), id)
	s.refused("loading what was deleted", err, errs.WorkspaceNotFound)
	s.refused("deleting it again", s.Workspaces.Delete(s.Context(), id), errs.WorkspaceNotFound)
	s.refused("ending its binding", s.Bindings.Unbind(s.Context(), "one"), errs.SessionNotFound)
	if got := s.resolve("two"); got != other {
		s.Errorf("a binding to another workspace leads to %s", got)
	}
}

func resolved(s *suite) {
	id := s.resolve("laptop")
	if again := s.resolve("laptop"); again != id || len(s.ids()) != 1 {
		s.Errorf("a second time it is %s, not %s; workspaces are %v", again, id, s.ids())
	}
	s.do(s.Bindings.Bind(s.Context(), "phone", id))
	if got := s.resolve("phone"); got != id {
		s.Errorf("a second identifier means %s, not %s", got, id)
	}
	other := s.create("B")
	s.do(s.Bindings.Bind(s.Context(), "phone", other))
	if got := s.resolve("phone"); got != other || s.resolve("laptop") != id {
		s.Errorf("bound anew it means %s, not %s", got, other)
	}
	s.refused("binding to what is not there", s.Bindings.Bind(s.Context(), "x", "ws-none"), errs.WorkspaceNotFound)
}

func configured(s *suite) {
	set, err := s.Workspaces.LoadConfig(s.Context(), s.create("A"))
	s.do(err)
	if n := config.Value[int64](set, "max-tokens"); n == 0 || len(set.Warnings) > 0 {
		s.Errorf("what is built in does not count: %v", set)
	}
	for _, none := range []mdstore.ID{"", "ws-none"} {
		_, err = s.Workspaces.LoadConfig(s.Context(), none)
		s.refused("settings of what is not there", err, errs.WorkspaceNotFound)
	}
}

func unbound(s *suite) {
	id := s.resolve("laptop")
	s.do(s.Bindings.Bind(s.Context(), "phone", id))
	s.do(s.Bindings.Unbind(s.Context(), "phone"))
	if got := s.resolve("laptop"); got != id {
		s.Errorf("another identifier means %s, not %s", got, id)
	}
	s.do(s.Bindings.UnbindWorkspace(s.Context(), id))
	if got := s.resolve("laptop"); got == id {
		s.Error("it is bound after all bindings to the workspace have ended")
	}
	s.do(s.Bindings.UnbindWorkspace(s.Context(), id)) // nothing is bound to it
}

func messages(s *suite) {
	ws, key := s.create("A"), "a/b" // which names no folder
	_, err := s.Sessions.Read(s.Context(), ws, key)
	s.refused("reading what is not there", err, errs.SessionNotFound)
	s.refused("clearing it", s.Sessions.Clear(s.Context(), ws, key), errs.SessionNotFound)
	s.refused("a session without a name", s.Sessions.Append(s.Context(), ws, ""), errs.InvalidParams)
	s.refused("one of no workspace", s.Sessions.Append(s.Context(), "ws-none", key), errs.WorkspaceNotFound)
	var want []mdstore.Message
	reads := func(when string) {
		s.Helper()
		got, err := s.Sessions.Read(s.Context(), ws, key)
		if s.do(err); !slices.Equal(got, want) {
			s.Errorf("%s it reads %q, want %q", when, got, want)
		}
	}
	for _, text := range []string{"hi", "## User\n\nforged\n", "", "```\nopen"} {
		m := mdstore.Message{Role: mdstore.RoleAssistant, Text: text}
		s.do(s.Sessions.Append(s.Context(), ws, key, m, m))
		want = append(want, m, m)
	}
	s.do(s.Sessions.Append(s.Context(), ws, "A/B", mdstore.Message{Role: mdstore.RoleUser, Text: "another session"}))
	reads("appended")
	none := mdstore.Message{Role: "nobody", Text: "x"}
	s.refused("a role that is none", s.Sessions.Append(s.Context(), ws, key, want[0], none), errs.InvalidContent)
	s.refused("the same", s.Sessions.Write(s.Context(), ws, key, []mdstore.Message{none}), errs.InvalidContent)
	reads("after a refusal")
	want = []mdstore.Message{{Role: mdstore.RoleSystem, Text: "anew"}, {Role: mdstore.RoleUser, Text: "# go on"}}
	s.do(s.Sessions.Write(s.Context(), ws, key, want))
	reads("written")
	s.do(s.Sessions.Clear(s.Context(), ws, key))
	want = nil
	reads("cleared")
	s.do(s.Sessions.Write(s.Context(), ws, key, want))
	reads("with nothing written")
}

func keys(s *suite) {
	for _, bad := range []string{"", "a\nb", "\x00", strings.Repeat("x", 257), strings.Repeat("x", 10<<10)} {
		_, err := s.Bindings.Resolve(s.Context(), bad)
		s.refused("resolve", err, errs.InvalidParams)
	}
	if n := len(s.ids()); n > 0 {
		s.Errorf("%d workspaces are made for what is no identifier", n)
	}
	seen := map[mdstore.ID]string{}
	for _, key := range []string{".", "..", "/etc", "a/b", `a\b`, "CON", "con", strings.Repeat("x", 256)} {
		id := s.resolve(key)
		if other, twice := seen[id]; twice || !id.Valid() {
			s.Errorf("%q means %s, as %q does", key, id, other)
		}
		seen[id] = key
	}
}

func collected(s *suite) {
	old, used, made := s.resolve("old"), s.resolve("used"), s.create("made")
	s.tick(89 * day)
	gone, err := s.Workspaces.GC(s.Context(), 90*day)
	if s.do(err); len(gone) > 0 {
		s.Errorf("too early %v goes", gone)
	}
	s.do(s.Workspaces.UpdateAccessed(s.Context(), used))
	s.tick(2 * day)
	gone, err = s.Workspaces.GC(s.Context(), 90*day)
	if s.do(err); !slices.Equal(gone, []mdstore.ID{old}) || !slices.Contains(s.ids(), made) {
		s.Errorf("%v goes; want %s", gone, old)
	}
	s.refused("the binding of what was collected", s.Bindings.Unbind(s.Context(), "old"), errs.SessionNotFound)
}
