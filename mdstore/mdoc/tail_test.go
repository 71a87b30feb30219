package mdoc

import (
	"strings"
	"testing"
)

// What belongs to the file stays when a section gets another text, once, and setting the same text again changes
// nothing.
func TestWhatBelongsToTheFileStays(t *testing.T) {
	front := "---\nid: a\n---\n\n"
	for name, c := range map[string]struct{ body, tail string }{
		"a definition that another section uses": {"## Requirement\n\nAs in [the spec][1].\n\n## Note\n\nOld.", "[1]: https://example.org/spec"},
		"definitions that no text uses":          {"## Requirement\n\n[x][a]\n\n## Note\n\nOld.", "[a]: /a\n[B]: /b"},
		"a footnote of two paragraphs":           {"## Requirement\n\nFast.[^1]\n\n## Note\n\nOld.", "[^1]: Below 2 s.\n\n    On a phone."},
		"settings of a board":                    {"## Note\n\n- [ ] card", "%% kanban:settings\n```\n{\"kanban-plugin\":\"board\"}\n```\n%%"},
		"a comment of several lines":             {"## Note\n\nOld.", "<!-- markdownlint\n\ndisable -->"},
		"several kinds":                          {"## Note\n\nOld [y].", "[z]: /z\n\n%% a %%\n\n<!-- b -->"},
		"all that the section has":               {"## Requirement\n\n[x][a]\n\n## Note", "[a]: /a"},
		"one of a section that is not the last":  {"## Log\n\n- see [n]\n\n## Note\n\nOld.", "[n]: /n\n\n## Own\n\nx"},
	} {
		src := front + c.body + "\n\n" + c.tail + "\n"
		for _, src := range []string{src, strings.ReplaceAll(src, "\n", "\r\n")} {
			d, _ := Parse("", []byte(src), nodeForm)
			for _, given := range []string{"New", "New\n\n" + c.tail, ""} {
				if strings.Contains(c.tail, "##") && strings.Contains(given, "##") {
					continue
				}
				text, _ := d.KeepTail("Note", given)
				p, err := d.SetSection("Note", text)
				after, err2 := d.Apply(p)
				if err != nil || err2 != nil {
					t.Fatalf("%s: %v %v", name, err, err2)
				}
				got := strings.ReplaceAll(string(after.Bytes()), "\r\n", "\n")
				if strings.Count(got, c.tail) != 1 || !strings.HasSuffix(got, c.tail+"\n") || strings.Contains(got, "Old") {
					t.Errorf("%s, %q: %q", name, given, got)
				}
				if again, _ := after.KeepTail("Note", given); again != after.Text("Note") {
					t.Errorf("%s, %q: set again it is %q", name, given, again)
				}
			}
		}
	}
}

// What only the old text of the section uses, and what stands in a fence or a list, goes with it.
func TestWhatOnlyTheOldTextUsesGoes(t *testing.T) {
	for _, body := range []string{
		"See [x].\n\n[x]: /x", "```\n[x]: /x\n```", "- a\n\n  [x]: /x", "one\n[x] two", "```\n\n<!-- a -->\n```", "50 %%",
	} {
		d, _ := Parse("", []byte("---\nid: a\n---\n\n## Note\n\n"+body+"\n"), nodeForm)
		if text, kept := d.KeepTail("Note", "New"); text != "New" || kept != "" {
			t.Errorf("%q keeps %q", body, kept)
		}
	}
	d, _ := Parse("", []byte("---\nid: a\n---\n\n## Note\n\nSee [x].\n\n[x]: /x\n"), nodeForm)
	if text, _ := d.KeepTail("Note", "Still [x]."); text != "Still [x].\n\n[x]: /x" {
		t.Errorf("a definition that the new text uses is gone: %q", text)
	}
}
