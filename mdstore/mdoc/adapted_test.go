package mdoc

import (
	"slices"
	"testing"
)

// What a given text loses where it becomes part of a file is named: its line ends, unless they are those of the file,
// and the difference of headings that are all of the lowest level then.
func TestWhatAGivenTextLosesIsNamed(t *testing.T) {
	const lf, crlf = "---\nid: a\n---\n\n## Note\n\nx\n", "---\r\nid: a\r\n---\r\n\r\n## Note\r\n\r\nx\r\n"
	ends := []string{"line ends became those of the file"}
	for _, c := range []struct {
		file, text string
		want       []string
	}{
		{lf, "one\r\ntwo", ends},
		{lf, "one\rtwo", ends},
		{lf, "one\r\n", nil}, // an outer line end
		{lf, "one\ntwo", nil},
		{crlf, "one\r\ntwo", nil},
		{crlf, "one\ntwo", nil}, // it takes the form of the file
		{crlf, "one\rtwo", ends},
		{lf, "# A\n\n##### E\n\n###### F", []string{"headings moved down by 2, those of the levels 5 to 6 all to level 6"}},
		{lf, "# A\n\n#### D\n\n##### E", []string{"headings moved down by 2, those of the levels 4 to 5 all to level 6"}},
		{lf, "# A\n\n##### E", []string{"headings moved down by 2"}},
		{lf, "## B\n\n###### F", []string{"headings moved down by 1"}},
		{lf, "### C\n\n##### E\n\n###### F", nil},
	} {
		d, problems := Parse("Node.md", []byte(c.file), nodeForm)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		p, err := d.SetSection("Note", c.text)
		if err != nil || !slices.Equal(p.Adapted, c.want) {
			t.Errorf("SetSection(%q) in %.10q: adapted %q, error %v; want %q", c.text, c.file, p.Adapted, err, c.want)
		}
	}
}
