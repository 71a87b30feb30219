package engine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A Claim gives a node to somebody for some time, so that nobody else is given it meanwhile. It is kept when the time is over, until the node is done or somebody
// else takes it: so it is known that its work was begun.
type Claim struct {
	Session  string `json:"session,omitempty"`  // whose it is; "": it is the operator's, who has no session
	Operator string `json:"operator,omitempty"` // who claimed
	Since    int64  `json:"since,omitempty"`    // Unix milliseconds
	Until    int64  `json:"until,omitempty"`    // Unix milliseconds; 0: it was given back
	Lease    int64  `json:"lease,omitempty"`    // milliseconds from one renewal to the end
	Present  string `json:"present,omitempty"`  // the token of who has to be present for it to hold; "": its time alone counts
}

// The length of a claim unless said otherwise, and at most.
const (
	DefaultLease = 30 * time.Minute
	MaxLease     = 24 * time.Hour
)

// clockSlack is how far a clock may be set back without a claim of that moment ending at once. One that is further ahead than that is no claim any more, or
// a clock that was wrong for a moment could make one that lasts for years.
const clockSlack = time.Hour

// By names who has claimed: the session, or the operator without one.
func (c Claim) By() string {
	if c.Session != "" {
		return c.Session
	}
	return c.Operator
}

// of reports whether a claim is that of who acts, or as good as theirs: made by their session, over their connection for another one, or by an operator
// without a session whose name they have, of which there may be many.
func (c Claim) of(a Act) bool {
	if c.Present != "" && a.Presence.is(c.Present) {
		return true
	}
	if c.Session != "" || a.Session != "" {
		return c.Session == a.Session
	}
	return c.Operator == a.operator()
}

func (c Claim) lease() time.Duration {
	if l := time.Duration(c.Lease) * time.Millisecond; l > 0 && l <= MaxLease {
		return l
	}
	return DefaultLease
}

// claimsPath lies in .local/, as claims are of this machine's sessions only. A file that is lost or damaged frees what is claimed, and keeps nobody from anything.
var claimsPath = mdstore.Path(mdstore.LocalDir).Join("claims.json")

// A ledger is claims.json as it was read: who has claimed which node. A nil ledger has no claims.
type ledger struct {
	raw     []byte
	version mdstore.Version
	claims  map[mdstore.ID]map[mdstore.ID]Claim // by workspace and node; nil before it is needed
	now     time.Time
	there   func(token string) bool
	known   map[string]bool // what there has said
}

// ledger reads the claims. An error says that nobody can tell what is claimed.
func (e *Engine) ledger(ctx context.Context, st mdstore.Store) (*ledger, error) {
	f, err := st.Read(ctx, claimsPath)
	var u *mdoc.UnreadableError
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &u) {
		return nil, err
	}
	return e.ledgerOf(ctx, f.Data, f.Version), nil
}

// ledgerOf returns the ledger of what the file of claims holds.
func (e *Engine) ledgerOf(ctx context.Context, raw []byte, v mdstore.Version) *ledger {
	there := func(token string) bool {
		p, ok := mdstore.AsStore[mdstore.Presence](e.st)
		if !ok {
			return true // it was another store that knew
		}
		there, err := p.Present(ctx, token)
		return there || err != nil // in doubt the node is not given to a second one
	}
	return &ledger{raw: raw, version: v, now: e.opt.Now(), there: there, known: map[string]bool{}}
}

// all returns every claim.
func (l *ledger) all() map[mdstore.ID]map[mdstore.ID]Claim {
	if l.claims == nil {
		if json.Unmarshal(l.raw, &l.claims) != nil || l.claims == nil {
			l.claims = map[mdstore.ID]map[mdstore.ID]Claim{}
		}
	}
	return l.claims
}

// get returns what is noted of a node, whether it holds or not.
func (l *ledger) get(ws, id mdstore.ID) (Claim, bool) {
	if l == nil || l.claims == nil && !bytes.Contains(l.raw, []byte(strconv.Quote(string(id)))) {
		return Claim{}, false // ordinary writes need not decode what others have claimed
	}
	c, ok := l.all()[ws][id]
	return c, ok
}

func (l *ledger) set(ws, id mdstore.ID, c Claim) {
	if l.all()[ws] == nil {
		l.claims[ws] = map[mdstore.ID]Claim{}
	}
	l.claims[ws][id] = c
}

func (l *ledger) drop(ws, id mdstore.ID) { delete(l.all()[ws], id) }

// holds reports whether a claim keeps others off: its time is not over, and who has to be present is.
func (l *ledger) holds(c Claim) bool {
	left := c.Until - l.now.UnixMilli()
	return c.Until > 0 && left > 0 && left <= (c.lease()+clockSlack).Milliseconds() && (c.Present == "" || l.isThere(c.Present))
}

func (l *ledger) isThere(token string) bool {
	there, known := l.known[token]
	if !known {
		there = l.there(token)
		l.known[token] = there
	}
	return there
}

// renewed returns a claim whose time begins anew.
func (l *ledger) renewed(c Claim, lease time.Duration, token string) Claim {
	c.Until, c.Lease, c.Present = l.now.Add(lease).UnixMilli(), lease.Milliseconds(), token
	return c
}

// giveBack ends a claim. Of a node whose work was begun it stays known that it was.
func (l *ledger) giveBack(ws, id mdstore.ID, c Claim, begun bool) {
	if !begun {
		l.drop(ws, id)
		return
	}
	c.Until, c.Present = 0, ""
	l.set(ws, id, c)
}

// prune drops what is noted of nodes of a workspace that are done, or that are gone and not claimed any more.
func (l *ledger) prune(s *Snapshot) {
	for id, c := range l.all()[s.ws.ID] {
		switch n, ok := s.Node(id); {
		case !ok && l.holds(c): // a file may be missing for a moment
		case !ok, statemachine.Terminal(n.Status), c.Until == 0 && !begun(n):
			l.drop(s.ws.ID, id)
		}
	}
}

// change returns the commit of what is noted now, false where that is what the file holds.
func (l *ledger) change() (mdstore.Change, bool, error) {
	if l.claims == nil {
		return mdstore.Change{}, false, nil
	}
	for ws, nodes := range l.claims {
		if len(nodes) == 0 {
			delete(l.claims, ws)
		}
	}
	data, err := json.Marshal(l.claims)
	if err != nil {
		return mdstore.Change{}, false, err
	}
	if data = append(data, '\n'); len(data) > mdstore.MaxFileSize {
		return mdstore.Change{}, false, Fail(InvalidParams, "so many nodes are claimed that %s has no room for more; claim fewer at once", claimsPath).with(Details{Paths: []string{string(claimsPath)}})
	}
	return mdstore.Change{Path: claimsPath, Base: l.version, New: data}, !bytes.Equal(data, l.raw), nil
}
