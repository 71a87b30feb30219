package ops_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"arbor/engine/claims"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

const claimsFile = mdstore.Path(".local/claims.json")

// inARow is a vault with a root and n pending execution nodes a, b, c, …
func inARow(n int) map[mdstore.Path][]byte {
	nodes := map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: monitoring\nparentId: null", ""}}
	for i := range n {
		nodes[letter(i)] = [2]string{fmt.Sprintf("title: %s\ntype: execution\nstatus: pending\nparentId: root\ncreatedAt: %d", letter(i), i+1), ""}
	}
	return vault("", nodes)
}

func letter(i int) string { return string(rune('a' + i)) }

// given claims up to count nodes and returns their ids, separated by blanks. Behind the id of a node whose work another
// session began and left stands that session: "a<s1".
func given(t testing.TB, env *ops.Env, count int) string {
	t.Helper()
	return idsOf(must(t, env, "node_next", map[string]any{"claim": true, "count": count}))
}

// offered is given without a claim.
func offered(t testing.TB, env *ops.Env) string {
	t.Helper()
	return idsOf(must(t, env, "node_next", map[string]any{"count": 1000}))
}

func idsOf(out map[string]any) string {
	var ids []string
	for _, n := range out["nodes"].([]any) {
		m := n.(map[string]any)
		id := m["id"].(string)
		if l, ok := m["lapsed"].(map[string]any); ok {
			id += fmt.Sprint("<", l["session"], l["operator"])
			id = strings.ReplaceAll(id, "<nil>", "")
		}
		ids = append(ids, id)
	}
	return strings.Join(ids, " ")
}

func move(t testing.TB, env *ops.Env, id, action string) {
	t.Helper()
	must(t, env, "node_transition", map[string]any{"nodeId": id, "action": action, "conclusion": "c"})
}

// sessionsOf returns an env for each of the sessions.
func sessionsOf(w *enginetest.World, sessions ...string) []*ops.Env {
	var out []*ops.Env
	for _, s := range sessions {
		out = append(out, &ops.Env{Engine: w.Engine, Session: s})
	}
	return out
}

func expect(t testing.TB, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A session begins work and leaves it, in each of the ways in which a claim ends: others are offered it and are told
// who began it.
func TestAnEndedClaimFreesTheNode(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(t *testing.T, w *enginetest.World, env *ops.Env, leave func())
	}{
		{"the lease ends", func(t *testing.T, w *enginetest.World, _ *ops.Env, _ func()) { w.Tick(claims.DefaultLease) }},
		{"the connection ends", func(t *testing.T, w *enginetest.World, _ *ops.Env, leave func()) { leave() }},
		{"given back", func(t *testing.T, w *enginetest.World, env *ops.Env, _ func()) {
			for _, id := range []string{"a", "b"} {
				if out := must(t, env, "node_next", map[string]any{"release": id}); out["released"] != true {
					t.Errorf("release of %s: %v", id, out)
				}
			}
		}},
		{"unbound", func(t *testing.T, w *enginetest.World, env *ops.Env, _ func()) {
			must(t, env, "session_unbind", map[string]any{"sessionId": "s1"})
		}},
		{"by a person", func(t *testing.T, w *enginetest.World, _ *ops.Env, _ func()) {
			human := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman, Session: "a person's"}
			must(t, human, "node_next", map[string]any{"release": "a"})
			must(t, human, "node_next", map[string]any{"release": "b"})
		}},
		{"the clock is set back by years", func(t *testing.T, w *enginetest.World, _ *ops.Env, _ func()) { w.Tick(-3 * 365 * 24 * time.Hour) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.New(t, inARow(3))
			e := sessionsOf(w, "s1", "s2")
			one, two := e[0], e[1]
			leave := w.Attend("s1")
			must(t, one, "session_bind", map[string]any{"sessionId": "s1", "workspaceId": ws})
			expect(t, "s1 is given", given(t, one, 2), "a b")
			move(t, one, "a", "start")
			expect(t, "s2 is offered", offered(t, two), "c")
			tt.end(t, w, one, leave)
			// Work on a was begun; b is as it was.
			expect(t, "s2 is offered then", offered(t, two), "a<s1 b c")
			expect(t, "s2 is given", given(t, two, 1), "a<s1")
			expect(t, "s2 is given again", given(t, two, 1), "a")
			got := must(t, two, "node_get", map[string]any{"nodeId": "a"})["node"].(map[string]any)
			if got["claimedBy"] != "s2" || got["leasedUntil"] != float64(w.Now().Add(claims.DefaultLease).UnixMilli()) {
				t.Errorf("node_get: claimed by %v until %v", got["claimedBy"], got["leasedUntil"])
			}
			move(t, two, "a", "complete")
			if b := w.Store.Files()[claimsFile]; strings.Contains(string(b), `"a"`) {
				t.Errorf("a is done, and still claimed: %s", b)
			}
			move(t, two, "a", "reopen")
			expect(t, "s3 is offered", offered(t, &ops.Env{Engine: w.Engine, Session: "s3"}), "b c")
		})
	}
}

// The claims of a connection hold while its server renews them, and end with their short lease when the server was
// killed.
func TestRenewedClaimsHoldAndOthersEndWithTheirLease(t *testing.T) {
	w := enginetest.New(t, inARow(3))
	e := sessionsOf(w, "s1", "s2")
	one, two := e[0], e[1]
	one.Lease, two.Lease = claims.ConnectionLease, claims.ConnectionLease
	expect(t, "s1 is given", given(t, one, 1), "a")
	expect(t, "s2 is given", given(t, two, 1), "b")
	third := &ops.Env{Engine: w.Engine, Session: "s3"}
	for range 60 {
		w.Tick(claims.RenewEvery)
		if err := w.RenewClaims(t.Context(), "s1"); err != nil {
			t.Fatal(err)
		}
		if w.Now().Sub(enginetest.Start) < claims.ConnectionLease {
			expect(t, "s3 is offered while both leases last", offered(t, third), "c")
			continue
		}
		expect(t, "s3 is offered", offered(t, third), "b c")
	}
	w.Tick(claims.ConnectionLease - time.Second)
	expect(t, "s3 is offered a moment before the end", offered(t, third), "b c")
	w.Tick(time.Second)
	expect(t, "s3 is offered at the end", offered(t, third), "a b c")
	expect(t, "s3 is given", given(t, third, 2), "a b")
	if err := w.RenewClaims(t.Context(), "s1"); err != nil {
		t.Fatal(err)
	}
	expect(t, "s1, which renewed too late, is offered", offered(t, one), "c")
}

func TestSessionsAreGivenTheirOwnNodesAgain(t *testing.T) {
	w := enginetest.New(t, inARow(4))
	e := sessionsOf(w, "s1", "s2")
	one, two := e[0], e[1]
	leave := w.Attend("s1")
	expect(t, "s2 is given", given(t, two, 1), "a")
	expect(t, "s1 is given", given(t, one, 2), "b c")
	move(t, one, "c", "start")
	expect(t, "s1 asks again", given(t, one, 3), "b c d")
	expect(t, "s1 asks from another program", given(t, &ops.Env{Engine: w.Engine, Session: "s1"}, 1), "b")
	leave()
	expect(t, "s2 is offered when the connection of s1 has ended", offered(t, two), "a b c<s1 d")
	expect(t, "s1 comes back first", given(t, one, 3), "b c<s1 d")
	w.Tick(2 * claims.DefaultLease)
	expect(t, "s1 comes late, and no other session was faster", given(t, one, 1), "b")
	expect(t, "s2 takes what s1 has left", given(t, two, 3), "a c<s1 d")
	expect(t, "s1 has lost it", given(t, one, 9), "b")
}

// Two callers without a session may have the same operator's name: neither is given what the other claimed.
func TestOperatorsClaimWithoutASession(t *testing.T) {
	w := enginetest.New(t, inARow(3))
	human, ai := &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman}, &ops.Env{Engine: w.Engine}
	expect(t, "a person is given", given(t, human, 1), "a")
	expect(t, "another person is given", given(t, human, 1), "b")
	expect(t, "an assistant is given", given(t, ai, 1), "c")
	expect(t, "another assistant is given", given(t, ai, 1), "")
	refused(t, w, sessionsOf(w, "s1")[0], errs.Conflicting, "node_next", map[string]any{"release": "c"})
	if out := must(t, ai, "node_next", map[string]any{"release": "c"}); out["released"] != true {
		t.Errorf("release: %v", out)
	}
	expect(t, "then", given(t, ai, 1), "c")
	move(t, human, "a", "start")
	w.Tick(claims.DefaultLease)
	expect(t, "when all leases are over", offered(t, ai), "a<Human b c")
}

// A write of the session to a claimed node renews the claim when half of its lease is over, and not before.
func TestWorkRenewsClaims(t *testing.T) {
	for name, args := range map[string]map[string]any{
		"log_append":      {"nodeId": "a", "operator": "Human", "event": "x"},
		"node_update":     {"nodeId": "a", "note": "x"},
		"problem_update":  {"nodeId": "a", "problem": "x"},
		"node_transition": {"nodeId": "a", "action": "start"},
		"node_reference":  {"nodeId": "a", "targetIdOrPath": "b", "action": "add"},
		"node_isolate":    {"nodeId": "a", "isolate": true},
	} {
		for _, tt := range []struct {
			after   time.Duration
			session string
			renews  bool
		}{
			{10 * time.Minute, "s1", false}, // most of it is left
			{16 * time.Minute, "s1", true},
			{31 * time.Minute, "s1", true}, // late, and no other session has taken it
			{16 * time.Minute, "s2", false},
			{16 * time.Minute, "", false},
		} {
			w := enginetest.New(t, inARow(2))
			given(t, sessionsOf(w, "s1")[0], 1)
			before := w.Store.Files()[claimsFile]
			w.Tick(tt.after)
			if _, err := call(t, &ops.Env{Engine: w.Engine, Session: tt.session, Operator: mdstore.OperatorHuman}, name, args); err != nil {
				t.Fatal(err)
			}
			after := w.Store.Files()[claimsFile]
			if tt.renews {
				w.Tick(claims.DefaultLease - time.Second)
				expect(t, fmt.Sprintf("%s after %v by %q renews; offered", name, tt.after, tt.session), offered(t, &ops.Env{Engine: w.Engine}), "b")
			} else if string(before) != string(after) && name != "node_transition" { // a start by another session ends the claim
				t.Errorf("%s after %v by %q writes claims:\n%s", name, tt.after, tt.session, after)
			}
		}
	}
	// It is renewed for as long as it was claimed.
	w := enginetest.New(t, inARow(2))
	one := sessionsOf(w, "s1")[0]
	must(t, one, "node_next", map[string]any{"claim": true, "leaseSeconds": 7200})
	for range 10 {
		w.Tick(90 * time.Minute)
		must(t, one, "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "x"})
	}
	w.Tick(119 * time.Minute)
	expect(t, "claimed for two hours, offered", offered(t, &ops.Env{Engine: w.Engine}), "b")
}

func TestDryRunsRenewNoClaim(t *testing.T) {
	w := enginetest.New(t, inARow(2))
	one := sessionsOf(w, "s1")[0]
	given(t, one, 1)
	w.Tick(20 * time.Minute)
	before := w.Store.Files()
	if out := must(t, one, "node_transition", map[string]any{"nodeId": "a", "action": "start", "dryRun": true}); strings.Contains(fmt.Sprint(out), "claims") {
		t.Errorf("the plan names the claims: %v", out)
	}
	if after := w.Store.Files(); !maps.EqualFunc(before, after, slices.Equal) {
		t.Error("a dry run writes")
	}
	if out := must(t, one, "node_transition", map[string]any{"nodeId": "a", "action": "start"}); strings.Contains(fmt.Sprint(out["files"]), "claims") {
		t.Errorf("the result names the claims: %v", out["files"])
	}
}

// Only sessions of other assistants are refused the start of a claimed node.
func TestOtherSessionsCannotStartAClaimedNode(t *testing.T) {
	for _, tt := range []struct {
		session, operator string
		refused           bool
		left              string // what is offered to another session when the lease is over
	}{
		{"s1", "AI", false, "a<s1 b"},
		{"s2", "AI", true, ""},
		{"s2", "", true, ""},
		{"s2", "Human", false, "b"}, // the person works on it
		{"", "Human", false, "b"},
		{"", "AI", false, "b"}, // this may be s1 itself
	} {
		w := enginetest.New(t, inARow(2))
		given(t, sessionsOf(w, "s1")[0], 1)
		env := &ops.Env{Engine: w.Engine, Session: tt.session, Operator: tt.operator}
		if tt.refused {
			e := refused(t, w, env, errs.Conflicting, "node_transition", map[string]any{"nodeId": "a", "action": "start"})
			for _, word := range []string{"session s1", "until 2026-01-01 10:30:00 UTC", "node_next", "give it back"} {
				if !strings.Contains(e.Message, word) {
					t.Errorf("the refusal does not say %q: %s", word, e.Message)
				}
			}
			refused(t, w, env, errs.Conflicting, "node_transition", map[string]any{"nodeId": "a", "action": "start", "dryRun": true})
			must(t, env, "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "others may write"})
			w.Tick(claims.DefaultLease)
			move(t, env, "a", "start") // the claim has ended
			continue
		}
		move(t, env, "a", "start")
		w.Tick(claims.DefaultLease)
		expect(t, fmt.Sprintf("started by %q %q, offered", tt.session, tt.operator), offered(t, sessionsOf(w, "s9")[0]), tt.left)
	}
}

// Whatever step of a claimed node's life it is, only sessions of other assistants are refused it; who is not is told
// whose claim it is, if it is another's.
func TestOtherSessionsMoveNoClaimedNode(t *testing.T) {
	for _, step := range []struct{ before, action string }{
		{"", "start"}, {"start", "submit"}, {"start", "complete"}, {"start", "fail"},
		{"start submit", "complete"}, {"start submit", "fail"}, {"start fail", "retry"},
	} {
		for _, by := range []struct {
			session, operator string
			refused, told     bool
		}{{"s1", "AI", false, false}, {"s2", "AI", true, false}, {"s2", "", true, false}, {"s2", "Human", false, true}, {"", "Human", false, true}, {"", "AI", false, true}} {
			w := enginetest.New(t, inARow(2))
			one := sessionsOf(w, "s1")[0]
			given(t, one, 1)
			for _, action := range strings.Fields(step.before) {
				must(t, one, "node_transition", map[string]any{"nodeId": "a", "action": action, "conclusion": "c"})
				given(t, one, 1) // after a failure it is free
			}
			claimed := must(t, one, "node_get", map[string]any{"nodeId": "a"})["node"].(map[string]any)["claimedBy"] == "s1"
			env, args := &ops.Env{Engine: w.Engine, Session: by.session, Operator: by.operator}, map[string]any{"nodeId": "a", "action": step.action, "conclusion": "c"}
			if by.refused && claimed {
				refused(t, w, env, errs.Conflicting, "node_transition", args)
				continue
			}
			told := fmt.Sprint(must(t, env, "node_transition", args)["warnings"])
			if strings.Contains(told, "session s1 has claimed it until 2026-01-01") != (by.told && claimed) {
				t.Errorf("%s by %q %q: told %s", step.action, by.session, by.operator, told)
			}
		}
	}
}

// A claimed planning node that was divided is offered again when its children are done, and not before.
func TestAClaimedPlanningNodeComesBackForItsConclusion(t *testing.T) {
	w := enginetest.New(t, vault("", map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: pending\nparentId: null", ""}}))
	e := sessionsOf(w, "s1", "s2")
	one, two := e[0], e[1]
	expect(t, "s1 is given", given(t, one, 1), "root")
	move(t, one, "root", "start")
	expect(t, "s2 is given", given(t, two, 1), "")
	kid := must(t, one, "node_create", map[string]any{"parentId": "root", "type": "execution", "title": "K", "requirement": "r"})["nodeId"].(string)
	expect(t, "s1 is given next", given(t, one, 1), kid)
	move(t, one, kid, "start")
	w.Tick(claims.DefaultLease)
	expect(t, "s2 is offered", offered(t, two), kid+"<s1")
	move(t, one, kid, "complete")
	expect(t, "s1, which worked below it, is offered when the child is done", offered(t, one), "root")
	expect(t, "s2 is offered", offered(t, two), "")
	w.Tick(claims.DefaultLease)
	expect(t, "s2 is offered when s1 has left", offered(t, two), "root<s1")
}

// A damaged claims.json claims nothing and keeps no caller from anything.
func TestDamagedClaimsClaimNothing(t *testing.T) {
	good := `{"` + ws + `": {"a": {"session": "s9", "until": 1767225600000}}}`
	for _, data := range []string{"", "{", "null", "[]", "\"x\"", "{\"" + ws + "\": null}", `{"` + ws + `": {"a": 7}}`, `{"` + ws + `": {"a": {"session": 7}}}`, `{"` + ws + `": {"a": null}}`,
		good[:len(good)-3], good + "x", strings.Repeat("[", 20000), "\x00\xff", `{"` + ws + `": {"a": {"session": "s9", "until": 9223372036854775807, "lease": 9223372036854775807}}}`,
		`{"` + ws + `": {"a": {"session": "s9", "until": -9223372036854775808}}}`} {
		files := inARow(2)
		files[claimsFile] = []byte(data)
		w := enginetest.New(t, files)
		one := sessionsOf(w, "s1")[0]
		must(t, one, "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "x"})
		must(t, one, "node_get", map[string]any{"nodeId": "a"})
		must(t, one, "node_next", map[string]any{"release": "b"})
		expect(t, fmt.Sprintf("with claims %.40q s1 is given", data), given(t, one, 9), "a b")
		expect(t, "and s2", given(t, sessionsOf(w, "s2")[0], 9), "")
		move(t, one, "a", "start")
	}
	// A folder in its place.
	files := inARow(2)
	files[claimsFile+"/x"] = []byte("x")
	w := enginetest.New(t, files)
	one := sessionsOf(w, "s1")[0]
	expect(t, "with a folder in its place, offered", offered(t, one), "a b")
	move(t, one, "a", "start")
	move(t, one, "a", "complete")
	out, err := call(t, one, "node_next", map[string]any{"claim": true})
	if err == nil && enginetest.Chosen != "postgres" { // a row needs no place in a folder
		t.Errorf("a claim that cannot be kept: %v", out)
	}
}

// At the next claim, what is noted of nodes and workspaces that are done or gone is forgotten, and nothing else.
func TestClaimsOfWhatIsGoneAreForgotten(t *testing.T) {
	files := inARow(4)
	other := "ws-mjv3xk00-bbbbbb"
	files[mdstore.Path(other+"/Workspace.md")] = []byte("---\nid: " + other + "\nname: Other\ngoal: g\nstatus: archived\n---\n")
	late, now := enginetest.Start.Add(-time.Hour).UnixMilli(), enginetest.Start.Add(time.Minute).UnixMilli()
	files[claimsFile] = fmt.Appendf(nil, `{"%s": {"a": {"session": "s9", "until": %d}, "lost": {"session": "s9", "until": %d}, "away": {"session": "s9", "until": %d}},
		"%s": {"x": {"session": "s9", "until": %d}}, "ws-gone": {"x": {"session": "s9", "until": %d}}, "ws-away": {"x": {"session": "s9", "until": %d}}}`, ws, late, late, now, other, late, late, now)
	w := enginetest.New(t, files)
	env := &ops.Env{Engine: w.Engine, Session: "s1", Where: ops.Where{Workspace: ws}}
	expect(t, "s1 is given", given(t, env, 2), "a b")
	move(t, env, "b", "start")
	must(t, env, "node_delete", map[string]any{"nodeId": "b"})
	got := string(w.Store.Files()[claimsFile])
	for word, there := range map[string]bool{`"a"`: true, `"b"`: false, `"lost"`: false, `"away"`: true, other: true, "ws-gone": false, "ws-away": true} {
		if strings.Contains(got, word) != there {
			t.Errorf("%s in claims.json: %v, want %v\n%s", word, !there, there, got)
		}
	}
}

// A brokenClaims is a store that fails to read or write the claims.
type brokenClaims struct {
	*memstore.Store
	read, write error
}

func (b *brokenClaims) ReadLocal(ctx context.Context, name mdstore.Path) ([]byte, error) {
	if name == claimsFile[len(".local/"):] && b.read != nil {
		return nil, b.read
	}
	return b.Store.ReadLocal(ctx, name)
}

func (b *brokenClaims) WriteLocal(ctx context.Context, name mdstore.Path, data []byte) error {
	if name == claimsFile[len(".local/"):] && b.write != nil {
		return b.write
	}
	return b.Store.WriteLocal(ctx, name, data)
}

// While the claims cannot be read, or a claim cannot be kept, no node is given that another session may have; work goes
// on.
func TestBrokenClaimsGiveNothingAndStopNoWork(t *testing.T) {
	for name, breaks := range map[string]func(*brokenClaims){
		"reading fails": func(b *brokenClaims) { b.read = errors.New("input/output error") },
		"writing fails": func(b *brokenClaims) { b.write = errors.New("input/output error") },
	} {
		t.Run(name, func(t *testing.T) {
			var b *brokenClaims
			w := enginetest.Over(t, memstore.New(inARow(3)), func(_ *enginetest.World, st *memstore.Store) mdstore.Store {
				b = &brokenClaims{Store: st}
				return b
			})
			e := sessionsOf(w, "s1", "s2")
			expect(t, "s1 is given", given(t, e[0], 1), "a")
			kept := w.Store.Files()[claimsFile]
			breaks(b)
			for _, args := range []map[string]any{{"claim": true}, {"claim": true, "count": 3}} {
				if out, err := call(t, e[1], "node_next", args); err == nil {
					t.Errorf("node_next(%v): %v", args, out)
				}
			}
			w.Tick(20 * time.Minute)
			move(t, e[1], "b", "start")
			move(t, e[1], "b", "complete")
			must(t, e[0], "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "x"})
			must(t, e[1], "node_get", map[string]any{"nodeId": "a"})
			if now := w.Store.Files()[claimsFile]; string(now) != string(kept) {
				t.Errorf("the claims are now %s, and were %s", now, kept)
			}
			b.read, b.write = nil, nil
			expect(t, "s2 is given when all is well again", given(t, e[1], 3), "c")
		})
	}
}

// Sessions and operators claim, work, leave and come back in any order: no node is ever given to two at once, and no
// claim lasts for ever.
func TestNoNodeIsGivenToTwo(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		const nodes = 5
		w := enginetest.New(t, inARow(nodes))
		all := append(sessionsOf(w, "s1", "s2", "s3"), &ops.Env{Engine: w.Engine}, &ops.Env{Engine: w.Engine, Operator: mdstore.OperatorHuman})
		holder, until, leases := map[string]int{}, map[string]time.Time{}, map[string]time.Duration{} // by node
		leave := map[int]func(){}                                                                     // by session: the end of its connection
		over := func(id string) bool { t, known := until[id]; return known && !t.After(w.Now()) }
		for range rapid.IntRange(5, 40).Draw(rt, "steps") {
			who := rapid.IntRange(0, len(all)-1).Draw(rt, "who")
			env := all[who]
			switch rapid.SampledFrom([]string{"claim", "claim", "tick", "connect", "leave", "renew", "release", "work", "work", "work"}).Draw(rt, "do") {
			case "claim":
				lease := rapid.SampledFrom([]int{60, 1800}).Draw(rt, "lease")
				out, err := call(t, env, "node_next", map[string]any{"claim": true, "count": rapid.IntRange(1, 3).Draw(rt, "count"), "leaseSeconds": lease})
				if err != nil {
					rt.Fatal(err)
				}
				for _, id := range strings.Fields(idsOf(out)) {
					id, _, _ = strings.Cut(id, "<")
					if end, known := until[id]; known && !over(id) && (holder[id] != who || env.Session == "") {
						rt.Fatalf("%s is given to %d, and %d has it until %v", id, who, holder[id], end)
					}
					leases[id] = time.Duration(lease) * time.Second
					holder[id], until[id] = who, w.Now().Add(leases[id])
				}
			case "tick":
				w.Tick(time.Duration(rapid.IntRange(1, 2000).Draw(rt, "seconds")) * time.Second)
			case "connect":
				if env.Session != "" && leave[who] == nil {
					leave[who] = w.Attend(env.Session)
				}
			case "leave":
				if leave[who] != nil {
					leave[who]()
					delete(leave, who)
					for id, h := range holder {
						if h == who {
							delete(until, id)
						}
					}
				}
			case "renew":
				if env.Session == "" {
					continue
				}
				if err := w.RenewClaims(tctx, env.Session); err != nil {
					rt.Fatal(err)
				}
				for id, h := range holder {
					if _, known := until[id]; known && h == who {
						until[id] = w.Now().Add(leases[id])
					}
				}
			case "release":
				id := letter(rapid.IntRange(0, nodes-1).Draw(rt, "node"))
				if _, err := call(t, env, "node_next", map[string]any{"release": id}); err == nil && (holder[id] == who || env.Operator == mdstore.OperatorHuman) {
					delete(until, id)
				}
			case "work":
				id := letter(rapid.IntRange(0, nodes-1).Draw(rt, "node"))
				s, err := w.View(tctx, ws)
				if err != nil {
					rt.Fatal(err)
				}
				n, _ := s.Node(mdstore.ID(id))
				do := map[string]string{"pending": "start", "implementing": "complete", "completed": "reopen"}[string(n.Status)]
				_, refusal := call(t, env, "node_transition", map[string]any{"nodeId": id, "action": do, "conclusion": "c"})
				last, claimed := holder[id]
				_, known := until[id]
				switch may := claimed && last == who || over(id) || env.Session == "" || !claimed; {
				case refusal != nil && may:
					rt.Fatalf("%s of %s by %d: %v", do, id, who, refusal)
				case refusal == nil && !may && known && env.Operator != mdstore.OperatorHuman:
					rt.Fatalf("%s of %s by %s, which %d has until %v", do, id, env.Session, last, until[id])
				case refusal == nil:
					delete(until, id) // renewed, ended or as it was: the next claim shows which
				}
			}
		}
		w.Tick(claims.MaxLease)
		for _, env := range all {
			out, err := call(t, env, "node_next", map[string]any{"count": 100})
			if err != nil || out["claimed"] != nil {
				rt.Fatalf("after a day %v are claimed, error %v", out["claimed"], err)
			}
		}
	})
}

// When more is claimed than one file holds, no more is given, and work goes on.
func TestNoRoomForClaims(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"` + ws + `":{"a":{"session":"s1","since":1,"until":1767263400000,"lease":1}},"ws-away":{"x":{"session":"s9","until":1767263400000}`)
	for i := 0; b.Len() < mdstore.MaxFileSize-80; i++ {
		fmt.Fprintf(&b, `,"n%d":{"session":"s9","until":1767263400000}`, i)
	}
	files := inARow(3)
	files[claimsFile] = []byte(b.String() + "}}\n")
	w := enginetest.New(t, files)
	e := sessionsOf(w, "s1", "s2")
	refused(t, w, e[1], errs.InvalidParams, "node_next", map[string]any{"claim": true, "count": 3})
	expect(t, "s2 is offered", offered(t, e[1]), "b c")
	must(t, e[0], "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "x"})
	must(t, e[0], "node_next", map[string]any{"release": "a"})
	expect(t, "s2 is offered then", offered(t, e[1]), "a b c")
}
