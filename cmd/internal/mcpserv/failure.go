package mcpserv

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/context/render"
	"arbor/engine/errs"
	"arbor/engine/ops"
)

const (
	maxMessage = 1500 // bytes of an error's message, which may quote what a caller gave
	maxFact    = 300  // bytes of a caller's value in the details of an error
	maxData    = 2048 // bytes of a URI in the data of an error, and of the details beside it
)

// A refused is an error as the result of a tool.
type refused struct {
	Error errs.Error `json:"error"`
	Text  string     `json:"-"`
}

// ReplyText returns the text of the reply, which is all that clients show a model.
func (r *refused) ReplyText() string { return r.Text }

// failure returns an error as the result of a tool that failed.
func (s *Server) failure(e *errs.Error) (*mcp.CallToolResult, error) {
	c := *e
	c.Message = shorten(render.VisibleLines(shorten(e.Message, 2*maxMessage)), maxMessage)
	text, room := string(c.Code)+": "+c.Message, s.room()
	if e.Details != nil {
		d := *e.Details
		d.NodeID, d.Param, c.Details = clip(d.NodeID, maxFact), clip(d.Param, maxFact), &d
		if slices.ContainsFunc(d.Allowed, func(action string) bool { return !strings.Contains(text, action) }) {
			text += " Allowed: " + strings.Join(d.Allowed, ", ") + "."
		}
		if d.Committed {
			text += " The change is made: do not repeat it."
		}
		if d.Text != "" { // which is not long, and counts as read
			text, room = text+"\n\n> "+strings.ReplaceAll(d.Text, "\n", "\n> "), 0
		}
	}
	reply, err := ops.ReplyOf(&refused{c, text}, room)
	if err != nil {
		return nil, err
	}
	r := result(reply)
	r.IsError = true
	return r, nil
}

// failed returns an error as one of the protocol.
func failed(err error) error { return notFound("", err) }

// notFound returns an error as one of the protocol, for a request that cannot show the resource of a URI: parameters
// are at fault where the caller can correct it, otherwise the server. Its data name the URI, as the protocol asks.
func notFound(uri string, err error) error {
	if e, ok := err.(*jsonrpc.Error); ok {
		return e
	}
	e := errs.As(err)
	code := int64(jsonrpc.CodeInternalError)
	message := string(e.Code) + ": " + e.Message
	switch e.Class() {
	case errs.NotFound, errs.Invalid, errs.Refused:
		code = jsonrpc.CodeInvalidParams
		if uri != "" {
			message = "Resource not found: " + e.Message
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
