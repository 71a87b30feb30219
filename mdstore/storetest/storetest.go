// Package storetest has the promises of mdstore.Store as tests that every implementation runs. A new promise begins
// with a line here.
//
//	func TestStore(t *testing.T) {
//		storetest.Run(t, func(t *testing.T) mdstore.Store { return newStore(t) })
//	}
package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Run tests the stores that open returns. open must return a new empty store each time, and is called concurrently.
// Optional interfaces are tested if the stores implement them.
func Run(t *testing.T, open func(t *testing.T) mdstore.Store) {
	for _, promise := range slices.Concat(reading, committing, refusing, moving, updating, scanning, local, documents) {
		t.Run(promise.name, func(t *testing.T) {
			t.Parallel()
			promise.test(&suite{T: t, st: open(t)})
		})
	}
}

type promise struct {
	name string
	test func(s *suite)
}

// A suite is the test of one promise.
type suite struct {
	*testing.T
	st mdstore.Store
}

// files are the expected or the given files of a vault.
type files map[mdstore.Path]string

// put commits files that do not exist yet.
func (s *suite) put(f files) {
	s.Helper()
	var changes []mdstore.Change
	for _, p := range slices.Sorted(maps.Keys(f)) {
		changes = append(changes, mdstore.Change{Path: p, New: []byte(f[p])})
	}
	s.commit(changes...)
}

func (s *suite) commit(changes ...mdstore.Change) {
	s.Helper()
	if _, err := s.st.Commit(s.Context(), changes); err != nil {
		s.Fatalf("Commit(%s): %v", describe(changes), err)
	}
}

// write returns the change of a file from its current content to text.
func (s *suite) write(p mdstore.Path, text string) mdstore.Change {
	s.Helper()
	return mdstore.Change{Path: p, Base: s.version(p), New: []byte(text)}
}

// version returns the version of the file at p, zero if there is none.
func (s *suite) version(p mdstore.Path) mdstore.Version {
	s.Helper()
	f, err := s.st.Read(s.Context(), p)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		s.Fatalf("Read(%q): %v", p, err)
	}
	return f.Version
}

// expect reads every path of f. The text "absent" stands for a file that must not exist.
func (s *suite) expect(f files) {
	s.Helper()
	for _, p := range slices.Sorted(maps.Keys(f)) {
		got, err := s.st.Read(s.Context(), p)
		switch {
		case f[p] == absent && !errors.Is(err, fs.ErrNotExist):
			s.Errorf("Read(%q): error %v, want fs.ErrNotExist", p, err)
		case f[p] == absent:
		case err != nil:
			s.Errorf("Read(%q): %v", p, err)
		case string(got.Data) != f[p] || got.Path != p || got.Version != mdstore.VersionOf(got.Data):
			s.Errorf("Read(%q)\n got %q, path %q, version %s\nwant %q", p, got.Data, got.Path, got.Version, f[p])
		}
	}
}

const absent = "\x00absent"

// list returns what List yields, a line for each file with the text that Read returns.
func (s *suite) list(under mdstore.Path) []string {
	s.Helper()
	var out []string
	for e, err := range s.st.List(s.Context(), under) {
		f := mdstore.File{Path: e.Path}
		if err == nil {
			f, err = s.st.Read(s.Context(), e.Path)
		}
		if err == nil && !alike(e.Stamp, f.Stamp) {
			s.Errorf("%s: listed with the stamp %+v and read with %+v", e.Path, e.Stamp, f.Stamp)
		}
		f.Path = e.Path
		out = append(out, line(f, err))
	}
	return out
}

// alike reports whether two stamps are of the same state of a file, without whether they prove it, which depends on the
// time.
func alike(a, b mdstore.Stamp) bool {
	a.Proven, b.Proven = false, false
	return a == b
}

func line(f mdstore.File, err error) string {
	switch {
	case err == nil && f.Version == mdstore.VersionOf(f.Data):
		return fmt.Sprintf("%s: %s", f.Path, f.Data)
	case err == nil:
		return fmt.Sprintf("%s: the version is not that of its bytes", f.Path)
	}
	return fmt.Sprintf("%s: %s", f.Path, why(err))
}

// why returns the part of an error that stores promise.
func why(err error) string {
	if u, ok := errors.AsType[*mdoc.UnreadableError](err); ok {
		return u.Problem.Code
	} else if errors.Is(err, fs.ErrNotExist) {
		return "absent"
	}
	return fmt.Sprintf("error %v", err)
}

func (s *suite) expectList(under mdstore.Path, want ...string) {
	s.Helper()
	if got := s.list(under); !slices.Equal(got, want) {
		s.Errorf("List(%q)\n got\n\t%s\nwant\n\t%s", under, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// conflict commits changes that must be refused with a *mdstore.ConflictError of exactly those paths.
func (s *suite) conflict(changes []mdstore.Change, want ...mdstore.Path) {
	s.Helper()
	_, err := s.st.Commit(s.Context(), changes)
	conflict, ok := errors.AsType[*mdstore.ConflictError](err)
	if !ok {
		s.Errorf("Commit(%s): error %v, want a *mdstore.ConflictError", describe(changes), err)
		return
	}
	got := slices.Sorted(slices.Values(conflict.Paths))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		s.Errorf("Commit(%s): conflict at %q, want %q", describe(changes), got, want)
	}
}

func describe(changes []mdstore.Change) string {
	var out []string
	for _, c := range changes {
		switch {
		case c.To != "":
			out = append(out, fmt.Sprintf("%q to %q", c.Path, c.To))
		case c.Keep:
			out = append(out, fmt.Sprintf("%q kept at %s", c.Path, c.Base))
		case c.New == nil:
			out = append(out, fmt.Sprintf("%q at %s removed", c.Path, c.Base))
		default:
			out = append(out, fmt.Sprintf("%q at %s = %.40q", c.Path, c.Base, c.New))
		}
	}
	return strings.Join(out, ", ")
}

func cancelled() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}
