package mdoc

import (
	"errors"
	"strings"
	"testing"
)

// The documents are what a wrong edit could make, with plain front matter and body and with
// such that need the YAML or Markdown parser.
func TestCheckRefusesEveryOtherChange(t *testing.T) {
	const was = "---\nid: n1\nstatus: a\ntitle: 登录 x # c\n---\n\nintro\n\n## Note\n\nkeep\n\n## Log\n\n- one\n- two\n  more\n\n### Sub\n\nrest\n\n## Docs\n\n- /d\n"
	good := strings.NewReplacer("status: a", "status: b", "  more\n", "  more\n- three\n").Replace(was)
	forms := map[string]*strings.Replacer{
		"plain":              strings.NewReplacer(),
		"YAML":               strings.NewReplacer("id: n1", "id: n1\nlist: [a]"),
		"Markdown":           strings.NewReplacer("intro\n", "| a |\n|---|\n"),
		"no YAML":            strings.NewReplacer("id: n1", "id: n1\nfix: the: thing"),
		"carriage returns":   strings.NewReplacer("\n", "\r\n"),
		"quotes":             strings.NewReplacer("登录 x #", "'登录 x' #"),
		"YAML, then Chinese": strings.NewReplacer("id: n1", "id: n1\nlist: [a]", "## Log", "## 日志"),
	}
	for form, r := range forms {
		d, problems := Parse("Node.md", []byte(r.Replace(was)), nodeForm)
		if len(problems) > 0 {
			t.Fatalf("%s: %v", form, problems)
		}
		p, err := d.plan([]op{{do: setField, name: "status", scalar: Text("b")}, {do: appendItem, name: "Log", text: "three"}})
		if err != nil {
			t.Fatalf("%s: %v", form, err)
		}
		check := func(text string) error {
			after, problems := Parse("Node.md", []byte(r.Replace(text)), nodeForm)
			if len(problems) > 0 {
				t.Fatalf("%s: %v", form, problems)
			}
			return p.check(after)
		}
		if err := check(good); err != nil {
			t.Errorf("%s: what was asked is refused: %v", form, err)
		}
		for _, bad := range [][2]string{
			{"status: b", "status: a"}, {"status: b", "status: 'c'"}, {"status: b\n", ""}, {"status: b", "status: b\nnew: 1"}, {"status: b", "status: true"}, {"status: b", "\"status\": b # d\nx:"},
			{"id: n1", "id: n2"}, {"id: n1\n", ""}, {"id: n1", "ID: n1"}, {"title: 登录 x #", "title: 登录 y #"}, {"title: 登录 x # c\n", ""}, {"title: 登录 x # c", "title: 登录 x#c"}, {"title: 登录 x # c", "title: # c"}, {"title: 登录 x #", "title: \"登录 x\" #"},
			{"\nid: n1\nstatus: b\n", "\nstatus: b\nid: n1\n"},
			{"keep", "kept"}, {"keep\n\n", ""}, {"## Note", "# Note"}, {"## Note", "## Notes"}, {"## Note\n\n", ""}, {"keep\n", "keep\n\n## Extra\n"}, {"keep\n", "keep\n\n### Extra\n"}, {"## Note\n\nkeep\n\n", ""},
			{"## Docs\n\n- /d\n", ""}, {"- /d", "- /e"}, {"- /d", "/d"}, {"- /d\n", "- /d\n- /e\n"},
			{"- one", "- One"}, {"- one", "-  one"}, {"- one\n", ""}, {"- one\n", "- one\n- one\n"}, {"- one\n", "one\n\n"}, {"- two\n  more", "- two\n\n  more"}, {"  more\n", "more\n"}, {"- one\n- two\n  more\n", "- two\n  more\n- one\n"},
			{"- three", "- Three"}, {"- three\n", ""}, {"- three\n", "- three\n- four\n"}, {"- three", "three"}, {"- three\n", "- three\n  four\n"}, {"- three\n", "\nthree\n"},
			{"### Sub", "## Sub"}, {"### Sub", "### Sup"}, {"rest", "Rest"}, {"rest\n", "rest\n\n- item\n"}, {"## Docs", "## Log"}, {"## Log", "## Logs"},
		} {
			text := strings.Replace(good, bad[0], bad[1], 1)
			if text == good {
				t.Fatalf("%q is not in the document", bad[0])
			}
			if form == "no YAML" && strings.Contains(bad[1], `"登录 x"`) {
				continue // check compares the values, not how they are written
			}
			var e *EditError
			if err := check(text); !errors.As(err, &e) {
				t.Errorf("%s: with %q for %q the check says %v", form, bad[1], bad[0], err)
			}
		}
	}
}

func TestImpossiblePatchIsRefusedBeforeApply(t *testing.T) {
	d, _ := Parse("Node.md", []byte("---\nid: n1\nlist: [a]\n---\n\n## Log\n\n- a\n\n## Note\n\n## Note\n"), nodeForm)
	var e *EditError
	for what, patch := range map[string]func() (Patch, error){
		"a list":               func() (Patch, error) { return d.SetField("list", Text("x")) },
		"no name of a section": func() (Patch, error) { return d.AppendItem("a\nb", "x") },
		"a section of two":     func() (Patch, error) { return d.SetSection("Note", "x") },
		"no such item":         func() (Patch, error) { return d.RemoveItem("Log", 1) },
	} {
		if _, err := patch(); !errors.As(err, &e) {
			t.Errorf("%s: %v, want an *EditError", what, err)
		}
	}
}

func TestCheckRefusesFrontMatterThatTwoReadersReadDifferently(t *testing.T) {
	d, _ := Parse("Node.md", []byte("---\nid: n1\nstatus: a\n---\n"), nodeForm)
	p, err := d.plan([]op{{do: setField, name: "status", scalar: Text("b")}})
	if err != nil {
		t.Fatal(err)
	}
	after, _ := Parse("Node.md", []byte("---\nid: n1\nstatus: b\n---\n"), nodeForm)
	if err := p.check(after); err != nil {
		t.Errorf("the requested edit is refused: %v", err)
	}
	after.fields[0].Value = "n2"
	var e *EditError
	if err := p.check(after); !errors.As(err, &e) {
		t.Errorf("with another id read by the scan of plain lines: %v, want an *EditError", err)
	}
}
