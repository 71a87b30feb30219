package mcpserv

import (
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/ops"
)

const around = 128 // bytes of a reply besides its data and its text

// room returns the bound of the data and the text of a reply, in bytes.
func (s *Server) room() int { return s.opt.MaxTokens*4 - around }

// reply encodes a result for a client: as data, and as text for clients that do not read the data. Operations keep
// their lists within room, and ops.ReplyOf cuts long texts, so no reply is larger.
func (s *Server) reply(out any) (*mcp.CallToolResult, error) {
	r, err := ops.ReplyOf(out, s.room())
	if err != nil {
		return nil, err
	}
	if size := r.Size(); size > s.room() {
		s.opt.Log.Error("a bug in arbor: a reply is larger than its bound", "bytes", size, "bound", s.room())
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: r.Text}}, StructuredContent: r.Data}, nil
}
