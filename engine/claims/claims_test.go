package claims_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"arbor/engine/claims"
	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
)

const ws = mdstore.ID("ws-a")

func planView(t *testing.T, ids ...mdstore.ID) *view.View {
	t.Helper()
	v, err := enginetest.New(t, enginetest.Plan(ws, ids...)).View(t.Context(), ws)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// at returns the claims of a store as they are read at that time, and a function that keeps them.
func at(t *testing.T, st mdstore.Store, now time.Time) (*claims.Ledger, func()) {
	t.Helper()
	l, err := claims.Read(t.Context(), st, now)
	if err != nil {
		t.Fatal(err)
	}
	return l, func() {
		t.Helper()
		if err := l.Write(t.Context(), st); err != nil {
			t.Fatal(err)
		}
	}
}

func node(t *testing.T, v *view.View, id mdstore.ID) *mdstore.Node {
	t.Helper()
	n, err := v.Known(id)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Whatever sessions claim, renew and give back, and however time goes on, no node is held by two sessions, none that
// is held is offered to another one, and a session that comes back is offered what it holds.
func TestNoNodeIsHeldByTwoSessions(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	v := planView(t, "node-a", "node-b", "node-c", "node-d", "node-e")
	st := memstore.New(nil)
	now := enginetest.Start
	holder, until := map[mdstore.ID]string{}, map[mdstore.ID]time.Time{} // the model
	taken := 0
	for step := range 2000 {
		now = now.Add(time.Duration(rnd.IntN(90)) * time.Second)
		for id, end := range until {
			if !now.Before(end) {
				delete(until, id)
			}
		}
		l, keep := at(t, st, now)
		act := plan.Act{Session: fmt.Sprint("s", rnd.IntN(3))}
		lease := time.Duration(1+rnd.IntN(10)) * time.Minute
		switch rnd.IntN(4) {
		case 0:
			l.Renew(act.Session)
			for id, s := range holder {
				if _, held := until[id]; held && s == act.Session {
					c, _ := l.Get(ws, id)
					until[id] = time.UnixMilli(c.Until)
				}
			}
		case 1:
			l.Drop(act.Session, "")
			for id, s := range holder {
				if s == act.Session {
					delete(until, id)
				}
			}
		default:
			o := l.Offer(v, act, 1+rnd.IntN(2))
			for _, r := range o.Nodes {
				if _, held := until[r.Node.ID]; held && holder[r.Node.ID] != act.Session {
					t.Fatalf("step %d: %s is offered to %s, and held by %s", step, r.Node.ID, act.Session, holder[r.Node.ID])
				}
			}
			l.Take(ws, o, act, lease)
			for _, r := range o.Nodes {
				holder[r.Node.ID], until[r.Node.ID] = act.Session, now.Add(lease)
				taken++
			}
		}
		keep()
		l, _ = at(t, st, now)
		for id := range until {
			c, holds := l.Get(ws, id)
			if late := until[id].Sub(now); late > 2*time.Second && (!holds || c.Session != holder[id]) {
				t.Fatalf("step %d: %s is held by %q for %v, and the file says %+v, %v", step, id, holder[id], late, c, holds)
			}
		}
	}
	if taken < 500 {
		t.Errorf("only %d nodes were taken", taken)
	}
}

// A claim ends with its lease, and holds no more where its end lies further ahead than any lease: the clock was wrong
// when it was made.
func TestAClaimEndsWithItsLease(t *testing.T) {
	v, st, act := planView(t, "node-a"), memstore.New(nil), plan.Act{Session: "s1"}
	l, keep := at(t, st, enginetest.Start)
	l.Take(ws, l.Offer(v, act, 1), act, 10*time.Minute)
	keep()
	for after, want := range map[time.Duration]bool{0: true, 9 * time.Minute: true, 10 * time.Minute: false,
		-30 * time.Minute: true, -2 * time.Hour: false} {
		l, _ := at(t, st, enginetest.Start.Add(after))
		if c, holds := l.Get(ws, "node-a"); holds != want || c.Session != "s1" {
			t.Errorf("after %v: %+v, holds %v; want %v", after, c, holds, want)
		}
		_, err := l.Refuse(plan.Act{Session: "s2"}, ws, node(t, v, "node-a"))
		if e := errs.As(err); want != (e != nil && e.Code == errs.Conflicting) {
			t.Errorf("after %v, another session begins it: %v", after, err)
		}
		for _, free := range []plan.Act{act, {}, {Session: "s2", Operator: mdstore.OperatorHuman}} {
			told, err := l.Refuse(free, ws, node(t, v, "node-a"))
			if err != nil || want && free.Session != "s1" != (told != "") {
				t.Errorf("after %v, %+v begins it, and is told %q: %v", after, free, told, err)
			}
		}
	}
}

// Only the session that has claimed a node gives it back, and a person.
func TestOnlyTheHolderReleases(t *testing.T) {
	v, act := planView(t, "node-a"), plan.Act{Session: "s1"}
	for _, tt := range []struct {
		by      plan.Act
		given   bool
		refused bool
	}{
		{act, true, false}, {plan.Act{Session: "s2"}, false, true}, {plan.Act{}, false, true},
		{plan.Act{Operator: mdstore.OperatorHuman}, true, false},
	} {
		st := memstore.New(nil)
		l, _ := at(t, st, enginetest.Start)
		l.Take(ws, l.Offer(v, act, 1), act, time.Minute)
		given, err := l.Release(ws, node(t, v, "node-a"), tt.by)
		if given != tt.given || (err != nil) != tt.refused {
			t.Errorf("released by %+v: %v, %v", tt.by, given, err)
		}
		if _, holds := l.Get(ws, "node-a"); holds == tt.given {
			t.Errorf("released by %+v: it is held: %v", tt.by, holds)
		}
	}
}

// A file of claims that is lost or damaged frees what was claimed, and the next claim writes a sound one.
func TestADamagedFileOfClaimsFreesAll(t *testing.T) {
	v, act := planView(t, "node-a"), plan.Act{Session: "s1"}
	for _, damage := range []string{"", "{", "null", "[]", `{"ws-a":{"node-a":7}}`, "\x00"} {
		st := memstore.New(map[mdstore.Path][]byte{".local/claims.json": []byte(damage)})
		l, keep := at(t, st, enginetest.Start)
		if o := l.Offer(v, act, 1); len(o.Nodes) != 1 || o.Claimed > 0 {
			t.Errorf("%q: offered are %+v", damage, o)
		}
		l.Take(ws, l.Offer(v, act, 1), act, time.Minute)
		keep()
		l, _ = at(t, st, enginetest.Start)
		if _, holds := l.Get(ws, "node-a"); !holds {
			t.Errorf("%q: the next claim is not kept", damage)
		}
	}
}

// A lease that a file gives beyond the longest one is none: a hand-edited claim cannot hold a node for years.
func TestALeaseOfYearsHoldsNothing(t *testing.T) {
	now := enginetest.Start
	for lease, want := range map[time.Duration]bool{time.Hour: true, claims.MaxLease: true, claims.MaxLease + time.Millisecond: false, 9 * 365 * 24 * time.Hour: false} {
		st := memstore.New(nil)
		until := now.Add(min(lease, 365*24*time.Hour))
		text := fmt.Sprintf(`{"ws-a": {"node-a": {"session": "s", "operator": "AI", "since": 1, "until": %d, "lease": %d}}}`,
			until.UnixMilli(), lease.Milliseconds())
		if err := st.WriteLocal(t.Context(), "claims.json", []byte(text)); err != nil {
			t.Fatal(err)
		}
		l, _ := at(t, st, now)
		if _, holds := l.Get(ws, "node-a"); holds != want {
			t.Errorf("a lease of %s holds: %v, want %v", lease, holds, want)
		}
	}
}
