package mdoc

import (
	"strings"
	"testing"
)

// What belongs to the file stays when a section is replaced, emptied or gets items, and when a section is added.
func TestWhatBelongsToTheFileStays(t *testing.T) {
	front := "---\nid: a\n---\n\n"
	for name, c := range map[string]struct{ body, tail string }{
		"a definition that another section uses":  {"## Requirement\n\nAs in [the spec][1].\n\n## Note\n\nOld.", "[1]: https://example.org/spec"},
		"definitions, of which no text uses one":  {"## Requirement\n\n[x][a]\n\n## Note\n\nOld.", "[a]: /a\n[B]: /b"},
		"a footnote of two paragraphs":            {"## Requirement\n\nFast.[^1]\n\n## Note\n\nOld.", "[^1]: Below 2 s.\n\n    On a phone."},
		"settings of a board":                     {"## Note\n\n- [ ] card", "%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%"},
		"a comment of several lines":              {"## Note\n\nOld.", "<!-- markdownlint\n\ndisable -->"},
		"several kinds":                           {"## Note\n\nOld [y].", "[z]: /z\n\n%% a %%\n\n<!-- b -->"},
		"one that a section uses that is no last": {"## Note\n\nOld.\n\n[n]: /n\n\n## Log\n\n- see [n]", ""},
	} {
		src := front + c.body + "\n\n" + c.tail + "\n"
		for _, src := range []string{src, strings.ReplaceAll(src, "\n", "\r\n")} {
			d, _ := Parse("", []byte(src), nodeForm)
			for what, change := range map[string]func() (Patch, error){
				"replace": func() (Patch, error) { return d.SetSection("Note", "New") },
				"again":   func() (Patch, error) { return d.SetSection("Note", "New\n\n"+c.tail) },
				"empty":   func() (Patch, error) { return d.SetSection("Note", "") },
				"add":     func() (Patch, error) { return d.SetSection("Conclusion", "Done") },
				"append":  func() (Patch, error) { return d.AppendItem("Docs", "a") },
			} {
				p, err := change()
				after, err2 := d.Apply(p)
				if err != nil || err2 != nil {
					t.Fatalf("%s, %s: %v %v", name, what, err, err2)
				}
				got := strings.ReplaceAll(string(after.Bytes()), "\r\n", "\n")
				if !strings.HasSuffix(got, c.tail+"\n") || strings.Count(got, "[n]: /n") != strings.Count(src, "[n]: /n") ||
					c.tail != "" && strings.Count(got, c.tail) != 1 {
					t.Errorf("%s, %s: %q", name, what, got)
				}
				if got := after.Text("Note"); what != "empty" && strings.Contains(got, "/") || what == "empty" && got != "" {
					t.Errorf("%s, %s: the note is %q", name, what, got)
				}
			}
		}
	}
}

// What only the section itself uses, and what stands in a fence or a list, is its text.
func TestWhatASectionUsesIsItsText(t *testing.T) {
	for _, text := range []string{
		"See [x][1].\n\n[1]: /u", "```\na\n\n[1]: /u\n```", "- a\n\n  [1]: /u", "words\n[1]: /u", "<!-- a --> b", "50 %%",
	} {
		d, _ := Parse("", []byte("---\nid: a\n---\n\n## Note\n\n"+text+"\n"), nodeForm)
		if got := d.Text("Note"); got != text {
			t.Errorf("%q reads as %q", text, got)
		}
	}
}
