package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"arbor/mdstore"
)

var scratch = []promise{
	{"notes of this machine are named and discarded", func(s *suite) {
		sc, ok := s.st.(mdstore.Scratch)
		if !ok {
			s.Skip("the store clears nothing away")
		}
		s.put(files{".local/seen/b/0": "b", ".local/seen/a/0": "a", ".local/seen/a/1": "a", "ws/Workspace.md": "w"})
		names := func(dir mdstore.Path, want string) {
			s.Helper()
			if got, err := sc.Notes(s.Context(), dir); err != nil || fmt.Sprint(got) != want {
				s.Errorf("Notes(%q): %v, error %v, want %s", dir, got, err, want)
			}
		}
		discard := func(p mdstore.Path) {
			s.Helper()
			if err := sc.Discard(s.Context(), p); err != nil {
				s.Errorf("Discard(%q): %v", p, err)
			}
		}
		names(".local/seen", "[a b]")
		names(".local/seen/a", "[0 1]")
		names(".local/none/at/all", "[]")
		names(".local/seen/a/0", "[]") // it is no folder
		discard(".local/seen/none/0")
		discard(".local/seen/a/0")
		if err := sc.Discard(s.Context(), ".local/seen/a"); err == nil {
			s.Error("a folder that holds a file is discarded")
		}
		s.expect(files{".local/seen/a/1": "a", ".local/seen/a/0": absent})
		discard(".local/seen/a/1")
		discard(".local/seen/a")
		names(".local/seen", "[b]")
		s.put(files{".local/seen/a/0": "again"})
		for _, p := range []mdstore.Path{"ws/Workspace.md", "Workspace.md", ".local/lock", ".local/seen/../lock/x", "", "sessions.json"} {
			if err := sc.Discard(s.Context(), p); !errors.Is(err, fs.ErrInvalid) {
				s.Errorf("Discard(%q): error %v, want fs.ErrInvalid", p, err)
			}
		}
		for _, p := range []mdstore.Path{"", "ws", mdstore.LocalDir, ".local/../ws"} {
			if _, err := sc.Notes(s.Context(), p); !errors.Is(err, fs.ErrInvalid) {
				s.Errorf("Notes(%q): error %v, want fs.ErrInvalid", p, err)
			}
		}
		if err := sc.Discard(cancelled(), ".local/seen/a/0"); !errors.Is(err, context.Canceled) {
			s.Errorf("Discard: error %v, want context.Canceled", err)
		}
		s.expect(files{".local/seen/a/0": "again", ".local/seen/b/0": "b", "ws/Workspace.md": "w"})
	}},
}
