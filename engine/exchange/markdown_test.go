package exchange

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/engine/plan"
	"arbor/statemachine"
)

// text returns a source of one text.
func text(name, s string) Source {
	return Source{Name: name, Read: func(string) ([]byte, error) { return []byte(s), nil }}
}

// drawn returns items in lines: indentation by their parents, title, status and the rest.
func drawn(items []plan.ImportItem) string {
	depth, b := map[string]int{}, strings.Builder{}
	for _, it := range items {
		if it.Up != "" {
			depth[it.Key] = depth[it.Up] + 1
		}
		fmt.Fprintf(&b, "%s%s", strings.Repeat("  ", depth[it.Key]), it.Title)
		for _, x := range []any{it.Status, it.Requirement, it.Criteria, it.Note, it.Conclusion, it.After, it.Tags} {
			if s := fmt.Sprint(x); s != "" && s != "[]" {
				fmt.Fprintf(&b, " | %q", s)
			}
		}
		for f, text := range it.Fields.Given() {
			if f.Key != "tags" {
				fmt.Fprintf(&b, " | %s %q", f.Key, text)
			}
		}
		for _, o := range it.Own {
			fmt.Fprintf(&b, " | %s=%s", o.Key, o.Value)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func TestMarkdown(t *testing.T) {
	for _, tt := range []struct{ src, want, left string }{
		{"# Plan\n\n- [ ] A\n- [x] B\n", "A\nB | \"completed\" | \"was ticked in the source\"\n", "1 title of the document, which all else stands below"},
		{"# Plan\nwhy\n## One\n- A\n\n  more\n## Two\n\nwords\n", "Plan | \"why\\n\\n## Two\\n\\nwords\"\n  One\n    A | \"more\"\n", ""},
		{"---\na: 1\n---\n> quote\n\n- [/] A\n  second\n- [-] B\n- [!] C\n",
			"A | \"implementing\" | \"second\"\nB | \"cancelled\" | \"was dropped in the source\"\n[!] C\n",
			"3 line(s) of front matter; 1 paragraph(s) above the first heading or item; 1 box(es) with another mark, which is kept in the title"},
		{"---\n\n- A\n\n---\n", "A\n", ""},
		{"A\n\tB\nC\n", "A\n  B\nC\n", ""},
	} {
		r, err := Read(text("", tt.src), "markdown")
		if err != nil {
			t.Errorf("Read(%q): %v", tt.src, err)
			continue
		}
		if got, left := drawn(r.Items), strings.Join(r.Left, "; "); got != tt.want || left != tt.left {
			t.Errorf("Read(%q)\n got %s%q\nwant %s%q", tt.src, got, left, tt.want, tt.left)
		}
	}
}

// A box may stand before a no-break space.
func TestBoxesBeforeNoBreakSpaces(t *testing.T) {
	r, err := Read(text("plan.md", "- [x]\u00a0one\n- [ ]\u00a0two\n"), "")
	if err != nil || drawn(r.Items) != "one | \"completed\" | \"was ticked in the source\"\ntwo\n" {
		t.Errorf("%v\n%s", err, drawn(r.Items))
	}
}

// Equal titles have keys of their own, which are the same when the source is read again.
func TestMarkdownKeys(t *testing.T) {
	r, err := Read(text("p.md", "- A\n  - B\n- A\n  - B\n- "+strings.Repeat("long ", 100)), "")
	if err != nil {
		t.Fatal(err)
	}
	var keys []string
	for _, it := range r.Items {
		keys = append(keys, it.Key[:min(len(it.Key), 30)])
	}
	want := []string{"p.md#A", "p.md#A/B", "p.md#A (2)", "p.md#A (2)/B", "p.md#long long long long long "}
	if !slices.Equal(keys, want) {
		t.Errorf("keys are %q, want %q", keys, want)
	}
}

// lacking returns a word of src that neither the items have nor what was left out counts.
func lacking(src string, r *Result) string {
	all := strings.Join(r.Left, " ")
	for _, it := range r.Items {
		all += "\n" + it.Title + "\n" + it.Requirement
	}
	has := map[string]int{}
	for _, w := range strings.Fields(all) {
		has[w]++
	}
	for _, w := range strings.Fields(src) {
		if strings.HasPrefix(w, "q") && has[w] == 0 {
			return w
		}
	}
	return ""
}

// Every word of a document is in a node, unless something is counted as left out; ticked boxes are completed.
func TestMarkdownKeepsEveryWord(t *testing.T) {
	line := rapid.SampledFrom([]string{"w", "- w", "  - w", "    - w", "* [x] w", "  - [x] w", "1. w", "# w", "## w", "### w", "\nw\n===", "```",
		"~~~", "> w", "> - [x] w", "| w | w |\n|---|---|\n| w | w |", "", "", "    w", "- - w", "  ```\n  - [x] w\n  ```", "***", "  # w"})
	rapid.Check(t, func(t *rapid.T) {
		lines, n := rapid.SliceOfN(line, 1, 14).Draw(t, "lines"), 0
		for i := range lines {
			for strings.Contains(lines[i], "w") {
				lines[i] = strings.Replace(lines[i], "w", fmt.Sprintf("q%d", n), 1)
				n++
			}
		}
		src := strings.Join(lines, "\n") + "\n"
		r, err := Read(text("a.md", src), "markdown")
		if err != nil {
			return // no item
		}
		if w := lacking(src, r); w != "" && len(r.Left) == 0 {
			t.Fatalf("%q lacks %s:\n%s", src, w, drawn(r.Items))
		}
		for _, it := range r.Items {
			if strings.Contains(it.Title, "[x]") || strings.HasPrefix(it.Title, ">") || strings.HasPrefix(it.Title, "|") {
				t.Fatalf("%q: %q is a title", src, it.Title)
			}
			ticked := strings.Contains(src, "[x] "+it.Title+"\n")
			if ticked != (it.Status == statemachine.Completed) {
				t.Fatalf("%q: %s is %q", src, it.Title, it.Status)
			}
		}
	})
}

// Real documents: those of the modules that this one uses.
func TestMarkdownOfRealFiles(t *testing.T) {
	cache := os.Getenv("GOMODCACHE")
	if cache == "" {
		home, _ := os.UserHomeDir()
		cache = filepath.Join(home, "go", "pkg", "mod")
	}
	files, _ := filepath.Glob(filepath.Join(cache, "github.com", "*", "*", "*.md"))
	if len(files) == 0 {
		t.Skipf("%s has no Markdown files", cache)
	}
	read := 0
	for _, f := range files[:min(len(files), 60)] {
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Read(text(filepath.Base(f), string(data)), "")
		if err != nil {
			continue // it has no items
		}
		read++
		all := strings.Join(r.Left, " ")
		for _, it := range r.Items {
			all += "\n" + it.Title + "\n" + it.Requirement
		}
		letters := func(s string) []string {
			return strings.FieldsFunc(s, func(c rune) bool { return c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') })
		}
		has := map[string]bool{}
		for _, w := range letters(all) {
			has[w] = true
		}
		for _, w := range letters(string(data)) {
			if !has[w] && len(r.Left) == 0 {
				t.Errorf("%s lacks %q", f, w)
				break
			}
		}
	}
	if read == 0 {
		t.Errorf("none of %d files has an item", len(files))
	}
}
