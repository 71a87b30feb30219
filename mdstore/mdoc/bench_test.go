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

// BenchmarkParse reads front matter and looks for damage.
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

// BenchmarkParseYAML is BenchmarkParse with front matter that needs the YAML parser.
func BenchmarkParseYAML(b *testing.B) {
	src := []byte(strings.Replace(string(nodeFile(4<<10)), "role: null", "role: [a]", 1))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse("Node.md", src, nodeForm)
	}
}

// BenchmarkSections reads front matter and body.
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

// BenchmarkTransition parses and makes a checked edit: two fields and a log entry.
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

// BenchmarkSetField is a checked edit of the front matter.
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

// BenchmarkRound is a transition, from the bytes read to the bytes written.
func BenchmarkRound(b *testing.B) {
	for name, src := range arborFiles() {
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

// composed is a new node's document as the engine makes it.
func composed() (*Doc, error) {
	d, _, err := Compose("Node.md", nodeForm, []FieldValue{
		{"id", Text("node-mj2hz4gy-ync1cu")}, {"title", Text("Sign-in endpoint")}, {"type", Text("execution")}, {"status", Text("pending")}, {"role", NullValue()},
		{"parentId", Text("root")}, {"isolated", Boolean(false)}, {"createdAt", Integer(1767225600000)}, {"updatedAt", Integer(1767225600000)},
	}, []SectionText{{Name: "Requirement", Text: "Users sign in with a password.\n\n- once\n- again\n"}, {Name: "Log", Items: []string{"[2026-01-01 10:00:00] [AI] Created"}}})
	return d, err
}

// conclusion sets the conclusion of a node.
func conclusion(d *Doc) (*Doc, error) {
	p, err := d.SetSection("Conclusion", "Done.\n\n- a\n- b\n")
	if err != nil {
		return nil, err
	}
	return d.Apply(p)
}

func BenchmarkCompose(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := composed(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSetSection sets a text, from the bytes read to the bytes written.
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

// arborFiles are files of nodes as Arbor writes them, of about 1.6 kB.
func arborFiles() map[string][]byte {
	var chinese strings.Builder
	chinese.WriteString("---\nid: node-mj2hz4gy-ync1cu\ntitle: 登录接口与会话管理\ntype: execution\nstatus: implementing\nrole: null\nparentId: node-mj2hz4gy-abcdef\nisolated: false\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## 需求\n\n")
	for chinese.Len() < 1100 {
		chinese.WriteString("用户用密码登录，登录之后得到一个会话，会话在三十分钟没有动作之后失效。\n\n")
	}
	chinese.WriteString("## 日志\n\n")
	for i := 0; chinese.Len() < 1600; i++ {
		fmt.Fprintf(&chinese, "- [2026-01-01 10:00:%02d] [AI] 完成第 %d 步\n", i, i)
	}
	return map[string][]byte{"english": arborFile(1600), "chinese": []byte(chinese.String())}
}

// arborFile returns the file of a node, of about n bytes, as Arbor writes it.
func arborFile(n int) []byte {
	var b strings.Builder
	b.WriteString("---\nid: node-mj2hz4gy-ync1cu\ntitle: Sign-in endpoint with a session that ends\ntype: execution\nstatus: implementing\nrole: null\nparentId: node-mj2hz4gy-abcdef\nisolated: false\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## Requirement\n\n")
	for b.Len() < n/2 {
		b.WriteString("Users sign in with a password and get a session, which ends after thirty minutes without anything done.\n\n")
	}
	b.WriteString("- `POST /login` answers 200 or 401\n- the session's cookie is HttpOnly\n\n## Docs\n\n- docs/login.md: what the form looks like\n\n## References\n\n- node-mj2hz4gy-abc123: where sessions are kept\n\n## Log\n\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "- [2026-01-01 10:00:%02d] [AI] Did step %d\n", i%60, i)
	}
	return []byte(b.String())
}
