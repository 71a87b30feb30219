package mcpserv

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An Endpoint serves the protocol over HTTP at one address: stateless to clients that speak 2026-07-28 or later, with sessions to older
// ones. It checks no Host, no Origin and no token; that is for a guard in front of it.
type Endpoint struct {
	server    func(*http.Request) *mcp.Server
	stateless http.Handler
	stateful  http.Handler
	sessions  httpSessions
}

// HTTP returns the handler of one MCP endpoint: stateless for clients that speak 2026-07-28 or later, with sessions for older ones. server
// returns the server of a request, one of a few that last as long as the endpoint, or nil to refuse it. log gets what the protocol has to
// say about requests; nil discards it.
//
// A request of a modern client is cancelled when the client goes. A call of an older one goes on, as its client may come back for the
// answer; it is cancelled when its session ends, which is when the client says so, after half an hour without a request, when too many
// others have begun since, or with Shutdown.
func HTTP(server func(*http.Request) *mcp.Server, log *slog.Logger) *Endpoint {
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	// The SDK's own look at Host knows nothing of the names that a guard has been told to allow.
	opt := mcp.StreamableHTTPOptions{Logger: log, MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true}
	stateless := opt
	stateless.Stateless, stateless.PropagateRequestCancellation = true, true
	return &Endpoint{
		server:    server,
		stateless: mcp.NewStreamableHTTPHandler(server, &stateless),
		stateful:  mcp.NewStreamableHTTPHandler(server, &opt),
		sessions:  httpSessions{log: log},
	}
}

var _ http.Handler = (*Endpoint)(nil)

// Shutdown ends every session, and the calls that are still running in them, and refuses new ones. It returns when they have ended, or with
// ctx's error when that ends before.
func (e *Endpoint) Shutdown(ctx context.Context) error { return e.sessions.shutdown(ctx) }

// ServeHTTP answers one request.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	session := r.Header.Get(sessionHeader)
	switch {
	case r.Header.Get(versionHeader) >= modern:
		e.stateless.ServeHTTP(w, r)
	case session != "" && r.Method == http.MethodDelete:
		e.sessions.leave(session)
		e.stateful.ServeHTTP(w, r)
	case session != "":
		defer e.sessions.enter(session)()
		e.stateful.ServeHTTP(w, r)
	case r.Method != http.MethodPost:
		e.stateful.ServeHTTP(w, r) // which says what is missing
	default:
		e.begin(w, r)
	}
}

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	modern        = "2026-07-28" // the first version without sessions; versions are dates and compare as text
	maxBody       = mcp.DefaultMaxRequestBodyBytes
)

// begin answers a request that says neither a modern version nor its session, which leaves what is in its body to tell.
func (e *Endpoint) begin(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status, message := http.StatusBadRequest, "the body breaks off; send it whole"
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			status, message = http.StatusRequestEntityTooLarge, fmt.Sprintf("the body has more than the %d bytes that are read; send less at once", large.Limit)
		}
		refuseRequest(w, status, nil, message)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	switch what, id := lookAt(body); {
	case what == begins && e.sessions.ended():
		refuseRequest(w, http.StatusServiceUnavailable, id, "the server is about to end; connect again when it has been started again")
	case what == begins:
		if server := e.server(r); server != nil {
			e.sessions.watch(server)
		}
		e.stateful.ServeHTTP(w, r)
	case what == sessionless:
		e.stateless.ServeHTTP(w, r)
	default:
		refuseRequest(w, http.StatusBadRequest, id, "the request belongs to no session; send initialize first, and the "+sessionHeader+
			" of its response with every request after it, or speak version "+modern+" and say so in "+versionHeader)
	}
}

// An opening is what a body has to do with sessions.
type opening int

const (
	needsSession opening = iota
	begins               // it is the handshake of an older client
	sessionless          // it is of a modern client, or so bad that no session should come of it
)

// lookAt tells what a body has to do with sessions, and the id of its request if it has one. Whatever it takes wrongly is refused by who gets it.
func lookAt(body []byte) (opening, json.RawMessage) {
	type frame struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	var all []frame // of a batch, which only old clients send
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) == 0 || trimmed[0] != '[' {
		all = make([]frame, 1)
		if json.Unmarshal(body, &all[0]) != nil {
			return sessionless, nil
		}
	} else if json.Unmarshal(body, &all) != nil {
		return sessionless, nil
	}
	for _, f := range all {
		var version string
		_ = json.Unmarshal(f.Params.Meta[mcp.MetaKeyProtocolVersion], &version) // what is no text is no version
		switch {
		case f.Method == "server/discover" || version >= modern:
			return sessionless, nil
		case f.Method == "initialize":
			return begins, f.ID
		}
	}
	if len(all) == 1 {
		return needsSession, all[0].ID
	}
	return needsSession, nil
}

// refuseRequest answers in the protocol's form.
func refuseRequest(w http.ResponseWriter, status int, id json.RawMessage, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{ // a client that is gone misses nothing
		"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": jsonrpc.CodeInvalidRequest, "message": message},
	})
}
