// Package claims reserves nodes for sessions. A claim ends with its lease alone; a session that is there renews it.
package claims

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A Claim gives a node to a session for some time. It is kept when the time is over, until the node is done or another
// session takes it: so it is known that its work was begun.
type Claim struct {
	Session  string `json:"session,omitempty"`  // "" for a claim of the operator without a session
	Operator string `json:"operator,omitempty"` // who claimed
	Who      string `json:"who,omitempty"`      // the person, or "person/assistant", by whose token; "" for none
	Since    int64  `json:"since,omitempty"`    // Unix milliseconds
	Until    int64  `json:"until,omitempty"`    // Unix milliseconds; 0: it was given back
	Lease    int64  `json:"lease,omitempty"`    // milliseconds from one renewal to the end
}

// The default length of a claim, its maximum, and the length for a connection whose server renews its claims.
const (
	DefaultLease    = 30 * time.Minute
	MaxLease        = 24 * time.Hour
	ConnectionLease = 3 * time.Minute
	RenewEvery      = time.Minute // how often a server renews the claims of its connections
)

// clockSlack is how far a clock may be set back without a claim of that moment ending at once. A claim further in the
// future is invalid: otherwise a clock that was wrong for a moment could make a claim that lasts for years.
const clockSlack = time.Hour

// By returns the claim's owner: the person or assistant by whose token it was claimed, else the session, else the
// operator.
func (c Claim) By() string { return cmp.Or(c.Who, c.Session, c.Operator) }

// of reports whether a claim belongs to an act: to its session or, without one, to its person and operator. Several
// people without tokens may share an operator's name. Everybody learns the names of sessions, so that of another person
// on a server is another session.
func (c Claim) of(a plan.Act) bool {
	if c.Session != "" || a.Session != "" {
		return c.Session == a.Session && samePerson(c.Who, a.Who)
	}
	return c.Operator == a.By() && (c.Who == a.Who || c.Who == "")
}

// samePerson reports whether two callers may act for one person. Each is "person", "person/assistant", or "" for the
// server's own user.
func samePerson(a, b string) bool {
	a, _, _ = strings.Cut(a, "/")
	b, _, _ = strings.Cut(b, "/")
	return a == "" || b == "" || a == b
}

func (c Claim) lease() time.Duration {
	if l := time.Duration(c.Lease) * time.Millisecond; l > 0 && l <= MaxLease {
		return l
	}
	return DefaultLease
}

// file is in .local/, because claims belong to sessions of this machine. If it is lost or damaged, all claims end.
const file = mdstore.Path("claims.json")

// A Ledger is the claims as they were read.
type Ledger struct {
	raw    []byte
	claims map[mdstore.ID]map[mdstore.ID]Claim // by workspace and node
	now    time.Time
}

// Read reads the claims of a store; there are none if the store keeps no local files, or if the file is damaged. An
// error says that the claims cannot be read at this moment; then no node may be claimed, and nothing written.
func Read(ctx context.Context, st mdstore.Store, now time.Time) (*Ledger, error) {
	l := &Ledger{claims: map[mdstore.ID]map[mdstore.ID]Claim{}, now: now}
	local, ok := mdstore.AsStore[mdstore.Local](st)
	if !ok {
		return l, nil
	}
	data, err := local.ReadLocal(ctx, file)
	var never *mdoc.UnreadableError
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.As(err, &never) {
		return l, err
	}
	if l.raw = data; json.Unmarshal(data, &l.claims) != nil || l.claims == nil {
		l.claims = map[mdstore.ID]map[mdstore.ID]Claim{}
	}
	return l, nil
}

// Write keeps the claims. It must be called with other writers kept out, since before the ledger was read.
func (l *Ledger) Write(ctx context.Context, st mdstore.Store) error {
	for ws, nodes := range l.claims {
		if len(nodes) == 0 {
			delete(l.claims, ws)
		}
	}
	data, err := json.Marshal(l.claims)
	if err != nil {
		return err
	}
	local, ok := mdstore.AsStore[mdstore.Local](st)
	if data = append(data, '\n'); !ok || bytes.Equal(data, l.raw) || len(l.claims) == 0 && l.raw == nil {
		return nil
	}
	if len(data) > mdstore.MaxFileSize {
		return errs.New(errs.InvalidParams, "so many nodes are claimed that .local/%s has no room for more; claim fewer at once", file)
	}
	if err := local.WriteLocal(ctx, file, data); err != nil {
		return &mdoc.UnreadableError{Problem: mdoc.Diagnostic{File: mdstore.LocalDir + "/" + string(file), Code: string(errs.FileUnreadable),
			Text: fmt.Sprintf("cannot be written (%v); you can remove it: it is a note of this machine, and what is claimed is free then", err)}}
	}
	return nil
}

// Edit changes the claims while no other process does.
func Edit(ctx context.Context, st mdstore.Store, now func() time.Time, edit func(*Ledger) error) error {
	return st.Update(ctx, func(mdstore.Tx) error {
		l, err := Read(ctx, st, now())
		if err != nil {
			return err
		}
		if err := edit(l); err != nil {
			return err
		}
		return l.Write(ctx, st)
	})
}

// EditOf edits the claims of a session, if it has any.
func EditOf(ctx context.Context, st mdstore.Store, now func() time.Time, session string, edit func(*Ledger, string)) error {
	if l, err := Read(ctx, st, now()); err != nil || !l.Has(session) {
		return err
	}
	return Edit(ctx, st, now, func(l *Ledger) error { edit(l, session); return nil })
}

// Get returns the claim on a node, and whether it still holds against other sessions.
func (l *Ledger) Get(ws, id mdstore.ID) (c Claim, holds bool) {
	c = l.claims[ws][id]
	return c, l.holds(c)
}

func (l *Ledger) set(ws, id mdstore.ID, c Claim) {
	if l.claims[ws] == nil {
		l.claims[ws] = map[mdstore.ID]Claim{}
	}
	l.claims[ws][id] = c
}

func (l *Ledger) holds(c Claim) bool {
	left := c.Until - l.now.UnixMilli()
	return c.Until > 0 && left > 0 && left <= (c.lease()+clockSlack).Milliseconds()
}

func (l *Ledger) renewed(c Claim, lease time.Duration) Claim {
	c.Until, c.Lease = l.now.Add(lease).UnixMilli(), lease.Milliseconds()
	return c
}

// giveBack ends a claim. If work on the node was begun, the claim is kept as ended.
func (l *Ledger) giveBack(ws, id mdstore.ID, c Claim, begun bool) {
	if !begun {
		delete(l.claims[ws], id)
		return
	}
	c.Until = 0
	l.set(ws, id, c)
}

// Prune drops the claims of nodes of a workspace that are done, or that are gone and whose claims have ended; and all
// claims of workspaces that the vault does not have, if all of them have ended.
func (l *Ledger) Prune(v *view.View, all []*mdstore.Workspace) {
	ws := v.Workspace().ID
	for id, c := range l.claims[ws] {
		switch n, ok := v.Node(id); {
		case !ok && l.holds(c): // a file may be missing for a moment
		case !ok, statemachine.Terminal(n.Status), c.Until == 0 && !view.Begun(n):
			delete(l.claims[ws], id)
		}
	}
	for other, nodes := range l.claims {
		held := false
		for _, c := range nodes {
			held = held || l.holds(c)
		}
		if !held && !slices.ContainsFunc(all, func(w *mdstore.Workspace) bool { return w.ID == other }) {
			delete(l.claims, other)
		}
	}
}

// Refuse returns the refusal of an act that moves a node along its life cycle while another session has claimed it. It
// does not refuse a person, or an operator without a session, whose claim it might be; they are told about the claim.
func (l *Ledger) Refuse(act plan.Act, ws mdstore.ID, n *mdstore.Node) (told string, err error) {
	c, holds := l.Get(ws, n.ID)
	if !holds || c.of(act) {
		return "", nil
	}
	if act.Session == "" || act.Operator == mdstore.OperatorHuman {
		return c.words(n), nil
	}
	return "", heldBy(n, c)
}

// words returns a text that says who has claimed a node.
func (c Claim) words(n *mdstore.Node) string {
	who := "session " + c.Session
	switch {
	case c.Who != "" && c.Session != "":
		who = c.Who + " (session " + c.Session + ")"
	case c.Session == "":
		who = cmp.Or(c.Who, "another "+c.Operator)
	}
	return fmt.Sprintf("%s (%s): %s has claimed it until %s UTC", n.ID, n.Title, who, time.UnixMilli(c.Until).UTC().Format(mdstore.TimeLayout))
}

// heldBy returns the error for an action that only the claiming session may do. Its class is that of a conflict:
// another session came first, and the caller should read again.
func heldBy(n *mdstore.Node, c Claim) error {
	return errs.New(errs.Conflicting, "%s; take another one ({node_next claim}), wait, or let them or a person "+
		"give it back ({node_next release})",
		c.words(n)).With(errs.Details{NodeID: string(n.ID), Status: string(n.Status)})
}

// Follow notes what a plan means for claims. If a session works on a node that it has claimed, the lease begins anew
// once half of it is over. A claim ends when its node is done, or when another session works on the node after the
// lease.
func (l *Ledger) Follow(act plan.Act, d *plan.Draft) {
	ws := d.View.Workspace().ID
	for _, p := range d.Touched() {
		n, ok := d.View.File(p)
		if !ok {
			continue
		}
		c, noted := l.claims[ws][n.ID]
		advanced := d.Advanced[n.ID]
		switch own := c.of(act) && c.Until > 0; {
		case !noted:
		case d.Gone[n.ID], advanced && statemachine.Terminal(d.StatusOf(n)):
			delete(l.claims[ws], n.ID)
		case own:
			if late := c.Until-l.now.UnixMilli() < c.lease().Milliseconds()/2; late || !l.holds(c) {
				l.set(ws, n.ID, l.renewed(c, c.lease()))
			}
		case advanced && (!view.Begun(n) || !l.holds(c)):
			delete(l.claims[ws], n.ID)
		}
	}
}

// Has reports whether a session has claimed anything.
func (l *Ledger) Has(session string) (has bool) {
	l.eachOf(session, func(_, _ mdstore.ID, _ Claim) { has = true })
	return has
}

// Renew starts the leases of all claims of a session anew.
func (l *Ledger) Renew(session string) {
	l.eachOf(session, func(ws, id mdstore.ID, c Claim) { l.set(ws, id, l.renewed(c, c.lease())) })
}

// Drop gives back all claims of a session that are not those of another person than who.
func (l *Ledger) Drop(session, who string) {
	l.eachOf(session, func(ws, id mdstore.ID, c Claim) {
		if samePerson(c.Who, who) {
			l.giveBack(ws, id, c, true) // Prune drops it if not begun
		}
	})
}

// HandOver gives all claims of a session to another session.
func (l *Ledger) HandOver(session, to string) {
	l.eachOf(session, func(ws, id mdstore.ID, c Claim) {
		c.Session = to
		l.set(ws, id, c)
	})
}

func (l *Ledger) eachOf(session string, f func(ws, id mdstore.ID, c Claim)) {
	for ws, nodes := range l.claims {
		for id, c := range nodes {
			if c.Session == session && c.Until > 0 {
				f(ws, id, c)
			}
		}
	}
}
