package lsp

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// renamed asks for a rename at a place, makes the edits, and waits until the server has heard of them.
func (e *editor) renamed(uri, sample, name string) (out workspaceEdit) {
	e.t.Helper()
	at := e.at(uri, sample)
	at["newName"] = name
	e.call("textDocument/rename", at, &out)
	if !e.apply(out) {
		e.t.Fatalf("the edit %+v cannot be made", out)
	}
	e.call("workspace/symbol", map[string]any{"query": "x"}, nil)
	return out
}

func TestRenameFromAnyPlaceThatNamesIt(t *testing.T) {
	files := door()
	files[nodePath("n1")] = []byte(strings.Replace(string(files[nodePath("n1")]), "[[n3|Wall]]",
		"[[n3|Wall of the north]] or [[Wall of the north]]", 1))
	files[nodePath("n2")] = enginetest.Node("n2", "title: Frame\ntype: execution\nstatus: pending\nparentId: root\ntags: [wood]",
		"## Requirement\n\nbehind [[wall of the north|it]] and [[n3#Wall of the north]]\n\n## Log\n\n"+
			"- [2026-01-01 00:00:00] [AI] saw [[Wall of the north]]\n")
	e := edit(t, files, false)
	uri := e.open(nodePath("n1"))
	var prepared struct {
		Placeholder string `json:"placeholder"`
	}
	if e.call("textDocument/prepareRename", e.at(uri, "[[n|3|Wall"), &prepared); prepared.Placeholder != "Wall of the north" {
		t.Errorf("prepared %+v", prepared)
	}
	e.replace(uri, "A door", "My door, unsaved,")
	before := e.file(nodePath("n3"))
	at := e.at(uri, "[[n|3|Wall")
	at["newName"] = "Wall: south"
	var out workspaceEdit
	e.call("textDocument/rename", at, &out)
	if now := e.file(nodePath("n3")); now != before {
		t.Errorf("renamed before the person has agreed:\n%s", now)
	}
	if out.Annotations["arbor"].Label == "" || !e.apply(out) {
		t.Fatalf("the edit %+v cannot be made", out)
	}
	e.has(uri, "updatedAt", "My door, unsaved, 😀 in [[n3|Wall: south]] or [[Wall: south]]")
	if now := e.file(nodePath("n3")); !strings.Contains(now, `"Wall: south"`) {
		t.Errorf("the node has\n%s", now)
	}
	if now := e.file(nodePath("n2")); !strings.Contains(now, "[[n3#Wall: south]]") || !strings.Contains(now, "saw [[Wall of the north]]") {
		t.Errorf("a file that is not open has\n%s", now)
	}
	if now := e.file(nodePath("n1")); strings.Contains(now, "unsaved") || !strings.Contains(now, "[[Wall: south]]") {
		t.Errorf("the file of the unsaved text has\n%s", now)
	}
	e.save(uri)
	e.codes(uri)
	e.renamed(uri, "[wo|od]", "timber")
	if !strings.Contains(e.texts[uri], "tags: [timber]") || !strings.Contains(e.file(nodePath("n2")), "tags: [timber]") {
		t.Errorf("renamed:\n%s\n%s", e.texts[uri], e.file(nodePath("n2")))
	}
	// One commit: undo takes all of it back, and only that.
	st := enginetest.OpenDir(t, e.dir)
	other, err := engine.Open(t.Context(), st, engine.Options{Vault: e.dir, Project: filepath.Dir(e.dir), State: e.state})
	if err != nil {
		t.Fatal(err)
	}
	undo, _ := ops.Find("undo")
	if _, err := undo.Call(t.Context(), &ops.Env{Engine: other, Operator: mdstore.OperatorHuman}, enginetest.Args(nil)); err != nil {
		t.Fatal(err)
	}
	for _, id := range []mdstore.ID{"n1", "n2"} {
		if now := e.file(nodePath(id)); !strings.Contains(now, "[wood]") || !strings.Contains(now, "Wall: south") {
			t.Errorf("after undo %s has\n%s", id, now)
		}
	}
}

func TestRenameIsNotDoneWhereItsPreviewIsDropped(t *testing.T) {
	e := edit(t, door(), false)
	uri := e.open(nodePath("n1"))
	at := e.at(uri, "title: Do|or")
	at["newName"] = "Gate"
	e.call("textDocument/rename", at, nil)
	e.replace(uri, "A door", "A doorway")
	e.codes(uri)
	if now := e.file(nodePath("n1")); !strings.Contains(now, "title: Door") {
		t.Errorf("the file has\n%s", now)
	}
}

func TestRenameOfSlots(t *testing.T) {
	files := door()
	files[nodePath("n2")] = enginetest.Node("n2", "title: Frame\ntype: execution\nstatus: pending\nparentId: root",
		"## Requirement\n\nsee [[woods]], [[woods|the list]] and [[n3]]\n")
	e := edit(t, files, true)
	env := &ops.Env{Engine: e.outside()}
	act(e, env, "memory_save", map[string]any{"slot": "woods", "text": "oak"})
	uri := e.open(nodePath("n2"))
	var all []location
	at := e.at(uri, "[[wo|ods]]")
	at["context"] = map[string]any{"includeDeclaration": true}
	if e.call("textDocument/references", at, &all); len(all) != 3 || !strings.HasSuffix(all[0].URI, "/memory/woods.md") {
		t.Errorf("references of the slot: %+v", all)
	}
	e.renamed(uri, "[[wo|ods]]", "timber")
	e.has(uri, "see [[timber]], [[timber|the list]] and [[n3]]")
	if now := e.file("ws-1/memory/timber.md"); !strings.Contains(now, "oak") {
		t.Errorf("the slot has\n%s", now)
	}
	if now := e.file(nodePath("n2")); !strings.Contains(now, "[[timber]], [[timber|the list]]") {
		t.Errorf("the file has\n%s", now)
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
