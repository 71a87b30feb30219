// Package remote connects environments of other machines: a client serves a folder over one WebSocket, a Hub calls it.
// Both speak JSON-RPC 2.0 (jsonrpc.org/specification), one message a frame. The client decides what runs and whom to
// ask.
package remote

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/coder/websocket"

	"arbor/engine/env"
	"arbor/engine/errs"
)

// maxFrame is the largest message, in bytes.
const maxFrame = 4 << 20

// The methods. A Hub calls hello's sender with the names of tools (see Method) and toolList; the rest are
// notifications.
const (
	hello      = "hello"       // the client's first message: a Hello
	toolList   = "tool/list"   // the tools of the root, as they are now
	toolCancel = "tool/cancel" // from the hub: {id}, the call is cancelled
	life       = "life"        // from the client: {id}, the call still runs or waits for its person
)

// Protocol is the subprotocol of the WebSocket.
const Protocol = "arbor.env.1"

// A Hello is a client's first message: the folder and tools that it serves.
type Hello struct {
	Root  string     `json:"root"`  // its name, by which calls mean it
	Trust env.Level  `json:"trust"` // how far tools run on the client without asking its person
	Tools []env.Tool `json:"tools"`
}

// A Call is the parameters of a call of a tool.
type Call struct {
	Tool      string          `json:"tool"`
	Root      string          `json:"root"`
	Session   string          `json:"session,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
}

// A message is one of JSON-RPC: a request, a notification (without an id), or a response (without a method).
type message struct {
	Version string          `json:"jsonrpc"`
	ID      uint64          `json:"id,omitempty"` // 0 for none
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *failure        `json:"error,omitempty"`
}

// A failure is the error of a response. Data is an *errs.Error, where it has one.
type failure struct {
	Code    int             `json:"code"`
	Message string          `json:"message"`
	Data    json.RawMessage `json:"data,omitempty"`
}

// toolFailed is the code of a tool that failed; the others are those of the specification.
const (
	toolFailed    = -32000
	unknownMethod = -32601
	badParams     = -32602
)

// which is the body of a notification: the id of the call.
type which struct {
	ID uint64 `json:"id"`
}

// send writes a message.
func send(ctx context.Context, c *websocket.Conn, m message) error {
	m.Version = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(data) > maxFrame {
		return fmt.Errorf("a message of %d bytes is too large; %d are the limit", len(data), maxFrame)
	}
	return c.Write(ctx, websocket.MessageText, data)
}

// receive reads the next message.
func receive(ctx context.Context, c *websocket.Conn) (m message, err error) {
	_, data, err := c.Read(ctx)
	if err != nil {
		return m, err
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return m, fmt.Errorf("not a message of JSON-RPC: %w", err)
	}
	return m, nil
}

// params returns v as parameters. Values of this package can always be written.
func params(v any) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return nil
	}
	return data
}

// failed returns the error of a response for err.
func failed(err error) *failure {
	e := errs.As(err)
	data, _ := json.Marshal(e)
	return &failure{Code: toolFailed, Message: e.Message, Data: data}
}

// err returns the error that a response carries.
func (f *failure) err() error {
	var e errs.Error
	if json.Unmarshal(f.Data, &e) == nil && e.Code != "" {
		return &e
	}
	return errs.New(errs.InternalError, "the client says: %s", f.Message)
}
