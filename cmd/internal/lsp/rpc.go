package lsp

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"sync"
)

// A packet is one message of JSON-RPC: a request, a notification or a response.
type packet struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"` // nil for a notification
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *rpcError       `json:"error,omitempty"`
}

// An rpcError is the error of a response.
type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *rpcError) Error() string { return e.Message }

// The codes of errors that the protocol names.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeUnknownMethod  = -32601
	codeInvalidParams  = -32602
	codeNotInitialized = -32002
	codeRequestFailed  = -32803
)

// maxPacket is the size in bytes of a message beyond which the stream is taken for damaged. A file of Arbor has 64 MB
// at most.
const maxPacket = 256 << 20

// A wire reads and writes packets, each behind a header with its length.
type wire struct {
	in *bufio.Reader

	mu   sync.Mutex
	out  io.Writer
	last int64 // the id of the last request to the client
}

// read returns the next packet. The error is io.EOF at the end of the stream, an *rpcError for a packet that is no
// JSON, after which the stream goes on, and any other error for a stream that is damaged.
func (w *wire) read() (*packet, error) {
	head, err := textproto.NewReader(w.in).ReadMIMEHeader()
	if err != nil {
		if len(head) == 0 && errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		return nil, err
	}
	size, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil || size < 0 || size > maxPacket {
		return nil, fmt.Errorf("a message has no Content-Length that can be used: %q", head.Get("Content-Length"))
	}
	data := make([]byte, size)
	if _, err := io.ReadFull(w.in, data); err != nil {
		return nil, err
	}
	p := &packet{}
	if err := json.Unmarshal(data, p); err != nil {
		return nil, &rpcError{Code: codeParse, Message: fmt.Sprintf("a message is no JSON-RPC: %v", err)}
	}
	return p, nil
}

func (w *wire) write(p packet) error {
	p.Version = "2.0"
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	_, err = fmt.Fprintf(w.out, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

// respond answers a request.
func (w *wire) respond(id json.RawMessage, result any, failed *rpcError) error {
	if failed != nil {
		return w.write(packet{ID: id, Error: failed})
	}
	data, err := json.Marshal(result)
	if err != nil {
		return err
	}
	return w.write(packet{ID: id, Result: data})
}

// notify sends a notification, or a request if id is not nil.
func (w *wire) notify(id json.RawMessage, method string, params any) error {
	if params == nil {
		return w.write(packet{ID: id, Method: method})
	}
	data, err := json.Marshal(params)
	if err != nil {
		return err
	}
	return w.write(packet{ID: id, Method: method, Params: data})
}
