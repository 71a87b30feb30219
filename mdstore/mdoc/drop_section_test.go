package mdoc

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lines are the lines of a text that are not blank.
func lines(text []byte) (all []string) {
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) != "" {
			all = append(all, strings.TrimRight(line, "\r\n"))
		}
	}
	return all
}

// A section that gets items and loses them again, with its heading, leaves the lines of before; at most a blank line
// above the next heading or at the end is new or gone.
func TestASectionThatIsEmptiedLeavesNoHeading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		src := drawDocument(t)
		d, problems := Parse("Node.md", []byte(src), nodeForm)
		if _, has := d.Section("New one"); len(problems) > 0 || has {
			return
		}
		with, n := d, rapid.IntRange(1, 3).Draw(t, "items")
		for i := range n {
			p, err := with.AppendItem("New one", fmt.Sprint("item ", i))
			if err != nil {
				return // such as for a block that is never closed
			}
			if with, err = with.Apply(p); err != nil {
				return
			}
		}
		var ps []Patch
		for i := range n {
			p, err := with.RemoveItem("New one", i)
			if err != nil {
				t.Fatalf("%q: %v", with.Bytes(), err)
			}
			ps = append(ps, p)
		}
		p, err := with.DropSection("New one")
		if err != nil {
			t.Fatal(err)
		}
		after, err := with.Apply(append(ps, p)...)
		if err != nil {
			t.Fatalf("%q: %v", with.Bytes(), err)
		}
		got := after.Bytes()
		if !slices.Equal(lines(got), lines([]byte(src))) || len(got)-len(src) > 2 || len(src)-len(got) > 4 {
			t.Fatalf("with items\n%q\nand without\n%q, want\n%q", with.Bytes(), got, src)
		}
	})
}

// What a person wrote in a section keeps its heading, and so does a section that was empty before.
func TestHeadingsOfWhatIsLeftStay(t *testing.T) {
	for was, want := range map[string]string{
		"## Log\n\n- a\n- b\n\n## Note\n\nx\n":              "## Note\n\nx\n",
		"text\n## Log\n- a\n- b\n## Note\n":                 "text\n\n## Note\n",
		"## Log\n\n- a\n\n## Note\n\nx\n\n## Log\n\n- b\n":  "## Note\n\nx\n",
		"## Log\n\n- a\n- b\n\n## Log\n":                    "## Log\n",
		"## Log\n\nwords\n\n- a\n- b\n":                     "## Log\n\nwords\n",
		"## Log\n\n- a\n- b\n\n<!-- mine -->\n":             "## Log\n\n<!-- mine -->\n",
		"## Log\n\n- a\n- b\n\n[x]: /u\n":                   "## Log\n\n[x]: /u\n",
		"## Log\n\n- a\n- b\n\n### Mine\n":                  "## Log\n\n### Mine\n",
		"## Log\n\n- a\n\n## Log\n\n- b\n\nwords\n\n## N\n": "## Log\n\nwords\n\n## N\n",
	} {
		d, problems := Parse("Node.md", []byte("---\nid: a\n---\n\n"+was), nodeForm)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		drop, err := d.DropSection("Log")
		if err != nil {
			t.Fatal(err)
		}
		ps := []Patch{drop}
		for i, it := range d.Items("Log") {
			if !it.Listed {
				continue
			}
			p, err := d.RemoveItem("Log", i)
			if err != nil {
				t.Fatal(err)
			}
			ps = append(ps, p)
		}
		after, err := d.Apply(ps...)
		if err != nil {
			t.Fatalf("%q: %v", was, err)
		}
		if got := strings.TrimPrefix(string(after.Bytes()), "---\nid: a\n---\n\n"); got != want {
			t.Errorf("%q becomes\n%q, want\n%q", was, got, want)
		}
	}
}
