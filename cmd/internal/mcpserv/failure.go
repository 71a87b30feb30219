package mcpserv

import (
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine"
)

const maxMessage = 1500 // bytes of an error's message: what a caller gave may be quoted in it

// failure returns an error as the result of a tool that failed. Clients show a model only the text of it, so the text says all.
func (s *Server) failure(e *engine.Error) *mcp.CallToolResult {
	c := *e
	c.Message = clip(e.Message, maxMessage)
	text := string(c.Code) + ": " + c.Message
	if d := e.Details; d != nil {
		if len(d.Allowed) > 0 && !mentions(text, d.Allowed) {
			text += " Allowed: " + strings.Join(d.Allowed, ", ") + "."
		}
		if d.Committed {
			text += " The change is made: do not repeat it."
		}
	}
	r := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	if data, err := encode(map[string]any{"error": c}); err == nil {
		r.StructuredContent = data
	}
	return s.bound(r)
}

func mentions(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// clip cuts a text that is longer than most bytes, at a character, and says how much is missing.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
