package mcpserv

import (
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"pgregory.net/rapid"

	"arbor/engine/enginetest"
	"arbor/engine/internal/memory"
	"arbor/mdstore"
)

// slotFile is the file of a slot with one entry.
func slotFile(id, name, text string) []byte {
	return []byte("---\nid: slot-" + id + "\nname: " + name + "\ndescription: of " + name + "\ntags: [a, b]\nupdatedAt: 1767225660000\n---\n\n" +
		"## entry-" + id + " · manual_save · 2026-01-01T00:00:00Z\n\n" + text + "\n")
}

func memoryFiles() map[mdstore.Path][]byte {
	files := planFiles()
	files["ws-b/Workspace.md"] = []byte("---\nid: ws-b\nname: B\ngoal: g\nstatus: active\ncreatedAt: 1767225600001\n---\n")
	files[planID+"/memory/g/h/v1.2.md"] = slotFile("1", "v1.2", "one")
	files[planID+"/memory/备忘.md.gz"] = mdstore.Stored("a.gz", slotFile("2", "备忘", "two"))
	files[planID+"/memory/both.md"] = slotFile("3", "both", "of plan")
	files["ws-b/memory/both.md"] = slotFile("4", "Both", "of b")
	return files
}

// The URIs of slots with any names can be parsed back.
func TestSlotURIsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := ref{part: partSlot, form: rapid.SampledFrom([]string{"md", "txt", "json"}).Draw(t, "form"), from: rapid.SampledFrom([]int{0, 7}).Draw(t, "from"),
			slot: rapid.OneOf(rapid.StringN(1, 20, -1), rapid.SampledFrom([]string{"a.md", "x.json.txt", "a/b", "?from=1", "%41", "+", " "})).Draw(t, "slot")}
		if rapid.Bool().Draw(t, "named") {
			r.workspace = genID.Draw(t, "workspace")
		}
		if got, err := parseURI(r.String()); err != nil || got != r {
			t.Errorf("%s reads as %+v, want %+v: %v", r, got, r, err)
		}
	})
}

// Slots are listed after the workspaces, with their descriptions, and are read as in their files. There are none while
// the tool set is off.
func TestSlotsAreResources(t *testing.T) {
	files := memoryFiles()
	w := enginetest.New(t, files)
	c := dial(t, w.Engine, Options{Toolsets: []string{"plan", "memory"}, MaxTokens: 600})
	want := map[string]mdstore.Path{
		"memory://v1.2.md":                planID + "/memory/g/h/v1.2.md",
		"memory://%E5%A4%87%E5%BF%98.md":  planID + "/memory/备忘.md.gz",
		"memory://" + planID + "/both.md": planID + "/memory/both.md",
		"memory://ws-b/Both.md":           "ws-b/memory/both.md",
	}
	met := 0
	for r, err := range c.Resources(t.Context(), nil) {
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(r.URI, "memory://") {
			continue
		}
		met++
		at := want[r.URI]
		if at == "" {
			t.Fatalf("%s is listed", r.URI)
		}
		kind := mdstore.AllKinds().Of(at)
		slot := mdstore.SlotOf(mdstore.ParsePage(kind, mdstore.File{Path: at, Data: files[at]}))
		text := memory.Export(slot, nil, "md")
		if got := read(t, c, r.URI); got != string(text) {
			t.Errorf("%s reads as %q, want %q", r.URI, got, text)
		}
		if r.Size != int64(len(text)) || r.Annotations.LastModified != "2026-01-01T00:01:00Z" || r.Description != "of "+r.Name || fmt.Sprint(r.Meta["tags"]) != "[a b]" {
			t.Errorf("%s", jsonOf(t, r))
		}
		if group := r.Meta["group"]; r.Name == "v1.2" && group != "g/h" {
			t.Errorf("group %v", group)
		}
	}
	if met != len(want) {
		t.Errorf("%d slots are listed, want %d", met, len(want))
	}
	if got := read(t, c, "memory://ws-b/slot-4.md"); got != read(t, c, "memory://ws-b/Both.md") {
		t.Errorf("by its id: %q", got)
	}
	slot := mdstore.SlotOf(mdstore.ParsePage(mdstore.SlotKind, mdstore.File{Path: want["memory://v1.2.md"], Data: files[want["memory://v1.2.md"]]}))
	for form, media := range map[string]string{"txt": "text/plain", "json": "application/json"} {
		res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://v1.2." + form})
		if err != nil || res.Contents[0].MIMEType != media || res.Contents[0].Text != string(memory.Export(slot, nil, form)) {
			t.Errorf("%s: %s, error %v", form, jsonOf(t, res), err)
		}
	}
	for _, uri := range []string{"memory://both.md", "memory://nothing.md", "memory://v1.2", "memory://ws-x/both.md", "memory://v1.2.pdf"} {
		_, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		fails(t, err, jsonrpc.CodeInvalidParams)
	}
	off := dial(t, w.Engine, Options{})
	_, err := off.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "memory://v1.2.md"})
	fails(t, err, jsonrpc.CodeInvalidParams)
	if list, err := off.ListResources(t.Context(), nil); err != nil || strings.Contains(jsonOf(t, list), "memory://") {
		t.Errorf("while it is off listed is %s: %v", jsonOf(t, list), err)
	}
}

// Names of slots are completed; if the workspace is known, only its slots.
func TestSlotNamesAreCompleted(t *testing.T) {
	c := dial(t, enginetest.New(t, memoryFiles()).Engine, Options{Toolsets: []string{"all"}})
	for _, tt := range []struct{ template, arg, value, workspace, want string }{
		{slotTemplates[0], "slot", "bo", "", "[Both both]"},
		{slotTemplates[1], "slot", "BO", "ws-b", "[Both]"},
		{slotTemplates[1], "slot", "", planID, "[both v1.2 备忘]"},
		{slotTemplates[1], "workspace", "ws-b", "", "[ws-b]"},
		{slotTemplates[0], "format", "j", "", "[json]"},
	} {
		res, err := c.Complete(t.Context(), &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/resource", URI: tt.template},
			Argument: mcp.CompleteParamsArgument{Name: tt.arg, Value: tt.value}, Context: &mcp.CompleteContext{Arguments: map[string]string{"workspace": tt.workspace}}})
		if err != nil || fmt.Sprint(res.Completion.Values) != tt.want {
			t.Errorf("%+v: %v, error %v", tt, res, err)
		}
	}
}

// A subscriber of a slot is notified when its file changes, moves or is removed, and of no other slot.
func TestSlotsAreSubscribed(t *testing.T) {
	w := newWorld(t, Options{Toolsets: []string{"memory"}})
	for p, data := range memoryFiles() {
		w.save(p, string(data))
	}
	w.engine.Refresh()
	c := w.connect(nil)
	const uri = "memory://v1.2.md"
	c.subscribe(uri, "memory://ws-b/both.md")
	w.save(planID+"/memory/g/h/v1.2.md", string(slotFile("1", "v1.2", "changed")))
	c.hears(uri)
	w.save("ws-b/memory/both.md", string(slotFile("4", "Both", "changed")))
	if got := await(t, c.updated, "news of a slot"); got != "memory://ws-b/both.md" {
		t.Errorf("told of %s", got)
	}
}

// A connection that was given no session has one as soon as it selects a slot, or none.
func TestASlotIsSelectedWithoutASession(t *testing.T) {
	c := dial(t, enginetest.New(t, memoryFiles()).Engine, Options{Toolsets: []string{"memory"}})
	for _, step := range []struct {
		tool  string
		args  map[string]any
		wrong string // in the error; "" for none
	}{
		{"memory_use", map[string]any{"slot": "a b", "workspaceId": planID}, "INVALID_NAME"},
		{"memory_use", map[string]any{"slot": "v1.2", "workspaceId": planID}, ""},
		{"memory_save", map[string]any{"text": "into it"}, ""},
		{"memory_use", map[string]any{"slot": "none"}, ""},
		{"memory_save", map[string]any{"text": "x", "slot": "v1.2"}, "MEMORY_OFF"},
		{"memory_use", map[string]any{"slot": "v1.2"}, ""},
		{"memory_save", map[string]any{"text": "more"}, ""},
	} {
		res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: step.tool, Arguments: step.args})
		if err != nil {
			t.Fatal(err)
		}
		if got := jsonOf(t, res); res.IsError != (step.wrong != "") || !strings.Contains(got, step.wrong) {
			t.Errorf("%s(%v) replies %s, want %q", step.tool, step.args, got, step.wrong)
		}
	}
	if got := read(t, c, "memory://v1.2.md"); !strings.Contains(got, "into it") || !strings.Contains(got, "more") {
		t.Errorf("the slot is %s", got)
	}
}
