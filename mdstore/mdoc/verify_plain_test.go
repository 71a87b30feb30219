package mdoc

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// TestPlainEditsEqualYAML holds that edits of front matter of plain lines are those that the YAML parser's positions come to, and
// that the same ones are refused.
func TestPlainEditsEqualYAML(t *testing.T) {
	made, refused := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		src := "---\n"
		for i, key := range []string{"status", "title", "role", "note", "n-1"} {
			if rapid.IntRange(0, 3).Draw(t, "there") > 0 {
				value := rapid.SampledFrom(plainValues).Draw(t, "value")
				if _, what := plainLine(key + ": " + value); what != plainField {
					value = []string{"a", "'b'", "\"c\" # c", "", "12"}[i]
				}
				src += key + rapid.SampledFrom([]string{": ", ":  "}).Draw(t, "colon") + value + rapid.SampledFrom([]string{"\n", "\r\n", " \n", " # c\n", "\n# c\n\n"}).Draw(t, "end")
			}
		}
		src += "---\n\n## Log\n\n- one\n"
		d, problems := Parse("Node.md", []byte(src), nodeForm)
		twin, _ := Parse("Node.md", []byte(src), nodeForm)
		if len(problems) > 0 || !d.plain {
			t.Fatalf("%q is not plain: %v", src, problems)
		}
		twin.plain = false
		e := drawnEdit{kind: "field", name: rapid.SampledFrom([]string{"status", "title", "n-1", "new", "a b", "true"}).Draw(t, "key"), value: drawScalar(t)}
		a, errA := e.apply(d)
		b, errB := e.apply(twin)
		switch {
		case (errA == nil) != (errB == nil):
			t.Fatalf("%v on %q: %v, by the YAML parser %v", e, src, errA, errB)
		case errA != nil:
			refused++
		case !bytes.Equal(a.Bytes(), b.Bytes()):
			t.Fatalf("%v on %q\n makes %q\nby YAML %q", e, src, a.Bytes(), b.Bytes())
		default:
			made++
		}
	})
	if made < 100 {
		t.Errorf("%d edits were made and %d refused: the test holds little", made, refused)
	}
}

// TestTwoReaders holds that a value which only the scan of plain lines reads so is refused: the library is asked for each that is not a mere word.
func TestTwoReaders(t *testing.T) {
	for _, c := range []struct {
		line, key, value string
		kind             Kind
		certain, said    bool
	}{
		{"status: completed\n", "status", "completed", String, true, true},
		{"status: \"completed\"\n", "status", "completed", String, false, true},
		{"status: 登录 x # c\n", "status", "登录 x", String, false, true},
		{"status: 登录 x\n", "status", "登录 y", String, false, false},
		{"status: 登录 x\n", "title", "登录 x", String, false, false},
		{"status: 8e249\n", "status", "8e249", String, false, false},
		{"status: 12\n", "status", "12", Int, true, true},
		{"status:\n", "status", "", Null, true, true},
	} {
		text := []byte(c.line)
		end := bytes.IndexByte(text, '\n')
		if k := bytes.Index(text, []byte(" #")); k >= 0 {
			end = k
		}
		start := bytes.IndexByte(text, ':') + 1
		for start < end && text[start] == ' ' {
			start++
		}
		f := &front{text: text, span: Span{0, len(text)}}
		e := &entry{Field: Field{Key: c.key, Kind: c.kind, Value: c.value, Span: Span{start, end}, Line: 1}}
		if got := f.certain(e); got != c.certain {
			t.Errorf("%q as %q is certain: %t", c.line, c.value, got)
		}
		if got := f.saidByYAML(e); got != c.said {
			t.Errorf("%q is said to be %s %q by the library: %t", c.line, c.key, c.value, got)
		}
		f.entries = []entry{*e}
		p := &plan{doc: &Doc{name: "Node.md"}, fields: []fieldPlan{{key: c.key}}}
		if err := p.checkTwice(f, &Doc{plain: true}); (err == nil) != c.said {
			t.Errorf("%q read as %s %q: %v", c.line, c.key, c.value, err)
		}
	}
}
