package mdoc

import (
	"strings"
	"testing"
)

// A heading that is nearly a section's name is read as that section, unless the file has the section itself; texts go
// there, and no second section appears.
func TestHeadingsThatAreNearlyRightAreRead(t *testing.T) {
	for heading, name := range map[string]string{
		"Conclusion #done": "Conclusion", "Notes": "Note", "**Conclusion**": "Conclusion", "Log 📝": "Log",
		"_Notes_:": "Note", "✅ Conclusions": "Conclusion", "结论：": "Conclusion", "Doc": "Docs",
		"Requirement #a #b ^x1": "Requirement", "REQUIREMENTS": "Requirement",
	} {
		src := "---\nid: a\n---\n\n## " + heading + "\n\n- old\n\n## Own\n\nx\n"
		d, _ := Parse("", []byte(src), nodeForm)
		if got := d.Text(name); got != "- old" {
			t.Errorf("%s: %s reads as %q", heading, name, got)
			continue
		}
		p, err := d.SetSection(name, "new")
		after, err2 := d.Apply(p)
		if err != nil || err2 != nil {
			t.Fatal(heading, err, err2)
		}
		if got := string(after.Bytes()); got != strings.Replace(src, "- old", "new", 1) {
			t.Errorf("%s: %q", heading, got)
		}
		both, _ := Parse("", []byte(src+"\n## "+name+"\n\nreal\n"), nodeForm)
		if got, near := both.Text(name), both.NearMiss(both.Sections()[0]); got != "real" || near != name {
			t.Errorf("%s beside %s: %q, near %q", heading, name, got, near)
		}
	}
	for _, heading := range []string{"Problem?", "Daily notes", "#done", "Notebook", "**", "Note on pumps"} {
		d, _ := Parse("", []byte("---\nid: a\n---\n\n## "+heading+"\n\nx\n"), nodeForm)
		if s := d.Sections()[0]; s.Name != s.Title || d.NearMiss(s) != "" {
			t.Errorf("%s is read as %s", heading, s.Name)
		}
	}
}

// A text that begins with its section's own heading loses that, and the caller is told.
func TestATextLosesItsSectionsOwnHeading(t *testing.T) {
	for given, want := range map[string]string{
		"## Note\n\nThe pump is loud": "The pump is loud", "# Notes:\nx": "x", "备注\n--\n\nx": "x",
		"## Note\n## Note\n\n- x": "- x", "### **Note**\n\n```\n## Note\n```": "```\n## Note\n```",
		"## Note": "### Note", "x\n\n## Note\n\ny": "x\n\n### Note\n\ny", "## Notebook\n\nx": "### Notebook\n\nx",
	} {
		d, _ := Parse("", []byte("---\nid: a\n---\n"), nodeForm)
		p, err := d.SetSection("Note", given)
		after, err2 := d.Apply(p)
		if err != nil || err2 != nil {
			t.Fatal(given, err, err2)
		}
		if got := after.Text("Note"); got != want {
			t.Errorf("%q makes %q, want %q", given, got, want)
		}
		if told := strings.Contains(strings.Join(p.Adapted, " "), "section's own"); told != !strings.Contains(want, "###") {
			t.Errorf("%q: %q", given, p.Adapted)
		}
		made, adapted, err := Compose("", nodeForm, nil, []SectionText{{Name: "Note", Text: given}})
		if err != nil || made.Text("Note") != want || len(adapted) != len(p.Adapted) {
			t.Errorf("%q composed: %v %q", given, err, adapted)
		}
	}
}

// A no-break space behind a colon looks like a blank; the error names it and its place.
func TestANoBreakSpaceIsNamed(t *testing.T) {
	for src, line := range map[string]int{
		"---\nid: n1\ntitle:\u00a0Call Ann\ntype: execution\n---\n": 3,
		"---\nid:\u00a0n1\nlabels:\n  - a\n---\n":                   2,
	} {
		_, problems := Parse("Node.md", []byte(src), nodeForm)
		if len(problems) != 1 || problems[0].Line != line || !strings.Contains(problems[0].Text, "no-break space (U+00A0)") {
			t.Errorf("%q: %v", src, problems)
		}
	}
}
