package assemble_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/context/assemble"
	"arbor/mdstore"
)

// fullFiles has something for every cut.
func fullFiles() (workspace string, nodes map[string]string) {
	more := strings.Repeat("and more of it ", 20) // so that no piece is smaller than the line that says that it is gone
	body := func(id string, n int) string {
		return fmt.Sprintf(`## Requirement

%s

## Note

note of %s, %s

## Docs

- %s/1.md: first %s
- %s/2.md: second %s

## Log

- [2026-01-01 10:00:00] [AI] first of %s, %s
- [2026-01-01 10:00:01] [AI] second of %s, %s

## Problem

problem of %s, %s
`, strings.TrimSpace(strings.Repeat("requirement of "+id+"\n", n)), id, more, id, more, id, more, id, more, id, more, id, more)
	}
	child := func(id string, created, updated int, conclusion string) string {
		return strings.Replace(node(id, "focus", "execution", "completed", "## Conclusion\n\n"+conclusion+more+"\n"), "\n---\n",
			fmt.Sprintf("\ncreatedAt: %d\nupdatedAt: %d\n---\n", created, updated), 1)
	}
	workspace = plainWorkspace
	for _, s := range []string{"the plan", "The server is down", "Call the operator"} {
		workspace = strings.Replace(workspace, s+"\n", s+" "+more+"\n", 1)
	}
	return workspace, map[string]string{
		"root": node("root", "null", "planning", "monitoring", body("root", 60)),
		"mid":  node("mid", "root", "planning", "monitoring", body("mid", 1)),
		"focus": node(
			"focus",
			"mid",
			"planning",
			"monitoring",
			"Above "+more+"\n\n"+body(
				"focus",
				60,
			)+"\n## Ideas\n\nof the focus "+more+"\n## References\n\n- side: first "+more+"\n- docs/known.md: second "+more+"\n",
		),
		"side": node("side", "root", "execution", "completed", "## Conclusion\n\nof the side\n"),
		"c1":   child("c1", 1, 9, "one"), // first in the tree, and changed last
		"c2":   child("c2", 2, 5, "two"),
		"c3":   child("c3", 7, 0, "three"), // its file does not say when it was changed
		"open": node("open", "focus", "execution", "pending", ""),
	}
}

// While the budget shrinks, passages go one after the other, in the order that cutList states.
func TestPassagesGoInOneOrderAsTheBudgetShrinks(t *testing.T) {
	v := read(fullFiles())
	for name, form := range forms {
		full := context(t, v, "focus", assemble.Options{Measure: form.measure(0)})
		was := inventory(full)
		var gone []string
		for budget := full.Tokens; budget > 0; budget -= 9 { // less than a piece takes
			b := context(t, v, "focus", assemble.Options{Measure: form.measure(0), Budget: budget})
			now := inventory(b)
			for _, item := range was {
				if !slices.Contains(now, item) {
					gone = append(gone, item)
				}
			}
			was = now
		}
		want := []string{
			"log root first of root", "log root second of root", "log mid first of mid", "log mid second of mid",
			"note root", "note mid",
			"section Ideas", "section ",
			"ref docs/known.md", "ref side",
			"child c2", "child c3", "child c1",
			"whole requirement root", "doc root/2.md", "doc root/1.md", "problem root", "requirement root",
			"doc mid/2.md", "doc mid/1.md", "problem mid", "whole requirement mid", "requirement mid",
			"node root", "node mid",
			"log focus first of focus", "log focus second of focus", "doc focus/2.md", "doc focus/1.md", "note focus", "problem focus",
			"doc docs/a.md", "problem of the workspace", "next step of the workspace",
		}
		if !slices.Equal(gone, want) {
			t.Errorf("%s: what went is\n%s\nwant\n%s", name, strings.Join(gone, "\n"), strings.Join(want, "\n"))
		}
		rest := []string{"goal", "rule tests first", "rule no globals", "whole requirement focus", "requirement focus", "1 pending", "node focus"}
		if !slices.Equal(was, rest) {
			t.Errorf("%s: what remains is %q, want %q", name, was, rest)
		}
	}
}

// inventory names all that a bundle shows.
func inventory(b *assemble.Bundle) []string {
	var all []string
	add := func(show bool, format string, args ...any) {
		if show {
			all = append(all, fmt.Sprintf(format, args...))
		}
	}
	w := b.Workspace
	add(w.Goal != "", "goal")
	for _, r := range w.Rules {
		add(true, "rule %s", r)
	}
	for _, d := range w.Docs {
		add(true, "doc %s", d.Path)
	}
	if w.Problem != nil {
		add(w.Problem.Text != "", "problem of the workspace")
		add(w.Problem.NextStep != "", "next step of the workspace")
	}
	for _, c := range b.Chain {
		for _, e := range c.LogEntries {
			event, _, _ := strings.Cut(e.Event, ",")
			add(true, "log %s %s", c.NodeID, event)
		}
		for _, d := range slices.Backward(c.Docs) {
			add(true, "doc %s", d.Path)
		}
		add(c.Note != "", "note %s", c.NodeID)
		for _, own := range c.Sections {
			add(uncut(own.Text) != "", "section %s", own.Name)
		}
		add(c.Problem != nil, "problem %s", c.NodeID)
		add(c.Requirement != "" && !strings.Contains(c.Requirement, "left out]"), "whole requirement %s", c.NodeID)
		add(c.Requirement != "", "requirement %s", c.NodeID)
		add(true, "node %s", c.NodeID)
	}
	for _, c := range b.ChildConclusions {
		add(true, "child %s", c.NodeID)
	}
	for status, n := range b.ChildCounts {
		add(true, "%d %s", n, status)
	}
	for _, r := range b.References {
		add(true, "ref %s", r.TargetID)
	}
	slices.SortStableFunc(all, func(a, b string) int { return rank(a) - rank(b) })
	return all
}

// rank orders what can go within one step of the budget; the node goes after what it has.
func rank(item string) int {
	if strings.HasPrefix(item, "node ") {
		return 1
	}
	return 0
}

// Own sections and keys that a budget leaves out are named, also where nothing fits it.
func TestWhatIsLeftOutIsNamed(t *testing.T) {
	v := read(plainWorkspace, map[string]string{
		"root": node("root", "null", "planning", "monitoring", "## Ideas\n\nx\n"),
		"a": strings.Replace(
			node(
				"a",
				"root",
				"execution",
				"implementing",
				"# A\n\n"+strings.Repeat("above ", 99)+"\n\n## Risks\n\n"+strings.Repeat("risk ", 99)+"\n",
			),
			"\n---\n",
			"\nsprint: 7\nlong: "+strings.Repeat("value ", 999)+"\n---\n",
			1,
		),
	})
	for by, form := range forms {
		full := context(t, v, "a", assemble.Options{Measure: form.measure(0)})
		for budget := full.Tokens; budget > 0; budget -= 7 {
			b := context(t, v, "a", assemble.Options{Measure: form.measure(0), Budget: budget})
			text := string(form(b))
			for _, name := range []string{"Risks", "sprint", "long"} {
				if !strings.Contains(text, name) {
					t.Fatalf("%s, budget %d: nothing names %s\n%s", by, budget, name, text)
				}
			}
		}
	}
}

// A text that is cut shows the beginning that there is room for, by whole lines, to within a 32nd part of the text.
func TestALongTextIsCutAfterAWholeLine(t *testing.T) {
	line := strings.Repeat("a line of forty characters, with an end\n", 100)
	han := strings.Repeat("汉字", 700)
	for name, requirement := range map[string]string{"lines": line, "one line of Chinese": han} {
		requirement = strings.TrimSpace(requirement)
		v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", map[string]string{
			"root": node("root", "null", "planning", "monitoring", "## Requirement\n\n"+requirement+"\n"),
			"a":    node("a", "root", "execution", "implementing", "## Requirement\n\nsmall\n"),
		})
		full := context(t, v, "a", assemble.Options{})
		for _, less := range []int{1, 10, 100, 500, 800} {
			b := context(t, v, "a", assemble.Options{Budget: full.Tokens - less})
			got, end, cut := strings.Cut(b.Chain[0].Requirement, "\n[… ")
			if !cut || !strings.HasPrefix(requirement, got) || end != fmt.Sprintf("%d bytes left out]", len(requirement)-len(got)) {
				t.Fatalf("%s, %d tokens less: %q", name, less, b.Chain[0].Requirement)
			}
			if strings.Contains(requirement, "\n") && requirement[len(got)] != '\n' || !strings.HasSuffix(got, "end") && !strings.HasSuffix(got, "汉") && !strings.HasSuffix(got, "字") {
				t.Errorf("%s, %d tokens less: cut behind %q", name, less, got[len(got)-20:])
			}
			if b.Tokens > b.Budget || b.Tokens < b.Budget-50 {
				t.Errorf("%s: %d tokens of a budget of %d", name, b.Tokens, b.Budget)
			}
			if want := fmt.Sprintf("requirement of ancestor root, %d bytes: budget", len(requirement)-len(got)); omitted(b) != want {
				t.Errorf("%s: omitted %q, want %q", name, omitted(b), want)
			}
		}
	}
}

// A text is cut after a whole line, unless that would lose more than half of the room.
func TestALongLineIsCutInside(t *testing.T) {
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", map[string]string{
		"root": node("root", "null", "planning", "monitoring", "## Requirement\n\na short line\n"+strings.Repeat("a long one ", 200)+"\n"),
		"a":    node("a", "root", "execution", "implementing", ""),
	})
	full := context(t, v, "a", assemble.Options{})
	b := context(t, v, "a", assemble.Options{Budget: full.Tokens - 100})
	if got, _, cut := strings.Cut(b.Chain[0].Requirement, "\n[… "); !cut || len(got) < 1500 {
		t.Errorf("%d bytes are left: %q", len(got), got)
	}
}

// Every long text is cut before any of them goes for good.
func TestLongTextsAreCutBeforeAnyGoes(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("some words in a line\n", 200))
	files := map[string]string{}
	parent := "null"
	for _, id := range []string{"root", "a", "b"} {
		files[id] = node(id, parent, "planning", "monitoring", "## Requirement\n\n"+long+"\n\n## Conclusion\n\n"+long+"\n")
		parent = id
	}
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", files)
	full := context(t, v, "b", assemble.Options{})
	for budget := full.Tokens; budget > 0; budget -= 7 {
		b := context(t, v, "b", assemble.Options{Budget: budget})
		top := b.Chain[0]
		if top.NodeID == "root" && top.Conclusion != "" && top.Requirement != "" {
			continue
		}
		if f := b.Focus(); len(f.Conclusion) > 600 {
			t.Fatalf("budget %d: the root lost a text, and the conclusion of the focus has %d bytes", budget, len(f.Conclusion))
		}
		return
	}
	t.Error("no budget is small enough")
}

// The list of omissions is summed up before anything else is taken away.
func TestOmissionsAreSummedUpFirst(t *testing.T) {
	files := map[string]string{}
	parent := "null"
	for _, id := range []string{"root", "a", "b", "c"} {
		files[id] = node(id, parent, "planning", "monitoring", "## Note\n\nnote\n\n## Docs\n\n- old.md: x (expired)\n")
		parent = id
	}
	v := read("---\nid: ws-1\nname: W\nstatus: active\n---\n", files)
	full := context(t, v, "c", assemble.Options{})
	if len(full.Omitted) != 4 {
		t.Fatalf("omitted\n%s", omitted(full))
	}
	b := context(t, v, "c", assemble.Options{Budget: full.Tokens - 1 + assemble.Tokens(80)})
	if want := "3 × doc of ancestor, 21 bytes: expired\ndoc of focus, 7 bytes: expired"; omitted(b) != omitted(full) && omitted(b) != want {
		t.Errorf("omitted\n%s\nwant\n%s", omitted(b), want)
	}
	b = context(t, v, "c", assemble.Options{Budget: full.Tokens - 1})
	if want := "3 × doc of ancestor, 21 bytes: expired\ndoc of focus, 7 bytes: expired"; omitted(b) != want || b.Chain[0].Note != "note" {
		t.Errorf("omitted\n%s\nwant\n%s", omitted(b), want)
	}
}

func TestWhatAlwaysStaysMayExceedTheBudget(t *testing.T) {
	v := read(fullFiles())
	b := context(t, v, "focus", assemble.Options{Budget: 20})
	if !b.OverBudget || b.Tokens <= 20 || b.Budget != 20 || len(b.Workspace.Rules) != 2 || !strings.HasPrefix(b.Focus().Requirement, "requirement of focus\n") {
		t.Errorf("%+v", b)
	}
	if n := len(b.Omitted); n > 16 {
		t.Errorf("%d omissions", n)
	}
	for _, budget := range []int{0, -5} {
		if b := context(t, v, "focus", assemble.Options{Budget: budget}); b.OverBudget || b.Budget != 0 {
			t.Errorf("budget %d: over budget %t, %d stated", budget, b.OverBudget, b.Budget)
		}
	}
}

// Wide and deep workspaces take time in proportion to what they hold, not to its square.
func TestWideAndDeepWorkspacesFitTheirBudget(t *testing.T) {
	const many = 5000
	files := map[string]string{"root": node("root", "null", "planning", "monitoring", "")}
	for i := range many {
		id := fmt.Sprintf("c%d", i)
		files[id] = node(id, "root", "execution", "completed", "## Conclusion\n\nconclusion of "+id+"\n")
	}
	b := context(t, read(plainWorkspace, files), "root", assemble.Options{Budget: 1000})
	if b.Tokens > 1000 || len(b.ChildConclusions) == 0 {
		t.Errorf("%d tokens, %d children", b.Tokens, len(b.ChildConclusions))
	}
	files = map[string]string{"n0": node("n0", "null", "planning", "monitoring", "")}
	for i := 1; i < many; i++ {
		id := fmt.Sprintf("n%d", i)
		files[id] = node(id, fmt.Sprintf("n%d", i-1), "planning", "monitoring", "## Note\n\nof "+id+"\n")
	}
	last := mdstore.ID(fmt.Sprintf("n%d", many-1))
	if b := context(t, read(plainWorkspace, files), last, assemble.Options{Budget: 1000}); b.Tokens > 1000 || b.Focus().NodeID != last || b.Focus().Note == "" {
		t.Errorf("%d tokens, focus %+v", b.Tokens, b.Focus())
	}
}
