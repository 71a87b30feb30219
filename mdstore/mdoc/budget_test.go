package mdoc

import (
	"bytes"
	"strings"
	"testing"
)

// TestAllocations holds the budgets of what is done ten thousand times, on files as Arbor writes them.
func TestAllocations(t *testing.T) {
	for name, src := range scanned() {
		withList := bytes.Replace(src, []byte("role: null"), []byte("role: [a]"), 1)
		withTable := append(bytes.Clone(src), "\n## Own\n\n| a |\n|---|\n"...)
		d, problems := Parse("Node.md", src, nodeForm)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		d.Sections()
		items := len(d.Items("Log"))
		if items < 5 || d.Text("Requirement") == "" {
			t.Fatalf("%s: %d items: the test holds little", name, items)
		}
		must := func(_ *Doc, err error) {
			if err != nil {
				t.Fatal(err)
			}
		}
		for _, c := range []struct {
			name   string
			budget float64
			run    func()
		}{
			{"Parse", 3, func() { Parse("Node.md", src, nodeForm) }}, // the Doc, its fields, their text
			{"Parse with the YAML parser", 160, func() { Parse("Node.md", withList, nodeForm) }},
			{"Sections", 3 + 5, func() {
				d, _ := Parse("Node.md", src, nodeForm)
				d.Sections()
			}},
			{"Sections with the Markdown parser", 3 + 220, func() {
				d, _ := Parse("Node.md", withTable, nodeForm)
				d.Sections()
			}},
			{"Text", 1, func() { d.Text("Requirement") }},
			{"Items", 3, func() { d.Items("Log") }}, // their places, their text, the items
			{"Items with a text that none holds", 1, func() { d.ItemsWith("Log", "nobody wrote this") }},
			{"SetField", 1, func() {
				if _, err := d.SetField("status", Text("completed")); err != nil {
					t.Fatal(err)
				}
			}},
			{"SetField and Apply", 14, func() {
				p, err := d.SetField("status", Text("completed"))
				if err != nil {
					t.Fatal(err)
				}
				must(d.Apply(p))
			}},
			{"a transition of a parsed document", 36, func() { must(transition(d)) }},
			{"a transition", 36 + 10, func() {
				d, _ := Parse("Node.md", src, nodeForm)
				must(transition(d))
			}},
			{"SetSection and Apply", 42, func() { must(conclusion(d)) }}, // 39 with the race detector
			{"Compose", 42, func() { must(composed()) }},
		} {
			if got := testing.AllocsPerRun(100, c.run); got > c.budget {
				t.Errorf("%s: %s allocates %v times, the budget is %v", name, c.name, got, c.budget)
			} else {
				t.Logf("%s: %s: %v of %v", name, c.name, got, c.budget)
			}
		}
	}
}

// TestAllocationsDoNotGrow holds that items cost no allocation each: reading a log of a hundred entries, and appending to it, allocates as often as one of ten.
func TestAllocationsDoNotGrow(t *testing.T) {
	count := func(n int, run func(*Doc)) float64 {
		src := "---\nid: n1\nstatus: implementing\nupdatedAt: 1\n---\n\n## Log\n\n" + strings.Repeat("- [2026-01-01 10:00:00] [AI] Did a step\n", n)
		return testing.AllocsPerRun(100, func() {
			d, _ := Parse("Node.md", []byte(src), nodeForm)
			run(d)
		})
	}
	for name, run := range map[string]func(*Doc){
		"Items": func(d *Doc) { d.Items("Log") },
		"a transition": func(d *Doc) {
			if _, err := transition(d); err != nil {
				t.Fatal(err)
			}
		},
	} {
		if few, many := count(10, run), count(100, run); many != few {
			t.Errorf("%s allocates %v times with ten entries and %v with a hundred", name, few, many)
		}
	}
}
