package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// tree is a vault whose order by path differs from the order by name.
var tree = files{
	".gitignore":                  "ignored",
	".hidden/Workspace.md":        "hidden workspace",
	"archive/old/Workspace.md":    "old",
	"archive/old/nodes/r/Node.md": "old r",
	"ws/Workspace.md":             "ws",
	"ws/notes.md":                 "a person's",
	"ws/nodes/Node.md":            "in no folder of its own",
	"ws/nodes/.hidden/Node.md":    "hidden",
	"ws/nodes/a/Node.md":          "a",
	"ws/nodes/a/.x/Node.md":       "hidden below a",
	"ws/nodes/a/notes.txt":        "a's notes",
	"ws/nodes/a/sub/Node.md":      "sub",
	"ws/nodes/a-b/Node.md":        "a-b",
	"ws/nodes/group/x/Node.md":    "x",
	"ws/nodes/group/y/z/Node.md":  "z",
	"ws/nodes/lost/notes.txt":     "without its node",
	"ws/nodes/lost/b/c/notes.txt": "without any node",
	"ws2/Workspace.md":            "ws2",
	"ws2/nodes/r/Node.md":         "r of ws2",
}

var reading = []promise{
	{"a file reads as it was written, an empty one too", func(s *suite) {
		written := files{"ws/Workspace.md": "one\r\ntwo", "ws/empty": ""}
		s.put(written)
		s.expect(written)
		if s.version("ws/empty").IsZero() {
			s.Error("an empty file has no version")
		}
	}},
	{"what is absent is an fs.ErrNotExist", func(s *suite) {
		s.put(files{"ws/Workspace.md": "ws"})
		s.expect(files{"ws/Node.md": absent, "other/Workspace.md": absent, "ws/Workspace.md/below/a/file": absent})
	}},
	{"a folder is unreadable", func(s *suite) {
		s.put(files{"ws/nodes/a/Node.md": "a"})
		_, err := s.st.Read(s.Context(), "ws/nodes/a")
		u, ok := errors.AsType[*mdoc.UnreadableError](err)
		if !ok || u.Problem.Code != "NOT_A_FILE" || u.Problem.File != "ws/nodes/a" {
			s.Errorf("Read of a folder: %v, want an *mdoc.UnreadableError NOT_A_FILE", err)
		}
	}},
	{"invalid paths are not read", func(s *suite) {
		for _, p := range badPaths {
			_, err := s.st.Read(s.Context(), p)
			if !errors.Is(err, fs.ErrInvalid) {
				s.Errorf("Read(%q): error %v, want fs.ErrInvalid", p, err)
			}
			if p == "" {
				continue // all workspaces
			}
			for _, err := range s.st.List(s.Context(), p) {
				if !errors.Is(err, fs.ErrInvalid) {
					s.Errorf("List(%q): error %v, want fs.ErrInvalid", p, err)
				}
			}
		}
	}},
	{"workspaces are listed in the order of their paths", func(s *suite) {
		s.expectList("")
		s.put(tree)
		s.expectList("", "archive/old/Workspace.md: old", "ws/Workspace.md: ws", "ws2/Workspace.md: ws2")
	}},
	{"a workspace's files are listed in the order of their paths", func(s *suite) {
		s.put(tree)
		s.expectList("ws",
			"ws/Workspace.md: ws",
			"ws/nodes/Node.md: in no folder of its own",
			"ws/nodes/a-b/Node.md: a-b",
			"ws/nodes/a/Node.md: a",
			"ws/nodes/a/sub/Node.md: sub",
			"ws/nodes/group/x/Node.md: x",
			"ws/nodes/group/y/z/Node.md: z",
			"ws/nodes/lost/Node.md: absent")
		s.expectList("archive/old", "archive/old/Workspace.md: old", "archive/old/nodes/r/Node.md: old r")
	}},
	{"a missing Workspace.md is listed as absent", func(s *suite) {
		s.put(files{"ws/nodes/root/Node.md": "root"})
		s.expectList("ws", "ws/Workspace.md: absent", "ws/nodes/root/Node.md: root")
		s.expectList("", "ws/Workspace.md: absent")
	}},
	{"a folder in a file's place is listed as unreadable", func(s *suite) {
		s.put(files{"ws/Workspace.md/x": "x", "ws/nodes/a/Node.md/Node.md": "x", "ws/nodes/a/b/Node.md": "b", "ws/nodes/Node.md/Node.md": "n", "ws/nodes/Node.md-x/Node.md": "x"})
		s.expectList("", "ws/Workspace.md: NOT_A_FILE")
		s.expectList("ws", "ws/Workspace.md: NOT_A_FILE", "ws/nodes/Node.md-x/Node.md: x", "ws/nodes/Node.md/Node.md: n",
			"ws/nodes/a/Node.md: NOT_A_FILE", "ws/nodes/a/b/Node.md: b")
	}},
	{"a listing stops when its consumer does", func(s *suite) {
		s.put(many(200))
		for n := range 12 {
			seen := 0
			for range s.st.List(s.Context(), "ws") {
				if seen++; seen > n {
					break
				}
			}
			if seen != n+1 {
				s.Errorf("%d files after a break at %d", seen, n+1)
			}
		}
	}},
	{"many files are listed in order, as often as the listing is used", func(s *suite) {
		f := many(500)
		s.put(f)
		listing := s.st.List(s.Context(), "ws")
		for range 2 {
			var got []mdstore.Path
			for e, err := range listing {
				if got = append(got, e.Path); err != nil {
					s.Error(err)
				}
			}
			if len(got) != len(f) || !slices.IsSorted(got) {
				s.Errorf("%d of %d files, sorted: %v", len(got), len(f), slices.IsSorted(got))
			}
		}
	}},
	{"reading ends with its context", func(s *suite) {
		s.put(many(100))
		if _, err := s.st.Read(cancelled(), "ws/Workspace.md"); !errors.Is(err, context.Canceled) {
			s.Errorf("Read: error %v, want context.Canceled", err)
		}
		ctx, cancel := context.WithCancel(s.Context())
		defer cancel()
		var last error
		n := 0
		for f, err := range s.st.List(ctx, "ws") {
			if n++; n == 3 {
				cancel()
			}
			if last = err; err != nil && (f.Path != "" || !errors.Is(err, context.Canceled)) {
				s.Errorf("List: %q, error %v, want no path and context.Canceled", f.Path, err)
			}
		}
		if n > 4 || last == nil {
			s.Errorf("List: %d yielded, %v the last error; want context.Canceled right after it is cancelled", n, last)
		}
	}},
}

func many(n int) files {
	f := files{"ws/Workspace.md": "ws"}
	for i := range n {
		f[mdstore.Path(fmt.Sprintf("ws/nodes/node-%03d/Node.md", i))] = fmt.Sprint(i)
	}
	return f
}
