package mcpserv

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"slices"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"arbor/engine/ops"
)

const (
	maxCalls   = 64   // of one connection run at once; further calls wait
	maxPending = 1024 // of one connection run or wait; after that nothing is read before one of them is answered
)

// An orderedConn reads and writes messages as lines of JSON. The SDK's own connection ends at the first line that is
// not a message; this one answers that line with an error and reads on. And it decides when calls start, so that calls
// that a client sends without waiting for answers take effect in the order in which it sent them:
//
//   - A call starts when the writing calls that arrived before it have ended, a writing call when all calls before it
//     have. Reading calls run side by side, at most maxCalls of them.
//   - Pings, lists of what is offered, notifications, cancellations and answers to the server's questions never wait.
//   - A call that is cancelled while it waits never starts and is not answered.
//   - A writing call that waits for a person is released: it keeps no other call waiting from then on.
//
// A client that sends and never reads its answers is not read any more after maxPending calls.
//
// When the client ends its stream, the calls that it has made are answered before Read reports the end.
type orderedConn struct {
	in *bufio.Reader

	writing sync.Mutex
	out     io.Writer // guarded by writing; nil after Close

	mu      sync.Mutex
	changed *sync.Cond            // of mu
	started []jsonrpc.Message     // guarded by mu: what Read returns next
	queue   []*jsonrpc.Request    // guarded by mu: calls that have not started, in the order of arrival
	running map[jsonrpc.ID]access // guarded by mu: calls that have started and are not answered
	asked   map[jsonrpc.ID]bool   // guarded by mu: questions to the client that are not answered
	ended   error                 // guarded by mu: why no more messages arrive; nil while they do
	closed  bool                  // guarded by mu
}

var _ mcp.Connection = (*orderedConn)(nil)

// released lets the other calls of the connection run while the writing call of ctx waits for a person.
func released(ctx context.Context) {
	if c, ok := ctx.Value(connectionKey{}).(*orderedConn); ok {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.release()
	}
}

// The context of a call over stdin and stdout has its *orderedConn under this key.
type connectionKey struct{}

// access says what a request does with the vault.
type access uint8

const (
	noAccess access = iota // nothing: it never waits
	reads                  // it waits for writing calls
	writes                 // it waits for all calls
)

func newOrderedConn(in io.Reader, out io.Writer) *orderedConn {
	c := &orderedConn{in: bufio.NewReaderSize(in, 64<<10), out: out,
		running: map[jsonrpc.ID]access{}, asked: map[jsonrpc.ID]bool{}}
	c.changed = sync.NewCond(&c.mu)
	go c.receive()
	return c
}

// Connect makes the connection its own transport.
func (c *orderedConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// receive reads messages until in ends. Close does not interrupt it.
func (c *orderedConn) receive() {
	for {
		c.awaitRoom()
		line, err := readLine(c.in)
		var messages []jsonrpc.Message
		if len(line) > 0 {
			var fault *jsonrpc.Error
			if messages, fault = decodeLine(line); fault != nil {
				c.refuse(line, fault)
			}
		}
		c.mu.Lock()
		for _, m := range messages {
			c.arrive(m)
		}
		c.ended = err
		c.startCalls()
		c.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// awaitRoom waits until fewer than maxPending calls run or wait. It does not wait while the client is to answer a
// question, for which a call may wait.
func (c *orderedConn) awaitRoom() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.closed && len(c.asked) == 0 && len(c.queue)+len(c.running) >= maxPending {
		c.changed.Wait()
	}
}

// arrive starts a message or puts it into the queue. c.mu must be held.
func (c *orderedConn) arrive(m jsonrpc.Message) {
	switch m := m.(type) {
	case *jsonrpc.Response:
		delete(c.asked, m.ID)
	case *jsonrpc.Request:
		switch {
		case accessOf(m) != noAccess:
			c.queue = append(c.queue, m)
			return
		case m.Method == "notifications/cancelled":
			c.cancel(m.Params)
		case m.IsCall() && m.Method != "subscriptions/listen": // which is answered only when it ends
			c.running[m.ID] = noAccess
		}
	}
	c.started = append(c.started, m)
}

// accessOf returns what a request does with the vault.
func accessOf(m *jsonrpc.Request) access {
	if !m.IsCall() {
		return noAccess
	}
	switch m.Method {
	case "tools/call":
		var call struct{ Name string }
		_ = json.Unmarshal(m.Params, &call) // the SDK refuses what is not a call
		if o, ok := ops.Find(call.Name); ok && o.Writes {
			return writes
		}
		return reads
	case "resources/list", "resources/read", "prompts/get":
		return reads
	}
	return noAccess
}

// cancel removes a call from the queue. c.mu must be held.
func (c *orderedConn) cancel(params json.RawMessage) {
	if id, ok := cancelled(params); ok {
		c.queue = slices.DeleteFunc(c.queue, func(m *jsonrpc.Request) bool { return m.ID == id })
	}
}

// cancelled returns the request that a notification cancels.
func cancelled(params json.RawMessage) (id jsonrpc.ID, ok bool) {
	var p struct{ RequestID any }
	if json.Unmarshal(params, &p) != nil {
		return id, false
	}
	id, err := jsonrpc.MakeID(p.RequestID)
	return id, err == nil
}

// ask notes what the server asks of the client, or that it waits for an answer no more.
func (c *orderedConn) ask(m *jsonrpc.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if m.IsCall() {
		c.asked[m.ID] = true
	} else if id, ok := cancelled(m.Params); ok && m.Method == "notifications/cancelled" {
		delete(c.asked, id)
	}
}

// release lets the queue go on beside the writing call that runs. c.mu must be held.
func (c *orderedConn) release() {
	for id, a := range c.running {
		if a == writes { // the only one: it runs alone
			c.running[id] = noAccess
		}
	}
	c.startCalls()
}

// startCalls starts the calls at the head of the queue that need not wait any longer, and wakes Read. c.mu must be
// held.
func (c *orderedConn) startCalls() {
	counts := map[access]int{}
	for _, a := range c.running {
		counts[a]++
	}
	for len(c.queue) > 0 {
		next := c.queue[0]
		a := accessOf(next)
		if counts[writes] > 0 || counts[reads] == maxCalls || a == writes && counts[reads] > 0 {
			break
		}
		counts[a]++
		c.running[next.ID] = a
		c.started = append(c.started, next)
		c.queue = c.queue[1:]
	}
	c.changed.Broadcast()
}

// Read returns the next message that may start.
func (c *orderedConn) Read(context.Context) (jsonrpc.Message, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch {
		case c.closed:
			return nil, io.EOF
		case len(c.started) > 0:
			m := c.started[0]
			c.started = c.started[1:]
			return m, nil
		case c.ended != nil && len(c.running) <= len(c.asked): // what is still running waits for a client that has gone
			return nil, c.ended
		}
		c.changed.Wait()
	}
}

// Write writes a message, whole and in one piece, and starts the calls that have waited for the end of the one that it
// answers.
func (c *orderedConn) Write(ctx context.Context, m jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	if question, ok := m.(*jsonrpc.Request); ok {
		c.ask(question)
	}
	err = c.writeLine(data)
	c.mu.Lock()
	defer c.mu.Unlock()
	if answer, ok := m.(*jsonrpc.Response); ok {
		delete(c.running, answer.ID)
	}
	c.closed = c.closed || err != nil // the client reads no more
	c.startCalls()
	return err
}

// Close ends the connection: Read reports the end, every later Write fails, and no call starts any more. It leaves the
// streams open: the caller of Stdio owns them.
func (c *orderedConn) Close() error {
	c.mu.Lock()
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	c.writing.Lock()
	c.out = nil
	c.writing.Unlock()
	return nil
}

func (c *orderedConn) SessionID() string { return "" }
