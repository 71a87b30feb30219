package door

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/engine/env/act"
	"arbor/engine/env/trust"
	"arbor/engine/internal/people"
	"arbor/engine/ops"
)

const begin = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

const event = `{"nodeId": "Task", "event": "I was here"}`

// Each row is an attack. It gets the refusal that the row names, and the plan stays as it was.
func TestAttacksAreRefused(t *testing.T) {
	for _, tt := range []struct {
		name   string
		attack func(*world) reply
		want   int    // the status
		said   string // a part of the answer
	}{
		{"no token", func(w *world) reply { return w.send(http.DefaultClient, "POST", "/mcp", "{}") }, 401, "TOKEN_MISSING"},
		{"a guessed token", func(w *world) reply { return w.tool("arbor_GUESS", "node_list", "{}") }, 401, "TOKEN_WRONG"},
		{"an empty token", func(w *world) reply { return w.tool("", "node_list", "{}") }, 401, "TOKEN_WRONG"},
		{"the digest instead of the token", func(w *world) reply {
			w.assistant(w.invite("ann", ""))
			b, _ := w.engine.People(w.Context())
			return w.tool(b.Persons[0].Tokens[0].Hash, "node_list", "{}")
		}, 401, "TOKEN_WRONG"},
		{"an invitation as a token", func(w *world) reply { return w.tool(w.invite("ann", ""), "node_list", "{}") }, 401, "TOKEN_WRONG"},
		{"a revoked token", func(w *world) reply {
			token := w.assistant(w.invite("ann", ""))
			b, _ := w.engine.People(w.Context())
			w.do("people_revoke", `{"id": "`+b.Persons[0].Tokens[0].ID+`"}`)
			return w.tool(token, "log_append", event)
		}, 401, "TOKEN_WRONG"},
		{"a token of a removed person", func(w *world) reply {
			token := w.assistant(w.invite("ann", ""))
			w.do("people_rm", `{"name": "ann"}`)
			w.invite("ann", "") // another one of the same name
			return w.tool(token, "log_append", event)
		}, 401, "TOKEN_WRONG"},
		{"a token of another vault", func(w *world) reply {
			other := newWorld(w.T)
			return w.tool(other.assistant(other.invite("ann", "")), "log_append", event)
		}, 401, "TOKEN_WRONG"},
		{"an invitation used twice, by an assistant", func(w *world) reply {
			secret := w.invite("ann", "")
			w.assistant(secret)
			return w.send(http.DefaultClient, "POST", "/people/redeem", `{"invitation": "`+secret+`", "assistant": "evil"}`)
		}, 401, "used before"},
		{"an invitation used twice, in a browser", func(w *world) reply {
			secret := w.invite("ann", "")
			w.browser(secret)
			return w.send(http.DefaultClient, "POST", "/login", `{"token": "`+secret+`"}`)
		}, 401, "used before"},
		{"an invitation older than an hour", func(w *world) reply {
			secret := w.invite("ann", "")
			w.mu.Lock()
			w.now = w.now.Add(people.InvitationLasts)
			w.mu.Unlock()
			return w.send(http.DefaultClient, "POST", "/login", `{"token": "`+secret+`"}`)
		}, 401, "older than an hour"},
		{"an invitation of a removed person", func(w *world) reply {
			secret := w.invite("ann", "")
			w.do("people_rm", `{"name": "ann"}`)
			return w.send(http.DefaultClient, "POST", "/login", `{"token": "`+secret+`"}`)
		}, 401, "TOKEN_WRONG"},
		{"a reader's assistant that writes", func(w *world) reply {
			return w.tool(w.assistant(w.invite("bob", "read")), "log_append", event)
		}, 400, "it needs work"},
		{"a reader's assistant that claims", func(w *world) reply {
			return w.tool(w.assistant(w.invite("bob", "read")), "node_next", `{"claim": true}`)
		}, 200, "claim"},
		{"a reader's browser that writes", func(w *world) reply {
			return w.browser(w.invite("bob", "read")).post("/do/log_append", event)
		}, 422, "NOT_ALLOWED"},
		{"a reader's browser that claims", func(w *world) reply {
			return w.browser(w.invite("bob", "read")).post("/do/node_next", `{"claim": true}`)
		}, 422, "NOT_ALLOWED"},
		{"a reader's browser that imports", func(w *world) reply {
			return w.browser(w.invite("bob", "read")).post("/outline", `{"Text": "- evil"}`)
		}, 422, "NOT_ALLOWED"},
		{"a reader that looks at requests of tools", func(w *world) reply {
			b := w.browser(w.invite("bob", "read"))
			return b.send(b.client, "GET", "/approvals", "")
		}, 422, "right read"},
		{"a worker that answers a question", func(w *world) reply {
			return w.browser(w.invite("bob", "work")).post("/do/log_append", `{"nodeId": "Task", "event": "! 8443"}`)
		}, 422, "needs decide"},
		{"a worker that answers with blanks before it", func(w *world) reply {
			return w.browser(w.invite("bob", "work")).post("/do/log_append", `{"nodeId": "Task", "event": " ! 8443 of [a] ! b"}`)
		}, 422, "needs decide"},
		{"a worker that answers with lines before it", func(w *world) reply {
			return w.browser(w.invite("bob", "work")).post("/do/log_append", `{"nodeId": "Task", "event": " \r\n \n! 8443 of [a] ! b"}`)
		}, 422, "needs decide"},
		{"a worker that completes by force", func(w *world) reply {
			return w.browser(w.invite("bob", "work")).post("/do/node_transition", `{"nodeId": "Task", "action": "complete", "force": true, "conclusion": "x"}`)
		}, 422, "needs decide"},
		{"a worker that approves", func(w *world) reply {
			return w.browser(w.invite("bob", "work")).post("/do/approve", `{"id": "x"}`)
		}, 422, "server's own user"},
		{"a person who decides, about programs", func(w *world) reply {
			return w.browser(w.invite("ann", "decide")).post("/do/approve", `{"id": "x"}`)
		}, 422, "--programs"},
		{"a person who decides, about trust", func(w *world) reply {
			return w.browser(w.invite("ann", "decide")).post("/do/env_trust", `{"id": "x"}`)
		}, 422, "--programs"},
		{"a person who gives herself rights", func(w *world) reply {
			return w.browser(w.invite("ann", "decide")).post("/do/people_grant", `{"name": "ann", "programs": true}`)
		}, 422, "server's own user"},
		{"a person who invites", func(w *world) reply {
			return w.browser(w.invite("ann", "decide")).post("/do/people_add", `{"name": "eve"}`)
		}, 422, "server's own user"},
		{"a person who runs git on the server", func(w *world) reply {
			return w.browser(w.invite("ann", "decide")).post("/do/sync", `{}`)
		}, 422, "server's own user"},
		{"an assistant that answers a question", func(w *world) reply {
			return w.tool(w.assistant(w.invite("ann", "decide")), "log_append", `{"nodeId": "Task", "event": "! 8443", "operator": "Human"}`)
		}, 200, "NOT_ALLOWED"},
		{"an assistant that completes by force", func(w *world) reply {
			return w.tool(w.assistant(w.invite("ann", "decide")), "node_transition", `{"nodeId": "Task", "action": "complete", "force": true, "conclusion": "x"}`)
		}, 200, "never decides"},
		{"a forged operator", func(w *world) reply {
			return w.tool(w.assistant(w.invite("ann", "decide")), "log_append", `{"nodeId": "Task", "event": "I was here", "operator": "Human"}`)
		}, 200, "the token says who writes"},
		{"a forged identity", func(w *world) reply {
			return w.tool(w.assistant(w.invite("bob", "read")), "log_append", event,
				"Arbor-Who", `{"person": "ann", "right": "decide", "programs": true}`)
		}, 400, "it needs work"},
		{"an assistant's token on the page", func(w *world) reply {
			token := w.assistant(w.invite("ann", ""))
			return w.send(http.DefaultClient, "POST", "/login", `{"token": "`+token+`"}`)
		}, 401, "TOKEN_WRONG"},
		{"an assistant's token as a tab", func(w *world) reply {
			token := w.assistant(w.invite("ann", ""))
			return w.send(http.DefaultClient, "POST", "/do/log_append", event, "Arbor-Tab", token)
		}, 401, "NOT_LOGGED_IN"},
		{"a browser's token at /mcp", func(w *world) reply {
			return w.tool(w.browser(w.invite("ann", "")).tab, "log_append", event)
		}, 401, "TOKEN_WRONG"},
		{"the cookie without the tab", func(w *world) reply {
			b := w.browser(w.invite("ann", ""))
			return w.send(b.client, "POST", "/do/log_append", event)
		}, 403, "TAB_UNKNOWN"},
		{"the cookie of a reader with the tab of another person", func(w *world) reply {
			b := w.browser(w.invite("bob", "read"))
			b.tab = w.browser(w.invite("ann", "")).tab
			return b.post("/do/log_append", event)
		}, 403, "TAB_UNKNOWN"},
		{"a session cookie that the attacker chose", func(w *world) reply {
			jar := w.browser(w.invite("ann", "")).client.Jar
			login := w.send(http.DefaultClient, "POST", "/login", `{"token": "`+w.invite("ann", "")+`"}`, "Cookie", "arbor-1=chosen")
			name := strings.Split(login.Get("Set-Cookie"), "=")[0]
			if jar == nil || strings.Contains(login.Get("Set-Cookie"), "chosen") {
				w.Error("the login took the cookie of the client")
			}
			return w.send(http.DefaultClient, "GET", "/events", "", "Cookie", name+"=chosen")
		}, 401, "NOT_LOGGED_IN"},
		{"the MCP session of another token", func(w *world) reply {
			began := w.send(http.DefaultClient, "POST", "/mcp", begin, "Authorization", "Bearer "+w.assistant(w.invite("ann", "")))
			id := began.Get("Mcp-Session-Id")
			if id == "" {
				w.Errorf("no session: %d %s", began.code, began.text)
			}
			return w.send(http.DefaultClient, "POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`,
				"Authorization", "Bearer "+w.assistant(w.invite("bob", "read")), "Mcp-Session-Id", id)
		}, 404, "belongs to another token"},
		{"a token in the address", func(w *world) reply {
			return w.send(http.DefaultClient, "GET", "/plan?token="+w.browser(w.invite("ann", "")).tab, "")
		}, 401, "not logged in"},
		{"a token in the address of /mcp", func(w *world) reply {
			return w.send(http.DefaultClient, "POST", "/mcp?token="+w.assistant(w.invite("ann", "")), begin)
		}, 401, "TOKEN_MISSING"},
		{"a form, which any site can send", func(w *world) reply {
			b := w.browser(w.invite("ann", ""))
			return b.send(b.client, "POST", "/do/log_append", event, "Arbor-Tab", b.tab, "Content-Type", "text/plain")
		}, 415, "application/json"},
		{"the cookie of another vault, on another port", func(w *world) reply {
			other := newWorld(w.T)
			u, _ := url.Parse(other.server.URL)
			_, port, _ := net.SplitHostPort(w.server.Listener.Addr().String())
			theirs := other.browser(other.invite("ann", "")).client.Jar.Cookies(u)
			return w.send(http.DefaultClient, "GET", "/events", "", "Cookie", "arbor-"+port+"="+theirs[0].Value)
		}, 401, "NOT_LOGGED_IN"},
		{"a huge body", func(w *world) reply {
			return w.tool(w.assistant(w.invite("ann", "")), "log_append", `{"event": "`+strings.Repeat("x", 5<<20)+`"}`)
		}, 413, ""},
		{"a huge invitation", func(w *world) reply {
			return w.send(http.DefaultClient, "POST", "/people/redeem", `{"invitation": "`+strings.Repeat("x", 5<<20)+`"}`)
		}, 400, ""},
		{"another host", func(w *world) reply {
			req, _ := http.NewRequestWithContext(w.Context(), "POST", w.server.URL+"/mcp", strings.NewReader("{}"))
			req.Host = "evil.example"
			res, err := http.DefaultClient.Do(req)
			if err != nil {
				return reply{text: err.Error()}
			}
			res.Body.Close()
			return reply{code: res.StatusCode}
		}, 403, ""},
		{"a page of another origin", func(w *world) reply {
			return w.tool(w.assistant(w.invite("ann", "")), "log_append", event, "Origin", "https://evil.example")
		}, 403, "ORIGIN_REFUSED"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			before := w.log()
			got := tt.attack(w)
			if got.code != tt.want || !strings.Contains(got.text, tt.said) {
				t.Errorf("got %d %s\nwant %d and %q", got.code, got.text, tt.want, tt.said)
			}
			if after := w.log(); after != before {
				t.Errorf("the node changed:\n%s\n%s", before, after)
			}
		})
	}
}

// A claim names the person and the assistant by whose token it was made: in replies, refusals, among what is at work,
// and among what is theirs. So does what is left of it after the session has gone.
func TestClaimsNamePersons(t *testing.T) {
	w := newWorld(t)
	w.do("node_create", `{"title": "Other"}`)
	ann, bob := w.assistant(w.invite("ann", "")), w.assistant(w.invite("bob", ""))
	claim := w.tool(ann, "node_next", `{"claim": true, "sessionId": "s-1"}`).text
	if !strings.Contains(claim, "claimed by ann/claude until") {
		t.Errorf("the reply: %s", claim)
	}
	if r := w.tool(bob, "node_transition", `{"nodeId": "Other", "action": "start", "sessionId": "s-2"}`); !strings.Contains(r.text, "ann/claude (session s-1) has claimed it") {
		t.Errorf("the refusal: %s", r.text)
	}
	for name, want := range map[string]bool{"ann": true, "bob": false, "an": false} {
		b := w.browser(w.invite(name, ""))
		if mine := b.send(b.client, "GET", "/plan?claim=me", "").text; strings.Contains(mine, ">Other</a>") != want {
			t.Errorf("the node is among those of %s: %v", name, !want)
		}
		now := b.send(b.client, "GET", "/", "").text
		if _, atWork, _ := strings.Cut(now, "<h2>At work</h2>"); !strings.Contains(atWork, "ann/claude") {
			t.Errorf("at work, as %s sees it: %s", name, now)
		}
	}
	// The name of ann's session, which the refusal told bob, does not make him ann.
	for _, call := range [][2]string{{"session_bind", `{"sessionId": "s-1"}`}, {"session_unbind", `{"sessionId": "s-1"}`},
		{"node_transition", `{"nodeId": "Other", "action": "start", "sessionId": "s-1"}`},
		{"node_next", `{"release": "Other", "sessionId": "s-1"}`}, {"node_next", `{"claim": true, "sessionId": "s-1"}`}} {
		r := w.tool(bob, call[0], call[1])
		if list := w.tool(bob, "node_list", `{}`).text; !strings.Contains(list, "claimed by ann/claude") || strings.Contains(list, "Other implementing") {
			t.Fatalf("%s %s by bob: %s\nthen %s", call[0], call[1], r.text, list)
		}
	}
	w.tool(ann, "node_transition", `{"nodeId": "Other", "action": "start", "sessionId": "s-1"}`)
	w.mu.Lock()
	w.now = w.now.Add(time.Hour)
	w.mu.Unlock()
	if r := w.tool(bob, "node_next", `{"count": 5}`); !strings.Contains(r.text, "started by ann/claude, which is gone") {
		t.Errorf("after the lease: %s", r.text)
	}
}

// What each right lets through, with who it was in the record.
func TestPersonsAndAssistantsWork(t *testing.T) {
	w := newWorld(t)
	reader, worker := w.assistant(w.invite("bob", "read")), w.assistant(w.invite("ann", ""))
	if r := w.tool(reader, "node_get", `{"nodeId": "Task"}`); r.code != 200 || strings.Contains(r.text, "isError") {
		t.Errorf("a reader reads: %d %s", r.code, r.text)
	}
	if r := w.tool(worker, "log_append", event); strings.Contains(r.text, "isError") {
		t.Errorf("an assistant works: %s", r.text)
	}
	ann := w.browser(w.invite("ann", ""))
	if r := ann.post("/do/log_append", `{"nodeId": "Task", "event": "! 8443"}`); r.code != 200 {
		t.Errorf("a person answers: %d %s", r.code, r.text)
	}
	if r := ann.send(ann.client, "GET", "/activity", ""); r.code != 200 || !strings.Contains(r.text, "ann/claude") {
		t.Errorf("activity names nobody: %d", r.code)
	}
	if log := w.log(); !strings.Contains(log, "I was here") || !strings.Contains(log, "! 8443") || strings.Contains(log, "@ann") {
		t.Errorf("the log: %s", log)
	}
	out := w.do("undo", `{"list": true}`).(*ops.UndoOut)
	if len(out.Operations) < 2 || out.Operations[0].Who != "ann" || out.Operations[0].Operator != "Human" ||
		out.Operations[1].Who != "ann/claude" || out.Operations[1].Operator != "AI" {
		t.Errorf("the record: %+v", out.Operations)
	}
	w.do("people_grant", `{"name": "bob", "rights": "work"}`)
	if r := w.tool(reader, "log_append", event); strings.Contains(r.text, "isError") || strings.Contains(r.text, "unknown tool") {
		t.Errorf("a right that was given holds at once: %s", r.text)
	}
}

// The page shows persons nothing of the server's user: no folders of this machine, no other projects, and readers no
// requests of tools.
func TestThePageShowsPersonsThePlanOnly(t *testing.T) {
	w := newWorld(t)
	store, err := act.StoreOf(w.engine)
	if err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(t.TempDir(), "another-project") // t.TempDir ends in 003, which the hash of a script can contain
	if err := os.Mkdir(secret, 0o700); err != nil {
		t.Fatal(err)
	}
	other, err := trust.At(filepath.Join(w.engine.StateDir(), "trust"), secret)
	if err != nil {
		t.Fatal(err)
	}
	err = errors.Join(other.Update(t.Context(), func(b *trust.Book) error { b.Serve("http://127.0.0.1:1"); b.KeepTab(w.now, "x"); return nil }),
		store.Update(t.Context(), func(b *trust.Book) error {
			call := trust.Call{Environment: "app", Tool: "test", Arguments: []byte(`{"secret":"of-a-file"}`)}
			b.Ask(w.now, trust.Request{Kind: trust.KindCall, Call: call}, "x3k9qa")
			return nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	reader, worker := w.browser(w.invite("bob", "read")), w.browser(w.invite("ann", ""))
	for _, path := range []string{"/", "/plan", "/board", "/graph", "/activity", "/search?q=Task", "/memory", "/sessions", "/check"} {
		for name, b := range map[string]*browser{"reader": reader, "worker": worker} {
			r := b.send(b.client, "GET", path, "")
			if r.code != 200 || strings.Contains(r.text, filepath.Dir(w.engine.Place())) || strings.Contains(r.text, secret) ||
				strings.Contains(r.text, filepath.Base(secret)) || name == "reader" && strings.Contains(r.text, "of-a-file") {
				t.Errorf("%s of a %s: %d %s", path, name, r.code, r.text)
			}
		}
	}
	if r := worker.send(worker.client, "GET", "/approvals", ""); !strings.Contains(r.text, "of-a-file") {
		t.Errorf("the test asks for nothing: %s", r.text)
	}
}

// The page offers what the right of a person allows: a reader has no buttons that change the plan, and only who decides
// can answer a question. "Mine" are the nodes that are assigned to the person.
func TestThePageOffersWhatARightAllows(t *testing.T) {
	w := newWorld(t)
	w.do("node_create", `{"title": "Hers", "assignee": ["Ann"]}`)
	w.do("node_update", `{"nodeId": "Task", "note": "- [ ] box"}`)
	id := w.do("node_get", `{"nodeId": "Task"}`).(*ops.NodeGetOut).Node.ID
	change := []string{`id="new"`, "data-edit", "data-action", "data-add", "data-make", "data-goal", "data-rename", "draggable", "data-line", "data-undo"}
	for right, want := range map[string][2]bool{"read": {false, false}, "work": {true, false}, "decide": {true, true}} {
		b := w.browser(w.invite("ann", right))
		all := ""
		for _, path := range []string{"/", "/plan", "/board", "/activity", "/memory", "/node/" + id} {
			all += b.send(b.client, "GET", path, "").text
		}
		for _, button := range change {
			if strings.Contains(all, button) != want[0] {
				t.Errorf("%s: the page has %s: %v", right, button, !want[0])
			}
		}
		if strings.Contains(all, `data-log="! re`) != want[1] {
			t.Errorf("%s: the page has a form for answers: %v", right, !want[1])
		}
		mine := b.send(b.client, "GET", "/plan?claim=me", "").text
		if !strings.Contains(mine, ">Hers</a>") || strings.Contains(mine, ">Task</a>") {
			t.Errorf("%s: mine: %s", right, mine)
		}
		for path, body := range map[string]string{"/tick": `{"nodeId": "` + id + `", "field": "note", "line": 0, "done": true}`, "/entry": `{"slot": "x"}`} {
			if r := b.post(path, body); strings.Contains(r.text, "NOT_ALLOWED") == want[0] {
				t.Errorf("%s: %s: %s", right, path, r.text)
			}
		}
	}
}

// With log.names on, entries begin with the person's name, and answers and changes of the status stay what they are.
func TestLogsNamePersons(t *testing.T) {
	w := newWorld(t)
	if _, err := w.engine.EditConfig(t.Context(), "", planAct, setNames); err != nil {
		t.Fatal(err)
	}
	token := w.assistant(w.invite("ann", ""))
	w.tool(token, "node_transition", `{"nodeId": "Task", "action": "start"}`)
	w.tool(token, "log_append", event)
	b := w.browser(w.invite("ann", ""))
	if r := b.post("/do/log_append", `{"nodeId": "Task", "event": "! re 12:00:00 8443"}`); r.code != 200 {
		t.Fatal(r.text)
	}
	log := w.log()
	for _, want := range []string{"@ann I was here", "! re 12:00:00 @ann 8443", "@ann start: pending"} {
		if !strings.Contains(log, want) {
			t.Errorf("no %q in %s", want, log)
		}
	}
	if strings.Contains(log, `"openQuestions":1`) || strings.Contains(log, `"questions"`) {
		t.Errorf("the question is open still: %s", log)
	}
}

// A person whom the server's own user named decides about programs; without the right to decide the name is no use.
func TestWhoIsNamedDecidesAboutPrograms(t *testing.T) {
	w := newWorld(t)
	ann := w.browser(w.invite("ann", ""))
	w.do("people_grant", `{"name": "ann", "programs": true}`)
	if r := ann.post("/do/approve", `{"id": "x"}`); !strings.Contains(r.text, "REQUEST_NOT_FOUND") {
		t.Errorf("named: %d %s", r.code, r.text)
	}
	w.do("people_grant", `{"name": "ann", "rights": "work"}`)
	if r := ann.post("/do/approve", `{"id": "x"}`); !strings.Contains(r.text, "NOT_ALLOWED") {
		t.Errorf("who may only work: %d %s", r.code, r.text)
	}
	w.do("people_rm", `{"name": "ann"}`)
	b := w.browser(w.invite("ann", ""))
	if r := b.post("/do/approve", `{"id": "x"}`); !strings.Contains(r.text, "--programs") {
		t.Errorf("another ann: %d %s", r.code, r.text)
	}
}

// A token has an allowance, and others have theirs.
func TestATokenHasAnAllowance(t *testing.T) {
	w := newWorld(t)
	one, other := w.assistant(w.invite("ann", "")), w.assistant(w.invite("bob", ""))
	last := reply{code: 200}
	for n := 0; n < 1000 && last.code != http.StatusTooManyRequests; n++ {
		last = w.send(http.DefaultClient, "PUT", "/mcp", "", "Authorization", "Bearer "+one)
	}
	if last.code != http.StatusTooManyRequests || last.Get("Retry-After") == "" {
		t.Errorf("no end: %d", last.code)
	}
	if r := w.tool(other, "log_append", event); strings.Contains(r.text, "isError") || r.code != 200 {
		t.Errorf("another token is refused: %d %s", r.code, r.text)
	}
	w.mu.Lock()
	w.now = w.now.Add(time.Second)
	w.mu.Unlock()
	if r := w.tool(one, "node_list", "{}"); r.code != 200 {
		t.Errorf("a second later: %d", r.code)
	}
}

// A token has so many sessions at once.
func TestATokenHasSoManySessions(t *testing.T) {
	w := newWorld(t)
	token := w.assistant(w.invite("ann", ""))
	last := reply{code: 200}
	for n := 0; n < 200 && last.code == 200; n++ {
		last = w.send(http.DefaultClient, "POST", "/mcp", begin, "Authorization", "Bearer "+token)
	}
	if last.code != http.StatusTooManyRequests {
		t.Errorf("no end: %d %s", last.code, last.text)
	}
	if r := w.tool(token, "node_list", "{}"); r.code != 200 {
		t.Errorf("without a session: %d %s", r.code, r.text)
	}
}

// A failed login is counted and delayed, ever longer; a valid token is never delayed.
func TestAFailedLoginIsDelayedAndCounted(t *testing.T) {
	w := newWorld(t)
	good := w.assistant(w.invite("ann", ""))
	for range 10 {
		w.tool("arbor_GUESS", "node_list", "{}")
	}
	w.tool(good, "node_list", "{}")
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.delays) != 10 || w.delays[0] >= w.delays[1] || w.delays[9] != 5*time.Second {
		t.Errorf("delays %v", w.delays)
	}
	if n := w.door.limits.Failures("127.0.0.1"); n != 10 {
		t.Errorf("%d failures are counted", n)
	}
}

// A token with an end is refused from then on, by the clock of the engine, and what it has open ends. The list says when
// each was last used.
func TestATokenExpiresByTheClock(t *testing.T) {
	w := newWorld(t)
	invite := func(name string) string {
		out := w.do("people_add", `{"name": "`+name+`", "expires": "30d"}`).(*ops.PeopleAddOut)
		if want := w.now.Add(30 * 24 * time.Hour).UnixMilli(); out.Ends != want {
			t.Errorf("the invitation says that the token ends at %d, want %d", out.Ends, want)
		}
		_, secret, _ := strings.Cut(out.Invitation, "#token=")
		return secret
	}
	began := w.now
	token, b := w.assistant(invite("ann")), w.browser(invite("bob"))
	after := func(d time.Duration) { w.mu.Lock(); w.now = began.Add(d); w.mu.Unlock() }
	used := func() (all []int64) {
		for _, t := range w.do("people_tokens", `{}`).(*ops.PeopleTokensOut).Tokens {
			all = append(all, t.Used-began.UnixMilli())
		}
		return all
	}
	const hour, day = time.Hour, 24 * time.Hour
	for _, at := range []time.Duration{0, time.Minute, 59 * time.Minute, hour, 30*day - time.Second} {
		after(at)
		if r := w.tool(token, "node_list", "{}"); r.code != 200 {
			t.Errorf("after %v: %d %s", at, r.code, r.text)
		}
		if ann, want := used()[0], at.Truncate(hour).Milliseconds(); at < day && ann != want {
			t.Errorf("after %v the list says used after %d ms, want %d", at, ann, want)
		}
	}
	ended := make(chan reply)
	go func() { ended <- b.send(b.client, "GET", "/events", "") }()
	after(30 * day)
	if r := w.tool(token, "node_list", "{}"); r.code != 401 || !strings.Contains(r.text, "expired") {
		t.Errorf("an expired token: %d %s", r.code, r.text)
	}
	if r := b.post("/do/log_append", event); r.code == 200 {
		t.Errorf("an expired browser: %d %s", r.code, r.text)
	}
	<-ended
}

// What a revoked token has open ends.
func TestAStreamEndsWithItsToken(t *testing.T) {
	w := newWorld(t)
	b := w.browser(w.invite("ann", ""))
	ended := make(chan reply)
	go func() { ended <- b.send(b.client, "GET", "/events", "") }()
	w.do("people_rm", `{"name": "ann"}`)
	if r := <-ended; r.code == 200 && !strings.Contains(r.text, "event: begin") {
		t.Errorf("the stream: %s", r.text)
	}
}
