package mdoc

import (
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
	"pgregory.net/rapid"
)

var boxBag = []string{
	"## Log", "## 日志", "## Note", "### Sub", "Note\n---", "- [ ] a", "- [x] b", "* [X] c\n* [ ] d",
	"1. [ ] one\n2. [x] two",
	"- [ ] outer\n  - [ ] inner\n    - [x] deep\n- [ ] next", "- plain\n  - [ ] below", "- [ ] long\n  text\n\n  more",
	"-  [ ]  wide", "- [ ]\ttab",
	"```\n- [ ] code\n```", "> - [ ] quote", "- > - [ ] quote in a list", "- ```\n  - [ ] code in a list\n  ```",
	"<!--\n- [ ] comment\n-->", "    - [ ] indented code",
	"- [ ]", "- [ ] ", "- [-] no", "- [ ]no", "- \\[ ] no", "[ ] no list", "text", "- [x](link)", "- [x]: /u",
	"| a |\n|---|\n| - [ ] |", "- [ ] ### no", "- [ ] `code`", "a\n- [ ] lazy",
}

// TestTicksChangeOneCharacter draws documents with boxes, ticks them in a random order, and compares the bytes.
func TestTicksChangeOneCharacter(t *testing.T) {
	form := &Form{Sections: []SectionForm{{Name: "Log", Aliases: []string{"日志"}}}}
	ticked := 0
	rapid.Check(t, func(t *rapid.T) {
		bag := append(append([]string{}, boxBag...), boxBag...)
		src := "---\nid: x\n---\n\n" + drawJoined(
			t,
			"block",
			append(bag, bodyBag...),
			0,
			6,
		) + "\n\n## Log\n\n" + drawJoined(
			t,
			"block",
			append(bag, bodyBag...),
			1,
			8,
		) + "\n"
		if rapid.Bool().Draw(t, "crlf") {
			src = strings.ReplaceAll(src, "\n", "\r\n")
		}
		d, problems := Parse("", []byte(src), form)
		if len(problems) > 0 {
			return
		}
		boxes := d.Boxes("Log")
		if want := boxesByGoldmark(d, "Log"); want != len(boxes) {
			t.Fatalf("%d boxes, goldmark finds %d, in\n%s", len(boxes), want, src)
		}
		now := d
		want := []byte(src)
		var patches []Patch
		for i, b := range boxes {
			if !rapid.Bool().Draw(t, "tick") {
				continue
			}
			done := rapid.Bool().Draw(t, "done")
			p, err := d.Tick(b, done)
			if err != nil {
				t.Fatalf("box %d: %v in\n%s", i, err, src)
			}
			patches = append(patches, p)
			if done != b.Done {
				want[b.mark] = " x"[map[bool]int{true: 1}[done]]
				ticked++
			}
		}
		now, err := now.Apply(patches...)
		if err != nil {
			t.Fatalf("%v in\n%s", err, src)
		}
		if string(now.Bytes()) != string(want) {
			t.Fatalf("got\n%q\nwant\n%q", now.Bytes(), want)
		}
	})
	if ticked == 0 {
		t.Fatal("no document had a box to tick")
	}
}

// boxesByGoldmark counts the task boxes with a text in sections of a name as GitHub's Markdown does, but not those in
// quotes.
func boxesByGoldmark(d *Doc, section string) (n int) {
	src := []byte(strings.ReplaceAll(string(d.text[d.parts.body:]), "\r\n", "\n"))
	root := goldmark.New(goldmark.WithExtensions(extension.TaskList, extension.Table)).Parser().Parse(text.NewReader(src))
	in := false
	for b := root.FirstChild(); b != nil; b = b.NextSibling() {
		h, ok := b.(*ast.Heading)
		if p := b.PreviousSibling(); ok && p != nil && p.Kind() == extast.KindTable && p.Pos() == b.Pos() {
			continue // a table below the lines of one paragraph, whose empty item "-" goldmark takes for an underline
		}
		if ok && h.Level <= 2 {
			in = h.Level == 2 && d.form.canonical(strings.TrimSpace(string(h.Lines().Value(src)))) == section
		}
		if _, list := b.(*ast.List); !in || !list {
			continue
		}
		_ = ast.Walk(b, func(x ast.Node, entering bool) (ast.WalkStatus, error) {
			if _, quote := x.(*ast.Blockquote); quote {
				return ast.WalkSkipChildren, nil
			}
			if _, box := x.(*extast.TaskCheckBox); box && entering {
				lines := x.Parent().Lines()
				all := string(lines.Value(src))
				if at := strings.Index(all, "]"); len(all) > at+1 && strings.ContainsRune(" \t", rune(all[at+1])) &&
					strings.TrimSpace(all[at+1:]) != "" {
					n++
				}
			}
			return ast.WalkContinue, nil
		})
	}
	return n
}

func TestBoxes(t *testing.T) {
	d, _ := Parse(
		"",
		[]byte("---\nid: x\n---\n\n## Log\n\n- [ ] one\n  two\n\n  not this\n  - [x] below\n\n### Sub\n\n1. [X] three\n"),
		&Form{},
	)
	want := []Box{
		{Text: "one two", Section: "Log", Line: 7, Top: true}, {Text: "below", Done: true, Section: "Log", Line: 11},
		{Text: "three", Done: true, Section: "Log", Line: 15},
	}
	got := d.Boxes("Log")
	for i := range got {
		got[i].Span, got[i].mark = Span{}, 0
	}
	if len(got) != len(want) || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
