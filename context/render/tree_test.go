package render

import (
	"arbor/mdstore"
	"arbor/statemachine"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

var sampleRows = []TreeRow{
	{Depth: 0, ID: "root", Head: mdstore.Head{Title: "Field Notes / 田野笔记", Status: "monitoring"}},
	{Depth: 1, ID: "node-a", Head: mdstore.Head{Title: "Survey 现状调研", Status: "completed"}},
	{Depth: 1, ID: "node-b", Head: mdstore.Head{Title: "Sync", Status: "monitoring"}, Problem: true, Hidden: 2},
	{Depth: 2, ID: "node-c", Head: mdstore.Head{Title: "Receipts", Status: "implementing", Fields: mdstore.Fields{Isolated: new(true)}}, Focus: true},
	{Depth: 1, ID: "node-d", Head: mdstore.Head{Title: "Release 🚀", Status: "stuck"}, Damaged: true},
}

func TestTreeDrawings(t *testing.T) {
	for _, tt := range []struct {
		name  string
		style Style
		want  string
	}{
		{"box", Style{}, `
◈ Field Notes / 田野笔记  root
├─ ✓ Survey 现状调研      node-a
├─ ◈ Sync                 node-b  ! problem
│  ├─ ◐ Receipts          node-c  ← focus  isolated
│  └─ … 2 more
└─ ? Release 🚀           node-d  !! damaged
`},
		{"ascii", Style{ASCII: true}, `
[*] Field Notes / 田野笔记  root
|-- [x] Survey 现状调研     node-a
|-- [*] Sync                node-b  ! problem
|   |-- [>] Receipts        node-c  <- focus  isolated
|   ` + "`" + `-- ... 2 more
` + "`" + `-- ??? Release 🚀          node-d  !! damaged
`},
		{"narrow", Style{Width: 34}, `
◈ Field Notes / 田野笔记  root
├─ ✓ Survey 现状调研      node-a
├─ ◈ Sync        node-b  ! problem
│  ├─ ◐ Receipts  node-c  ← focus  isolated
│  └─ … 2 more
└─ ? Release 🚀  node-d  !! damaged
`},
		{"markdown", Style{Markdown: true}, `
- [ ] Field Notes / 田野笔记 (` + "`root`" + `) monitoring
  - [x] Survey 现状调研 (` + "`node-a`" + `) completed
  - [ ] Sync (` + "`node-b`" + `) monitoring, problem
    - [ ] Receipts (` + "`node-c`" + `) implementing, isolated, **focus**
    - 2 more
  - [ ] Release 🚀 (` + "`node-d`" + `) stuck, damaged
`},
	} {
		if got, want := Tree(sampleRows, tt.style), strings.TrimPrefix(tt.want, "\n"); got != want {
			t.Errorf("%s: Tree(sampleRows, %+v)\n got\n%s\nwant\n%s", tt.name, tt.style, got, want)
		}
	}
}

// Laws of every drawing, whatever titles, depths and numbers it is given.
func TestTreeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows := drawRows(t)
		style := Style{Markdown: rapid.Bool().Draw(t, "markdown"), ASCII: rapid.Bool().Draw(t, "ascii"), Width: rapid.SampledFrom([]int{0, 20, 80, 200}).Draw(t, "width")}
		got := Tree(rows, style)
		want := len(rows)
		for _, r := range rows {
			if r.Hidden > 0 {
				want++
			}
		}
		lines := strings.SplitAfter(got, "\n")
		if n := len(lines) - 1; n != want || lines[n] != "" {
			t.Fatalf("%d lines for %d rows and hidden ones, ended %q:\n%s", n, want, lines[len(lines)-1], got)
		}
		for _, r := range got {
			if r != '\n' && Unprintable(r) {
				t.Fatalf("%U reaches the terminal:\n%q", r, got)
			}
		}
		colored := style
		colored.Color = true
		if plain := VisibleLines(Tree(rows, colored)); plain != got {
			t.Fatalf("colours change the text\n got %q\nwant %q", plain, got)
		}
		if style.Markdown || style.Width < 80 {
			return
		}
		for i, l := range lines {
			if w := Columns(strings.TrimSuffix(l, "\n")); w > style.Width && style.Width > 0 && maxDepth(rows) < 6 {
				t.Fatalf("line %d takes %d columns of %d: %q", i, w, style.Width, l)
			}
		}
	})
}

func drawRows(t *rapid.T) []TreeRow {
	var rows []TreeRow
	depth := 0
	for range rapid.IntRange(0, 12).Draw(t, "rows") {
		rows = append(rows, TreeRow{
			Depth: depth, ID: rapid.StringMatching(`node-[a-z0-9]{1,8}`).Draw(t, "id"),
			Head: mdstore.Head{Title: rapid.String().Draw(t, "title"),
				Status: rapid.SampledFrom([]statemachine.Status{"pending", "completed", "failed", "nonsense", ""}).Draw(t, "status")},
			Focus: rapid.Bool().Draw(t, "focus"), Hidden: rapid.IntRange(0, 2).Draw(t, "hidden"),
		})
		depth = rapid.IntRange(0, depth+1).Draw(t, "depth")
	}
	return rows
}

func maxDepth(rows []TreeRow) (d int) {
	for _, r := range rows {
		d = max(d, r.Depth)
	}
	return d
}

func TestVisible(t *testing.T) {
	for _, tt := range []struct{ in, line, lines string }{
		{"plain 中文 🚀", "plain 中文 🚀", "plain 中文 🚀"},
		{"a\x1b[31mred\x1b[0m", "ared", "ared"},
		{"\x1b]0;title\x07x", "x", "x"},
		{"\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link", "link"},
		{"\x1b]0;never ended", "0;never ended", "0;never ended"},
		{"\u009b31mred", "red", "red"},
		{"\u009d0;t\u009cx", "x", "x"},
		{"\x1b(B\x1bMx", "x", "x"},
		{"end\x1b", "end", "end"},
		{"a\u202eb\u2066c\u200fd", "abcd", "abcd"},
		{"a\r\nb\tc\rd", "a b c d", "a\nb\tcd"},
		{"bell\x07 nul\x00 del\x7f", "bell nul del", "bell nul del"},
		{"bad \xff utf", "bad  utf", "bad  utf"},
		{"a\x1b[12\x00mb", "a12mb", "a12mb"},
	} {
		if got := Visible(tt.in); got != tt.line {
			t.Errorf("Visible(%q)\n got %q\nwant %q", tt.in, got, tt.line)
		}
		if got := VisibleLines(tt.in); got != tt.lines {
			t.Errorf("VisibleLines(%q)\n got %q\nwant %q", tt.in, got, tt.lines)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\x1b]0;x\x1b[\u009b\u009d")
	f.Add("\x1b\x1b[[31m")
	f.Fuzz(func(t *testing.T, s string) {
		got := VisibleLines(s)
		for _, r := range got {
			if r != '\n' && r != '\t' && Unprintable(r) {
				t.Fatalf("VisibleLines(%q) = %q holds %U", s, got, r)
			}
		}
		if !utf8.ValidString(got) {
			t.Fatalf("VisibleLines(%q) = %q is not UTF-8", s, got)
		}
		if again := VisibleLines(got); again != got {
			t.Fatalf("VisibleLines twice on %q\n got %q\nwant %q", s, again, got)
		}
	})
}

func TestTruncate(t *testing.T) {
	for _, tt := range []struct {
		in      string
		columns int
		want    string
	}{
		{"short", 10, "short"}, {"exactly", 7, "exactly"}, {"longer text", 7, "longer…"},
		{"田野笔记", 8, "田野笔记"}, {"田野笔记", 7, "田野笔…"}, {"田野笔记", 6, "田野…"},
		{"👩‍👩‍👧x👩‍👩‍👧", 4, "👩‍👩‍👧x…"}, {"abc", 1, "…"}, {"abc", 0, ""},
	} {
		if got := Truncate(tt.in, tt.columns, false); got != tt.want {
			t.Errorf("Truncate(%q, %d)\n got %q\nwant %q", tt.in, tt.columns, got, tt.want)
		}
	}
}

func TestBoard(t *testing.T) {
	h := BoardHead{
		ID: "ws-1", Name: "Field Notes", Goal: "Nothing is lost", Rules: 7, Progress: statemachine.Outcomes{Done: 1,
			Open: 29},
		ByStatus: map[string]int{"monitoring": 2, "implementing": 1, "completed": 1, "stuck": 1},
		Problem:  BoardProblem{Problem: "The pilot starts soon\nand more", NextStep: "Test it"},
		Problems: []BoardProblem{{ID: "node-b", Title: "Sync", Problem: "Clocks differ"}}, MoreProblems: 3,
		Damaged: []string{"ws-1/nodes/x/Node.md:3:1: DUPLICATE_KEY: status stands twice"},
	}
	want := `Field Notes  ws-1
Nothing is lost

█░░░░░░░░░░░░░░░░░░░ 1 of 30 done · 7 rules · 5 problems · 1 diagnostic
◐ 1 implementing · ◈ 2 monitoring · ✓ 1 completed · ? 1 in no known status

◈ Sync  node-b

Problems
  ! the workspace: The pilot starts soon …
    next: Test it
  ! Sync node-b: Clocks differ
  … 3 more

Diagnostics
  !! ws-1/nodes/x/Node.md:3:1: DUPLICATE_KEY: status stands twice
`
	rows := []TreeRow{{ID: "node-b", Head: mdstore.Head{Title: "Sync", Status: "monitoring"}}}
	if got := Board(h, rows, Style{}); got != want {
		t.Errorf("Board\n got\n%s\nwant\n%s", got, want)
	}
	wantMD := "# Field Notes (`ws-1`)\n\nGoal: Nothing is lost\n\n1 of 30 done, 7 rules, 1 implementing, 2 monitoring, 1 completed\n\n" +
		"- [ ] Sync (`node-b`) monitoring\n\n## Problems\n\n- the workspace: The pilot starts soon … Next: Test it\n- Sync (`node-b`): Clocks differ\n- ... 3 more\n" +
		"\n## Diagnostics\n\n- ws-1/nodes/x/Node.md:3:1: DUPLICATE\\_KEY: status stands twice\n"
	if got := Board(h, rows, Style{Markdown: true}); got != wantMD {
		t.Errorf("Board in Markdown\n got\n%s\nwant\n%s", got, wantMD)
	}
}
