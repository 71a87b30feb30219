package statemachine

import (
	"flag"
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

func TestStatesPageIsFresh(t *testing.T) {
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
			text = "```mermaid\n" + Mermaid(ty) + "```\n"
		case "table":
			text = Table(ty)
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

// The table and the diagram hold every row and every status, and nothing else.
func TestRenderedRowsAreTheRules(t *testing.T) {
	for _, ty := range Types() {
		var rows, arrows int
		for _, r := range Rules() {
			if r.Type != ty {
				continue
			}
			rows, arrows = rows+1, arrows+1
			line := "| " + string(r.From) + " | " + string(r.Do) + " | " + string(r.To) + " | "
			if strings.Count(Table(ty), line) != 1 {
				t.Errorf("the table of %s lacks %q:\n%s", ty, line, Table(ty))
			}
			arrow := "    " + string(r.From) + " --> " + string(r.To) + ": " + string(r.Do)
			if !strings.Contains(Mermaid(ty), arrow+"\n") && !strings.Contains(Mermaid(ty), arrow+" (") {
				t.Errorf("the diagram of %s lacks %q:\n%s", ty, arrow, Mermaid(ty))
			}
		}
		for _, s := range Statuses(ty) {
			if Terminal(s) {
				arrows++
				if end := string(s) + " --> [*]\n"; !strings.Contains(Mermaid(ty), end) {
					t.Errorf("the diagram of %s lacks %q:\n%s", ty, end, Mermaid(ty))
				}
			}
		}
		arrows++ // into the initial status
		if got := strings.Count(Table(ty), "\n"); got != rows+2 {
			t.Errorf("the table of %s has %d lines, want %d:\n%s", ty, got, rows+2, Table(ty))
		}
		if got := strings.Count(Mermaid(ty), " --> "); got != arrows {
			t.Errorf("the diagram of %s has %d arrows, want %d:\n%s", ty, got, arrows, Mermaid(ty))
		}
		if strings.Contains(Mermaid(ty), ";") {
			t.Errorf("a semicolon ends a statement in the diagram of %s:\n%s", ty, Mermaid(ty))
		}
	}
	if Mermaid("task") != "" || Table("task") != "" {
		t.Error("an unknown type has a diagram or a table")
	}
}

func TestNeedsInWords(t *testing.T) {
	for need, want := range map[Need]string{
		0: "", NeedConclusion: "conclusion", NeedChildrenTerminal: "every child terminal",
		NeedConclusion | NeedChildrenTerminal: "conclusion; every child terminal",
	} {
		if got := need.String(); got != want {
			t.Errorf("Need(%d) is %q, want %q", need, got, want)
		}
	}
}
