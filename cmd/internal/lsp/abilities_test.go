package lsp

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
)

// abilities is a vault in which each ability has something to do: n1 waits for n2, names all else, and has a finding.
func abilities(t *testing.T) (e *editor, uri string) {
	files := door()
	files[nodePath("n1")] = enginetest.Node("n1",
		"title: Door\ntype: execution\nstatus: pending\nparentId: root\ndependencies: [n2]\ntags: [wood]\nassignee: mia\ndue: 2026-12-01",
		"## Requirement\n\n[[n3]], [[Hinge]], [[plans/new.md]]\n\n- [ ] hung\n\n## Note\n\nadd me\n\n"+
			"## References\n\n- n3\n- node-mj2hz4gy-ync1cu\n\n## Docs\n\n- notes.md\n")
	files[nodePath("n2")] = []byte(strings.Replace(string(files[nodePath("n2")]), "tags:", "assignee: mia\ntags:", 1))
	files["ws-1/Workspace.md"] = []byte(string(files["ws-1/Workspace.md"]) + "\n## Rules\n\n- Measure twice\n")
	e = edit(t, files, false)
	return e, e.open(nodePath("n1"))
}

// Each row is a part of a row of the table of abilities: the text of the answer must have the words in it.
func TestEachAbilityOfTheTable(t *testing.T) {
	e, uri := abilities(t)
	e.codes(uri, "REFERENCE_DANGLING")
	rules := e.open("ws-1/Workspace.md")
	titles := func(uri, sample string) (all []string) {
		for _, a := range e.actions(uri, sample) {
			all = append(all, a.Title)
		}
		return all
	}
	ask := func(method, uri, sample string, more map[string]any) any {
		var out any
		params := map[string]any{"textDocument": map[string]any{"uri": uri}, "range": span{End: position{Line: 99}},
			"context": map[string]any{"includeDeclaration": true}, "query": "", "newName": "x"}
		if sample != "" {
			params["position"] = e.at(uri, sample)["position"]
		}
		for k, v := range more {
			params[k] = v
		}
		e.call(method, params, &out)
		return out
	}
	typed := func(old, with, sample string) any { // what completion offers after a change, which is taken back
		t.Helper()
		was := e.texts[uri]
		e.replace(uri, old, with)
		out := ask("textDocument/completion", uri, sample, nil)
		e.change(uri, nil, was)
		return out
	}
	item := ask("textDocument/prepareCallHierarchy", uri, "title: Do|or", nil)
	var first any
	if all, _ := item.([]any); len(all) > 0 {
		first = all[0]
	}
	for _, row := range []struct {
		ability string
		got     any
		want    []string
	}{
		{"completion behind [[ by a part of the title", typed("add me", "[[north", "[[north|"), []string{"n3|Wall of the north]]"}},
		{"completion behind ![[", typed("add me", "![[fra", "![[fra|"), []string{"n2|Frame]]"}},
		{"completion in dependencies by id", typed("[n2]", "[n2, n3", "[n2, n3|"), []string{"Wall of the north"}},
		{"completion in parentId", typed("parentId: root", "parentId: fr", "parentId: fr|"), []string{"n2"}},
		{"completion in References by path", typed("- n3\n", "- n2\n", "- n2|"), []string{"Frame"}},
		{"completion in Docs", typed("- notes.md", "- not", "- not|"), []string{"notes.md"}},
		{"completion of statuses", typed("status: pending", "status: imp", "status: imp|"), []string{"implementing"}},
		{"completion of roles", typed("tags:", "role: val\ntags:", "role: val|"), []string{"validation"}},
		{"completion of priorities", typed("tags:", "priority: hi\ntags:", "priority: hi|"), []string{"high"}},
		{"completion of tags", typed("[wood]", "[wo]", "[wo|"), []string{"wood"}},
		{"completion of assignees", typed("assignee: mia", "assignee: m", "assignee: m|"), []string{"mia"}},
		{"completion of days", typed("due: 2026-12-01", "due: fri", "due: fri|"), []string{"newText:20"}},
		{"completion of sections", typed("add me", "## Con", "## Con|"), []string{"Conclusion"}},
		{"completion of boxes", typed("add me", "- ", "\n\n- |"), []string{"[ ]", "[x]"}},
		{"hover on a node", ask("textDocument/hover", uri, "[[n|3]]", nil), []string{"Wall of the north", "pending", "named by Door", "tokens"}},
		{"hover on a rule", ask("textDocument/hover", rules, "Measure| twice", nil), []string{"rule 1 of 1", "Measure twice"}},
		{"hover on a status", ask("textDocument/hover", uri, "status: pen|ding", nil), []string{"not begun", "start → implementing"}},
		{"definition of a node", ask("textDocument/definition", uri, "[[n|3]]", nil), []string{"n3/Node.md"}},
		{"definition of a document", ask("textDocument/definition", uri, "notes|.md", nil), []string{"/notes.md"}},
		{"references", ask("textDocument/references", uri, "[[n|3]]", nil), []string{"n1/Node.md", "n2/Node.md", "n3/Node.md"}},
		{"outline", ask("textDocument/documentSymbol", uri, "", nil), []string{"Requirement", "[ ] hung"}},
		{"symbols of the workspace", ask("workspace/symbol", uri, "", nil), []string{"Door", "Frame"}},
		{"links", ask("textDocument/documentLink", uri, "", nil), []string{"n3/Node.md", "/notes.md"}},
		{"repairs", titles(uri, "ync1|cu"), []string{"mark the reference expired"}},
		{"transitions", titles(uri, "title: Do|or"), []string{"Arbor: drop", "Put off by a day", "a week", "a month", "Add the section Conclusion"}},
		{"waits for, blocks", titles(uri, "[[n|3]]"), []string{"Wait for “Wall", "Let “Wall"}},
		{"create a node that a link names", titles(uri, "Hin|ge"), []string{"Create the node “Hinge”"}},
		{"create a document that a link names", titles(uri, "plans/ne|w"), []string{"Create the document plans/new.md"}},
		{"tick", titles(uri, "[ ] hu|ng"), []string{"Tick “hung”"}},
		{"extract lines", titles(uri, "|add me|"), []string{"Extract the lines"}},
		{"rename of a title, tag", []any{ask("textDocument/prepareRename", uri, "|title: Door", nil),
			ask("textDocument/prepareRename", uri, "wo|od", nil)}, []string{"placeholder:Door", "placeholder:wood"}},
		{"call hierarchy, out", ask("callHierarchy/outgoingCalls", uri, "", map[string]any{"item": first}), []string{"Frame"}},
		{"inlay hints", ask("textDocument/inlayHint", uri, "", nil), []string{"Wall of the north", "Frame"}},
		{"lens", ask("textDocument/codeLens", uri, "", nil), []string{"waits for 1", "context", "open on the page"}},
		{"file events", ask("workspace/willRenameFiles", uri, "", map[string]any{"files": []any{map[string]any{
			"oldUri": e.uri("../notes.md"), "newUri": e.uri("../said.md")}}}), []string{"newText:said.md"}},
	} {
		got := fmt.Sprint(row.got)
		for _, want := range row.want {
			if !strings.Contains(got, want) {
				t.Errorf("%s: %q is not in\n%s", row.ability, want, got)
			}
		}
	}
	if err := e.try("textDocument/formatting", map[string]any{"textDocument": map[string]any{"uri": uri}}, nil); err == nil {
		t.Error("the person's text is formatted")
	}
	in := slices.IndexFunc(rows(), func(r row) bool { return r.method == "workspace/didRenameFiles" })
	if in < 0 {
		t.Error("didRenameFiles is not heard")
	}
}
