package mcpserv

import (
	"context"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/errs"
	"arbor/engine/ops"
)

// namesFor returns the names of the tools that the server offers to a client.
func namesFor(t *testing.T, c *mcp.ClientSession) (names []string) {
	t.Helper()
	list, err := c.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// tools_enable turns a set on for its connection only, and notifies the client. Its reply has what a client needs that
// does not list the tools again. Prompts and schemas change too.
func TestAToolSetIsTurnedOnInARunningConnection(t *testing.T) {
	for _, version := range []string{legacy, ""} {
		w := newWorld(t, Options{Workspace: planID})
		told := make(chan struct{}, 8)
		p := w.connectAs(version, &mcp.ClientOptions{
			ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} }})
		other := w.connect(nil)
		_, err := p.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_read", Arguments: map[string]any{"slot": "s"}})
		if err == nil || !strings.Contains(err.Error(), `tool set memory: call tools_enable with set "memory"`) {
			t.Errorf("before: %v", err)
		}
		p.do("memory_save", map[string]any{"slot": "Choices", "text": "We sign with Argon2."})
		if r := p.do("memory_save", map[string]any{"slot": "Choices", "text": "And with salt.", "priority": 1}); r["slot"] == nil {
			t.Errorf("memory_save says %v", r)
		}
		before := namesFor(t, p.ClientSession)
		out := p.do(enableName, map[string]any{"set": "memory"})
		if tools := items(out["tools"]); len(tools) != len(ops.Of(ops.SetMemory)) || !slices.ContainsFunc(tools, func(v any) bool {
			return strings.HasPrefix(v.(string), "ask {question*, in, workspaceId, limit}: find")
		}) {
			t.Errorf("tools_enable says %v", out)
		}
		if how := items(out["how"]); len(how) != 1 || !strings.HasPrefix(how[0].(string), "Memory: ") {
			t.Errorf("the lines of the set are %v", how)
		}
		await(t, told, "the word that the tools changed")
		after, others := namesFor(t, p.ClientSession), namesFor(t, other.ClientSession)
		if !slices.Contains(after, "memory_merge") || slices.Contains(after, "file_read") || !slices.Equal(before, others) {
			t.Errorf("the connection has %v, the other one %v", after, others)
		}
		p.do("memory_read", map[string]any{"slot": "Choices"}) // also without listing the tools again
		if _, err := other.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_read"}); err == nil {
			t.Error("the other connection has the tool")
		}
		params := &mcp.GetPromptParams{Name: "recall", Arguments: map[string]string{"about": "Argon2"}}
		if _, err := other.GetPrompt(t.Context(), params); err == nil || !strings.Contains(err.Error(), "tools_enable") {
			t.Errorf("the other connection's prompt: %v", err)
		}
		if _, err := p.GetPrompt(t.Context(), params); err != nil {
			t.Errorf("the prompt: %v", err)
		}
		for _, set := range []string{"environments", "all", "plan", ""} {
			p.refused(errs.InvalidParams, enableName, map[string]any{"set": set})
		}
	}
}

// Only sets that the person offers can be turned on, and none if the tools were chosen one by one.
func TestOnlyOfferedSetsAreTurnedOn(t *testing.T) {
	e := emptyEngine(t)
	for _, tt := range []struct {
		opt  Options
		sets string // the sets that tools_enable accepts; "" if it is not offered
	}{
		{Options{}, `["briefing","memory","history"]`},
		{Options{Toolsets: []string{DefaultSet, "memory"}}, `["briefing","history"]`},
		{Options{Offer: []string{"history"}}, `["history"]`},
		{Options{ReadOnly: true}, `["briefing","memory","history"]`},
		{Options{Offer: []string{}}, ""},
		{Options{Toolsets: []string{"plan"}}, ""},
		{Options{Toolsets: []string{"all"}}, ""},
		{Options{Profile: ProfileWorker}, ""},
		{Options{Tools: []string{"node_get"}}, ""},
		{Options{Exclude: []string{enableName}}, ""},
	} {
		l, sets := openLine(t, e, tt.opt), ""
		for _, tool := range l.tools() {
			if _, in, ok := strings.Cut(string(tool.InputSchema), `"enum":`); ok && tool.Name == enableName {
				sets, _, _ = strings.Cut(in, "}")
			}
		}
		if sets != tt.sets || l.call(enableName, `{"set":"history"}`).wrong == strings.Contains(tt.sets, "history") {
			t.Errorf("%+v: %s, want %s", tt.opt, sets, tt.sets)
		}
	}
	reader := openLine(t, e, Options{ReadOnly: true})
	reader.call(enableName, `{"set":"memory"}`)
	for _, tool := range reader.tools() {
		if o, ok := ops.Find(tool.Name); ok && o.Writes && !o.Looks {
			t.Errorf("a server for reading offers %s", tool.Name)
		}
	}
	if _, err := New(e, Options{Offer: []string{"environments"}}); err == nil || !strings.Contains(err.Error(), "toolsets-offer") {
		t.Errorf("an offer of environments: %v", err)
	}
}

// A stateless request has no connection that could remember sets, so tools_enable is not offered.
func TestARequestThatStandsAloneTurnsNothingOn(t *testing.T) {
	w := newWorld(t, Options{})
	h := httptest.NewServer(w.server.Endpoint())
	defer h.Close()
	c, err := mcp.NewClient(&mcp.Implementation{Name: "t", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: h.URL}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if names := namesFor(t, c); slices.Contains(names, enableName) || !slices.Contains(names, "memory_save") {
		t.Errorf("offered are %v", names)
	}
}
