package lsp

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"
)

// model is the text as the protocol describes it: lines of UTF-16 units.
func model(s string, p position) (offset int) {
	line := 0
	for i := 0; i < len(s); {
		if line == p.Line {
			for units := 0; i < len(s) && s[i] != '\n' && s[i] != '\r'; {
				r, size := utf8.DecodeRuneInString(s[i:])
				if units += len(utf16.Encode([]rune{r})); units > p.Char {
					break
				}
				i += size
			}
			return i
		}
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++
		}
		if s[i] == '\n' || s[i] == '\r' {
			line++
		}
		i++
	}
	return len(s)
}

// FuzzEdits makes edits of an editor in the text of the server, and compares it with the text of the editor. What the
// server would send to make one text of another one must make it.
func FuzzEdits(f *testing.F) {
	f.Add("---\nid: n1\n---\n\n## Note\n\n", "über 😀\r\nx", 3, 2, 4, 1)
	f.Add("a\rb\n\nc", "", 0, 1, 2, 0)
	f.Add("😀😀\n", "y", 0, 1, 0, 3)
	f.Fuzz(func(t *testing.T, s, with string, l0, c0, l1, c1 int) {
		if !utf8.ValidString(s) || !utf8.ValidString(with) || min(l0, c0, l1, c1) < 0 {
			t.Skip("no editor sends that")
		}
		start, end := position{l0, c0}, position{l1, c1}
		a, b := model(s, start), model(s, end)
		want := s[:min(a, b)] + with + s[max(a, b):]
		got := newText(s, true).edited(&span{start, end}, with)
		if got.s != want {
			t.Fatalf("%q with %q at %v to %v\n got %q\nwant %q", s, with, start, end, got.s, want)
		}
		for _, wide := range []bool{true, false} {
			was := newText(s, wide)
			if now := made(was, was.edits(want)); now != want {
				t.Fatalf("the edits of %q to %q make %q", s, want, now)
			}
			for i := range len(s) + 1 {
				inside := i < len(s) && (!utf8.RuneStart(s[i]) || i > 0 && s[i] == '\n' && s[i-1] == '\r')
				if back := was.offset(was.position(i)); back != i && !inside {
					t.Fatalf("place %d of %q is %v, which is place %d", i, s, was.position(i), back)
				}
			}
		}
	})
}

// made returns a text after edits.
func made(t *text, edits []textEdit) string {
	s := t.s
	for _, x := range slices.Backward(edits) {
		s = s[:t.offset(x.Range.Start)] + x.NewText + s[t.offset(x.Range.End):]
	}
	return s
}

func TestEditsLeaveOtherLinesAlone(t *testing.T) {
	was := newText("---\nstatus: pending\ntitle: T\n---\n\n## Note\n\nn\n", true)
	got := was.edits(strings.Replace(was.s, "pending", "implementing", 1) + "\n## Log\n")
	if len(got) != 2 || got[0].Range.Start.Line != 1 || got[0].NewText != "implement" || got[1].Range.Start.Line != 8 {
		t.Errorf("edits = %+v", got)
	}
}
