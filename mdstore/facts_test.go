package mdstore_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// nodeTexts draws the text of a Node.md: of the usual form, of other forms of YAML, and damaged.
func nodeTexts(t *rapid.T) []byte {
	odd := rapid.SampledFrom([]string{"", "id", "title", "type", "status", "role", "parentId", "isolated", "order", "createdAt", "all"}).Draw(t, "odd")
	value := func(key string, usual, others []string) string {
		if odd == key || odd == "all" {
			usual = append(usual, others...)
		}
		v := rapid.SampledFrom(usual).Draw(t, key)
		if v == "" {
			return ""
		}
		return key + ": " + v + "\n"
	}
	type texts = []string
	front := value("id", texts{"node-a"}, texts{"a b", "'node-a'", "", "[x]", "node-é"}) +
		value("title", texts{"A title", "计划", ""}, texts{"\"A: title\"", "'#'", "null", "- x", "|\n  two\n  lines"}) +
		value("type", texts{"execution"}, texts{"planning", "other", ""}) +
		value("status", texts{"pending", "implementing"}, texts{"monitoring", "done", ""}) +
		value("role", texts{"", "null", "validation"}, texts{"nothing", "~"}) +
		value("parentId", texts{"root", "null", ""}, texts{"node-b # why", "{}"}) +
		value("isolated", texts{"", "true", "false"}, texts{"True", "yes", "null", "1"}) +
		value("order", texts{"", "1", "2.5"}, texts{"-0", "nan", ".nan", "x", "null", "'1'"}) +
		value("createdAt", texts{"", "1767225600000"}, texts{"1.5", "null", "x", "0x10"}) +
		value("own", texts{"", "text"}, texts{"[a, b]", "\n  a: b"})
	body := strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{"## Note\n\nn\n\n", "## Requirement\n\nr\n\n", "## Conclusion\n\nc\n\n",
		"## Problem\n\np\n\n### Next Step\n\nn\n\n", "## Log\n\n- [2026-01-01 10:00:00] [AI] created\n- x\n\n", "text\n\n",
		"## References\n\n- node-mjv3xk00-000001: why\n- node-x (expired)\n\n", "## Docs\n\n- a.md\n- b.md: b\n\n", "## 备注\n\nn\n\n",
		"## Own\n\no\n\n", "<<<<<<< a\n", "## Problem\n\n" + strings.Repeat("long ", 200) + "\n\n"}), 0, 6).Draw(t, "body"), "")
	end := rapid.SampledFrom([]string{"---\n", "---\n", "---\n", "---\n", "---\n", "...\n", ""}).Draw(t, "end")
	text := "---\n" + front + end + "\n" + body
	if rapid.IntRange(0, 9).Draw(t, "crlf") == 0 {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return []byte(text)
}

// Facts say of a document what the document says.
func TestFactsSayWhatTheDocumentSays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := nodeTexts(t)
		n := mdstore.ParseNode(mdstore.File{Path: "ws/nodes/folder/Node.md", Data: data})
		if n.Editable() != nil {
			return
		}
		f := n.Facts()
		active := func(refs []mdstore.Ref) (out []string) {
			for _, r := range refs {
				if !r.Expired {
					out = append(out, r.Target)
				}
			}
			return out
		}
		if got, want := slices.Collect(f.References()), active(n.References()); !slices.Equal(got, want) {
			t.Errorf("%q: references %q, want %q", data, got, want)
		}
		if got, want := slices.Collect(f.Docs()), active(n.Docs()); !slices.Equal(got, want) {
			t.Errorf("%q: documents %q, want %q", data, got, want)
		}
		if p, ok := f.Problem(); !f.Known() || f.HasProblem() == n.Problem().IsZero() || ok && p != n.Problem() {
			t.Errorf("%q: problem %+v, %v; want %+v", data, p, ok, n.Problem())
		}
		if clean := len(n.Problems) == 0 && len(mdstore.NodeKind.Check(n.Path, n.Doc())) == 0; f.Clean() != clean {
			t.Errorf("%q: clean %v, want %v", data, f.Clean(), clean)
		}
	})
}

// Two documents differ in the fields and sections that their digests name, and a document does not differ from itself.
func TestDigestsNameWhatDiffers(t *testing.T) {
	parse := func(text string) mdstore.Digests {
		return mdstore.ParseNode(mdstore.File{Path: "ws/nodes/a/Node.md", Data: []byte(text)}).Facts().Digests()
	}
	const was = "---\nid: a\ntitle: T\ntype: planning\nstatus: pending\n---\n\n## Note\n\nn\n\n## Own\n\no\n"
	for _, tt := range []struct {
		old, now         string
		fields, sections []string
	}{
		{"", "", nil, nil},
		{"title: T", "title: U", []string{"title"}, nil},
		{"title: T\n", "", []string{"title"}, nil},
		{"title: T", "title: 'T'", []string{"title"}, nil},
		{"\n\no", "\n\np", nil, []string{"Own"}},
		{"\n\n## Own\n\no", "\n", nil, []string{"Note", "Own"}},
		{"type: planning\nstatus: pending", "status: pending\ntype: planning", nil, nil},
	} {
		now := strings.Replace(was, tt.old, tt.now, 1)
		fields, sections := mdstore.DiffDigests(parse(was), parse(now))
		if !slices.Equal(fields, tt.fields) || len(tt.sections) > 0 && !slices.Contains(sections, tt.sections[len(tt.sections)-1]) {
			t.Errorf("%q: %q and %q differ, want %q and %q", now, fields, sections, tt.fields, tt.sections)
		}
	}
}

// Facts of another form say nothing.
func TestFactsOfAnotherFormSayNothing(t *testing.T) {
	for _, f := range []mdstore.Facts{"", "x", "z1\x00\x00\x00\x00\x00", "\x00\x00\x00\x00\x00", "a1\x00\x00"} {
		if f.Known() || f.Clean() || f.HasProblem() || f.Digests() != "" || len(slices.Collect(f.References())) > 0 {
			t.Errorf("%q says something", f)
		}
	}
}

// The workspace's own digests are those of its document.
func TestWorkspacesHaveDigests(t *testing.T) {
	doc, _ := mdoc.Parse("ws/Workspace.md", []byte("---\nid: ws\n---\n\n## Rules\n\n- r\n"), mdstore.WorkspaceForm)
	other, _ := mdoc.Parse("ws/Workspace.md", []byte("---\nid: ws\n---\n\n## Rules\n\n- s\n"), mdstore.WorkspaceForm)
	fields, sections := mdstore.DiffDigests(mdstore.DigestsOf(doc).Digests(), mdstore.DigestsOf(other).Digests())
	if len(fields) > 0 || !reflect.DeepEqual(sections, []string{"Rules"}) {
		t.Errorf("%q and %q differ, want the rules", fields, sections)
	}
}
