package mcpserv

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/mdstore"
)

// A clock is a clock that the test sets.
type clock struct{ past atomic.Int64 }

func (c *clock) now() time.Time       { return enginetest.Start.Add(time.Duration(c.past.Load())) }
func (c *clock) tick(d time.Duration) { c.past.Add(int64(d)) }

// beside returns another server of the same vault, which stands for another process.
func (w *world) beside(c *clock, opt Options) *world {
	w.Helper()
	o := &world{T: w.T, store: w.store.Beside(), dir: w.dir}
	var err error
	if o.engine, err = engine.Open(w.Context(), o.store, engine.Options{Vault: w.dir, Now: c.now}); err != nil {
		w.Fatal(err)
	}
	if o.server, err = New(o.engine, opt); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(o.server.Close)
	return o
}

// newClocked returns a world with a clock that the test sets, and with three more pending nodes.
func newClocked(t *testing.T, opt Options) (*world, *clock) {
	c := &clock{}
	w := newWorld(t, Options{})
	for _, id := range []string{"node-x", "node-y", "node-z"} {
		w.save(mdstore.NodePath(planID, mdstore.ID(id)), "---\nid: "+id+"\ntitle: T "+id+"\ntype: execution\nstatus: pending\nparentId: root\n---\n\n## Requirement\n\nold\n")
	}
	return w.beside(c, opt), c
}

type who = map[string]any

// with returns the arguments of a call by the helper id, "" for the connection itself.
func with(id string, args who) who {
	out := who{}
	for k, v := range args {
		out[k] = v
	}
	if id != "" {
		out["sessionId"] = id
	}
	return out
}

// Two workers at the same time are never treated as one: two connections of one server or of two, or two helpers of one
// connection, with different ids, the same id or none. Nodes that one has claimed are not offered to the other, which
// cannot change their status. Texts of one are not replaced unread by the other, which is also notified of them.
func TestTwoWhoWorkAtOnceAreNeverOne(t *testing.T) {
	for _, tt := range []struct {
		name     string
		apart    bool // each has a connection; else both share one
		process  bool // the second connection is to another process
		ids      [2]string
		bind     bool
		refused  bool // the second's session_bind with its id, so that it binds without an id
		makesTwo bool // the server makes both ids
	}{
		{name: "two connections, the same id", apart: true, ids: [2]string{"claude", "claude"}, bind: true, refused: true},
		{name: "two processes, the same id", apart: true, process: true, ids: [2]string{"claude", "claude"}, bind: true, refused: true},
		{name: "two connections, no id", apart: true, bind: true, makesTwo: true},
		{name: "two processes, no id", apart: true, process: true, bind: true, makesTwo: true},
		{name: "two connections, nothing bound", apart: true},
		{name: "two helpers", ids: [2]string{"w1", "w2"}},
		{name: "two helpers of a bound connection", ids: [2]string{"w1", "w2"}, bind: true},
		{name: "a helper and the connection itself", ids: [2]string{"", "w2"}, bind: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, c := newClocked(t, Options{})
			p := [2]*peer{w.connect(nil)}
			p[1] = p[0]
			if tt.process {
				p[1] = w.beside(c, Options{}).connect(nil)
			} else if tt.apart {
				p[1] = w.connect(nil)
			}
			ids := tt.ids // the ids in each call
			switch {
			case tt.bind && tt.apart:
				one := p[0].do("session_bind", with(tt.ids[0], nil))
				if tt.refused {
					p[1].refused(errs.Conflicting, "session_bind", with(tt.ids[1], nil))
					p[1].refused(errs.Conflicting, "session_bind", with(tt.ids[1], who{"dryRun": true}))
				}
				two := p[1].do("session_bind", nil)
				if two["sessionId"] == nil || tt.makesTwo && (one["sessionId"] == nil || one["sessionId"] == two["sessionId"]) {
					t.Errorf("session_bind gives %v and %v", one, two)
				}
				ids = [2]string{}
			case tt.bind:
				p[0].do("session_bind", nil)
			}
			call := func(who int, tool string, args map[string]any) map[string]any {
				t.Helper()
				return p[who].do(tool, with(ids[who], args))
			}
			refused := func(who int, tool string, args map[string]any) {
				t.Helper()
				p[who].refused(errs.Conflicting, tool, with(ids[who], args))
			}
			claim := func(who int) string {
				t.Helper()
				id, _, _ := strings.Cut(items(call(who, "node_next", map[string]any{"claim": true})["next"])[0].(string), " ")
				return id
			}
			for i := range 2 {
				call(i, "changes_get", nil)
			}
			node := [2]string{claim(0), claim(1)}
			if node[0] == node[1] {
				t.Fatalf("both are given %s", node[0])
			}
			step := func(id, action string) map[string]any {
				return map[string]any{"nodeId": id, "action": action, "conclusion": "c"}
			}
			for i := range 2 {
				refused(i, "node_transition", step(node[1-i], "start"))
				refused(i, "node_next", map[string]any{"release": node[1-i]})
			}
			for i := range 2 {
				call(i, "node_transition", step(node[i], "start"))
			}
			for i := range 2 {
				call(i, "log_append", map[string]any{"event": fmt.Sprintf("of %d", i)})
				if c := call(i, "context_get", nil)["chain"]; !strings.Contains(fmt.Sprint(c), node[i]) {
					t.Errorf("the focus of %d is in %v, not %s", i, c, node[i])
				}
				if log := fmt.Sprint(call(i, "node_get", map[string]any{"nodeId": node[i]})); !strings.Contains(log, fmt.Sprintf("of %d", i)) || strings.Contains(log, fmt.Sprintf("of %d", 1-i)) {
					t.Errorf("the log of %s: %s", node[i], log)
				}
				for _, action := range []string{"submit", "complete", "fail"} {
					refused(1-i, "node_transition", step(node[i], action))
				}
			}
			call(0, "node_get", map[string]any{"nodeId": signIn})
			call(1, "node_get", map[string]any{"nodeId": signIn})
			call(0, "node_update", map[string]any{"nodeId": signIn, "requirement": "of 0"})
			refused(1, "node_update", map[string]any{"nodeId": signIn, "requirement": "of 1"})
			if all := fmt.Sprint(call(1, "changes_get", nil)["changes"]); !strings.Contains(all, "nodeId:signin") {
				t.Errorf("the second hears of %v", all)
			}
			if all := fmt.Sprint(call(0, "changes_get", nil)["changes"]); strings.Contains(all, "nodeId:signin") {
				t.Errorf("the first hears of its own: %v", all)
			}
			for i := range 2 {
				call(i, "node_transition", step(node[i], "submit"))
				call(i, "node_transition", step(node[i], "complete"))
			}
		})
	}
}

// The session of a connection is refused to others until a minute after its last sign of life. A closed connection
// releases it at once. take: true takes it over; then each call of the connection that had it says so.
func TestAConnectionHoldsItsSession(t *testing.T) {
	w, c := newClocked(t, Options{})
	other := w.beside(c, Options{})
	bind := who{"sessionId": "s-1"}
	one := w.connect(nil)
	one.do("session_bind", bind)
	one.do("session_bind", bind)
	for range 3 {
		c.tick(50 * time.Second)
		w.server.renewNow(true)
		other.connect(nil).refused(errs.Conflicting, "session_bind", bind)
	}
	c.tick(50 * time.Second)
	one.do("node_get", who{"nodeId": signIn}) // this too is a sign of life
	c.tick(59 * time.Second)
	two := other.connect(nil)
	two.refused(errs.Conflicting, "session_bind", bind)
	two.refused(errs.Conflicting, "session_unbind", bind)
	two.refused(errs.Conflicting, "node_update", who{"nodeId": signIn, "note": "n", "sessionId": "s-1"})
	two.do("node_next", who{"claim": true, "sessionId": "s-1"}) // a claim for the other session
	c.tick(2 * time.Second)                                     // 61 s since the last sign of life
	two.do("session_bind", bind)

	if text := one.refused(errs.Conflicting, "node_get", who{"nodeId": signIn}); !strings.Contains(text, "take: true") {
		t.Errorf("the first is told %q", text)
	}
	three := one.do("session_bind", nil)["sessionId"].(string)
	if three == "s-1" || !mdstore.ID(three).Generated("s") {
		t.Errorf("the first is given %q", three)
	}
	one.do("session_bind", who{"sessionId": "s-1", "take": true})
	two.refused(errs.Conflicting, "changes_get", nil)
	one.do("changes_get", nil)
	one.do("session_unbind", nil)
	four := other.connect(nil)
	four.do("session_bind", bind)
	if err := four.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "a connection that closes frees its session", func() bool { return !one.try("session_bind", bind).IsError })
}

// A session id given by a person, as a flag, in a header or by the program of the assistant, is not invented by a
// model. All connections and commands with it are one session.
func TestGivenSessionsAreShared(t *testing.T) {
	w, c := newClocked(t, Options{Session: "given"})
	other := w.beside(c, Options{Session: "given"})
	for _, p := range []*peer{w.connect(nil), other.connect(nil), w.connect(nil)} {
		if out := p.do("session_bind", nil); out["sessionId"] != "given" {
			t.Errorf("bound: %v", out)
		}
		p.do("session_bind", who{"sessionId": "claude"}) // another name for it
		p.do("log_append", who{"nodeId": signIn, "event": "e", "sessionId": "claude"})
	}
	w.beside(c, Options{}).connect(nil).refused(errs.Conflicting, "session_bind", who{"sessionId": "given"})
	if env := w.server.env(nil, http.Header{HeaderSession: {"given"}}); env.Connection != "" || env.Follows {
		t.Errorf("a request that stands alone holds as %q", env.Connection)
	}
}

// The own session of a connection cannot be used by others, even if they read its id in a claim.
func TestNobodyTakesTheOwnSessionOfAConnection(t *testing.T) {
	w, _ := newClocked(t, Options{})
	one, two := w.connect(nil), w.connect(nil)
	own := items(one.do("node_next", who{"claim": true, "verbose": true})["nodes"])[0].(map[string]any)["claimedBy"]
	two.refused(errs.InvalidParams, "node_update", who{"nodeId": signIn, "note": "n", "sessionId": own})
	one.do("node_update", who{"nodeId": signIn, "note": "n", "sessionId": own})
	if out := one.do("session_bind", who{"sessionId": own}); out["sessionId"] == own {
		t.Errorf("bound: %v", out)
	}
}

// session_bind needs no id, and no workspace if there is a default. A later session can continue with the id that it
// returned.
func TestSessionBindNeedsNothing(t *testing.T) {
	w, _ := newClocked(t, Options{Profile: ProfileWorker})
	one := w.connect(nil)
	id := one.do("session_bind", nil)["sessionId"]
	one.do("node_transition", who{"nodeId": "node-x", "action": "start"})
	if again := one.do("session_bind", nil); again["sessionId"] != id || again["focusedNodeId"] != "node-x" {
		t.Errorf("bound again: %v, and first as %v", again, id)
	}
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	later := w.connect(nil)
	eventually(t, "a later connection goes on with it", func() bool { return !later.try("session_bind", who{"sessionId": id}).IsError })
	if focus := later.do("session_bind", nil)["focusedNodeId"]; focus != "node-x" {
		t.Errorf("it works on %v", focus)
	}
}
