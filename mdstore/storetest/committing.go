package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

var committing = []promise{
	{"a file is replaced", func(s *suite) {
		s.put(files{"ws/Workspace.md": "old"})
		s.commit(s.write("ws/Workspace.md", "new"))
		s.expect(files{"ws/Workspace.md": "new"})
		s.commit(s.write("ws/Workspace.md", ""))
		s.expect(files{"ws/Workspace.md": ""})
	}},
	{"a file is removed", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/b": "b"})
		s.commit(mdstore.Change{Path: "ws/a", Base: s.version("ws/a")})
		s.expect(files{"ws/a": absent, "ws/b": "b"})
		s.put(files{"ws/a": "again"})
		s.expect(files{"ws/a": "again"})
	}},
	{"a removed node takes its empty folder along", func(s *suite) {
		s.put(files{"ws/Workspace.md": "ws", "ws/nodes/a/Node.md": "a", "ws/nodes/b/Node.md": "b", "ws/nodes/b/notes.txt": "b's"})
		s.commit(mdstore.Change{Path: "ws/nodes/a/Node.md", Base: s.version("ws/nodes/a/Node.md")})
		s.expectList("ws", "ws/Workspace.md: ws", "ws/nodes/b/Node.md: b")
		s.commit(
			mdstore.Change{Path: "ws/nodes/b/Node.md", Base: s.version("ws/nodes/b/Node.md")},
			s.write("ws/Workspace.md", "without b"))
		s.expectList("ws", "ws/Workspace.md: without b", "ws/nodes/b/Node.md: absent")
		s.expect(files{"ws/nodes/b/notes.txt": "b's"})
	}},
	{"many changes are made together", func(s *suite) {
		s.put(tree)
		s.commit(
			s.write("ws/Workspace.md", "new ws"),
			mdstore.Change{Path: "ws/nodes/new/deep/Node.md", New: []byte("new")},
			mdstore.Change{Path: "ws/nodes/a/sub/Node.md", Base: s.version("ws/nodes/a/sub/Node.md")},
			s.write("ws/nodes/a/Node.md", "new a"))
		s.expect(files{"ws/Workspace.md": "new ws", "ws/nodes/new/deep/Node.md": "new", "ws/nodes/a/sub/Node.md": absent, "ws/nodes/a/Node.md": "new a"})
	}},
	{"no change is a commit too", func(s *suite) {
		s.put(files{"ws/a": "a"})
		s.commit()
		s.commit(s.write("ws/a", "a"))
		s.expect(files{"ws/a": "a"})
	}},
	{"a store keeps no bytes of a change", func(s *suite) {
		data := []byte("before")
		s.commit(mdstore.Change{Path: "ws/a", New: data})
		copy(data, "BEFORE")
		s.expect(files{"ws/a": "before"})
	}},
	{"a conflict names every path that moved on, and changes nothing", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/b": "b", "ws/c": "c", "ws/d": "d"})
		stale := mdstore.VersionOf([]byte("stale"))
		s.conflict([]mdstore.Change{
			s.write("ws/a", "new a"),
			{Path: "ws/b", Base: stale, New: []byte("new b")},
			{Path: "ws/c", New: []byte("new c")},
			{Path: "ws/d", Base: stale},
			{Path: "ws/none", Base: stale, New: []byte("none")},
			{Path: "ws/gone", Base: stale},
			{Path: "ws/new", New: []byte("new")},
		}, "ws/b", "ws/c", "ws/d", "ws/none", "ws/gone")
		s.expect(files{"ws/a": "a", "ws/b": "b", "ws/c": "c", "ws/d": "d", "ws/none": absent, "ws/new": absent})
	}},
	{"one conflict among many changes stops them all", func(s *suite) {
		f := many(50)
		s.put(f)
		var changes []mdstore.Change
		for p := range f {
			changes = append(changes, s.write(p, "changed"))
		}
		changes[30].Base = mdstore.VersionOf([]byte("stale"))
		s.conflict(changes, changes[30].Path)
		s.expect(f)
	}},
	{"a kept file must be at its base and stays", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/b": "b"})
		s.commit(mdstore.Change{Path: "ws/a", Base: s.version("ws/a"), Keep: true}, s.write("ws/b", "new b"))
		s.commit(mdstore.Change{Path: "ws/none", Keep: true}, s.write("ws/b", "newer b"))
		s.expect(files{"ws/a": "a", "ws/b": "newer b", "ws/none": absent})
		s.conflict([]mdstore.Change{
			{Path: "ws/a", Base: mdstore.VersionOf([]byte("stale")), Keep: true}, s.write("ws/b", "newest b"),
		}, "ws/a")
		s.conflict([]mdstore.Change{{Path: "ws/a", Keep: true}, s.write("ws/b", "newest b")}, "ws/a")
		s.expect(files{"ws/a": "a", "ws/b": "newer b"})
	}},
	{"a commit ends with its context", func(s *suite) {
		_, err := s.st.Commit(cancelled(), []mdstore.Change{{Path: "ws/a", New: []byte("a")}})
		if !errors.Is(err, context.Canceled) {
			s.Errorf("Commit: error %v, want context.Canceled", err)
		}
		s.expect(files{"ws/a": absent})
	}},
}

// badPaths are invalid in a vault.
var badPaths = []mdstore.Path{"", ".", "..", "../a", "a/../../b", "a/../b", "a/..", "/etc/passwd", "/", "a//b", "./a", "a/", "a\x00b", "a\\b", "..\\a", "a\nb"}

var refusing = []promise{
	{"invalid paths are refused and change nothing", func(s *suite) {
		s.put(files{"ws/a": "a"})
		for _, p := range badPaths {
			s.invalid(mdstore.Change{Path: p, New: []byte("x")})
			s.invalid(mdstore.Change{Path: p, Base: mdstore.VersionOf([]byte("x"))})
			s.invalid(mdstore.Change{Path: p, Keep: true})
			s.invalid(mdstore.Change{Path: p, To: "ws/b"})
			if p != "" {
				s.invalid(mdstore.Change{Path: "ws/a", To: p})
			}
		}
	}},
	{"a path may be named once", func(s *suite) {
		s.put(files{"ws/a": "a"})
		a := s.write("ws/a", "new a")
		s.invalid(a, a)
		s.invalid(a, mdstore.Change{Path: "ws/a", Base: a.Base, Keep: true})
		s.invalid(mdstore.Change{Path: "ws/c", New: []byte("c")}, mdstore.Change{Path: "ws/a", To: "ws/c"})
		s.invalid(mdstore.Change{Path: "ws/a", To: "ws/a"})
	}},
	{"nothing is written below a file", func(s *suite) {
		s.put(files{"ws/a": "a"})
		s.invalid(mdstore.Change{Path: "ws/b", New: []byte("b")}, mdstore.Change{Path: "ws/b/c", New: []byte("c")})
		_, err := s.st.Commit(s.Context(), []mdstore.Change{{Path: "ws/a/b", New: []byte("b")}, {Path: "ws/c", New: []byte("c")}})
		if u, ok := errors.AsType[*mdoc.UnreadableError](err); !ok || u.Problem.Code != "NOT_A_FILE" {
			s.Errorf("Commit below a file: error %v, want an *mdoc.UnreadableError NOT_A_FILE", err)
		}
		s.expect(files{"ws/a": "a", "ws/c": absent})
	}},
	{"a folder is not written to", func(s *suite) {
		s.put(files{"ws/nodes/a/Node.md": "a"})
		_, err := s.st.Commit(s.Context(), []mdstore.Change{{Path: "ws/nodes/a", New: []byte("x")}})
		if _, ok := errors.AsType[*mdoc.UnreadableError](err); !ok {
			s.Errorf("Commit to a folder: error %v, want an *mdoc.UnreadableError", err)
		}
		s.expect(files{"ws/nodes/a/Node.md": "a"})
	}},
	{"a change is of one kind", func(s *suite) {
		s.put(files{"ws/a": "a"})
		base := s.version("ws/a")
		s.invalid(mdstore.Change{Path: "ws/a", Base: base, New: []byte("x"), To: "ws/b"})
		s.invalid(mdstore.Change{Path: "ws/a", Base: base, New: []byte("x"), Keep: true})
		s.invalid(mdstore.Change{Path: "ws/a", Base: base, To: "ws/b", Keep: true})
		s.invalid(mdstore.Change{Path: "ws/b"})
	}},
	{"too large a file is refused", func(s *suite) {
		s.put(files{"ws/a": "a"})
		s.invalid(s.write("ws/a", strings.Repeat("x", mdstore.MaxFileSize+1)))
		most := strings.Repeat("x", mdstore.MaxFileSize)
		s.commit(s.write("ws/a", most))
		s.expect(files{"ws/a": most})
	}},
}

// invalid commits changes that every store must refuse, together with a valid one.
func (s *suite) invalid(changes ...mdstore.Change) {
	s.Helper()
	const witness = mdstore.Path("ws/witness")
	_, err := s.st.Commit(s.Context(), append(changes[:len(changes):len(changes)], mdstore.Change{Path: witness, New: []byte("w")}))
	if !errors.Is(err, fs.ErrInvalid) {
		s.Errorf("Commit(%s): error %v, want fs.ErrInvalid", describe(changes), err)
	}
	s.expect(files{"ws/a": "a", witness: absent})
}

var moving = []promise{
	{"a file moves", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/dir/x": "x"})
		s.commit(mdstore.Change{Path: "ws/a", To: "ws/b"})
		s.expect(files{"ws/a": absent, "ws/b": "a"})
		s.commit(mdstore.Change{Path: "ws/b", To: "new/folders/b"})
		s.expect(files{"ws/b": absent, "new/folders/b": "a", "ws/dir/x": "x"})
	}},
	{"a folder moves with all it holds", func(s *suite) {
		s.put(tree)
		s.commit(mdstore.Change{Path: "ws", To: "archive/ws"})
		s.expectList("", "archive/old/Workspace.md: old", "archive/ws/Workspace.md: ws", "ws2/Workspace.md: ws2")
		s.expect(files{"ws/notes.md": absent, "archive/ws/notes.md": "a person's", "archive/ws/nodes/a/notes.txt": "a's notes",
			"archive/ws/nodes/a/.x/Node.md": "hidden below a"})
		s.commit(mdstore.Change{Path: "archive/ws", To: "ws"})
		s.expect(tree)
	}},
	{"changes below a folder are made before it moves", func(s *suite) {
		s.put(tree)
		s.commit(
			s.write("ws/nodes/a/Node.md", "a, deleted"),
			mdstore.Change{Path: "ws/nodes/a/log.txt", New: []byte("log")},
			s.write("ws/Workspace.md", "without a"),
			mdstore.Change{Path: "ws/nodes/a", To: ".local/trash/1/ws/nodes/a"},
			mdstore.Change{Path: "ws/nodes/group", To: ".local/trash/1/ws/nodes/group"})
		s.expect(files{"ws/Workspace.md": "without a", "ws/nodes/a/Node.md": absent,
			".local/trash/1/ws/nodes/a/Node.md": "a, deleted", ".local/trash/1/ws/nodes/a/log.txt": "log",
			".local/trash/1/ws/nodes/a/notes.txt": "a's notes", ".local/trash/1/ws/nodes/group/y/z/Node.md": "z"})
	}},
	{"a folder inside of a moving one moves elsewhere first", func(s *suite) {
		s.put(tree)
		s.commit(
			s.write("ws/nodes/a/sub/Node.md", "new sub"),
			mdstore.Change{Path: "ws/nodes/a/sub", To: "ws2/nodes/sub"},
			mdstore.Change{Path: "ws", To: "archive/ws"})
		s.expect(files{"ws2/nodes/sub/Node.md": "new sub", "archive/ws/nodes/a/Node.md": "a", "archive/ws/nodes/a/sub/Node.md": absent})
	}},
	{"nothing moves onto what exists", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/b": "b", "ws/dir/x": "x", "ws/dir2/y": "y"})
		s.conflict([]mdstore.Change{{Path: "ws/a", To: "ws/b"}, {Path: "ws/new", New: []byte("new")}}, "ws/b")
		s.conflict([]mdstore.Change{{Path: "ws/dir", To: "ws/dir2"}}, "ws/dir2")
		s.conflict([]mdstore.Change{{Path: "ws/a", To: "ws/dir"}}, "ws/dir")
		s.conflict([]mdstore.Change{{Path: "ws/dir", To: "ws/a"}}, "ws/a")
		s.expect(files{"ws/a": "a", "ws/b": "b", "ws/dir/x": "x", "ws/dir2/y": "y", "ws/new": absent})
	}},
	{"what is gone does not move", func(s *suite) {
		s.put(files{"ws/a": "a"})
		s.conflict([]mdstore.Change{s.write("ws/a", "new a"), {Path: "ws/none", To: "ws/b"}}, "ws/none")
		s.expect(files{"ws/a": "a"})
	}},
	{"moves that make no sense are refused", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/dir/x": "x", "ws/dir/sub/y": "y", "ws/other/z": "z"})
		s.invalid(mdstore.Change{Path: "ws/dir", To: "ws/dir/sub/dir"})
		s.invalid(mdstore.Change{Path: "ws/dir", To: "ws/moved"}, s.write("ws/dir/x", "too late"))
		s.invalid(mdstore.Change{Path: "ws/dir", To: "ws/moved"}, mdstore.Change{Path: "ws/moved/new", New: []byte("by its new place")})
		s.invalid(mdstore.Change{Path: "ws/other", To: "ws/dir/other"}, mdstore.Change{Path: "ws/dir", To: "ws/moved"})
		s.expect(files{"ws/dir/x": "x", "ws/dir/sub/y": "y", "ws/other/z": "z"})
	}},
	{"a move with a conflict elsewhere is not made", func(s *suite) {
		s.put(tree)
		s.conflict([]mdstore.Change{
			{Path: "ws/nodes/a", To: ".local/trash/1/a"},
			{Path: "ws2/Workspace.md", Base: mdstore.VersionOf([]byte("stale")), New: []byte("x")},
		}, "ws2/Workspace.md")
		s.expect(tree)
	}},
}

var documents = []promise{
	{"documents outside of the project are refused", func(s *suite) {
		r, ok := s.st.(mdstore.Docs)
		if !ok {
			s.Skip("the store reads no documents")
		}
		for target, want := range map[string]error{
			"no/such/document.md": fs.ErrNotExist, "https://example.org/x": fs.ErrNotExist, "http://localhost/": fs.ErrNotExist,
			"../../outside": fs.ErrPermission, "/etc/passwd": fs.ErrPermission, "file:///etc/passwd": fs.ErrPermission,
		} {
			if data, err := r.ReadDoc(s.Context(), target, 1<<20); !errors.Is(err, want) {
				s.Errorf("ReadDoc(%q): %.20q, error %v, want %v", target, data, err, want)
			}
		}
		if _, err := r.ReadDoc(cancelled(), "x", 1<<20); !errors.Is(err, context.Canceled) {
			s.Errorf("ReadDoc: error %v, want context.Canceled", err)
		}
	}},
	{"a document is made once, in the project and not in the vault", func(s *suite) {
		r, ok := s.st.(mdstore.Docs)
		if !ok {
			s.Skip("the store reads no documents")
		}
		for _, want := range []error{nil, fs.ErrExist} {
			if err := r.MakeDoc(s.Context(), "made.md", []byte("a")); !errors.Is(err, want) {
				s.Errorf("MakeDoc: error %v, want %v", err, want)
			}
		}
		if data, err := r.ReadDoc(s.Context(), "made.md", 1); err != nil || string(data) != "a" {
			s.Errorf("ReadDoc: %q, error %v", data, err)
		}
		for target, want := range map[string]error{
			"../outside.md": fs.ErrPermission, "/etc/made.md": fs.ErrPermission, ".git/hooks/made.md": fs.ErrPermission, ".made.md": fs.ErrPermission,
		} {
			if err := r.MakeDoc(s.Context(), target, nil); !errors.Is(err, want) {
				s.Errorf("MakeDoc(%q): error %v, want %v", target, err, want)
			}
		}
	}},
	{"an ordinary vault has no strays", func(s *suite) {
		i, ok := s.st.(mdstore.Strays)
		if !ok {
			s.Skip("the store cannot name strays")
		}
		s.put(tree)
		s.commit(s.write("ws/Workspace.md", "new"), s.write("ws/nodes/a/Node.md", "new"))
		if strays, err := i.Strays(s.Context(), ""); err != nil || len(strays) > 0 {
			s.Errorf("Strays: %v, error %v, want none", strays, err)
		}
		s.put(files{"ws/nodes/a/Node.md~": "backup", "ws/nodes/a/Node.sync-conflict-20260101-100000-ABCDEFG.md": "theirs"})
		got, err := i.Strays(s.Context(), "ws")
		want := "[{ws/nodes/.hidden/Node.md hidden } {ws/nodes/a/.x/Node.md hidden } {ws/nodes/a/Node.md~ backup } " +
			"{ws/nodes/a/Node.sync-conflict-20260101-100000-ABCDEFG.md conflict copy ws/nodes/a/Node.md}]"
		if err != nil || fmt.Sprint(got) != want {
			s.Errorf("Strays: %v, error %v, want %s", got, err, want)
		}
	}},
}
