package mdoc

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// nodeForm is the form of a node's file, as far as the tests need it.
var nodeForm = &Form{Sections: []SectionForm{
	{Name: "Requirement", Aliases: []string{"需求"}},
	{Name: "Conclusion", Aliases: []string{"结论"}},
	{Name: "Note", Aliases: []string{"备注"}},
	{Name: "Docs", Aliases: []string{"文档"}},
	{Name: "References", Aliases: []string{"引用"}},
	{Name: "Log", Aliases: []string{"日志"}},
	{Name: "Problem", Aliases: []string{"问题"}},
}}

type specExample struct {
	Markdown string
	Example  int
	Section  string
}

// specExamples reads the examples of the CommonMark specification from the Markdown parser's
// module, so that this repository has no copy.
func specExamples(t *testing.T) []specExample {
	t.Helper()
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yuin/goldmark").Output()
	if err != nil {
		t.Skipf("skipped all examples of the CommonMark specification: the Markdown parser's module is not found: %v", err)
	}
	file := filepath.Join(strings.TrimSpace(string(dir)), "_test", "spec.json")
	b, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("skipped all examples of the CommonMark specification: %v", err)
	}
	var all []specExample
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if len(all) != 652 {
		t.Fatalf("%s has %d examples, want 652", file, len(all))
	}
	return all
}

const specFront = "---\nid: node-1 # an id\ntitle: \"A: b\"\nstatus: implementing   # where it is\nupdatedAt: 1\n---\n"

// Each example is the body of a document in which a status, a note and a log entry are set.
func TestEditsAroundEverySpecExampleKeepIt(t *testing.T) {
	examples := specExamples(t)
	for _, crlf := range []bool{false, true} {
		for _, bom := range []bool{false, true} {
			t.Run(fmt.Sprintf("crlf=%t,bom=%t", crlf, bom), func(t *testing.T) {
				var refused []int
				for _, ex := range examples {
					encode := func(s string) string {
						if crlf {
							s = strings.ReplaceAll(s, "\n", "\r\n")
						}
						if bom {
							s = "\ufeff" + s
						}
						return s
					}
					src := encode(specFront + "\n## Requirement\n\n" + ex.Markdown + "\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n")
					d, problems := Parse("Node.md", []byte(src), nodeForm)
					if len(problems) > 0 {
						t.Fatalf("example %d: %v", ex.Example, problems)
					}
					after, err := specEdit(d)
					if err != nil {
						var e *EditError
						if !asEditError(err, &e) || e.Line == 0 {
							t.Errorf("example %d: %v, want an *EditError with a line", ex.Example, err)
						}
						refused = append(refused, ex.Example)
						continue
					}
					want := encode(strings.Replace(strings.Replace(specFront, "implementing ", "completed ", 1), "updatedAt: 1", "updatedAt: 2", 1) +
						"\n## Requirement\n\n" + ex.Markdown + "\n## Note\n\nsee\n\n    there\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] Started\n- [2026-01-01 11:00:00] [AI] Done\n")
					if string(after.Bytes()) != want {
						t.Errorf("example %d\n got %q\nwant %q", ex.Example, after.Bytes(), want)
					}
				}
				if want := specRefused; !slices.Equal(refused, want) {
					t.Errorf("refused %v, want %v: those whose unclosed block hides the log", refused, want)
				}
			})
		}
	}
}

// specRefused are the examples that leave a fence or an HTML block open.
var specRefused = []int{126, 127, 137, 139, 173, 237}

func specEdit(d *Doc) (*Doc, error) {
	var ps []Patch
	for _, f := range []func() (Patch, error){
		func() (Patch, error) { return d.SetField("status", Text("completed")) },
		func() (Patch, error) { return d.SetField("updatedAt", Integer(2)) },
		func() (Patch, error) { return d.AppendItem("Log", "[2026-01-01 11:00:00] [AI] Done") },
		func() (Patch, error) { return d.SetSection("Note", "see\n\n    there") },
	} {
		p, err := f()
		if err != nil {
			return nil, err
		}
		ps = append(ps, p)
	}
	return d.Apply(ps...)
}

func TestEverySpecExampleReadsBackAsSectionAndItem(t *testing.T) {
	adaptedCount, refusedItems := 0, []int(nil)
	for _, ex := range specExamples(t) {
		src := specFront + "\n## Requirement\n\nr\n\n## Conclusion\n\nold\n\n## Log\n\n- a\n"
		d, _ := Parse("Node.md", []byte(src), nodeForm)
		p, err := d.SetSection("Conclusion", ex.Markdown)
		if err != nil {
			t.Errorf("example %d: SetSection(%q): %v", ex.Example, ex.Markdown, err)
			continue
		}
		after, err := d.Apply(p)
		if err != nil {
			t.Errorf("example %d: Apply of SetSection(%q): %v", ex.Example, ex.Markdown, err)
			continue
		}
		want := trimBlank(ex.Markdown)
		if len(p.Adapted) > 0 {
			adaptedCount++
			want, _, _ = Nest(ex.Markdown, 2)
			for _, h := range after.Headings() {
				if h.Level < 3 && h.Title != "Requirement" && h.Title != "Conclusion" && h.Title != "Log" {
					t.Errorf("example %d: heading %q of level %d in the text", ex.Example, h.Title, h.Level)
				}
			}
		}
		if got := after.Text("Conclusion"); got != want {
			t.Errorf("example %d reads back\n got %q\nwant %q", ex.Example, got, want)
		}
		if after.Text("Requirement") != "r" || len(after.Items("Log")) != 1 {
			t.Errorf("example %d changed its neighbours: %q", ex.Example, after.Bytes())
		}

		item := strings.TrimLeft(trimBlank(ex.Markdown), " \t")
		if item == "" {
			continue
		}
		p, err = d.AppendItem("Log", ex.Markdown)
		if err != nil {
			refusedItems = append(refusedItems, ex.Example)
			continue
		}
		after, err = d.Apply(p)
		if err != nil {
			t.Errorf("example %d: Apply of AppendItem(%q): %v", ex.Example, ex.Markdown, err)
			continue
		}
		items := after.Items("Log")
		if len(p.Adapted) > 0 {
			item, _, _ = ItemText(ex.Markdown)
		}
		if len(items) != 2 || items[1].Text != item {
			t.Errorf("example %d as an item\n got %+v\nwant %q", ex.Example, items, item)
		}
	}
	if adaptedCount != 37 {
		t.Errorf("%d examples were adapted, want 37", adaptedCount)
	}
	// Thematic breaks such as - - - are not items, and the library ends a list behind an empty item.
	if want := []int{46, 51, 53, 54, 96, 98, 280, 315}; !slices.Equal(refusedItems, want) {
		t.Errorf("refused as items %v, want %v", refusedItems, want)
	}
}

func trimBlank(s string) string {
	c := core([]byte(s), Span{0, len(s)})
	return s[c.Start:c.End]
}
