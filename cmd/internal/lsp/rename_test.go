package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine/enginetest"
)

func TestRenameFromAnyPlaceThatNamesIt(t *testing.T) {
	files := door()
	files[nodePath("n1")] = []byte(strings.Replace(string(files[nodePath("n1")]), "[[n3|Wall]]", "[[n3|Wall of the north]]", 1))
	e := edit(t, files, false)
	uri := e.open(nodePath("n1"))
	at := e.at(uri, "[[n|3|Wall")
	var prepared struct {
		Placeholder string `json:"placeholder"`
	}
	if e.call("textDocument/prepareRename", at, &prepared); prepared.Placeholder != "Wall of the north" {
		t.Errorf("prepared %+v", prepared)
	}
	at["newName"] = "Wall: south"
	var out workspaceEdit
	e.call("textDocument/rename", at, &out)
	if !out.Annotations["arbor"].Confirm || !e.apply(out) {
		t.Fatalf("the edit %+v cannot be made", out)
	}
	if !strings.Contains(e.texts[uri], "[[n3|Wall: south]]") || !strings.Contains(e.file(nodePath("n3")), `"Wall: south"`) {
		t.Errorf("renamed:\n%s\n%s", e.texts[uri], e.file(nodePath("n3")))
	}
	at = e.at(uri, "[wo|od]")
	at["newName"] = "timber"
	out = workspaceEdit{}
	if e.call("textDocument/rename", at, &out); len(out.Changes) != 2 || !e.apply(out) {
		t.Fatalf("the edit %+v cannot be made", out)
	}
	if !strings.Contains(e.texts[uri], "tags: [timber]") || !strings.Contains(e.file(nodePath("n2")), "tags: [timber]") {
		t.Errorf("renamed:\n%s\n%s", e.texts[uri], e.file(nodePath("n2")))
	}
}

func TestTreeHintsAndLenses(t *testing.T) {
	files := door()
	files[nodePath("n3")] = enginetest.Node("n3", "title: Wall\ntype: execution\nstatus: pending\nparentId: root\ndependencies: [n1]", "")
	e := edit(t, files, false)
	uri := e.open(nodePath("n1"))
	var items []hierarchyItem
	e.call("textDocument/prepareCallHierarchy", e.at(uri, "title: Do|or"), &items)
	if len(items) != 1 || items[0].Name != "Door" {
		t.Fatalf("prepared %+v", items)
	}
	var in, out []struct {
		From, To hierarchyItem
	}
	e.call("callHierarchy/incomingCalls", map[string]any{"item": items[0]}, &in)
	e.call("callHierarchy/outgoingCalls", map[string]any{"item": items[0]}, &out)
	if len(in) != 1 || in[0].From.Name != "Wall" || len(out) != 1 || out[0].To.Name != "Frame" {
		t.Errorf("in %+v, out %+v", in, out)
	}
	doc := map[string]any{"textDocument": map[string]any{"uri": uri}, "range": span{End: position{Line: 99}}}
	var hints []inlayHint
	if e.call("textDocument/inlayHint", doc, &hints); len(hints) != 4 || hints[0].Label != "A" || hints[1].Label != "Frame" {
		t.Errorf("hints %+v", hints)
	}
	var lenses []codeLens
	if e.call("textDocument/codeLens", doc, &lenses); len(lenses) < 1 || lenses[0].Command.Title != "0 of 1 ticked · waits for 1" {
		t.Errorf("lenses %+v", lenses)
	}
}

func TestMovedFilesKeepTheirLinks(t *testing.T) {
	files := door()
	e := edit(t, files, false)
	uri := e.open(nodePath("n1"))
	e.replace(uri, "- n2", "- notes.md: said")
	var out workspaceEdit
	move := func(from, to string) {
		t.Helper()
		out = workspaceEdit{}
		e.call("workspace/willRenameFiles", map[string]any{"files": []any{map[string]any{
			"oldUri": uriOf(filepath.Join(e.dir, filepath.FromSlash(from))), "newUri": uriOf(filepath.Join(e.dir, filepath.FromSlash(to)))}}}, &out)
		if !e.apply(out) {
			t.Fatalf("the edit %+v cannot be made", out)
		}
	}
	if err := os.Mkdir(filepath.Join(filepath.Dir(e.dir), "docs"), 0o755); err != nil {
		t.Fatal(err)
	}
	move("../notes.md", "../docs/said.md")
	e.has(uri, "](../../../../docs/said.md)", "- docs/said.md: said")
	e.save(uri)
	top := filepath.Dir(e.dir)
	if err := os.Rename(filepath.Join(top, "notes.md"), filepath.Join(top, "docs", "said.md")); err != nil {
		t.Fatal(err)
	}
	move("ws-1/nodes/n1", "ws-1/nodes/deep/er/n1")
	e.has(uri, "](../../../../../../docs/said.md)", "- docs/said.md: said")
}
