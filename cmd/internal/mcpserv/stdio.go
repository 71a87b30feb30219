package mcpserv

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the size of the largest message that is read, in bytes. Arguments of operations are far smaller.
const maxLine = 16 << 20

// Stdio serves one client over a pair of streams, one JSON message to a line, until in or ctx ends. It writes only
// messages to out, and nothing after it has returned. If ctx ends first, a read of in may still be blocked; the caller
// closes in.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := &lineConn{in: bufio.NewReaderSize(in, 64<<10), out: out}
	conn := newOrderedConn(lines)
	defer conn.Close()
	session, err := s.mcp.Connect(ctx, conn, nil)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	err = session.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

// A lineConn reads and writes messages as lines of JSON. The SDK's own connection ends at the first line that is not a
// message; a lineConn answers that line with an error and reads on.
type lineConn struct {
	in     *bufio.Reader
	unread []jsonrpc.Message // the rest of a line

	mu     sync.Mutex
	out    io.Writer // guarded by mu
	closed bool      // guarded by mu
}

var _ mcp.Connection = (*lineConn)(nil)

// Read returns the next message. Close does not interrupt it.
func (c *lineConn) Read(context.Context) (jsonrpc.Message, error) {
	for len(c.unread) == 0 {
		line, err := readLine(c.in)
		if len(line) > 0 {
			var fault *jsonrpc.Error
			if c.unread, fault = decodeLine(line); fault != nil {
				c.refuse(line, fault)
			}
		}
		if err != nil && len(c.unread) == 0 {
			return nil, err
		}
	}
	m := c.unread[0]
	c.unread = c.unread[1:]
	return m, nil
}

// readLine reads a line and returns it without surrounding white space, or the first maxLine+1 bytes of a longer one.
func readLine(r *bufio.Reader) (line []byte, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line[:min(len(line), maxLine+1)]), err
		}
	}
}

// decodeLine returns the message of a line, or the messages of an array: protocol version 2025-03-26 has batches. fault
// says what is wrong with the line.
func decodeLine(line []byte) (messages []jsonrpc.Message, fault *jsonrpc.Error) {
	switch {
	case len(line) > maxLine:
		message := fmt.Sprintf("the message is larger than %d MiB", maxLine>>20)
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
	case !json.Valid(line):
		message := "the line is not JSON; one message to a line is expected"
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: message}
	}
	parts := []json.RawMessage{line}
	if line[0] == '[' {
		_ = json.Unmarshal(line, &parts) // cannot fail: line is a valid array
	}
	for _, part := range parts {
		m, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			messages = nil
			break
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the line is not a JSON-RPC 2.0 message"}
	}
	return messages, nil
}

// refuse answers a line that is not a message, with the id of the line if it has one.
func (c *lineConn) refuse(line []byte, fault *jsonrpc.Error) {
	answer := struct {
		JSONRPC string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", nil, fault}
	var call struct{ ID any }
	if json.Unmarshal(line, &call) == nil {
		if id, err := jsonrpc.MakeID(call.ID); err == nil {
			answer.ID = id.Raw()
		}
	}
	if data, err := json.Marshal(answer); err == nil {
		_ = c.writeLine(data) // if it fails, the next answer fails too
	}
}

// Write writes a message, whole and in one piece.
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.writeLine(data)
}

func (c *lineConn) writeLine(data []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return io.ErrClosedPipe
	}
	_, err := c.out.Write(append(data, '\n'))
	return err
}

// Close makes every later Write fail. It leaves the streams open: the caller of Stdio owns them.
func (c *lineConn) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	return nil
}

func (c *lineConn) SessionID() string { return "" }
