package mdstore

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"arbor/mdstore/mdoc"
)

func briefedText(body string) *mdoc.Doc {
	d, _ := mdoc.Parse("w", []byte("---\nid: ws-1\n---\n\n"+body), WorkspaceForm)
	return d
}

func drawWorkflow(t *rapid.T) Workflow {
	line := rapid.StringMatching(`[A-Za-z0-9:()][A-Za-z0-9 .:()-]{0,12}`)
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"1. look", "- [ ] ask", "When: later", "#### part", "", "> quote", "text <!-- c -->",
		"```\n### no heading\n```", "### a heading", "## above"}), 0, 5).Draw(t, "steps")
	return Workflow{Name: line.Draw(t, "name"), When: rapid.OneOf(rapid.Just(""), line).Draw(t, "when"), Steps: strings.Join(lines, "\n")}
}

// What is written reads back, and writing what is there changes nothing.
func TestWorkflowsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.SampledFrom([]string{"", "## Workflows\n\nwords of a person\n\n<!-- kept -->\n",
			"## Workflows\n### Apply\nWhen: a post fits\n\n1. a\n\n\n### Old  \n\n#### Notes\n\nx\n\n## Mine\n\ntext\n"}).Draw(t, "body")
		d := briefedText(body)
		above, _ := workflowsOf(d)
		want := rapid.SliceOfN(rapid.Custom(drawWorkflow), 0, 4).Draw(t, "workflows")
		text, _, err := WorkflowsText(d, want)
		if err != nil {
			t.Fatalf("WorkflowsText(%q): %v", want, err)
		}
		p, err := d.SetSection(SecWorkflows, text)
		if err != nil {
			t.Fatal(err)
		}
		after, err := d.Apply(p)
		if err != nil {
			t.Fatal(err)
		}
		now, got := workflowsOf(after)
		for i := range want {
			want[i], _, _ = want[i].neat()
		}
		if !slices.EqualFunc(got, want, Workflow.same) || strings.TrimSpace(now) != strings.TrimSpace(above) {
			t.Fatalf("%q\n got %q\nwant %q", after.Bytes(), got, want)
		}
		again, adapted, err := WorkflowsText(after, got)
		if err != nil || len(adapted) > 0 || again != after.Text(SecWorkflows) {
			t.Fatalf("again on %q\n got %q %v %v", after.Bytes(), again, adapted, err)
		}
	})
}

// A workflow whose name, when and steps are equal keeps its bytes, wherever it goes.
func TestEqualWorkflowKeepsItsBytes(t *testing.T) {
	d := briefedText("## Workflows\n\nAs we do it.\n\n### Apply\nWhen:   a post fits\n\n\n1. a <!-- mine -->\n2. b\n\n### Old\n\nx\n")
	_, have := workflowsOf(d)
	text, _, err := WorkflowsText(d, []Workflow{{Name: "New", Steps: "- n"}, {Name: "Apply", When: "a post fits", Steps: have[0].Steps}})
	want := "As we do it.\n\n### New\n\n- n\n\n### Apply\nWhen:   a post fits\n\n\n1. a <!-- mine -->\n2. b"
	if err != nil || text != want {
		t.Errorf("got %q %v\nwant %q", text, err, want)
	}
}

func TestWorkflowThatWouldNotReadBackIsRefused(t *testing.T) {
	for _, f := range []Workflow{{Name: "two\nlines"}, {Name: "marked #"}, {Name: ""}, {Name: "a", When: "x\ny"}} {
		if text, _, err := WorkflowsText(briefedText(""), []Workflow{f}); err == nil {
			t.Errorf("%q: %q", f, text)
		}
	}
}

func TestBriefingOfAFileByHand(t *testing.T) {
	d := briefedText("## 目的\n\nFind a job\n\n## Workflows\n\n### Apply\n\nwhen: a post fits\n1. a\n\n### Ask\n\n- b\n\n## Key Files\n\n- cv.md: the CV\n- [[notes|Notes]]\n\n### More\n\n- not: one\n")
	w := Workspace{Doc: d}
	b := w.Briefing()
	if b.Purpose != "Find a job" || len(b.Workflows) != 2 || b.Workflows[0].String() != "Apply (a post fits):\n1. a" ||
		b.Workflows[1].String() != "Ask:\n- b" || len(b.KeyFiles) != 2 || b.KeyFiles[1].Target != "notes" {
		t.Errorf("%+v", b)
	}
}

func TestRefItemsKeepTheirTexts(t *testing.T) {
	d := briefedText("## Key Files\n\n* `cv.md`: the CV\n  of mine\n* [Letter](letter.md)\n")
	have, at, items := RefItems(d, SecKeyFiles, []Ref{{Target: "new.md"}, {Target: "letter.md", Description: "Letter"}, {Target: "cv.md", Description: "the CV of mine"}})
	if !slices.Equal(at, []int{0, 1}) || !slices.Equal(items, []string{"", have[1], have[0]}) || have[0] != "`cv.md`: the CV\nof mine" {
		t.Errorf("%q %v %q", have, at, items)
	}
}
