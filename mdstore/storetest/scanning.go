package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore"
)

// scanning are the promises about stamps, and of stores that are Scanners.
var scanning = []promise{
	{"a stamp is that of the file that is read", func(s *suite) {
		s.put(tree)
		for e, err := range s.st.List(s.Context(), "ws") {
			if err != nil {
				continue
			}
			f, err := s.st.Read(s.Context(), e.Path)
			if err != nil {
				s.Fatal(err)
			}
			stamp, err := s.st.Stat(s.Context(), e.Path)
			if err != nil || !alike(stamp, f.Stamp) || !alike(stamp, e.Stamp) || stamp == (mdstore.Stamp{}) {
				s.Errorf("%s: stamp %+v, error %v; read with %+v, listed with %+v", e.Path, stamp, err, f.Stamp, e.Stamp)
			}
		}
	}},
	{"a change has another stamp", func(s *suite) {
		s.put(files{"ws/a": "one"})
		was, err := s.st.Stat(s.Context(), "ws/a")
		if err != nil {
			s.Fatal(err)
		}
		s.commit(s.write("ws/a", "two"))
		if is, err := s.st.Stat(s.Context(), "ws/a"); err != nil || alike(is, was) {
			s.Errorf("stamp %+v after a change, error %v, and %+v before", is, err, was)
		}
	}},
	{"Stat fails as Read does", func(s *suite) {
		s.put(files{"ws/nodes/a/Node.md": "a"})
		for _, p := range append(slices.Clone(badPaths), "ws/none", "ws/nodes/a/Node.md/x", "ws/nodes/a") {
			_, want := s.st.Read(s.Context(), p)
			stamp, err := s.st.Stat(s.Context(), p)
			if err == nil || fmt.Sprint(err) != fmt.Sprint(want) || why(err) != why(want) || stamp != (mdstore.Stamp{}) {
				s.Errorf("Stat(%q) is %+v, error %v; the error of Read is %v", p, stamp, err, want)
			}
		}
		if _, err := s.st.Stat(cancelled(), "ws/nodes/a/Node.md"); !errors.Is(err, context.Canceled) {
			s.Errorf("Stat: error %v, want context.Canceled", err)
		}
	}},
	{"a scan is what is listed and read", func(s *suite) {
		s.scan("ws")
		s.put(nodes)
		for _, under := range append(slices.Clone(badPaths), "ws", "none", "archive/old") {
			if under != "" {
				s.scan(under)
			}
		}
		if sc, ok := mdstore.AsStore[mdstore.Scanner](s.st); ok {
			if _, err := sc.Scan(cancelled(), "ws"); !errors.Is(err, context.Canceled) {
				s.Errorf("Scan: error %v, want context.Canceled", err)
			}
		}
	}},
	{"a scan follows every commit", func(s *suite) {
		s.put(nodes)
		s.scan("ws")
		change := func(changes ...mdstore.Change) {
			s.Helper()
			s.commit(changes...)
			s.scan("ws")
		}
		change(s.write("ws/Workspace.md", workspace("Another title")))
		change(s.write("ws/nodes/a/Node.md", sound("a", "Another title")))
		change(s.write("ws/nodes/a/Node.md", "no front matter"))
		change(s.write("ws/nodes/a/Node.md", sound("a", "Sound again")))
		change(mdstore.Change{Path: "ws/nodes/new/Node.md", New: []byte(sound("new", "New"))})
		change(mdstore.Change{Path: "ws/nodes/new/Node.md", Base: s.version("ws/nodes/new/Node.md")})
		change(mdstore.Change{Path: "ws/nodes/group/x", To: "ws/nodes/x"})
		change(mdstore.Change{Path: "ws/nodes/x", To: "ws/nodes/group/x"})
		change(mdstore.Change{Path: "ws/nodes/a/sub/deep/Node.md", New: []byte(sound("deep", "Deep"))})
		change(mdstore.Change{Path: "ws/nodes/a/sub/deep", To: ".local/trash/1"})
		change(mdstore.Change{Path: "ws", To: "archive/ws"})
		s.scan("archive/ws")
	}},
	{"many files are scanned", func(s *suite) {
		f := files{"ws/Workspace.md": workspace("Many")}
		for i := range 500 {
			f[mdstore.Path(fmt.Sprintf("ws/nodes/node-%03d/Node.md", i))] = sound(fmt.Sprint("node-", i), fmt.Sprint("Title ", i))
		}
		s.put(f)
		if got := s.scan("ws"); got != nil && len(got.Records) != 501 {
			s.Errorf("%d records", len(got.Records))
		}
	}},
}

func workspace(title string) string { return "---\nid: ws\ntitle: " + title + "\n---\n" }

// sound is the file of a node without problems.
func sound(id, title string) string {
	return fmt.Sprintf("---\nid: %s\ntitle: %s\ntype: execution\nstatus: implementing\nparentId: root\ncreatedAt: 1767225600000\n---\n"+
		"\n## Requirement\n\ntext\n", id, title)
}

// nodes is a vault in which only some files are sound, and whose order by path differs from the order by name.
var nodes = files{
	"archive/old/nodes/r/Node.md":      sound("r", "Archived"),
	"ws/Workspace.md":                  workspace("WS"),
	"ws/nodes/Node.md":                 sound("top", "In no folder of its own"),
	"ws/nodes/.hidden/Node.md":         sound("hidden", "Hidden"),
	"ws/nodes/a/Node.md":               sound("a", "'quoted: title'"),
	"ws/nodes/a/sub/Node.md":           sound("sub", "Below another"),
	"ws/nodes/a-b/Node.md":             "---\nid: a-b\ntype: odd\nrole: none such\n---\n",
	"ws/nodes/b/Node.md":               "no front matter",
	"ws/nodes/group/x/Node.md":         sound("x", "In a group"),
	"ws/nodes/group/y/z/Node.md":       sound("z", "Deep in a group"),
	"ws/nodes/list/Node.md":            "---\nid: [a, b]\n---\n",
	"ws/nodes/lost/notes.txt":          "without its node",
	"ws/nodes/folder/Node.md/Node.md":  "a folder in a file's place",
	"ws/nodes/root/Node.md":            "---\nid: root\ntitle: Root\ntype: planning\nstatus: monitoring\nrole: null\norder: 1.5\nisolated: true\n---\n",
	"ws/nodes/root.x/Node.md":          "---\r\nid: 'quoted'\r\ntype: execution\r\nstatus: completed\r\n---\r\n",
	"ws/nodes/root/sub/notes/a.txt":    "no node",
	"ws/nodes/zz/.obsidian/Node.md":    "hidden below",
	"ws/nodes/zz/Node.md":              sound("zz", "Ende gut, alles güt"),
	"ws/nodes/zz/attachments/list.txt": "no node",
}

// scan scans a workspace twice, and compares each result with List and Read. It is nil if the store is no Scanner.
func (s *suite) scan(under mdstore.Path) *mdstore.Scan {
	s.Helper()
	sc, ok := mdstore.AsStore[mdstore.Scanner](s.st)
	if !ok {
		return nil
	}
	var got *mdstore.Scan
	for range 2 {
		var err error
		if got, err = sc.Scan(s.Context(), under); err != nil {
			s.Fatalf("Scan(%q): %v", under, err)
		}
		if diff := DiffScan(s.Context(), s.st, mdstore.AllKinds(), under, got); diff != "" {
			s.Errorf("Scan(%q)\n%s", under, diff)
		}
	}
	return got
}

// DiffScan returns the differences between a scan and the results of List, Read and RecordOf; "" for none.
func DiffScan(ctx context.Context, st mdstore.Store, kinds mdstore.Kinds, under mdstore.Path, got *mdstore.Scan) string {
	want := &mdstore.Scan{}
	for e, err := range st.List(ctx, under) {
		var f mdstore.File
		if err == nil {
			f, err = st.Read(ctx, e.Path)
		}
		if err != nil {
			want.Broken = append(want.Broken, mdstore.Broken{Path: e.Path, Err: err})
		} else if kind := kinds.Of(e.Path); kind == nil {
			return fmt.Sprintf("%s is listed, and of no kind", e.Path)
		} else if r, ok := mdstore.ScannedOf(kind, f); ok {
			want.Records = append(want.Records, &r)
		} else {
			want.Others = append(want.Others, f)
		}
	}
	have, expected := scanned(got), scanned(want)
	for i := range max(len(have), len(expected)) {
		if i >= len(have) || i >= len(expected) || have[i] != expected[i] {
			return fmt.Sprintf("got %d lines, want %d; from the first that differs:\n got %s\nwant %s", len(have), len(expected),
				strings.Join(have[min(i, len(have)):min(i+3, len(have))], "\n\t"), strings.Join(expected[min(i, len(expected)):min(i+3, len(expected))], "\n\t"))
		}
	}
	return ""
}

// scanned returns a scan as text, a line per file, without whether stamps prove something, which depends on the time.
func scanned(s *mdstore.Scan) []string {
	var out []string
	for _, rec := range s.Records {
		r := *rec
		r.Stamp.Proven = false
		out = append(out, fmt.Sprintf("%+v", r))
	}
	for _, f := range s.Others {
		f.Stamp.Proven = false
		out = append(out, fmt.Sprintf("other: %+v", f))
	}
	for _, b := range s.Broken {
		out = append(out, fmt.Sprintf("broken: %s: %v, missing: %v", b.Path, b.Err, b.Missing()))
	}
	return out
}
