package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
)

// local are the promises of stores with files in .local/.
var local = []promise{
	{"a local file is replaced, listed and removed", func(s *suite) {
		l := s.local()
		if _, err := l.ReadLocal(s.Context(), "notes/a"); !errors.Is(err, fs.ErrNotExist) {
			s.Errorf("ReadLocal of nothing: error %v, want fs.ErrNotExist", err)
		}
		if got, err := l.ListLocal(s.Context(), "notes"); err != nil || len(got) > 0 {
			s.Errorf("ListLocal of nothing: %v, error %v", got, err)
		}
		for _, name := range []mdstore.Path{"notes/b", "notes/a", "notes/deep/er/c", "claims"} {
			for _, text := range []string{"first", "second"} {
				if err := l.WriteLocal(s.Context(), name, []byte(text)); err != nil {
					s.Fatalf("WriteLocal(%q): %v", name, err)
				}
			}
			if data, err := l.ReadLocal(s.Context(), name); err != nil || string(data) != "second" {
				s.Errorf("ReadLocal(%q): %q, error %v", name, data, err)
			}
		}
		s.expectLocal("notes", "[a b]")
		s.expectLocal("notes/deep/er", "[c]")
		for range 2 { // removing a missing file succeeds
			if err := l.RemoveLocal(s.Context(), "notes/a"); err != nil {
				s.Errorf("RemoveLocal: %v", err)
			}
		}
		s.expectLocal("notes", "[b]")
	}},
	{"a local file has another stamp after each write", func(s *suite) {
		l := s.local()
		var last mdstore.Stamp
		for i := range 5 {
			if err := l.WriteLocal(s.Context(), "notes/a", fmt.Append(nil, i)); err != nil {
				s.Fatal(err)
			}
			got, err := l.ListLocal(s.Context(), "notes")
			if err != nil || len(got) != 1 || alike(got[0].Stamp, last) {
				s.Fatalf("ListLocal: %+v, error %v, after the stamp %+v", got, err, last)
			}
			last = got[0].Stamp
		}
	}},
	{"a local file that is kept is one like others", func(s *suite) {
		l := s.local()
		for _, text := range []string{"first", "second"} {
			if err := l.KeepLocal(s.Context(), "notes/deep/a", []byte(text)); err != nil {
				s.Fatal(err)
			}
			if data, err := l.ReadLocal(s.Context(), "notes/deep/a"); err != nil || string(data) != text {
				s.Errorf("ReadLocal: %q, error %v, want %q", data, err, text)
			}
		}
		s.expectLocal("notes/deep", "[a]")
		err := s.st.Update(s.Context(), func(mdstore.Tx) error {
			return l.KeepLocal(s.Context(), "notes/deep/a", []byte("within"))
		})
		if data, _ := l.ReadLocal(s.Context(), "notes/deep/a"); err != nil || string(data) != "within" {
			s.Errorf("within Update: %q, error %v", data, err)
		}
	}},
	{"local files are no commit", func(s *suite) {
		l := s.local()
		h, ok := mdstore.AsStore[mdstore.History](s.st)
		if !ok {
			s.Skip("the store has no history")
		}
		s.put(files{"ws/a": "a"})
		before, _ := h.Generation(s.Context())
		if err := l.WriteLocal(s.Context(), "notes/a", []byte("a")); err != nil {
			s.Fatal(err)
		}
		if after, err := h.Generation(s.Context()); err != nil || after != before {
			s.Errorf("generation %d after a local file, %d before, error %v", after, before, err)
		}
	}},
	{"local files lie in .local", func(s *suite) {
		l := s.local()
		s.put(files{"ws/a": "a"})
		for _, p := range append([]mdstore.Path{"../ws/a"}, badPaths...) {
			_, err := l.ReadLocal(s.Context(), p)
			_, lerr := l.ListLocal(s.Context(), p)
			for what, err := range map[string]error{"ReadLocal": err, "WriteLocal": l.WriteLocal(s.Context(), p, []byte("x")),
				"KeepLocal":   l.KeepLocal(s.Context(), p, []byte("x")),
				"RemoveLocal": l.RemoveLocal(s.Context(), p), "ListLocal": lerr} {
				if !errors.Is(err, fs.ErrInvalid) {
					s.Errorf("%s(%q): error %v, want fs.ErrInvalid", what, p, err)
				}
			}
		}
		if err := l.WriteLocal(cancelled(), "notes/a", nil); !errors.Is(err, context.Canceled) {
			s.Errorf("WriteLocal: error %v, want context.Canceled", err)
		}
		s.expect(files{"ws/a": "a"})
	}},
}

func (s *suite) local() mdstore.Local {
	l, ok := mdstore.AsStore[mdstore.Local](s.st)
	if !ok {
		s.Skip("the store keeps no local files")
	}
	return l
}

func (s *suite) expectLocal(dir mdstore.Path, want string) {
	s.Helper()
	files, err := s.local().ListLocal(s.Context(), dir)
	names := []string{}
	for _, f := range files {
		names = append(names, f.Name)
	}
	if err != nil || fmt.Sprint(names) != want {
		s.Errorf("ListLocal(%q): %v, error %v, want %s", dir, names, err, want)
	}
}
