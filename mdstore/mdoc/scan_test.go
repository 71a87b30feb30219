package mdoc

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// scanEqualsParse holds that the scanner accepts what Parse reads without diagnostics by its own scan of lines, and nothing else, and
// that the fields are the same.
func scanEqualsParse(t interface {
	Helper()
	Fatalf(string, ...any)
}, s *Scanner, src []byte) bool {
	t.Helper()
	given := bytes.Clone(src)
	fields, ok := s.Scan(src)
	if !bytes.Equal(given, src) {
		t.Fatalf("Scan changed %q", given)
	}
	d, problems := Parse("Node.md", given, nil)
	plain := false
	if len(problems) == 0 {
		_, plain = scanPlain(d.text, d.parts.front)
	}
	if ok != plain {
		t.Fatalf("Scan(%q) is %t; Parse says %v, and that its front matter is plain is %t", src, ok, problems, plain)
	}
	if ok && !slices.Equal(fields, d.Fields()) {
		t.Fatalf("Scan(%q)\n   is %+v\nParse %+v", src, fields, d.Fields())
	}
	for i := range src {
		src[i] = 'x' // nothing of it may be kept
	}
	if ok && !slices.Equal(fields, d.Fields()) {
		t.Fatalf("Scan(%q) keeps its source", given)
	}
	return ok
}

// modestIsWithin holds that what is taken to be within the limits at a glance is so line by line.
func modestIsWithin(t interface {
	Helper()
	Fatalf(string, ...any)
}, body []byte) bool {
	t.Helper()
	if !modest(body) {
		return false
	}
	if over := checkLines(body); over != nil {
		t.Fatalf("a body of %d bytes is modest, and %s at %d: %.200q", len(body), over.text, over.at, body)
	}
	return true
}

func TestScanEqualsParse(t *testing.T) {
	var s Scanner
	accepted, all := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := []byte(drawDocument(t))
		all++
		if scanEqualsParse(t, &s, src) {
			accepted++
		}
	})
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		b.WriteString("---\n")
		for range rapid.IntRange(1, 4).Draw(t, "lines") {
			b.WriteString(rapid.SampledFrom(plainKeys[:8]).Draw(t, "key") + ": " + rapid.SampledFrom(plainValues).Draw(t, "value") + rapid.SampledFrom(plainEnds).Draw(t, "end"))
		}
		b.WriteString("---\n\n## Log\n")
		all++
		if scanEqualsParse(t, &s, []byte(b.String())) {
			accepted++
		}
	})
	if accepted < all/20 || accepted == all {
		t.Errorf("the scanner accepts %d of %d documents: the test holds little", accepted, all)
	}
}

// TestScannedStringsStay holds that the strings of one document outlive the scan of many others.
func TestScannedStringsStay(t *testing.T) {
	var s Scanner
	var kept []string
	for i := range 1000 {
		fields, ok := s.Scan(fmt.Appendf(nil, "---\nid: node-%d\ntitle: 登录 %d\n---\n\n## Log\n", i, i))
		if !ok || len(fields) != 2 {
			t.Fatalf("document %d: %v %t", i, fields, ok)
		}
		kept = append(kept, fields[0].Value+"|"+fields[1].Value, fields[1].Value)
	}
	long := strings.Repeat("x", scanChunk+1)
	if fields, ok := s.Scan([]byte("---\nid: n\nlong: " + long + "\n---\n")); !ok || fields[1].Value != long {
		t.Error("a long field is not read")
	}
	for i := range 1000 {
		if want := fmt.Sprintf("node-%d|登录 %d", i, i); kept[2*i] != want || kept[2*i+1] != fmt.Sprintf("登录 %d", i) {
			t.Fatalf("document %d reads %q, want %q", i, kept[2*i:2*i+2], want)
		}
	}
}

// TestModest draws bodies at the limits: rows of markers and blanks around the number that a line may begin with, and many lines.
func TestModest(t *testing.T) {
	accepted, beyond := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 5).Draw(t, "pieces") {
			b.WriteString(strings.Repeat(rapid.SampledFrom([]string{">", "> ", "- ", "1. ", "\t", " ", "-", "x\n", "\n", "[a]: /u\n", "word ", "\t- "}).Draw(t, "piece"),
				rapid.SampledFrom([]int{1, 2, 30, 31, 32, 33, 63, 64, 65, 66, 700, 2000, 2001}).Draw(t, "times")))
			b.WriteString(rapid.SampledFrom([]string{"", "x", "\n", " x\n"}).Draw(t, "end"))
		}
		if modestIsWithin(t, []byte(b.String())) {
			accepted++
		} else if checkLines([]byte(b.String())) != nil {
			beyond++
		}
	})
	if accepted == 0 || beyond == 0 {
		t.Errorf("%d bodies were modest and %d beyond the limits: the test holds little", accepted, beyond)
	}
}

// scanned are files as Arbor writes them, of about 1.6 kB.
func scanned() map[string][]byte {
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

// arborFile returns a node's file of about n bytes as Arbor writes it.
func arborFile(n int) []byte {
	var b strings.Builder
	b.WriteString("---\nid: node-mj2hz4gy-ync1cu\ntitle: Sign-in endpoint with a session that ends\ntype: execution\nstatus: implementing\nrole: null\nparentId: node-mj2hz4gy-abcdef\nisolated: false\ncreatedAt: 1767225600000\nupdatedAt: 1767225600000\n---\n\n## Requirement\n\n")
	for b.Len() < n/2 {
		b.WriteString("Users sign in with a password and get a session, which ends after thirty minutes without anything done.\n\n")
	}
	b.WriteString("- `POST /login` answers 200 or 401\n- the session's cookie is HttpOnly\n\n## Docs\n\n- docs/login.md: what the form looks like\n\n## References\n\n- node-mj2hz4gy-abc123: where sessions are kept\n\n## Log\n\n")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "- [2026-01-01 10:00:%02d] [AI] Did step %d of what was asked\n", i%60, i)
	}
	return []byte(b.String())
}

// TestScanAllocates holds that a scan of many documents allocates only a piece of memory for every hundred or so.
func TestScanAllocates(t *testing.T) {
	for name, src := range scanned() {
		var s Scanner
		if got := testing.AllocsPerRun(1000, func() {
			if _, ok := s.Scan(src); !ok {
				t.Fatalf("%s is not accepted: %q", name, src)
			}
		}); got > 0 {
			t.Errorf("%s: Scan allocates %v times, the budget is 0", name, got)
		}
	}
}

func BenchmarkScan(b *testing.B) {
	for name, src := range scanned() {
		b.Run(name, func(b *testing.B) {
			var s Scanner
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, ok := s.Scan(src); !ok {
					b.Fatal("not accepted")
				}
			}
		})
		b.Run(name+"/Parse", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				Parse("Node.md", src, nodeForm)
			}
		})
	}
}

func FuzzScan(f *testing.F) {
	for _, src := range seeds(f) {
		f.Add(src)
	}
	for _, trap := range yamlTraps {
		f.Add([]byte("---\nid: a\n" + trap + "\n---\n\n## Log\n"))
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		var s Scanner
		scanEqualsParse(t, &s, bytes.Clone(src))
		modestIsWithin(t, src)
	})
}
