package statemachine

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/states.md")

const statesPage = "../docs/states.md"

// A generated part of the page: a marker that says what it is, the text, and
// the closing marker.
var part = regexp.MustCompile(`(?s)(<!-- generated: (\w+) of (\w+) -->\n)(.*?)(<!-- end -->\n)`)

func TestStatesPageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile(statesPage)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	fresh := part.ReplaceAllStringFunc(string(page), func(old string) string {
		m := part.FindStringSubmatch(old)
		name, ty, text := m[2]+" of "+m[3], Type(m[3]), ""
		switch m[2] {
		case "diagram":
			text = "```mermaid\n" + mermaid(ty) + "```\n"
		case "table":
			text = markdownTable(ty)
		}
		if text == "" || Initial(ty) == "" {
			t.Errorf("%s: nothing generates a %s", statesPage, name)
			return old
		}
		seen[name]++
		text = "\n" + text + "\n"
		if m[4] != text && !*update {
			t.Errorf("%s: the %s is stale; `go test ./statemachine -update` makes it\n%s", statesPage, name, text)
		}
		return m[1] + text + m[5]
	})
	for _, ty := range Types() {
		for _, what := range []string{"diagram of ", "table of "} {
			if seen[what+string(ty)] != 1 {
				t.Errorf("%s holds %d times the %s%s, want once", statesPage, seen[what+string(ty)], what, ty)
			}
		}
	}
	if t.Failed() || fresh == string(page) {
		return
	}
	if err := os.WriteFile(statesPage, []byte(fresh), 0o644); err != nil {
		t.Fatal(err)
	}
}

// The table and the diagram show each row and each status, and nothing else.
func TestTableAndDiagramShowEachRowOnce(t *testing.T) {
	for _, ty := range Types() {
		var rows, arrows int
		for _, r := range Rules() {
			if r.Type != ty {
				continue
			}
			rows, arrows = rows+1, arrows+1
			line := "| " + string(r.From) + " | " + string(r.Do) + " | " + string(r.To) + " | "
			if strings.Count(markdownTable(ty), line) != 1 {
				t.Errorf("the table of %s lacks %q:\n%s", ty, line, markdownTable(ty))
			}
			arrow := "    " + string(r.From) + " --> " + string(r.To) + ": " + string(r.Do)
			if !strings.Contains(mermaid(ty), arrow+"\n") && !strings.Contains(mermaid(ty), arrow+" (") {
				t.Errorf("the diagram of %s lacks %q:\n%s", ty, arrow, mermaid(ty))
			}
		}
		for _, s := range Statuses(ty) {
			if Terminal(s) {
				arrows++
				if end := string(s) + " --> [*]\n"; !strings.Contains(mermaid(ty), end) {
					t.Errorf("the diagram of %s lacks %q:\n%s", ty, end, mermaid(ty))
				}
			}
		}
		arrows++ // into the initial status
		if got := strings.Count(markdownTable(ty), "\n"); got != rows+2 {
			t.Errorf("the table of %s has %d lines, want %d:\n%s", ty, got, rows+2, markdownTable(ty))
		}
		if got := strings.Count(mermaid(ty), " --> "); got != arrows {
			t.Errorf("the diagram of %s has %d arrows, want %d:\n%s", ty, got, arrows, mermaid(ty))
		}
		if strings.Contains(mermaid(ty), ";") {
			t.Errorf("a semicolon ends a statement in the diagram of %s:\n%s", ty, mermaid(ty))
		}
	}
	if mermaid("task") != "" || markdownTable("task") != "" {
		t.Error("an unknown type has a diagram or a table")
	}
}

// mermaid returns the life cycle of a type as a Mermaid state diagram, drawn
// from the rows and ending in a line break; "" for an unknown type.
func mermaid(t Type) string {
	c := cycle(t)
	if c.kind == "" {
		return ""
	}
	text := "stateDiagram-v2\n" + arrow("[*]", Initial(t), "")
	for _, r := range rules {
		if r.Type == t {
			text += arrow(r.From, r.To, r.label())
		}
	}
	for _, s := range c.statuses {
		if Terminal(s) {
			text += arrow(s, "[*]", "")
		}
	}
	return text
}

// markdownTable returns the life cycle of a type as a Markdown table of its rows,
// ending in a line break; "" for an unknown type.
func markdownTable(t Type) string {
	if cycle(t).kind == "" {
		return ""
	}
	text := "| from | action | to | needs |\n|---|---|---|---|\n"
	for _, r := range rules {
		if r.Type == t {
			text += fmt.Sprintf("| %s | %s | %s | %s |\n", r.From, r.Do, r.To, join(r.asks(), "; "))
		}
	}
	return text
}

// asks names what a row needs: "automatic", and its conditions.
func (r Rule) asks() []string {
	var all []string
	if r.Automatic {
		all = append(all, "automatic")
	}
	for _, c := range conditions {
		if r.Need&c.bit != 0 {
			all = append(all, conditionNames[c.bit])
		}
	}
	return all
}

var conditionNames = map[Need]string{NeedConclusion: "conclusion", NeedChildrenTerminal: "every child terminal"}

func (r Rule) label() string {
	if asks := r.asks(); len(asks) > 0 {
		return fmt.Sprintf("%s (%s)", r.Do, join(asks, ", ")) // a semicolon would end the statement
	}
	return string(r.Do)
}

func arrow(from, to Status, label string) string {
	if label != "" {
		label = ": " + label
	}
	return fmt.Sprintf("    %s --> %s%s\n", from, to, label)
}
