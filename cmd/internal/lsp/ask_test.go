package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// door is a workspace whose nodes name each other: n1 waits for n2, and refers to n3 and a document.
func door() map[mdstore.Path][]byte {
	files := enginetest.Plan(ws, "n1", "n2", "n3")
	files[nodePath("n1")] = enginetest.Node("n1",
		"title: Door\ntype: execution\nstatus: pending\nparentId: root\ndependencies: [n2]\ntags: [wood]\ndue: 2026-12-01",
		"## Requirement\n\nA door 😀 in [[n3|Wall]], see [notes](../../../../notes.md)\n\n- [ ] hung\n\n"+
			"## References\n\n- n3: what it hangs in\n- n2\n")
	files[nodePath("n2")] = enginetest.Node("n2", "title: Frame\ntype: execution\nstatus: pending\nparentId: root\ntags: [wood]",
		"## Note\n\nLeans on [[n3]].\n\n## Log\n\n- [2026-01-01 00:00:00] [AI] pending → implementing, beside n3\n")
	files[nodePath("n3")] = enginetest.Node("n3", "title: Wall of the north\ntype: execution\nstatus: pending\nparentId: root", "")
	files["../notes.md"] = []byte("# Notes\n")
	files["../plans/a b.md"] = []byte("# A\n")
	return files
}

// labels returns what completion offers at a place, and the text after the first of it is taken.
func (e *editor) labels(uri, sample string) (all []string, first string) {
	e.t.Helper()
	var out completionList
	e.call("textDocument/completion", e.at(uri, sample), &out)
	for _, it := range out.Items {
		all = append(all, it.Label)
	}
	if len(out.Items) > 0 {
		first = made(newText(e.texts[uri], !e.utf8), []textEdit{*out.Items[0].TextEdit})
	}
	return all, first
}

func TestCompletionOffersWhatMayStandThere(t *testing.T) {
	e := edit(t, door(), false)
	for _, c := range []struct{ old, with, at, want, makes string }{
		{"A door", "A door [[no", "[[no|", "Wall of the north", "A door [[n3|Wall of the north]]"},
		{"A door", "A door ![[fra", "[[fra|", "Frame", "![[n2|Frame]]"},
		{"dependencies: [n2]", "dependencies: [n2, wal]", "wal|", "Wall of the north", "dependencies: [n2, n3]"},
		{"parentId: root", "parentId: ", "parentId: |", "A", "parentId: root"},
		{"status: pending", "status: imp", "imp|", "implementing", "status: implementing"},
		{"status: pending", "status: pending\npriority:", "priority:|", "critical", "priority: critical"},
		{"status: pending", "status: pending\nrole: val", "val|", "validation", "role: validation"},
		{"[wood]", "[w]", "[w|", "wood", "tags: [wood]"},
		{"due: 2026-12-01", "due: 2027-01-02", "2027-01-02|", "2027-01-02", "due: 2027-01-02"},
		{"status: pending", "status: pending\npri", "pri|", "priority", "\npriority: "},
		{"## References", "## Con", "Con|", "Conclusion", "## Conclusion"},
		{"- [ ] hung", "- [ ] hung\n- ", "hung\n- |", "[ ]", "hung\n- [ ] "},
		{"- n2", "- fram", "fram|", "Frame", "- n2"},
		{"- n2", "- no", "- no|", "notes.md", "- notes.md"},
		{"- n2", "- plans/", "plans/|", "plans/a b.md", "- plans/a b.md"},
		{"## References", "## Docs\n\n- pl\n\n## References", "- pl|", "plans", "- plans/"},
	} {
		uri := e.open(nodePath("n1"))
		e.replace(uri, c.old, c.with)
		all, makes := e.labels(uri, c.at)
		if len(all) == 0 || all[0] != c.want || !strings.Contains(makes, c.makes) {
			t.Errorf("at %q: %v, want %s first; it makes\n%s\nwant in it %q", c.at, all, c.want, makes, c.makes)
		}
		e.tell("textDocument/didClose", map[string]any{"textDocument": map[string]any{"uri": uri}})
		delete(e.texts, uri)
	}
	uri := e.open(nodePath("n1"))
	e.replace(uri, "due: 2026-12-01", "due: fr")
	var out completionList
	if e.call("textDocument/completion", e.at(uri, "fr|"), &out); len(out.Items) != 1 ||
		!strings.HasPrefix(out.Items[0].TextEdit.NewText, "20") {
		t.Errorf("fr offers %+v, want a date", out.Items)
	}
}

func TestDefinitionHoverAndReferences(t *testing.T) {
	e := edit(t, door(), false)
	uri := e.open(nodePath("n1"))
	for at, want := range map[string]mdstore.Path{
		"[n|2]": nodePath("n2"), "parentId: r|oot": nodePath("root"), "[[n|3|Wall": nodePath("n3"),
		"- n|3: what": nodePath("n3"), "notes|.md": "../notes.md",
	} {
		var to location
		e.call("textDocument/definition", e.at(uri, at), &to)
		if to.URI != e.uri(want) {
			t.Errorf("definition at %q is %s, want %s", at, to.URI, want)
		}
		if want == nodePath("n3") && to.Range.Start.Line != 2 {
			t.Errorf("the title of n3 is at %v", to.Range)
		}
	}
	for at, want := range map[string]string{
		"[n|2]": "**Frame** · pending", "[[n|3|Wall": "named by Door, Frame", "status: pen|ding": "start → implementing",
		"title: Do|or": "tokens", "due: 2026|-12-01": "`due`",
	} {
		e.hovers(uri, at, want)
	}
	e.hovers(e.open(nodePath("n2")), "pending → imple|menting", "**implementing**, the work is under way\n- submit → validating")
	rules := e.open("ws-1/Workspace.md")
	e.change(rules, nil, e.texts[rules]+"\n## Rules\n\n- Test first\n- Ask before you delete\n")
	e.hovers(rules, "Ask be|fore", "**rule 2 of 2** of ")
	var all []location
	at := e.at(uri, "- n|3: what")
	at["context"] = map[string]any{"includeDeclaration": true}
	if e.call("textDocument/references", at, &all); len(all) != 4 || all[0].URI != e.uri(nodePath("n3")) {
		t.Errorf("references of n3: %+v", all)
	}
	var links []docLink
	if e.call("textDocument/documentLink", at, &links); len(links) != 6 {
		t.Errorf("links: %+v", links)
	}
}

func (e *editor) hovers(uri, sample, want string) {
	e.t.Helper()
	var h hover
	if e.call("textDocument/hover", e.at(uri, sample), &h); !strings.Contains(h.Contents.Value, want) {
		e.t.Errorf("hover at %q says %q, want %q in it", sample, h.Contents.Value, want)
	}
}

func TestSymbols(t *testing.T) {
	e := edit(t, door(), true)
	uri := e.open(nodePath("n1"))
	var all []symbol
	e.call("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": uri}}, &all)
	if len(all) != 2 || all[0].Name != "Requirement" || len(all[1].Children) != 2 {
		t.Errorf("symbols of the document: %+v", all)
	}
	var found []workspaceSymbol
	e.call("workspace/symbol", map[string]any{"query": "NORTH"}, &found)
	if len(found) != 1 || found[0].Location.URI != e.uri(nodePath("n3")) {
		t.Errorf("symbols of the workspace: %+v", found)
	}
}

// A file stays open although its workspace was deleted: nothing is answered, and nothing fails.
func TestNothingIsAnsweredOfAWorkspaceThatIsGone(t *testing.T) {
	e := edit(t, door(), true)
	uri := e.open(nodePath("n1"))
	e.codes(uri)
	if err := os.RemoveAll(filepath.Join(e.dir, string(ws))); err != nil {
		t.Fatal(err)
	}
	e.until("the removal", func(p *packet) bool { return p.Method == "$/arbor/changed" })
	var out any = "something"
	for out != nil { // one of the events of the removal may be the last
		e.call("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": uri}}, &out)
	}
}

func TestNothingIsAnsweredOutsideOfAVault(t *testing.T) {
	files := door()
	e := edit(t, files, true)
	uri := e.open("../notes.md")
	for _, r := range rows() {
		if strings.HasPrefix(r.method, "textDocument/") && r.provider != "" {
			var out any
			e.call(r.method, map[string]any{"textDocument": map[string]any{"uri": uri}, "position": position{}, "newName": "x",
				"context": map[string]any{}}, &out)
			if out != nil {
				t.Errorf("%s answers %v", r.method, out)
			}
		}
	}
	if len(e.found[uri]) > 0 {
		t.Errorf("diagnostics: %v", e.found[uri])
	}
}
