package ops_test

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/claims"
	"arbor/engine/enginetest"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

// claimerVault is the environment variable that makes the test binary a process that claims and works; it names the
// session and the vault.
const claimerVault = "ARBOR_TEST_CLAIMER"

// claimAndWork follows orders, one a line, each with the time in Unix milliseconds: next claims a node, begins it and
// prints its id, or "-" and the number of nodes that are not done; done completes it.
func claimAndWork(dir, session string) error {
	var now time.Time
	ctx, e, end, err := alone(dir, engine.Options{Now: func() time.Time { return now }})
	if err != nil {
		return err
	}
	defer end()
	env := &ops.Env{Engine: e, Session: session, Lease: claims.ConnectionLease}
	id := ""
	for orders := bufio.NewScanner(os.Stdin); orders.Scan(); {
		order, at, _ := strings.Cut(orders.Text(), " ")
		ms, err := strconv.ParseInt(at, 10, 64)
		if err != nil {
			return err
		}
		now = time.UnixMilli(ms)
		switch order {
		case "next":
			out, err := ops.NodeNext(ctx, env, ops.NodeNextIn{Claim: true})
			if err != nil {
				return err
			}
			if len(out.Nodes) == 0 {
				v, err := e.View(ctx, ws)
				if err != nil {
					return err
				}
				open := 0
				for n := range v.All() {
					if n.ID != mdstore.Root && !statemachine.Terminal(n.Status) {
						open++
					}
				}
				fmt.Println("-", open)
				continue
			}
			id = out.Nodes[0].ID
			if out.Nodes[0].Status == "pending" {
				if _, err := ops.NodeTransition(ctx, env, ops.NodeTransitionIn{NodeID: id, Action: "start"}); err != nil {
					return err
				}
			}
			fmt.Println(id)
		case "done":
			if _, err := ops.NodeTransition(ctx, env, ops.NodeTransitionIn{NodeID: id, Action: "complete", Conclusion: session}); err != nil {
				return err
			}
			fmt.Println("done", id)
		}
	}
	return nil
}

// A claimer is a process that claims and works.
type claimer struct {
	cmd  *exec.Cmd
	tell io.WriteCloser
	says *bufio.Scanner
}

func startClaimer(dir, session string) (*claimer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &claimer{cmd: exec.Command(self)}
	w.cmd.Env = append(os.Environ(), claimerVault+"="+session+"="+dir)
	w.cmd.Stderr = os.Stderr
	if w.tell, err = w.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	w.says = bufio.NewScanner(out)
	return w, w.cmd.Start()
}

func (w *claimer) order(what string, at time.Time) error {
	_, err := fmt.Fprintln(w.tell, what, at.UnixMilli())
	return err
}

func (w *claimer) ask(what string, at time.Time) (string, error) {
	if err := w.order(what, at); err != nil {
		return "", err
	}
	if !w.says.Scan() {
		return "", fmt.Errorf("no answer to %s: %v", what, w.says.Err())
	}
	return w.says.Text(), nil
}

// die kills the process, and returns when it is gone.
func (w *claimer) die() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// A site is several processes that work on one vault, as the test sees them. The test is their server too: it renews
// their claims for as long as they live.
type site struct {
	engine *engine.Engine

	clock sync.RWMutex    // held for reading while a living process follows an order
	now   time.Time       // guarded by clock
	alive map[string]bool // guarded by clock: sessions whose claims are renewed

	mu     sync.Mutex
	moved  *sync.Cond        // of mu: news is another number
	news   int               // guarded by mu: counts what may make a node free
	holder map[string]string // guarded by mu: the session that works on a node
	given  map[string]int    // guarded by mu: how often a node was given
	kills  int               // guarded by mu: still to be made
	made   int               // guarded by mu: made so far
	failed bool              // guarded by mu
}

// lives records whether a process is alive. If it died, its claims must end: the clock advances by the length of a lease,
// in steps, and after each step the living processes renew their claims.
func (s *site) lives(session string, alive bool) error {
	s.clock.Lock()
	defer s.clock.Unlock()
	if alive {
		s.alive[session] = true
		return nil
	}
	delete(s.alive, session)
	for range claims.ConnectionLease / claims.RenewEvery {
		s.now = s.now.Add(claims.RenewEvery)
		for other := range s.alive {
			if err := s.engine.RenewClaims(tctx, other); err != nil {
				return err
			}
		}
	}
	return nil
}

// crew has one process work after another until nothing is left to do, killing some of them on the way.
func (s *site) crew(t *testing.T, dir, name string, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 1))
	fail := func(format string, args ...any) {
		t.Errorf(format, args...)
		s.mu.Lock()
		s.failed = true
		s.moved.Broadcast()
		s.mu.Unlock()
	}
	for life := 0; ; life++ {
		session := fmt.Sprintf("%s-%d", name, life)
		if err := s.lives(session, true); err != nil {
			fail("%s: %v", session, err)
			return
		}
		w, err := startClaimer(dir, session)
		if err != nil {
			fail("%s: %v", session, err)
			return
		}
		over, err := s.life(w, session, rnd)
		if err != nil {
			fail("%s: %v", session, err)
		}
		w.die()
		if err := s.lives(session, false); err != nil {
			fail("%s: %v", session, err)
		}
		s.mu.Lock()
		s.news++
		s.moved.Broadcast()
		over = over || s.failed
		s.mu.Unlock()
		if over {
			return
		}
	}
}

// next asks a process to claim a node, and notes that it has it.
func (s *site) next(w *claimer, session string, dies bool) (id string, err error) {
	s.clock.RLock()
	defer s.clock.RUnlock()
	if id, err = w.ask("next", s.now); err != nil || strings.HasPrefix(id, "- ") {
		return id, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, held := s.holder[id]; held {
		return id, fmt.Errorf("%s is given to %s while %s works on it", id, session, before)
	}
	s.given[id]++
	if !dies {
		s.holder[id] = session
	}
	return id, nil
}

func (s *site) done(w *claimer, id string) error {
	s.clock.RLock()
	defer s.clock.RUnlock()
	if got, err := w.ask("done", s.now); err != nil || got != "done "+id {
		return fmt.Errorf("%s: %q, %w", id, got, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.holder, id)
	s.news++
	s.moved.Broadcast()
	return nil
}

// life is that of one process. It reports whether all is done.
func (s *site) life(w *claimer, session string, rnd *rand.Rand) (over bool, err error) {
	for {
		s.mu.Lock()
		seen, dies := s.news, 0
		if s.kills > 0 {
			if dies = rnd.IntN(6); dies == 1 || dies == 2 || dies == 3 {
				s.kills--
				s.made++
			}
		}
		s.mu.Unlock()
		if dies == 1 { // at any point of an order
			s.clock.RLock()
			err := w.order("next", s.now)
			s.clock.RUnlock()
			for range rnd.IntN(2000) { // without a clock
				_ = rnd.Uint64()
			}
			return false, err
		}
		id, err := s.next(w, session, dies == 2)
		if err != nil {
			return false, err
		}
		if open, none := strings.CutPrefix(id, "- "); none {
			if open == "0" {
				return true, nil
			}
			s.mu.Lock()
			for s.news == seen && !s.failed {
				s.moved.Wait()
			}
			failed := s.failed
			s.mu.Unlock()
			if failed {
				return true, nil
			}
			continue
		}
		if dies == 2 { // with a node in hand
			return false, nil
		}
		if dies == 3 { // at any point of the last order
			s.mu.Lock()
			delete(s.holder, id)
			s.mu.Unlock()
			s.clock.RLock()
			defer s.clock.RUnlock()
			return false, w.order("done", s.now)
		}
		if err := s.done(w, id); err != nil {
			return false, err
		}
	}
}

// Four processes at a time claim, begin and complete nodes, and some are killed: no node is given to two that live,
// what a killed one held is given again when its lease is over, and each node is completed once.
func TestProcessesShareTheWork(t *testing.T) {
	for name, kills := range map[string]int{"all live": 0, "some die": 24} {
		t.Run(name, func(t *testing.T) {
			const nodes, crews = 24, 4
			dir := enginetest.Place(t, inARow(nodes))
			var err error
			st := enginetest.OpenDir(t, dir)
			s := &site{now: enginetest.Start, alive: map[string]bool{}, holder: map[string]string{}, given: map[string]int{}, kills: kills}
			s.moved = sync.NewCond(&s.mu)
			if s.engine, err = engine.Open(t.Context(), st, engine.Options{Now: func() time.Time { return s.now }}); err != nil {
				t.Fatal(err)
			}
			var wg sync.WaitGroup
			for i := range crews {
				wg.Go(func() { s.crew(t, dir, fmt.Sprint("s", i), uint64(i+1)) })
			}
			wg.Wait()
			again := 0
			for i := range nodes {
				n, log := nodeWithLog(t, s.engine, mdstore.ID(letter(i)))
				done, begun := 0, 0
				for _, l := range log {
					if strings.HasPrefix(l.Event, "complete:") {
						done++
					}
					if strings.HasPrefix(l.Event, "start:") {
						begun++
					}
				}
				if n.Status != statemachine.Completed || done != 1 || begun != 1 {
					t.Errorf("%s is %s, begun %d times and completed %d times", n.ID, n.Status, begun, done)
				}
				again += s.given[letter(i)] - 1
				if kills == 0 && s.given[letter(i)] != 1 {
					t.Errorf("%s is given %d times", n.ID, s.given[letter(i)])
				}
			}
			if kills > 0 && (s.made < kills/6 || again <= 0) {
				t.Errorf("%d processes were killed, and nodes were given again %d times: that tries nothing", s.made, again)
			}
			t.Logf("%d nodes, %d processes killed, nodes given again %d times", nodes, s.made, again)
		})
	}
}

// Goroutines of several engines over one vault, on disk and in memory, claim until nothing is left: each node is given
// once.
func TestEnginesShareTheWork(t *testing.T) {
	const nodes, engines, each = 24, 3, 3
	dir := enginetest.Place(t, inARow(nodes))
	mem := memstore.New(inARow(nodes))
	for name, open := range map[string]func() mdstore.Store{
		"memory": func() mdstore.Store { return mem },
		"disk":   func() mdstore.Store { return enginetest.OpenDir(t, dir) },
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			given := map[string][]string{}
			var wg sync.WaitGroup
			for i := range engines {
				e, err := engine.Open(t.Context(), open(), engine.Options{})
				if err != nil {
					t.Fatal(err)
				}
				for j := range each {
					wg.Go(func() {
						for n := 0; ; n++ { // each time another session: none is given its own again
							env := &ops.Env{Engine: e, Session: fmt.Sprintf("s%d-%d-%d", i, j, n)}
							if j == 0 {
								env.Session = "" // the operator: several callers have that name
							}
							out, err := ops.NodeNext(t.Context(), env, ops.NodeNextIn{In: ops.In{WorkspaceID: ws}, Claim: true, Count: new(1 + n%2)})
							if err != nil {
								t.Error(err)
								return
							}
							if len(out.Nodes) == 0 {
								return
							}
							mu.Lock()
							for _, n := range out.Nodes {
								given[n.ID] = append(given[n.ID], env.Session)
							}
							mu.Unlock()
						}
					})
				}
			}
			wg.Wait()
			for i := range nodes {
				if got := given[letter(i)]; len(got) != 1 {
					t.Errorf("%s is given to %q", letter(i), got)
				}
			}
		})
	}
}

// After .local/ was deleted, all claims are gone, and engines that had claimed go on claiming.
func TestClaimsGoWithTheLocalFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be deleted here")
	}
	dir := enginetest.Place(t, inARow(3))
	open := func(session string) *ops.Env {
		return &ops.Env{Engine: enginetest.Open(t, enginetest.OpenDir(t, dir)), Session: session}
	}
	one, two, three := open("s1"), open("s2"), open("s3")
	leave := one.Engine.Attend("s1")
	expect(t, "s1 is given", given(t, one, 1), "a")
	for os.RemoveAll(filepath.Join(dir, ".local")) != nil { // a store writes to it at this moment
	}
	must(t, one, "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "still at work"})
	expect(t, "s2 is given", given(t, two, 1), "a")
	expect(t, "s1 is given now", given(t, one, 1), "b")
	expect(t, "s3 is offered", offered(t, three), "c")
	leave()
	expect(t, "s3 is offered when the connection of s1 has ended", offered(t, three), "b c")
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(string(claimsFile)))); err != nil {
		t.Fatal(err)
	}
	expect(t, "s3 is offered without the file of claims", offered(t, three), "a b c")
	expect(t, "s2 is given again", given(t, two, 1), "a")
	expect(t, "s3 is offered then", offered(t, three), "b c")
}
