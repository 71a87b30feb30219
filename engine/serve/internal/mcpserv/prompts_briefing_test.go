package mcpserv

import (
	"slices"
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/ops"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The prompts of the tool set briefing are about the connection's session and workspace. They are offered only with the
// set.
func TestCommandsTellOfTheSession(t *testing.T) {
	w := enginetest.New(t, planFiles())
	c := dial(t, w.Engine, Options{Toolsets: []string{"all"}})
	ask := func(name string, args map[string]string) string {
		t.Helper()
		res, err := c.GetPrompt(t.Context(), &mcp.GetPromptParams{Name: name, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return res.Messages[0].Content.(*mcp.TextContent).Text
	}
	call := func(name string, args map[string]any) {
		t.Helper()
		if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: args}); err != nil || res.IsError {
			t.Fatalf("%s: %v %s", name, err, jsonOf(t, res))
		}
	}
	if got := ask("context", nil); !strings.Contains(got, "no session is bound") {
		t.Errorf("without a session: %s", got)
	}
	if got := ask("clear", nil); got != noSession {
		t.Errorf("without a session, clear says %s", got)
	}
	call("session_start", map[string]any{"name": "Monday"})
	call("transcript_append", map[string]any{"role": "user", "text": strings.Repeat("words ", 70)})
	if got := ask("context", nil); got != "Transcript: 1 messages, about 105 tokens\n" {
		t.Errorf("context says %q", got)
	}
	if got := ask("workspace", nil); !strings.Contains(got, "Provider: not set") || !strings.Contains(got, "1 messages") {
		t.Errorf("workspace says %q", got)
	}
	if got := ask("load", map[string]string{"name": "Login"}); !strings.Contains(got, `"context"`) {
		t.Errorf("load says %q", got)
	}
	if got := ask("clear", nil); !strings.Contains(got, "kept") {
		t.Errorf("clear says %q", got)
	}
	if got := ask("context", nil); !strings.Contains(got, " 0 messages") {
		t.Errorf("after clear: %q", got)
	}
	if got := ask("help", nil); strings.Count(got, "\n") != len(ops.All()) {
		t.Errorf("help says %s", got)
	}
	for opt, most := range map[*Options]int{{}: len(prompts) + 3, {Toolsets: []string{"plan"}}: len(prompts) + 1, {Toolsets: []string{"all"}, ReadOnly: true}: len(prompts) + len(commands) - 5} {
		res, err := dial(t, w.Engine, *opt).ListPrompts(t.Context(), nil)
		if err != nil || len(res.Prompts) != most {
			t.Errorf("%+v lists %d prompts, want %d: %v", opt, len(res.Prompts), most, err)
		}
	}
}

// Prompts about the memory say what to save and what there is. A prompt is offered only with the tool that it asks to
// call.
func TestPromptsNeedTheirTools(t *testing.T) {
	w := enginetest.New(t, planFiles())
	c := dial(t, w.Engine, Options{Toolsets: []string{"plan", "memory"}})
	saved := map[string]any{"slot": "Choices", "text": "We sign with Argon2, as bcrypt cuts passwords."}
	if res, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_save", Arguments: saved}); err != nil || res.IsError {
		t.Fatal(err, jsonOf(t, res))
	}
	for name, tt := range map[string]struct{ arg, value, says string }{
		"remember": {"what", "tokens last\nan hour", "in the words of the person:\n\n> tokens last\n> an hour\n\n"},
		"recall":   {"about", "Argon2", "bcrypt cuts passwords"},
	} {
		params := &mcp.GetPromptParams{Name: name, Arguments: map[string]string{tt.arg: tt.value}}
		res, err := c.GetPrompt(t.Context(), params)
		if err != nil || !strings.Contains(res.Messages[0].Content.(*mcp.TextContent).Text, tt.says) {
			t.Errorf("%s: %v %s", name, err, jsonOf(t, res))
		}
	}
	for want, opt := range map[string]Options{
		"help plan-node recall remember report resume start-workspace work-on-node": {Toolsets: []string{"plan", "memory"}},
		"help recall report resume":   {Toolsets: []string{"plan", "memory"}, ReadOnly: true},
		"help plan-node work-on-node": {Tools: []string{"node_create", "node_transition"}},
	} {
		res, err := dial(t, w.Engine, opt).ListPrompts(t.Context(), nil)
		var names []string
		for _, p := range res.Prompts {
			names = append(names, p.Name)
		}
		if slices.Sort(names); err != nil || strings.Join(names, " ") != want {
			t.Errorf("%+v offers %q, want %q: %v", opt, names, want, err)
		}
	}
	for name := range promptTools {
		if _, ok := ops.Find(promptTools[name]); !ok {
			t.Errorf("%s needs %s, which is no tool", name, promptTools[name])
		}
	}
}
