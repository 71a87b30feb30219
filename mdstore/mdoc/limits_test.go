package mdoc

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFileBeyondALimitIsReadableAndClosed(t *testing.T) {
	front := "---\nid: n1\n---\n"
	many := func(format string, n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	nested := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	const text = "some text that is long enough to fill a line of a document\n"
	for _, c := range []struct {
		name    string
		src     string
		line    int    // of the diagnostic; -1 for a document within the limits
		words   string // of the diagnostic
		noField bool   // the front matter is not read either
	}{
		{"bytes", front + strings.Repeat(text, MaxBytes/len(text)+1), 0, "1048576", false},
		{"bytes within", front + strings.Repeat(text, MaxBytes/len(text)-1), -1, "", false},
		{"bytes and no line end", strings.Repeat("x", MaxBytes+1), 0, "1048576", true},
		{"front matter bytes", "---\nid: n1\nx: " + strings.Repeat("x", maxFrontMatterBytes) + "\n---\n", 2, "65536", true},
		{"front matter bytes within", "---\nid: n1\nx: " + strings.Repeat("x", maxFrontMatterBytes-20) + "\n---\n", -1, "", false},
		{"nodes", "---\nid: n1\n" + many("k%d: v\n", 255) + "---\n", 2, "512", true},
		{"nodes within", "---\nid: n1\n" + many("k%d: v\n", 254) + "---\n", -1, "", false},
		{"lines that are no YAML within", "---\nid: n1\nt: a: b\n" + many("k%d: v\n", 253) + "---\n", -1, "", false},
		{"nodes in a list", "---\nid: n1\nl:\n" + many("- %d\n", 512) + "---\n", 2, "512", true},
		{"deep", "---\nid: n1\nx: " + nested(600) + "\n---\n", 2, "512", true},
		{"deep within", "---\nid: n1\nx: " + nested(500) + "\n---\n", -1, "", false},
		{"deeper than the parser goes", "---\nid: n1\nx: " + nested(20000) + "\n---\n", -1, "", false},
		{"aliases", "---\nid: n1\na: &a 1\n" + many("k%d: *a\n", 32) + "---\n", -1, "", false},
		{"bomb", "---\nid: n1\na: &a [x,x,x,x]\nb: &b [*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c]\ne: [*d,*d,*d,*d]\n---\n", -1, "", false},
		{"quotes", front + "\n" + strings.Repeat(">", 65) + " x\n", 5, "64 markers", false},
		{"quotes within", front + "\n" + strings.Repeat(">", 64) + " x\n", -1, "", false},
		{"quotes with blanks", front + "\n" + strings.Repeat("> ", 65) + " x\n", 5, "64 markers", false},
		{"lists", front + "\nx\n\n" + strings.Repeat("- ", 65) + "x\n", 7, "64 markers", false},
		{"numbered lists", front + strings.Repeat("1. ", 65) + "x\n", 4, "64 markers", false},
		{"stairs", front + stairs(100), -1, "", false},
		{"blank lines below stairs", front + stairs(100) + strings.Repeat("\n", 500000), 4 + 100 + maxOpenBlanks/100, "blank lines", false},
		{"far to the right", front + strings.Repeat(" ", 200) + "- x\n" + strings.Repeat(" ", 200) + "> x\n", -1, "", false},
		{"a rule", front + strings.Repeat("-", 1000) + "\n" + strings.Repeat("*", 1000) + "\n", -1, "", false},
		{"deep code", front + strings.Repeat(" ", 500) + "x\n", -1, "", false},
		{"blank lines in lists", front + strings.Repeat("- ", 60) + "x\n" + strings.Repeat(" ", 120) + "- - - x\n" + strings.Repeat("\n", 500000), 6 + maxOpenBlanks/63, "blank lines", false},
		{"blank lines below lazy text", front + strings.Repeat("- ", 60) + "x\nx\n" + strings.Repeat("\n", 500000), 6 + maxOpenBlanks/60, "blank lines", false},
		{"lines of blanks in lists", front + strings.Repeat("- ", 60) + "x\n" + strings.Repeat(" \n", 400000), 5 + maxOpenBlanks/60, "blank lines", false},
		{"blank lines in a list", front + "- x\n" + strings.Repeat("\n", 500000), -1, "", false},
		{"definitions", front + many("[x%d]: /u\n", 2001), 4 + 2000, "2000 link definitions", false},
		{"definitions in a quote", front + many("> [x%d]: /u\n", 2001), 4 + 2000, "2000 link definitions", false},
		{"definitions over two lines", front + many("[x%d]:\n/u\n", 2001), 4 + 4000, "2000 link definitions", false},
		{"definitions within", front + many("[x%d]: /u\n", 2000) + "\n" + many("[y%d]: /u\n", 2000), -1, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, problems := Parse("Node.md", []byte(c.src), nodeForm)
			d.Sections()
			f, ok := d.Field("id")
			if ok == c.noField || ok && f.Value != "n1" {
				t.Errorf("field id is %v %v", f, ok)
			}
			if c.line < 0 {
				if len(problems) > 0 || d.Editable() != nil {
					t.Errorf("diagnostics %v", problems)
				}
				return
			}
			if len(problems) == 0 {
				t.Fatal("no diagnostics")
			}
			p := problems[0]
			if p.Code != CodeTooLarge || p.Line != c.line || !strings.Contains(p.Text, c.words) {
				t.Errorf("got %v, want line %d, %s and %q", p, c.line, CodeTooLarge, c.words)
			}
			var unreadable *UnreadableError
			if _, err := d.SetField("id", Text("x")); !errors.As(err, &unreadable) {
				t.Errorf("SetField: %v, want an *UnreadableError", err)
			}
		})
	}
}

// stairs returns n lists, each nested in the one before.
func stairs(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat("  ", i) + "- x\n")
	}
	return b.String()
}

func TestTextBeyondTheLimitsOfAFileIsRefused(t *testing.T) {
	d, _ := Parse("Node.md", []byte("---\nid: n1\n---\n\n## Log\n\n- one\n"), nodeForm)
	var e *EditError
	if _, err := d.SetSection("Note", strings.Repeat("> ", 65)+"x"); !errors.As(err, &e) || !strings.Contains(e.Text, "64 markers") {
		t.Errorf("nested text: %v", err)
	}
	p, err := d.SetSection("Note", strings.Repeat("x\n", MaxBytes/2))
	if err == nil {
		_, err = d.Apply(p)
	}
	if !errors.As(err, &e) || !strings.Contains(e.Text, "1048576") {
		t.Errorf("long text: %v", err)
	}
	if _, err := d.SetSection("Note", strings.Repeat("x\n", MaxBytes)); !errors.As(err, &e) || !strings.Contains(e.Text, "1048576") {
		t.Errorf("a text longer than a file: %v", err)
	}
	// In a list item the same text is one level deeper.
	p, err = d.AppendItem("Log", strings.Repeat("> ", 64)+"x")
	if err == nil {
		_, err = d.Apply(p)
	}
	if !errors.As(err, &e) || !strings.Contains(e.Text, "64 markers") {
		t.Errorf("nested item: %v", err)
	}
}
