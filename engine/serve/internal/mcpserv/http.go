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

// An Endpoint serves the protocol over HTTP at one address: stateless to clients that speak 2026-07-28 or later, with
// sessions to older ones. It checks no Host, no Origin and no token; a guard in front of it does.
//
// A request of a modern client is cancelled when the client goes. A call of an older one goes on, as its client may
// come back for the answer; it is cancelled when its session ends: when the client says so, after half an hour
// without a request, or with Shutdown.
type Endpoint struct {
	stateless http.Handler
	stateful  http.Handler
	sessions  httpSessions
}

// HTTP returns an endpoint that serves server. A server has at most one endpoint. log gets the protocol's messages
// about requests.
func HTTP(server *mcp.Server, log *slog.Logger) *Endpoint {
	get := func(*http.Request) *mcp.Server { return server }
	// The SDK's own check of Host does not know the names that a guard allows.
	opt := mcp.StreamableHTTPOptions{Logger: log, MaxRequestBodyBytes: maxBody, DisableLocalhostProtection: true}
	stateless := opt
	stateless.Stateless, stateless.PropagateRequestCancellation = true, true
	e := &Endpoint{
		stateless: mcp.NewStreamableHTTPHandler(get, &stateless),
		stateful:  mcp.NewStreamableHTTPHandler(get, &opt),
		sessions:  httpSessions{open: map[string]*httpSession{}},
	}
	server.AddReceivingMiddleware(e.sessions.receive)
	return e
}

var _ http.Handler = (*Endpoint)(nil)

// Shutdown ends every session with its running calls. It returns when they have ended, or with ctx's error when that
// ends first. No request may arrive after the call.
func (e *Endpoint) Shutdown(ctx context.Context) error { return e.sessions.shutdown(ctx) }

// ServeHTTP answers one request.
func (e *Endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	identify(r)
	id := r.Header.Get(sessionHeader)
	switch {
	case id != "" && !e.sessions.of(id, owner(&mcp.RequestExtra{Header: r.Header})):
		refuseRequest(w, http.StatusNotFound, nil, "the session "+sessionHeader+" belongs to another token; send initialize "+
			"first, and the id of its response with every request after it")
		return
	case r.Header.Get(versionHeader) >= modern:
		e.stateless.ServeHTTP(w, r)
		return
	case id == "" && r.Method == http.MethodPost:
		e.begin(w, r)
		return
	case r.Method == http.MethodDelete:
		e.sessions.leave(id)
	default:
		defer e.sessions.enter(id)()
	}
	e.stateful.ServeHTTP(w, r) // says what is wrong with an id that is missing or unknown
}

const (
	versionHeader = "Mcp-Protocol-Version"
	sessionHeader = "Mcp-Session-Id"
	modern        = "2026-07-28" // the first version without sessions; versions are dates and compare as text
	maxBody       = mcp.DefaultMaxRequestBodyBytes
)

// begin answers a request that names neither a modern version nor a session: its body tells which handler it is for.
func (e *Endpoint) begin(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil {
		status, message := http.StatusBadRequest, "the body breaks off; send it whole"
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			status = http.StatusRequestEntityTooLarge
			message = fmt.Sprintf("the body has more than the %d bytes that are read; send less at once", large.Limit)
		}
		refuseRequest(w, status, nil, message)
		return
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	h, id := e.handlerFor(body)
	if h == nil {
		refuseRequest(w, http.StatusBadRequest, id, "the request belongs to no session; send initialize first, and "+
			"the "+sessionHeader+" of its response with every request after it, or speak version "+modern+
			" and say so in "+versionHeader)
		return
	}
	who := owner(&mcp.RequestExtra{Header: r.Header})
	if who != "" && h == e.stateful && e.sessions.count(who) >= maxSessions {
		refuseRequest(w, http.StatusTooManyRequests, id, fmt.Sprintf("the token has %d sessions open, which are as many as "+
			"it may have; end some first (DELETE), or use version %s, which needs none", maxSessions, modern))
		return
	}
	h.ServeHTTP(w, r)
}

// handlerFor returns the handler for a body, or nil if the request needs a session, and the id of the request if it has
// one. Requests of modern clients need no session. A body that is not JSON goes to the SDK, which refuses it.
func (e *Endpoint) handlerFor(body []byte) (http.Handler, json.RawMessage) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			Meta map[string]json.RawMessage `json:"_meta"`
		} `json:"params"`
	}
	batch := bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) // only old clients send one, and in a session
	if err := json.Unmarshal(body, &m); err != nil && !batch {
		return e.stateless, nil
	}
	var version string
	_ = json.Unmarshal(m.Params.Meta[mcp.MetaKeyProtocolVersion], &version) // what is not a string is no version
	switch {
	case m.Method == "server/discover" || version >= modern:
		return e.stateless, nil
	case m.Method == "initialize": // the handshake of an older client
		return e.stateful, m.ID
	}
	return nil, m.ID
}

// refuseRequest answers with an error of the protocol.
func refuseRequest(w http.ResponseWriter, status int, id json.RawMessage, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fault := jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: message}
	// It fails if the client is gone.
	_ = json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": fault})
}
