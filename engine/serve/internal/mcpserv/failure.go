package mcpserv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/internal/say"
)

const (
	maxMessage = 1500 // bytes of an error's message, which may quote what a caller gave
	maxData    = 2048 // bytes of a URI in the data of an error, and of the details beside it
)

// failure returns an error as the result of a tool that failed. Its text begins with the code and holds all that the
// caller needs; there are no data, which clients would show instead of the text.
func (s *Server) failure(f offer, e *errs.Error) (*mcp.CallToolResult, error) {
	message := render.VisibleLines(shorten(e.In(say.Voice{Op: f.called}).Message, 2*maxMessage))
	text := string(e.Code) + ": " + shorten(message, maxMessage)
	if d := e.Details; d != nil {
		if slices.ContainsFunc(d.Allowed, func(action string) bool { return !strings.Contains(text, action) }) {
			text += " Allowed: " + strings.Join(d.Allowed, ", ") + "."
		}
		if d.Committed {
			text += " The change is made: do not repeat it."
		}
		if d.Text != "" { // it is short, and counts as read by the session
			text += "\n\n> " + strings.ReplaceAll(d.Text, "\n", "\n> ")
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: true}, nil
}

// failed returns an error as a protocol error.
func failed(err error) error { return notFound("", err) }

// notFound returns err as a protocol error, for a request about the resource of a URI; "" for another request. The code
// says that the parameters are wrong if the caller can correct the request, and otherwise that the server failed. The
// error's data name the URI, as the protocol requires.
func notFound(uri string, err error) error {
	if e, ok := err.(*jsonrpc.Error); ok {
		return e
	}
	e := errs.As(err)
	code := int64(jsonrpc.CodeInternalError)
	message := string(e.Code) + ": " + e.Error()
	switch e.Class() {
	case errs.NotFound, errs.Invalid, errs.Refused:
		code = jsonrpc.CodeInvalidParams
		if uri != "" {
			message = "Resource not found: " + e.Error()
		}
	}
	if len(uri) > maxData {
		uri = clip(uri, shownURI)
	}
	data := struct {
		URI     string        `json:"uri,omitempty"`
		Code    errs.Code     `json:"code"`
		Details *errs.Details `json:"details,omitempty"`
	}{uri, e.Code, e.Details}
	if marshalled(data) > 2*maxData {
		data.Details = nil
	}
	raw, _ := json.Marshal(data)
	return &jsonrpc.Error{Code: code, Message: clip(message, maxMessage), Data: raw}
}

// clip cuts a text that is longer than most bytes, between two characters.
func clip(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// shorten removes the middle of a message that is longer than most bytes: the beginning says what is wrong, the end
// what would work.
func shorten(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return clip(s, most/2) + strings.ToValidUTF8(s[len(s)-(most/2-len("…")):], "")
}
