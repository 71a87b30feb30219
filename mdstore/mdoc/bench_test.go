package mdoc

import (
	"fmt"
	"strings"
	"testing"
)

// nodeFile returns a node's file of about n bytes.
func nodeFile(n int) []byte {
	var b strings.Builder
	b.WriteString("---\nid: node-mj2hz4gy-ync1cu\ntitle: Sign-in endpoint\ntype: execution\nstatus: implementing\nrole: null\nparentId: root\nisolated: false\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## Requirement\n\nUsers sign in.\n")
	for i := 0; b.Len() < n*3/4; i++ {
		fmt.Fprintf(&b, "\nParagraph %d with *some* words and `code` in it, 登录.\n\n- a point\n- another [one](https://example.org)\n\n```go\nfunc f%d() {}\n```\n", i, i)
	}
	b.WriteString("\n## Log\n\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "- [2026-01-01 10:00:%02d] [AI] Did step %d\n", i%60, i)
	}
	return []byte(b.String())
}

var benchSizes = []struct {
	name string
	size int
}{{"300B", 300}, {"4kB", 4 << 10}, {"100kB", 100 << 10}}

// BenchmarkParse is opening: front matter and limits.
func BenchmarkParse(b *testing.B) {
	for _, s := range benchSizes {
		b.Run(s.name, func(b *testing.B) {
			src := nodeFile(s.size)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse("Node.md", src, nodeForm)
			}
		})
	}
}

// BenchmarkParseYAML is opening where the front matter needs the YAML parser.
func BenchmarkParseYAML(b *testing.B) {
	src := []byte(strings.Replace(string(nodeFile(4<<10)), "role: null", "role: [a]", 1))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("Node.md", src, nodeForm)
	}
}

// BenchmarkSections is opening and reading the body.
func BenchmarkSections(b *testing.B) {
	for _, s := range benchSizes {
		b.Run(s.name, func(b *testing.B) {
			src := nodeFile(s.size)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				d, _ := Parse("Node.md", src, nodeForm)
				d.Sections()
			}
		})
	}
}

// BenchmarkTransition is a whole edit of a parsed document: two fields and a log entry, checked.
func BenchmarkTransition(b *testing.B) {
	for _, s := range benchSizes {
		b.Run(s.name, func(b *testing.B) {
			src := nodeFile(s.size)
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				d, _ := Parse("Node.md", src, nodeForm)
				if _, err := specEdit(d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkSetField is an edit of the front matter alone.
func BenchmarkSetField(b *testing.B) {
	d, _ := Parse("Node.md", nodeFile(4<<10), nodeForm)
	b.ReportAllocs()
	for b.Loop() {
		p, err := d.SetField("status", Text("completed"))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := d.Apply(p); err != nil {
			b.Fatal(err)
		}
	}
}

// transition makes the edits of a transition in the engine: a status, the time and a log entry.
func transition(d *Doc) (*Doc, error) {
	ps := make([]Patch, 0, 3)
	p, err := d.SetField("status", Text("completed"))
	if err != nil {
		return nil, err
	}
	ps = append(ps, p)
	if p, err = d.SetField("updatedAt", Integer(1767225600001)); err != nil {
		return nil, err
	}
	ps = append(ps, p)
	if p, err = d.AppendItem("Log", "[2026-01-01 11:00:00] [AI] complete: implementing → completed"); err != nil {
		return nil, err
	}
	return d.Apply(append(ps, p)...)
}

// BenchmarkRound is what a transition costs here, from the bytes that are read to those that are written.
func BenchmarkRound(b *testing.B) {
	for name, src := range scanned() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				d, _ := Parse("Node.md", src, nodeForm)
				if _, err := transition(d); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// composed is a new node's document as the engine has it made.
func composed() (*Doc, error) {
	d, _, err := Compose("Node.md", nodeForm, []FieldValue{
		{"id", Text("node-mj2hz4gy-ync1cu")}, {"title", Text("Sign-in endpoint")}, {"type", Text("execution")}, {"status", Text("pending")}, {"role", NullValue()},
		{"parentId", Text("root")}, {"isolated", Boolean(false)}, {"createdAt", Integer(1767225600000)}, {"updatedAt", Integer(1767225600000)},
	}, []SectionText{{Name: "Requirement", Text: "Users sign in with a password.\n\n- once\n- again\n"}, {Name: "Log", Items: []string{"[2026-01-01 10:00:00] [AI] Created"}}})
	return d, err
}

// conclusion gives a node its conclusion.
func conclusion(d *Doc) (*Doc, error) {
	p, err := d.SetSection("Conclusion", "Done.\n\n- a\n- b\n")
	if err != nil {
		return nil, err
	}
	return d.Apply(p)
}

// BenchmarkCompose is making a node.
func BenchmarkCompose(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := composed(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSetSection is giving a node a text, from the bytes that are read.
func BenchmarkSetSection(b *testing.B) {
	src := arborFile(1600)
	b.ReportAllocs()
	for b.Loop() {
		d, _ := Parse("Node.md", src, nodeForm)
		if _, err := conclusion(d); err != nil {
			b.Fatal(err)
		}
	}
}
