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

// maxLine is the largest message that is read, in bytes; what an operation takes is far smaller.
const maxLine = 16 << 20

// Stdio serves one client over a pair of streams, one JSON message to a line, until in ends or ctx does. Nothing but messages is written to out, and nothing
// after it has returned. Where ctx ends first, somebody may still be waiting for in, which is left to whoever closes it.
func (s *Server) Stdio(ctx context.Context, in io.Reader, out io.Writer) error {
	w := newLineWriter(out)
	defer w.give()
	r, feed := io.Pipe()
	go func() { feed.CloseWithError(w.sift(ctx, in, feed)) }()
	defer r.Close()
	session, err := s.mcp.Connect(ctx, &mcp.IOTransport{Reader: r, Writer: w, MaxLineLength: -1}, nil)
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = session.Close() })()
	err = session.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, mcp.ErrConnectionClosed) || ctx.Err() != nil {
		return nil
	}
	return err
}

// A lineWriter writes messages, each whole and in one piece, and knows which calls are not answered yet.
type lineWriter struct {
	writing sync.Mutex
	w       io.Writer
	era     string // the protocol version that the client asked for

	mu    sync.Mutex
	calm  *sync.Cond          // of mu: something below changed
	calls map[jsonrpc.ID]bool // guarded by mu: of the client, without an answer
	asked map[jsonrpc.ID]bool // guarded by mu: of ours, without an answer
	over  bool                // guarded by mu: nobody reads what is written, or is meant to
}

func newLineWriter(out io.Writer) *lineWriter {
	w := &lineWriter{w: out, calls: map[jsonrpc.ID]bool{}, asked: map[jsonrpc.ID]bool{}}
	w.calm = sync.NewCond(&w.mu)
	return w
}

func (w *lineWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	over := w.over
	w.mu.Unlock()
	if over {
		return 0, io.ErrClosedPipe
	}
	w.writing.Lock()
	n, err := w.w.Write(p)
	w.writing.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = w.over || err != nil
	for _, m := range messages(bytes.TrimSpace(p)) {
		switch m := m.(type) {
		case *jsonrpc.Response:
			delete(w.calls, m.ID)
		case *jsonrpc.Request:
			if m.IsCall() {
				w.asked[m.ID] = true
			}
		}
	}
	w.calm.Broadcast()
	return n, err
}

// Close does nothing: the stream is not ours.
func (w *lineWriter) Close() error { return nil }

// sift passes on the messages that a client sends and answers what is none, which would otherwise end the connection: one bad line is
// one error, and the next call works. When the client ends its stream, the calls that it made are answered first.
func (w *lineWriter) sift(ctx context.Context, in io.Reader, feed io.Writer) error {
	defer context.AfterFunc(ctx, w.give)()
	lines := bufio.NewReaderSize(in, 64<<10)
	for {
		line, long, err := readLine(lines)
		if len(line) > 0 || long {
			if fault := w.fault(line, long); fault != nil {
				w.refuse(line, fault)
			} else {
				w.note(messages(line))
				if _, err := feed.Write(append(line, '\n')); err != nil {
					return err
				}
			}
		}
		if err != nil {
			w.wait()
			return err
		}
	}
}

// give stops waiting for anything.
func (w *lineWriter) give() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.over = true
	w.calm.Broadcast()
}

// wait waits until every call has its answer. A call that asks something back of a client that is gone will never have one.
func (w *lineWriter) wait() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.calls) > len(w.asked) && !w.over {
		w.calm.Wait()
	}
}

// readLine reads a line without its end and the blanks around it. long says that it is longer than any message, and was read past.
func readLine(r *bufio.Reader) (line []byte, long bool, err error) {
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			long = true
		}
		if !long {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return bytes.TrimSpace(line), long, err
		}
	}
}

// fault says what is wrong with a line, nil for what is a message, or a batch of an old client.
func (w *lineWriter) fault(line []byte, long bool) *jsonrpc.Error {
	switch {
	case long:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: fmt.Sprintf("the message is larger than %d MiB", maxLine>>20)}
	case !json.Valid(line):
		return &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "the line is no JSON; one message to a line is expected"}
	case line[0] == '[' && (w.era == "" || w.era >= "2025-06-18"):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "this version of the protocol has no batches; send each message on a line of its own"}
	case len(messages(line)) == 0:
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "no JSON-RPC 2.0 message"}
	}
	return nil
}

// messages returns the messages of a line: one, or those of a batch; none where any of it is no message.
func messages(line []byte) []jsonrpc.Message {
	var parts []json.RawMessage
	if len(line) == 0 || line[0] != '[' {
		parts = append(parts, line)
	} else if json.Unmarshal(line, &parts) != nil {
		return nil
	}
	out := make([]jsonrpc.Message, len(parts))
	for i, part := range parts {
		m, err := jsonrpc.DecodeMessage(part)
		if err != nil {
			return nil
		}
		out[i] = m
	}
	return out
}

// refuse answers a line that is no message.
func (w *lineWriter) refuse(line []byte, fault *jsonrpc.Error) {
	var call struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(line, &call)
	switch id := string(call.ID); {
	case id == "", id[0] != '"' && id[0] != '-' && (id[0] < '0' || id[0] > '9'):
		call.ID = json.RawMessage("null")
	}
	data, err := encode(struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", call.ID, fault})
	if err == nil {
		_, _ = w.Write(append(data, '\n'))
	}
}

// note remembers calls until they are answered, and which protocol the client speaks.
func (w *lineWriter) note(all []jsonrpc.Message) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, m := range all {
		switch m := m.(type) {
		case *jsonrpc.Response:
			delete(w.asked, m.ID)
		case *jsonrpc.Request:
			w.noteRequest(m)
		}
	}
}

// noteRequest is note for a request. w.mu must be held.
func (w *lineWriter) noteRequest(m *jsonrpc.Request) {
	var params struct {
		ProtocolVersion string `json:"protocolVersion"`
		RequestID       any    `json:"requestId"`
	}
	switch {
	case m.Method == "initialize":
		if json.Unmarshal(m.Params, &params) == nil {
			w.era = params.ProtocolVersion
		}
		w.calls[m.ID] = true
	case m.Method == "notifications/cancelled": // need not be answered any more
		if json.Unmarshal(m.Params, &params) == nil {
			if id, err := jsonrpc.MakeID(params.RequestID); err == nil {
				delete(w.calls, id)
			}
		}
	case m.IsCall() && m.Method != "subscriptions/listen": // which is answered when it ends
		w.calls[m.ID] = true
	}
}
