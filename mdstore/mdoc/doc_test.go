package mdoc

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"
)

const sample = "---\nid: n1\nstatus: pending # c\n---\n\nintro\n\n# Part\n\n## Log\n\n- one\n\n### Sub\n\ntext\n\nOwn *words*\n===========\n\n## own section ##\n\nx\n\n\n"

func TestSectionsAndHeadingsHaveSpansAndLines(t *testing.T) {
	d, problems := Parse("Node.md", []byte(sample), nodeForm)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var got []string
	for _, s := range d.Sections() {
		first, last := d.Lines(s.Body)
		got = append(got, fmt.Sprintf("%s|%s|%q|%q|%d|%d-%d", s.Name, s.Title, sample[s.Heading.Start:s.Heading.End], d.Slice(s.Body), s.Line, first, last))
	}
	want := []string{
		`Log|Log|"## Log\n"|"- one\n\n### Sub\n\ntext"|10|11-16`,
		`own section|own section|"## own section ##\n"|"x"|21|22-23`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	var heads []string
	for _, h := range d.Headings() {
		heads = append(heads, fmt.Sprintf("%d %s %d %q", h.Level, h.Title, h.Line, sample[h.Span.Start:h.Span.End]))
	}
	if want := []string{`1 Part 8 "# Part\n"`, `2 Log 10 "## Log\n"`, `3 Sub 14 "### Sub\n"`, `1 Own *words* 18 "Own *words*\n===========\n"`, `2 own section 21 "## own section ##\n"`}; !slices.Equal(heads, want) {
		t.Errorf("got  %q\nwant %q", heads, want)
	}
	if s, ok := d.Section("日志"); !ok || s.Name != "Log" {
		t.Errorf("the alias finds %+v, %t", s, ok)
	}
	if s, ok := d.Section("OWN Section"); !ok || s.Title != "own section" {
		t.Errorf("another case finds %+v, %t", s, ok)
	}
	if _, ok := d.Section("Part"); ok {
		t.Error("a heading of level 1 is no section")
	}
	if d.Text("Note") != "" || d.Items("Note") != nil {
		t.Error("a missing section has a text")
	}
}

func TestFieldsHaveSpans(t *testing.T) {
	const src = "\n---\nid: n1\n# c\nstatus:  \"a b\"  # c\nempty:\ntags: [a, b]  \nlist:\n  - a\n\n  # c\nblock: |\n  x\n\nlast: 'y'\n---\n"
	d, problems := Parse("Node.md", []byte(src), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := []string{`id 4 "n1" 3`, `status 4 "\"a b\"" 5`, `empty 0 "" 6`, `tags 5 "[a, b]" 7`, `list 5 "- a" 8`, `block 4 "|\n  x" 12`, `last 4 "'y'" 15`}
	var got []string
	for _, f := range d.Fields() {
		got = append(got, fmt.Sprintf("%s %d %q %d", f.Key, f.Kind, src[f.Span.Start:f.Span.End], f.Line))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestApplyRefusesPatchesOfAnotherDocument(t *testing.T) {
	d, _ := Parse("Node.md", []byte(sample), nodeForm)
	twin, _ := Parse("Node.md", []byte(sample), nodeForm)
	p, err := d.SetField("status", Text("x"))
	if err != nil {
		t.Fatal(err)
	}
	var e *EditError
	if _, err := twin.Apply(p); !errors.As(err, &e) {
		t.Errorf("a patch of another document: %v", err)
	}
	for _, ps := range [][]Patch{nil, {{}}, {{}, {}}} {
		if got, err := d.Apply(ps...); got != d || err != nil {
			t.Errorf("nothing to do: %v, %v", got, err)
		}
	}
	if got, err := d.Apply(p, Patch{}); err != nil || !strings.Contains(string(got.Bytes()), "status: x # c") {
		t.Errorf("a patch and nothing: %v", err)
	}
}

func TestDamagedFilesAreReadInPlace(t *testing.T) {
	src := "---\rid: n1\r\ntitle: a\xff\x00b\n---\n\n## Log\n\n- x\ry\n"
	d, problems := Parse("Node.md", []byte(src), nodeForm)
	if len(problems) != 2 || problems[0].Code != CodeNotUTF8 || problems[0].Line != 2 || problems[1].Code != CodeLineEndings {
		t.Errorf("diagnostics %v", problems)
	}
	if f, _ := d.Field("title"); f.Value != "a??b" || src[f.Span.Start:f.Span.End] != "a\xff\x00b" {
		t.Errorf("field %+v", f)
	}
	if got := d.Items("Log"); len(got) != 1 || got[0].Text != "x\ny" {
		t.Errorf("items %+v", got)
	}
	if string(d.Bytes()) != src {
		t.Error("the source is not what was given")
	}
}

func TestAFileOfUTF16HasOneProblem(t *testing.T) {
	for _, src := range []string{"\xff\xfe-\x00-\x00-\x00\n\x00", "\xfe\xff\x00-\x00-\x00-\x00\n"} {
		_, problems := Parse("Node.md", []byte(src), nodeForm)
		if len(problems) != 1 || problems[0].Code != CodeNotUTF8 || problems[0].Text != "the file is UTF-16; save the file as UTF-8" {
			t.Errorf("%q: %v", src, problems)
		}
	}
}

func TestDiagnosticsAreSentences(t *testing.T) {
	for src, want := range map[string]string{
		"x":                             "Node.md:1:1: FRONT_MATTER_MISSING: the file does not begin with front matter: its keys between two lines ---; a node needs no key but title",
		"---\na: 1\na: 2\n---\n":        `Node.md:3:1: DUPLICATE_KEY: the key "a" stands in line 2 already; keep one of the two`,
		"---\nt: \xff\n---\n":           "Node.md:2:4: NOT_UTF8: byte 0xFF is not valid UTF-8 here; save the file as UTF-8",
		strings.Repeat("x", MaxBytes+1): "Node.md: FILE_TOO_LARGE: the file has 1048577 bytes, the limit is 1048576",
	} {
		d, problems := Parse("Node.md", []byte(src), nil)
		if len(problems) == 0 || problems[0].String() != want {
			t.Errorf("got  %v\nwant %s", problems, want)
		}
		if err := d.Editable(); err == nil || err.Error() != want {
			t.Errorf("Editable: %v", err)
		}
	}
}

func TestListsUnderHeadingsOfAnyLevel(t *testing.T) {
	const text = "Done.\r\n\r\n## rules\r\n\r\n- a\r\n  b\r\n\r\npara\r\n\r\n1. c\r\n\r\n#### deeper\r\n\r\n- no\r\n\r\n# Other\r\n\r\n- no\r\n\r\n规则\r\n===\r\n- d\r\n-\r\n"
	if got, want := ListsUnder(text, "Rules", "规则"), []string{"a\nb", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := ListsUnder("- a", "Rules"); got != nil {
		t.Errorf("got %q of a text without headings", got)
	}
	if got := ListsUnder("# Rules\n\n"+strings.Repeat("> ", 100)+"x", "Rules"); got != nil {
		t.Errorf("got %q of a text beyond the limits", got)
	}
}

func TestNestedTextHasNoHeadingAtOrAboveTheLevel(t *testing.T) {
	for _, c := range []struct {
		text   string
		level  int
		nested string
	}{
		{"# a\n\n## b", 2, "### a\n\n#### b"},
		{"# a\n\n## b", 3, "#### a\n\n##### b"},
		{"### a\n\n## b", 3, "##### a\n\n#### b"},
		{"# a\n\n###### b", 5, "###### a\n\n###### b"},
		{"# a", 9, "###### a"},
		{"# a", 0, "## a"},
		{"a\r\n===\r\n", 1, "## a"},
		{"#### a", 3, "#### a"},
		{"", 2, ""},
	} {
		if got, _, err := Nest(c.text, c.level); got != c.nested || err != nil {
			t.Errorf("Nest(%q, %d) = %q, %v, want %q", c.text, c.level, got, err, c.nested)
		}
	}
	var e *EditError
	if _, _, err := Nest("a\x00", 2); !errors.As(err, &e) {
		t.Errorf("NUL: %v", err)
	}
	rapid.Check(t, func(t *rapid.T) {
		text, level := drawJoined(t, "text", bodyBag, 0, 5), rapid.IntRange(1, 5).Draw(t, "level")
		once, _, err := Nest(text, level)
		if err != nil {
			return
		}
		if twice, adapted, err := Nest(once, level); twice != once || adapted != nil || err != nil {
			t.Fatalf("Nest(%q, %d) = %q, again %q, %v, %v", text, level, once, twice, adapted, err)
		}
		for _, h := range oracleStretches(once) {
			if h.level > 0 && h.level <= level {
				t.Fatalf("Nest(%q, %d) = %q has a heading of level %d", text, level, once, h.level)
			}
		}
		if item, _, err := ItemText(text); err == nil {
			if again, adapted, err := ItemText(item); again != item || adapted != nil || err != nil {
				t.Fatalf("ItemText(%q) = %q, again %q, %v, %v", text, item, again, adapted, err)
			}
		}
	})
}

// The race detector fails the test.
func TestDocIsSafeForConcurrentUse(t *testing.T) {
	d, _ := Parse("Node.md", []byte(sample), nodeForm)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			d.Sections()
			d.Items("Log")
			p, err := d.SetField("status", Text("x"))
			q, err2 := d.AppendItem("Log", "y")
			if after, err3 := d.Apply(p, q); errors.Join(err, err2, err3) != nil || len(after.Items("Log")) != 2 {
				t.Error(err, err2, err3)
			}
		})
	}
	wg.Wait()
}

func TestStructureIsTheSameWithCRLF(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := drawJoined(t, "block", bodyBag, 0, 9) + "\n"
		lf := newOutline([]byte(body), 0, nodeForm)
		crlf := newOutline([]byte(strings.ReplaceAll(body, "\n", "\r\n")), 0, nodeForm)
		if len(lf.blocks) != len(crlf.blocks) || len(lf.headings) != len(crlf.headings) {
			t.Fatalf("%q\n  LF %+v\nCRLF %+v", body, lf.blocks, crlf.blocks)
		}
		for i := range lf.blocks {
			a, b := lf.blocks[i], crlf.blocks[i]
			if a.kind != b.kind || a.level != b.level || a.title != b.title || len(a.items) != len(b.items) {
				t.Fatalf("%q\n  LF %+v\nCRLF %+v", body, a, b)
			}
		}
		for i := range lf.headings {
			if lf.headings[i].Line != crlf.headings[i].Line {
				t.Fatalf("%q: heading %d", body, i)
			}
		}
	})
}

func TestRemovedItemTakesOnlyItsLine(t *testing.T) {
	for _, below := range []string{"text", "> quote", "```\ncode\n```", "<!-- c -->", "| a |\n|---|", "* other", "1. one", "***", "![x](y)", "[x]: y\n\ntext"} {
		for _, gap := range []string{"\n", "\n\n", "\n \n"} {
			lines := []string{"- a\n", "- b\n", "- c\n"}
			for i := range lines {
				src := func(lines []string) string {
					return "---\nid: n\n---\n\n## Log\n\n" + strings.Join(lines, "") + gap + below + "\n\n## Own\n"
				}
				d, _ := Parse("Node.md", []byte(src(lines)), nodeForm)
				p, err := d.RemoveItem("Log", i)
				if err != nil {
					t.Fatal(err)
				}
				want := src(slices.Delete(slices.Clone(lines), i, i+1))
				if after, err := d.Apply(p); err != nil || string(after.Bytes()) != want {
					t.Errorf("RemoveItem(%d) on %q: %v\n got %q\nwant %q", i, d.Bytes(), err, after.Bytes(), want)
				}
			}
		}
	}
}
