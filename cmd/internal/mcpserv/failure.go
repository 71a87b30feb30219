package mcpserv

import (
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine"
)

const (
	maxMessage = 1500 // bytes of an error's message: what a caller gave may be quoted in it
	maxFact    = 300  // bytes of what a caller gave, in the details
)

// A refusal is an error as the result of a tool.
type refusal struct {
	Error engine.Error `json:"error"`
	Text  string       `json:"-"`
}

// ReplyText returns the text of the reply, which is all that clients show a model.
func (r *refusal) ReplyText() string { return r.Text }

// failure returns an error as the result of a tool that failed.
func (s *Server) failure(e *engine.Error) (*mcp.CallToolResult, error) {
	c := *e
	c.Message = shorten(render.VisibleLines(shorten(e.Message, 2*maxMessage)), maxMessage)
	if e.Details != nil {
		d := *e.Details
		d.NodeID, d.Param, c.Details = clip(d.NodeID, maxFact), clip(d.Param, maxFact), &d
	}
	text := string(c.Code) + ": " + c.Message
	if d := e.Details; d != nil {
		if len(d.Allowed) > 0 && !mentions(text, d.Allowed) {
			text += " Allowed: " + strings.Join(d.Allowed, ", ") + "."
		}
		if d.Committed {
			text += " The change is made: do not repeat it."
		}
	}
	r, err := s.reply(&refusal{c, text})
	if err == nil {
		r.IsError = true
	}
	return r, err
}

func mentions(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return false
		}
	}
	return true
}

// clip cuts a text that is longer than most bytes, at a character.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// shorten leaves out the middle of a message that is longer than most bytes: it begins with what is wrong, and ends with what would work.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return clip(s, most/2) + strings.ToValidUTF8(s[len(s)-(most/2-len("…")):], "")
}
