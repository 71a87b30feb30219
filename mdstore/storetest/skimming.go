package storetest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"slices"
	"strings"

	"arbor/mdstore"
)

// skimming are the promises of stores that tell files apart by their stamps.
var skimming = []promise{
	{"a stamp is that of the file that is read", func(s *suite) {
		st := s.stamper()
		s.put(tree)
		for f, err := range s.st.List(s.Context(), "ws") {
			if err != nil {
				continue
			}
			read, err := s.st.Read(s.Context(), f.Path)
			if err != nil {
				s.Fatal(err)
			}
			stamp, err := st.Stat(s.Context(), f.Path)
			if err != nil || stamp != read.Stamp || stamp != f.Stamp || stamp == (mdstore.Stamp{}) {
				s.Errorf("%s: stamp %+v, error %v; read with %+v, listed with %+v", f.Path, stamp, err, read.Stamp, f.Stamp)
			}
			if got, want := st.Unchanged(f.Path, stamp), stamp.Firm; got != want {
				s.Errorf("%s: unchanged is %v of the stamp %+v", f.Path, got, stamp)
			}
		}
	}},
	{"a change has another stamp", func(s *suite) {
		st := s.stamper()
		s.put(files{"ws/a": "one", "ws/b": "b"})
		was, err := st.Stat(s.Context(), "ws/a")
		if err != nil {
			s.Fatal(err)
		}
		other, _ := st.Stat(s.Context(), "ws/b")
		s.commit(s.write("ws/a", "two"))
		if is, err := st.Stat(s.Context(), "ws/a"); err != nil || is.Same(was) || is == was {
			s.Errorf("stamp %+v after a change, error %v, and %+v before", is, err, was)
		}
		for _, firm := range []bool{false, true} {
			if was.Firm, other.Firm = firm, firm; st.Unchanged("ws/a", was) || st.Unchanged("ws/b", other) != firm || st.Unchanged("ws/a", other) || st.Unchanged("ws/a", mdstore.Stamp{Firm: firm}) {
				s.Errorf("with stamps firm (%v) those of other states are taken for those of a file, or its own is not", firm)
			}
		}
		other, _ = st.Stat(s.Context(), "ws/b")
		if is, err := st.Stat(s.Context(), "ws/b"); err != nil || is != other {
			s.Errorf("stamp %+v of a file that did not change, error %v, and %+v before", is, err, other)
		}
	}},
	{"what has no bytes has no stamp", func(s *suite) {
		st := s.stamper()
		s.put(files{"ws/nodes/a/Node.md": "a"})
		for _, p := range append(slices.Clone(badPaths), "ws/none", "ws/nodes/a/Node.md/x", "ws/nodes/a") {
			_, want := s.st.Read(s.Context(), p)
			stamp, err := st.Stat(s.Context(), p)
			if err == nil || fmt.Sprint(err) != fmt.Sprint(want) || errors.Is(err, fs.ErrNotExist) != errors.Is(want, fs.ErrNotExist) || stamp != (mdstore.Stamp{}) {
				s.Errorf("Stamp(%q) is %+v, error %v; the error of Read is %v", p, stamp, err, want)
			}
			if p.Valid() && st.Unchanged(p, mdstore.Stamp{Firm: true}) {
				s.Errorf("Unchanged(%q) of nothing", p)
			}
		}
		if _, err := st.Stat(cancelled(), "ws/nodes/a/Node.md"); !errors.Is(err, context.Canceled) {
			s.Errorf("error %v, want context.Canceled", err)
		}
	}},
	{"what is skimmed is what is listed", func(s *suite) {
		st := s.skimming()
		s.sameAsListed(st, "ws", nil)
		s.put(nodes)
		for _, under := range append(slices.Clone(badPaths), "ws", "none", "archive/old") {
			if under != "" {
				s.sameAsListed(st, under, nil)
			}
		}
		if _, err := st.Skim(cancelled(), "ws", nil, false); !errors.Is(err, context.Canceled) {
			s.Errorf("error %v, want context.Canceled", err)
		}
	}},
	{"what is known does not outlive a change", func(s *suite) {
		st := s.skimming()
		s.put(nodes)
		for _, trusting := range []bool{false, true} {
			known := s.skim(st, "ws", nil, trusting)
			again := s.sameAsListed(st, "ws", s.gisted(known))
			for _, n := range again.Nodes {
				if n.Stamp.Firm && n.Gist != "gist of "+string(n.ID) {
					s.Errorf("%s: the gist of a file that did not change is %q", n.Path, n.Gist)
				}
			}
			for _, change := range [][]mdstore.Change{
				{s.write("ws/nodes/a/Node.md", sound("a", "Another title"))},
				{s.write("ws/nodes/a/Node.md", sound("a", "Without a role"))},
				{{Path: "ws/nodes/new/Node.md", New: []byte(sound("new", "New"))}},
				{{Path: "ws/nodes/new/Node.md", Base: s.version("ws/nodes/new/Node.md")}},
				{{Path: "ws/nodes/group/x", To: "ws/nodes/x"}},
				{{Path: "ws/nodes/x", To: "ws/nodes/group/x"}},
				{{Path: "ws/nodes/a/sub/deep/Node.md", New: []byte(sound("deep", "Deep"))}},
				{{Path: "ws/nodes/a/sub/deep", To: mdstore.Path(fmt.Sprintf(".local/trash/%v", trusting))}},
			} {
				for i := range change { // as the files are by now
					if change[i].To == "" && change[i].Base != (mdstore.Version{}) || change[i].New == nil && change[i].To == "" {
						change[i].Base = s.version(change[i].Path)
					}
				}
				s.commit(change...)
				known = s.sameAs(st, "ws", s.gisted(known), trusting)
				for _, n := range known.Nodes {
					if n.Path == change[0].Path && n.Gist != "" {
						s.Errorf("%s: the gist of a file that did change is %q", n.Path, n.Gist)
					}
				}
			}
		}
	}},
	{"what is kept does not outlive a change", func(s *suite) {
		st := s.skimming()
		s.put(nodes)
		for i, trusting := range []bool{false, true} {
			st.Keep(s.Context(), "ws", s.gisted(s.skim(st, "ws", nil, false)))
			s.sameAs(st, "ws", nil, trusting)
			s.commit(s.write("ws/nodes/a/Node.md", sound("a", fmt.Sprint("Title ", i))))
			s.sameAs(st, "ws", nil, trusting)
			s.commit(mdstore.Change{Path: mdstore.Path(fmt.Sprintf("ws/nodes/new-%d/Node.md", i)), New: []byte(sound("new", "New"))})
			s.sameAs(st, "ws", nil, trusting)
			st.Keep(s.Context(), "none", s.skim(st, "none", nil, false))
		}
	}},
	{"many files are skimmed", func(s *suite) {
		st := s.skimming()
		f := files{"ws/Workspace.md": "ws"}
		for i := range 500 {
			f[mdstore.Path(fmt.Sprintf("ws/nodes/node-%03d/Node.md", i))] = sound(fmt.Sprint("node-", i), fmt.Sprint("Title ", i))
		}
		s.put(f)
		if known := s.sameAsListed(st, "ws", nil); len(known.Nodes) != 500 {
			s.Errorf("%d nodes", len(known.Nodes))
		}
	}},
}

// sound is the file of a node without any fault.
func sound(id, title string) string {
	return fmt.Sprintf("---\nid: %s\ntitle: %s\ntype: execution\nstatus: implementing\nparentId: root\ncreatedAt: 1767225600000\n---\n\n## Requirement\n\ntext\n", id, title)
}

// nodes is a vault of which some files are sound, and in which the names sort differently as paths than as names.
var nodes = files{
	"archive/old/nodes/r/Node.md":      sound("r", "Archived"),
	"ws/Workspace.md":                  "ws",
	"ws/nodes/Node.md":                 sound("top", "In no folder of its own"),
	"ws/nodes/.git/Node.md":            sound("hidden", "Hidden"),
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

func (s *suite) stamper() mdstore.Stamper {
	st, ok := s.st.(mdstore.Stamper)
	if !ok {
		s.Skip("the store is no Stamper")
	}
	return st
}

func (s *suite) skimming() mdstore.Skimming {
	st, ok := s.st.(mdstore.Skimming)
	if !ok {
		s.Skip("the store does not skim")
	}
	return st
}

func (s *suite) skim(st mdstore.Skimming, under mdstore.Path, known *mdstore.Skimmed, trusting bool) *mdstore.Skimmed {
	s.Helper()
	got, err := st.Skim(s.Context(), under, known, trusting)
	if err != nil {
		s.Fatalf("Skim(%q): %v", under, err)
	}
	return got
}

// gisted is what is known with a gist of every node, as whoever keeps nodes may add it.
func (s *suite) gisted(known *mdstore.Skimmed) *mdstore.Skimmed {
	with := *known
	with.Nodes = slices.Clone(known.Nodes)
	for i := range with.Nodes {
		with.Nodes[i].Gist = "gist of " + string(with.Nodes[i].ID)
	}
	return &with
}

func (s *suite) sameAsListed(st mdstore.Skimming, under mdstore.Path, known *mdstore.Skimmed) *mdstore.Skimmed {
	s.Helper()
	return s.sameAs(st, under, known, false)
}

// sameAs skims, and expects what List yields and ParseNode makes of it.
func (s *suite) sameAs(st mdstore.Skimming, under mdstore.Path, known *mdstore.Skimmed, trusting bool) *mdstore.Skimmed {
	s.Helper()
	got := s.skim(st, under, known, trusting)
	if diff := DiffSkimmed(s.Context(), s.st, under, got); diff != "" {
		s.Errorf("Skim(%q), known: %v, trusting: %v\n%s", under, known != nil, trusting, diff)
	}
	if got.Unproven && !trusting {
		s.Errorf("Skim(%q) did not look at every file", under)
	}
	return got
}

// DiffSkimmed says how what was skimmed differs from what List yields and ParseNode makes of it; "" where it does not.
func DiffSkimmed(ctx context.Context, st mdstore.Store, under mdstore.Path, got *mdstore.Skimmed) string {
	var want, have []string
	for f, err := range st.List(ctx, under) {
		switch {
		case err != nil:
			want = append(want, fmt.Sprintf("%s: broken: %v", f.Path, err))
		case f.Path != mdstore.WorkspacePath(under):
			want = append(want, stated(mdstore.ParseNode(f)))
		}
	}
	broken := got.Broken
	for i := range got.Nodes {
		n := &got.Nodes[i]
		for len(broken) > 0 && broken[0].Path < n.Path {
			have = append(have, fmt.Sprintf("%s: broken: %v", broken[0].Path, broken[0].Err))
			broken = broken[1:]
		}
		if have = append(have, stated(n)); n.Filed() {
			have = append(have, "with a document")
		}
	}
	for _, b := range broken {
		have = append(have, fmt.Sprintf("%s: broken: %v", b.Path, b.Err))
	}
	if slices.Equal(have, want) {
		return ""
	}
	return " got\n\t" + strings.Join(have, "\n\t") + "\nwant\n\t" + strings.Join(want, "\n\t")
}

// stated says all of a node that is told of it in front of its document. That a stamp is firm depends on when one looks.
func stated(n *mdstore.Node) string {
	c := *n
	c.Stamp.Firm, c.Gist = false, ""
	var b strings.Builder
	v := reflect.ValueOf(c)
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && f.Name != "Order" {
			fmt.Fprintf(&b, "%s: %+v, ", f.Name, v.Field(i))
		}
	}
	fmt.Fprintf(&b, "Order: %x, editable: %v, lost: %v", math.Float64bits(n.Order), n.Editable() == nil, n.Lost())
	return b.String()
}
