package ops_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/claims"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/memstore"
	"arbor/statemachine"
)

// claimerVault is the environment variable that has the test binary claim and work; it names the session and the vault.
const claimerVault = "ARBOR_TEST_CLAIMER"

// claimAndWork does what it is told, a line each: next claims a node, begins it and names it, or "-" and how many are not done; done completes it.
func claimAndWork(dir, session string) error {
	st, err := dirstore.Open(dir, dirstore.Options{})
	if err != nil {
		return err
	}
	defer st.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	e, err := engine.Open(ctx, st, engine.Options{})
	if err != nil {
		return err
	}
	env := &ops.Env{Engine: e, Session: session, Presence: e.Presence()}
	defer env.Presence.End()
	id := ""
	for told := bufio.NewScanner(os.Stdin); told.Scan(); {
		switch told.Text() {
		case "next":
			out, err := ops.NodeNext(ctx, env, ops.NodeNextIn{Claim: true, LeaseSeconds: int(claims.MaxLease / time.Second)})
			if err != nil {
				return err
			}
			if len(out.Nodes) == 0 {
				s, err := e.View(ctx, ws)
				if err != nil {
					return err
				}
				open := 0
				for n := range s.All() {
					if n.ID != mdstore.Root && !statemachine.Terminal(n.Status) {
						open++
					}
				}
				fmt.Println("-", open)
				continue
			}
			id = out.Nodes[0].NodeID
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

// A hand is a process that works.
type hand struct {
	cmd  *exec.Cmd
	tell io.WriteCloser
	says *bufio.Scanner
}

func hire(t *testing.T, dir, session string) (*hand, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	w := &hand{cmd: exec.Command(self)}
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

func (w *hand) ask(what string) (string, error) {
	if _, err := io.WriteString(w.tell, what+"\n"); err != nil {
		return "", err
	}
	if !w.says.Scan() {
		return "", fmt.Errorf("no answer to %s: %v", what, w.says.Err())
	}
	return w.says.Text(), nil
}

// die kills the process, and returns when it is gone.
func (w *hand) die() {
	_ = w.cmd.Process.Kill()
	_ = w.cmd.Wait()
}

// A site is what its workers do, as the test sees it.
type site struct {
	mu     sync.Mutex
	moved  *sync.Cond        // of mu: news is another number
	news   int               // guarded by mu: what may make a node free
	holder map[string]string // guarded by mu: the session that is at a node
	given  map[string]int    // guarded by mu: how often a node was given
	kills  int               // guarded by mu: that are still to be made
	made   int               // guarded by mu: that were
	failed bool              // guarded by mu
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
		w, err := hire(t, dir, session)
		if err != nil {
			fail("%s: %v", session, err)
			return
		}
		over, err := s.life(w, session, rnd)
		w.die()
		if err != nil {
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

// life is that of one process. It reports whether all is done.
func (s *site) life(w *hand, session string, rnd *rand.Rand) (over bool, err error) {
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
		if dies == 1 { // wherever it is in what it is told
			if _, err := io.WriteString(w.tell, "next\n"); err != nil {
				return false, err
			}
			for range rnd.IntN(2000) { // without looking at a clock
				_ = rnd.Uint64()
			}
			return false, nil
		}
		id, err := w.ask("next")
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
		s.mu.Lock()
		before, held := s.holder[id]
		s.holder[id] = session
		s.given[id]++
		if dies == 2 {
			delete(s.holder, id)
		}
		s.mu.Unlock()
		if held {
			return false, fmt.Errorf("%s is given to %s while %s is at it", id, session, before)
		}
		if dies == 2 { // with a node in hand
			return false, nil
		}
		if dies == 3 { // somewhere in what ends its work
			s.mu.Lock()
			delete(s.holder, id)
			s.mu.Unlock()
			_, err := io.WriteString(w.tell, "done\n")
			return false, err
		}
		if got, err := w.ask("done"); err != nil || got != "done "+id {
			return false, fmt.Errorf("%s: %q, %w", id, got, err)
		}
		s.mu.Lock()
		delete(s.holder, id)
		s.news++
		s.moved.Broadcast()
		s.mu.Unlock()
	}
}

// onDisk writes a vault into a folder of its own.
func onDisk(t testing.TB, files map[mdstore.Path][]byte) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "vault")
	for p, b := range files {
		name := filepath.Join(dir, filepath.FromSlash(string(p)))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestProcessesShareTheWork has four processes at a time claim, begin and complete nodes, of which some are killed: no node is given to two that live, what
// a dead one held is given again at once although its lease lasts for a day, and each is completed once.
func TestProcessesShareTheWork(t *testing.T) {
	for name, kills := range map[string]int{"all live": 0, "some die": 24} {
		t.Run(name, func(t *testing.T) {
			const nodes, crews = 24, 4
			dir := onDisk(t, inARow(nodes))
			s := &site{holder: map[string]string{}, given: map[string]int{}, kills: kills}
			s.moved = sync.NewCond(&s.mu)
			var wg sync.WaitGroup
			for i := range crews {
				wg.Go(func() { s.crew(t, dir, fmt.Sprint("s", i), uint64(i+1)) })
			}
			wg.Wait()
			st, err := dirstore.Open(dir, dirstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			defer st.Close()
			e, err := engine.Open(t.Context(), st, engine.Options{})
			if err != nil {
				t.Fatal(err)
			}
			snap, err := e.View(t.Context(), ws)
			if err != nil {
				t.Fatal(err)
			}
			again := 0
			for i := range nodes {
				n, _ := snap.Node(mdstore.ID(letter(i)))
				done, begun := 0, 0
				for _, l := range n.Log() {
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

// TestEnginesShareTheWork has goroutines of several engines over one vault claim until nothing is left, on disk and in memory.
func TestEnginesShareTheWork(t *testing.T) {
	const nodes, engines, each = 24, 3, 3
	dir := onDisk(t, inARow(nodes))
	mem := memstore.New(inARow(nodes))
	for name, open := range map[string]func() mdstore.Store{
		"memory": func() mdstore.Store { return mem },
		"disk": func() mdstore.Store {
			st, err := dirstore.Open(dir, dirstore.Options{})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { st.Close() })
			return st
		},
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
							env := &ops.Env{Engine: e, Session: fmt.Sprintf("s%d-%d-%d", i, j, n), Presence: e.Presence()}
							if j == 0 {
								env.Session, env.Presence = "", nil // the operator, of whom there are many
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
								given[n.NodeID] = append(given[n.NodeID], env.Session)
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

// TestLocalIsDeletedUnderClaims deletes .local/ while a program holds a claim: the node is free, and the program claims on as before.
func TestLocalIsDeletedUnderClaims(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files that are open cannot be deleted here")
	}
	dir := onDisk(t, inARow(3))
	open := func(session string) *ops.Env {
		st, err := dirstore.Open(dir, dirstore.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { st.Close() })
		e, err := engine.Open(t.Context(), st, engine.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return &ops.Env{Engine: e, Session: session, Presence: e.Presence()}
	}
	one, two, three := open("s1"), open("s2"), open("s3")
	expect(t, "s1 is given", given(t, one, 1), "a")
	for os.RemoveAll(filepath.Join(dir, ".local")) != nil { // somebody clears away after a commit in it at this moment
	}
	must(t, one, "log_append", map[string]any{"nodeId": "a", "operator": "AI", "event": "at work still"})
	expect(t, "s2 is given", given(t, two, 1), "a")
	expect(t, "s1 is given now", given(t, one, 1), "b")
	expect(t, "s3 is offered", offered(t, three), "c")
	one.Presence.End()
	expect(t, "s3 is offered when s1 has left", offered(t, three), "b c")
	// Of .local/ only what says who is there.
	if err := os.RemoveAll(filepath.Join(dir, ".local", "present")); err != nil {
		t.Fatal(err)
	}
	expect(t, "s3 is offered", offered(t, three), "a b c")
	expect(t, "s2 is given again", given(t, two, 1), "a")
	expect(t, "s3 is offered then", offered(t, three), "b c")
}
