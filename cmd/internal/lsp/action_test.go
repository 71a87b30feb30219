package lsp

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// actions returns the code actions for the sample between two marks |, or at its only mark.
func (e *editor) actions(uri, sample string) (all []codeAction) {
	e.t.Helper()
	var in span
	if whole := strings.Trim(sample, "|"); len(whole) == len(sample)-2 {
		at := strings.Index(e.texts[uri], whole)
		in = newText(e.texts[uri], !e.utf8).span(at, at+len(whole))
	} else {
		in.Start = e.at(uri, sample)["position"].(position)
		in.End = in.Start
	}
	e.call("textDocument/codeAction", map[string]any{"textDocument": map[string]any{"uri": uri},
		"range": in, "context": map[string]any{}}, &all)
	return all
}

// choose does the action whose title begins with a text.
func (e *editor) choose(uri, sample, title string) {
	e.t.Helper()
	all := e.actions(uri, sample)
	i := slices.IndexFunc(all, func(a codeAction) bool { return strings.HasPrefix(a.Title, title) })
	if i < 0 {
		var titles []string
		for _, a := range all {
			titles = append(titles, a.Title)
		}
		e.t.Fatalf("no action %q among %q", title, titles)
	}
	if a := all[i]; a.Edit != nil {
		if !e.apply(*a.Edit) {
			e.t.Fatalf("the edit of %q is for another version", title)
		}
	} else {
		e.call("workspace/executeCommand", map[string]any{"command": a.Command.Command, "arguments": a.Command.Args}, nil)
	}
}

func (e *editor) has(uri string, wants ...string) {
	e.t.Helper()
	for _, want := range wants {
		if strings.Contains(e.texts[uri], want) {
			continue
		}
		e.until("text "+want, func(*packet) bool { return strings.Contains(e.texts[uri], want) })
	}
}

func (e *editor) file(p mdstore.Path) string {
	data, err := os.ReadFile(filepath.Join(e.dir, filepath.FromSlash(string(p))))
	if err != nil {
		e.t.Fatal(err)
	}
	return string(data)
}

func TestActionsChangeThePlanAndTheUnsavedText(t *testing.T) {
	e := edit(t, door(), false)
	uri := e.open(nodePath("n1"))
	e.codes(uri)
	e.replace(uri, "A door", "My door, unsaved, [[Hinge]],")
	e.choose(uri, "[ ] hu|ng", "Tick “hung”")
	e.has(uri, "- [x] hung")
	e.choose(uri, "- n|3: what", "Wait for “Wall of the north”")
	e.has(uri, "n3]", "updatedAt")
	e.choose(uri, "Hin|ge", "Create the node “Hinge”")
	e.has(uri, "|Hinge]]")
	e.choose(uri, "title: Do|or", "Put off by a week, to 2026-12-08")
	e.has(uri, "due: 2026-12-08")
	e.choose(uri, "title: Do|or", "Add the section Conclusion")
	e.has(uri, "## Conclusion\n", "My door, unsaved")
	if now := e.file(nodePath("n1")); strings.Contains(now, "unsaved") || !strings.Contains(now, "due: 2026-12-08") {
		t.Errorf("the file holds\n%s", now)
	}
	e.save(uri)
	e.codes(uri)
}

func TestTransitionsTakeTheConclusionOfTheUnsavedText(t *testing.T) {
	e := edit(t, door(), false)
	uri := e.open(nodePath("n3"))
	e.codes(uri)
	e.choose(uri, "title: |Wall", "Arbor: start")
	if !e.reload(uri, "status: implementing") {
		t.Fatalf("the file holds\n%s", e.texts[uri])
	}
	for _, a := range e.actions(uri, "title: |Wall") {
		if a.Title == "Arbor: complete" {
			t.Error("complete is offered without a conclusion")
		}
	}
	e.change(uri, nil, e.texts[uri]+"\n## Conclusion\n\nIt stands.\n")
	e.choose(uri, "title: |Wall", "Arbor: complete")
	e.has(uri, "status: completed", "It stands.")
	if now := e.file(nodePath("n3")); !strings.Contains(now, "It stands.") || !strings.Contains(now, "[Human] complete") {
		t.Errorf("the file holds\n%s", now)
	}
	if strings.Count(e.texts[uri], "It stands.") != 1 {
		t.Errorf("the text is\n%s", e.texts[uri])
	}
}

func TestRepairsAreEditsWhereOnlyTheTextChanges(t *testing.T) {
	e := edit(t, door(), false)
	uri := e.open(nodePath("n1"))
	e.replace(uri, "- n2", "- node-mj2hz4gy-ync1cu: gone")
	e.codes(uri, "REFERENCE_DANGLING")
	e.choose(uri, "ync1|cu", "Arbor: mark the reference expired")
	e.has(uri, "gone (expired)")
	e.codes(uri)
}

func TestLinesBecomeNodes(t *testing.T) {
	files := door()
	files[nodePath("n2")] = enginetest.Node("n2", "title: Frame\ntype: planning\nstatus: pending\nparentId: root",
		"## Note\n\n- saw it\n- glue it\n\nmore\n")
	e := edit(t, files, true)
	uri := e.open(nodePath("n2"))
	e.codes(uri)
	e.choose(uri, "|- saw it\n- glue it|", "Extract the lines to child nodes")
	e.until("the lines go", func(*packet) bool { return !strings.Contains(e.texts[uri], "glue") })
	e.has(uri, "status: monitoring", "more")
	var found []workspaceSymbol
	if e.call("workspace/symbol", map[string]any{"query": "glue"}, &found); len(found) != 1 {
		t.Errorf("nodes: %+v", found)
	}
}

func TestLensesShowTheContextAndThePage(t *testing.T) {
	e := edit(t, door(), false)
	uri := e.open(nodePath("n1"))
	var lenses []codeLens
	e.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}, &lenses)
	var titles []string
	for _, l := range lenses {
		titles = append(titles, l.Command.Title)
	}
	if want := []string{"0 of 1 ticked · waits for 1", "Arbor: drop", "context", "open on the page"}; !slices.Equal(titles, want) {
		t.Fatalf("lenses %q, want %q", titles, want)
	}
	for i, want := range []string{"context%20of%20n1.md", "http://127.0.0.1:1/#token=x"} {
		c := lenses[i+2].Command
		e.call("workspace/executeCommand", map[string]any{"command": c.Command, "arguments": c.Args}, nil)
		if len(e.shown) <= i {
			e.until("what is shown", func(*packet) bool { return len(e.shown) > i })
		}
		if !strings.Contains(e.shown[i], want) {
			t.Errorf("%s shows %s, want %s", c.Title, e.shown[i], want)
		}
	}
}
