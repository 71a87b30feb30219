package engine

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"time"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A Claim gives a node to a session until a time, so that nobody else is given it meanwhile.
type Claim struct {
	Session string `json:"session"`
	Until   int64  `json:"until"` // Unix milliseconds
}

// claims are kept in .local/, as they are of this machine's sessions only: a lost file frees what is claimed.
type claims map[mdstore.ID]map[mdstore.ID]Claim // by workspace and node

var claimsPath = mdstore.Path(mdstore.LocalDir).Join("claims.json")

// DefaultLease is how long a claim lasts unless said otherwise.
const DefaultLease = 30 * time.Minute

func readClaims(ctx context.Context, st mdstore.Store) (claims, mdstore.Version, error) {
	f, err := st.Read(ctx, claimsPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, mdstore.Version{}, err
	}
	c := claims{}
	if err == nil && json.Unmarshal(f.Data, &c) != nil {
		c = claims{}
	}
	return c, f.Version, nil
}

// Ready is a node that can be worked on.
type Ready struct {
	Node  *mdstore.Node
	Way   []*mdstore.Node // from the root to its parent
	Claim Claim           // the zero Claim where it is free
}

// Ready returns the nodes that can be worked on now, in tree order: those that wait for their start, planning nodes that wait for their first
// child, and those whose children are all done and that wait for their conclusion. Below a completed or cancelled node nothing is ready.
func (s *Snapshot) Ready() []Ready {
	var out []Ready
	var way []*mdstore.Node
	frozen := -1 // depth of the ancestor that freezes what is below it
	for depth, n := range s.Walk(mdstore.Root) {
		way = append(way[:depth], n)
		if frozen >= 0 && depth > frozen {
			continue
		}
		frozen = -1
		if statemachine.Frozen(n.Status) {
			frozen = depth
			continue
		}
		if len(n.Problems) == 0 && s.waits(n) {
			out = append(out, Ready{Node: n, Way: slices.Clone(way[:depth])})
		}
	}
	return out
}

// waits asks the table whether a node waits for somebody: it has not begun, or has nothing left below it that is open.
func (s *Snapshot) waits(n *mdstore.Node) bool {
	if n.Status == statemachine.Initial(n.Type) {
		return true
	}
	if !statemachine.TakesChildren(n.Type) || statemachine.Terminal(n.Status) {
		return false
	}
	kids := s.kidsOf(n.ID)
	if len(kids) == 0 {
		return true
	}
	return len(s.facts(n, "").OpenChildren) == 0
}

// Next returns ready nodes that no other session has claimed, at most count, and how many are ready in all. With a lease above zero it claims those it
// returns for the session, in one commit: two sessions are never given the same node.
func (e *Engine) Next(ctx context.Context, ws mdstore.ID, session string, count int, lease time.Duration) ([]Ready, int, error) {
	if lease <= 0 {
		snap, err := e.Snapshot(ctx, ws)
		if err != nil {
			return nil, 0, err
		}
		c, _, err := readClaims(ctx, e.st)
		if err != nil {
			return nil, 0, err
		}
		free, all := e.free(snap, c[ws], session)
		return free[:min(count, len(free))], all, nil
	}
	if err := validSession(session); err != nil {
		return nil, 0, err
	}
	var out []Ready
	var all int
	err := e.exclusively(ctx, func(st mdstore.Store) error {
		snap, err := e.snapshot(ctx, st, ws)
		if err != nil {
			return err
		}
		if err := newDraft(snap, Act{}, e.opt).writable(); err != nil {
			return err
		}
		c, base, err := readClaims(ctx, st)
		if err != nil {
			return err
		}
		out, all = e.free(snap, c[ws], session)
		out = out[:min(count, len(out))]
		if len(out) == 0 {
			return nil
		}
		c.expire(e.opt.Now().UnixMilli())
		if c[ws] == nil {
			c[ws] = map[mdstore.ID]Claim{}
		}
		for i := range out {
			out[i].Claim = Claim{session, e.opt.Now().Add(lease).UnixMilli()}
			c[ws][out[i].Node.ID] = out[i].Claim
		}
		data, err := json.MarshalIndent(c, "", "  ")
		if err != nil {
			return err
		}
		return e.aside(ctx, st, []mdstore.Change{{Path: claimsPath, Base: base, New: append(data, '\n')}})
	})
	return out, all, err
}

// free returns the ready nodes that are not claimed by another session, and the number of ready ones in all.
func (e *Engine) free(s *Snapshot, c map[mdstore.ID]Claim, session string) ([]Ready, int) {
	ready := s.Ready()
	all := len(ready)
	now := e.opt.Now().UnixMilli()
	free := slices.DeleteFunc(ready, func(r Ready) bool {
		cl, ok := c[r.Node.ID]
		return ok && cl.Until > now && cl.Session != session
	})
	for i, r := range free {
		if cl := c[r.Node.ID]; cl.Until > now {
			free[i].Claim = cl
		}
	}
	return free, all
}

func (c claims) expire(now int64) {
	for ws, nodes := range c {
		for id, cl := range nodes {
			if cl.Until <= now {
				delete(nodes, id)
			}
		}
		if len(nodes) == 0 {
			delete(c, ws)
		}
	}
}
