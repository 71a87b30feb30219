package mdoc

import (
	"bytes"
	"strings"
	"testing"

	"github.com/adrg/frontmatter"
	"pgregory.net/rapid"
)

// adrgSplit finds front matter with the library.
func adrgSplit(t *rapid.T, src string) (front, body string, found bool) {
	capture := func(b []byte, v any) error {
		*v.(*[]byte) = append([]byte{}, b...)
		return nil
	}
	var raw []byte
	rest, err := frontmatter.Parse(strings.NewReader(src), &raw, frontmatter.NewFormat("---", "---", capture))
	if err != nil {
		t.Fatalf("adrg/frontmatter on %q: %v", src, err)
	}
	return string(raw), string(rest), len(rest) < len(src)
}

// They differ in three cases: a byte order mark, which the library reads as text; ... as the
// closing line; and --- with blanks before it, which ends front matter for the library. A
// no-break space is such a blank for the library, and text for YAML and Markdown.
func TestSplitFindsTheFrontMatterThatAdrgFinds(t *testing.T) {
	lines := []string{"---", "--- ", "---\t", " ---", "  ---  ", "...", "... ", "----", "--", "---x", "+++", "", " ", "a: b", "note: |", "  x", "## Log", "- a", "\u00a0"}
	ends := []string{"\n", "\n", "\r\n"}
	same := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		src := rapid.SampledFrom([]string{"---\n", "---\n", "\n---\n", "", "\ufeff---\n", "--- \r\n", " ---\n"}).Draw(t, "first")
		for range rapid.IntRange(0, 6).Draw(t, "lines") {
			src += rapid.SampledFrom(lines).Draw(t, "line") + rapid.SampledFrom(ends).Draw(t, "end")
		}
		src += rapid.SampledFrom([]string{"", "---", "x"}).Draw(t, "last")
		p := split([]byte(src))
		front, body, found := adrgSplit(t, src)
		if p.found == found && (!found || src[p.front.Start:p.front.End] == front && src[p.body:] == body) {
			if found {
				same["found"]++
			} else {
				same["none"]++
			}
			return
		}
		switch {
		case strings.HasPrefix(src, "\ufeff"):
			same["byte order mark"]++
		case p.found && delimiter([]byte(src[p.front.End:p.body]), "..."):
			same["dots"]++
		case indentedDelimiter(src):
			same["indented delimiter"]++
		default:
			t.Fatalf("on %q\n  ours %v %+v\n  adrg %v %q %q", src, p.found, p, found, front, body)
		}
	})
	t.Log(same)
	for _, class := range []string{"found", "none", "byte order mark", "dots", "indented delimiter"} {
		if same[class] == 0 {
			t.Errorf("no document of the class %q was drawn", class)
		}
	}
}

func indentedDelimiter(src string) bool {
	for line := range strings.Lines(src) {
		if t := strings.TrimSpace(line); t == "---" && !strings.HasPrefix(line, "---") || t == "" && !blank([]byte(line)) {
			return true
		}
	}
	return false
}

func TestSplitLosesNoByte(t *testing.T) {
	for _, src := range []string{"", "---", "---\n", "---\n---", "---\n---\n", "\ufeff---\r\na: b\r\n...\r\nx", "x\n---\n---\n", "\n\n---\nx\n"} {
		p := split([]byte(src))
		if p.front.Start > p.front.End || p.front.End > p.body || p.body > len(src) {
			t.Errorf("split(%q) = %+v", src, p)
		}
		if p.found && !delimiter(bytes.TrimPrefix([]byte(src[p.open:p.front.Start]), byteOrderMark), "---") {
			t.Errorf("split(%q): the opening line is %q", src, src[p.open:p.front.Start])
		}
	}
}
