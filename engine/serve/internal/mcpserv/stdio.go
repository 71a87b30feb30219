package mcpserv

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxLine is the size of the largest message that is read, in bytes. Arguments of operations are far smaller.
const maxLine = 16 << 20

// Stdio serves one client over a pair of streams, one JSON message to a line, until in or ctx ends. It writes only
// messages to out, and nothing after it has returned. If ctx ends first, a read of in may still be blocked; the caller
// closes in.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	conn := newOrderedConn(in, out)
	defer conn.Close()
	session, err := s.mcp.Connect(context.WithValue(ctx, connectionKey{}, conn), conn, nil)
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
func (c *orderedConn) refuse(line []byte, fault *jsonrpc.Error) {
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

func (c *orderedConn) writeLine(data []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.out == nil {
		return io.ErrClosedPipe
	}
	_, err := c.out.Write(append(data, '\n'))
	return err
}
