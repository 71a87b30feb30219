package mdoc

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// In a section of mixed line ends, lines that a new text keeps keep their ends, and a line that is changed in its place
// keeps its end, too.
func TestANewTextKeepsTheLineEnds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		line := rapid.SampledFrom([]string{"a", "b", "- [ ] box", "", "two words"})
		ends := rapid.SampledFrom([]string{"\n", "\r\n"})
		var old, texts []string
		for range rapid.IntRange(1, 6).Draw(t, "lines") {
			texts = append(texts, line.Draw(t, "line"))
			old = append(old, texts[len(texts)-1]+ends.Draw(t, "end"))
		}
		texts[0], texts[len(texts)-1] = "first", "last" // no blank lines, which are cut
		old[0], old[len(old)-1] = "first"+ends.Draw(t, "end"), "last\n"
		head := "---\nid: x\n---\n\n## Note\n\n"
		d, problems := Parse("Node.md", []byte(head+strings.Join(old, "")), nil)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		at := rapid.IntRange(0, len(texts)-1).Draw(t, "changed")
		want, body := append([]string{}, old...), append([]string{}, texts...)
		body[at] = "changed"
		want[at] = "changed" + strings.TrimPrefix(old[at], texts[at])
		if more := rapid.IntRange(0, 2).Draw(t, "more"); more > 0 && at < len(texts)-1 { // further lines behind it
			body = append(body[:at+1:at+1], append(strings.Split(strings.Repeat("new,", more-1)+"new", ","), texts[at+1:]...)...)
			want = append(append(append([]string{}, want[:at+1]...), make([]string, more)...), old[at+1:]...)
		}
		p, err := d.SetSection("Note", strings.Join(body, "\n"))
		if err != nil {
			t.Fatal(err)
		}
		after, err := d.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		now := strings.SplitAfter(strings.TrimPrefix(string(after.Bytes()), head), "\n")
		for i, line := range want {
			if line != "" && now[i] != line {
				t.Fatalf("line %d of %q\n got %q\nwant %q", i, body, now, want)
			}
		}
	})
}

// A tick of a line changes one character, wherever the box stands: above the first heading, in a section or in a quote.
func TestATickOfALineChangesOneCharacter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := "---\nid: x\n---\n\n" + drawJoined(t, "block", append(append([]string{}, boxBag...), bodyBag...), 1, 8) + "\n"
		if rapid.Bool().Draw(t, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		d, problems := Parse("Node.md", []byte(src), nil)
		if len(problems) > 0 {
			return
		}
		lines := strings.SplitAfter(src, "\n")
		i := rapid.IntRange(0, len(lines)+1).Draw(t, "line")
		p, err := d.TickLine(i+1, true)
		if err != nil {
			return
		}
		after, err := d.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		was := lines[i]
		if lines[i] = strings.Replace(was, "[ ]", "[x]", 1); string(after.Bytes()) != strings.Join(lines, "") {
			t.Fatalf("line %d of\n%q\n got %q\nwant %q", i+1, src, after.Bytes(), strings.Join(lines, ""))
		}
		back, err := after.TickLine(i+1, false)
		if err != nil || strings.Contains(was, "[x]") || strings.Contains(was, "[X]") {
			return
		}
		if again, err := after.Apply(back); err != nil || string(again.Bytes()) != src {
			t.Fatalf("taken back: %v\n%q", err, again.Bytes())
		}
	})
	d, _ := Parse("Node.md", []byte("---\na: 1\n---\n- [ ] top\n\n> 1. [ ] quoted\n\n```\n- [ ] code\n```\n\n- [ ] next\n"), nil)
	for line, box := range map[int]bool{1: false, 4: true, 6: true, 9: false, 12: true, 99: false} {
		if _, err := d.TickLine(line, true); (err == nil) != box {
			t.Errorf("line %d: %v", line, err)
		}
	}
}
