package ops_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/ops"
	"arbor/mdstore"
	"arbor/mdstore/dirstore"
	"arbor/mdstore/pgstore"
	"arbor/mdstore/pgstore/pgtest"
)

// serverJob is the environment variable that makes the test binary a process of writers over a vault: "NAME LIFE
// ADDRESS", where the address is of a server, or a folder. It reports what it tries and what is acknowledged.
const serverJob = "ARBOR_TEST_SERVER_WRITERS"

const writersEach = 4 // goroutines of one process

// writeToServer runs writers until the process is killed.
func writeToServer(job string) error {
	words := strings.SplitN(job, " ", 3)
	open := func(ctx context.Context) (mdstore.Store, error) {
		return dirstore.Open(words[2], dirstore.Options{SaveQuiet: -1})
	}
	if !filepath.IsAbs(words[2]) {
		a, err := pgstore.ParseAddress(words[2])
		if err != nil {
			return err
		}
		open = func(ctx context.Context) (mdstore.Store, error) {
			return pgstore.Open(ctx, a, pgstore.Options{Own: words[0]})
		}
	}
	var out sync.Mutex
	say := func(format string, args ...any) {
		out.Lock()
		defer out.Unlock()
		fmt.Printf(format+"\n", args...)
	}
	ctx := context.Background()
	for {
		st, err := open(ctx)
		if err != nil {
			say("error open: %s", strings.ReplaceAll(err.Error(), "\n", " "))
			continue
		}
		e, err := engine.Open(ctx, st, engine.Options{})
		if err != nil {
			return err
		}
		var all sync.WaitGroup
		for g := range writersEach {
			all.Go(func() { writesToServer(ctx, e, fmt.Sprintf("%s-%s-%d", words[0], words[1], g), say) })
		}
		all.Wait()
	}
}

// writesToServer logs, adds nodes, claims and completes them. Nothing is tried twice.
func writesToServer(ctx context.Context, e *engine.Engine, session string, say func(string, ...any)) {
	env := &ops.Env{Engine: e, Session: session}
	whole := ctx
	for i := 0; ; i++ {
		ctx := mdstore.WithMoment(whole)
		token := fmt.Sprintf("tok-%s-%d.", session, i)
		hub := string(hubs[rand.N(len(hubs))])
		var err error
		switch rand.N(4) {
		case 0:
			say("try %s", token)
			_, err = ops.LogAppend(ctx, env, ops.LogAppendIn{In: ops.In{WorkspaceID: ws}, NodeID: hub, Event: token})
		case 1:
			say("try %s", token)
			_, err = ops.NodeCreate(ctx, env, ops.NodeCreateIn{In: ops.In{WorkspaceID: ws}, ParentID: hub, Title: token, Type: "execution",
				RulesHash: mdstore.RulesHash([]string{"rule 1"})})
		default:
			var next *ops.NodeNextOut
			next, err = ops.NodeNext(ctx, env, ops.NodeNextIn{In: ops.In{WorkspaceID: ws}, Claim: true})
			if err != nil || len(next.Nodes) == 0 {
				token = ""
				break
			}
			id := next.Nodes[0].ID
			if say("claim %s %s", id, session); strings.HasPrefix(id, "hub-") || id == string(mdstore.Root) {
				token = "" // once completed, nothing could be added below it
				break
			}
			if next.Nodes[0].Status == "pending" {
				if _, err = ops.NodeTransition(ctx, env, ops.NodeTransitionIn{In: ops.In{WorkspaceID: ws}, NodeID: id, Action: "start"}); err != nil {
					token = ""
					break
				}
			}
			say("try %s", token)
			_, err = ops.NodeTransition(ctx, env, ops.NodeTransitionIn{In: ops.In{WorkspaceID: ws}, NodeID: id, Action: "complete", Conclusion: token})
		}
		switch {
		case err != nil:
			say("error %s", strings.ReplaceAll(err.Error(), "\n", " "))
		case token != "":
			say("done %s", token)
		}
	}
}

// A serverLedger is what the writers have reported.
type serverLedger struct {
	mu      sync.Mutex
	tried   map[string]bool
	done    map[string]bool
	claimed map[string]map[string]bool // by node: the sessions that were told that they have it
	errors  map[string]int
}

func (l *serverLedger) read(r io.Reader) {
	for lines := bufio.NewScanner(r); lines.Scan(); {
		what, rest, _ := strings.Cut(lines.Text(), " ")
		l.mu.Lock()
		switch what {
		case "try":
			l.tried[rest] = true
		case "done":
			l.done[rest] = true
		case "claim":
			id, session, _ := strings.Cut(rest, " ")
			if l.claimed[id] == nil {
				l.claimed[id] = map[string]bool{}
			}
			l.claimed[id][session] = true
		case "error":
			l.errors[rest[:min(len(rest), 60)]]++
		}
		l.mu.Unlock()
	}
}

// Sixteen writers of four processes on two machines work over a server while processes and the server are killed,
// cables are pulled out, and a synchronous standby takes over: no acknowledged write is lost, none is there twice, and
// no node is claimed by two sessions. The server, the standby and the writers are on four machines of one network; where
// none can be made, all are on this one, and instead of a cable a relay between two processes and the server is silent.
func TestServerTorture(t *testing.T) {
	if !heavy {
		t.Skip("with ARBOR_HEAVY=1, in .ci/heavy postgres")
	}
	on, err := computers(t, 4)
	apart := err == nil
	if !apart {
		t.Logf("all on one machine, as no others can be made here: %v", err)
		on = make([]*computer, 4)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	primary, standby := hosts(t, on)
	now := primary
	sockets := fmt.Sprintf("postgres://arbor@/postgres?host=%s&port=5432,5432&vault=torture",
		url.QueryEscape(primary.Dir+","+standby.Dir))
	st := pgtest.OpenAt(t, sockets, "judge")
	var first []mdstore.Change
	for p, data := range torturedFiles() {
		first = append(first, mdstore.Change{Path: p, New: data})
	}
	_, err = st.Commit(t.Context(), first)
	must(err)

	l, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	defer l.Close()
	r := &relay{Listener: l}
	r.to.Store(now.socket())
	go r.serve()
	addresses := []string{sockets, fmt.Sprintf("postgres://arbor@%s/postgres?vault=torture&sslmode=disable", l.Addr())}
	if apart {
		far := fmt.Sprintf("postgres://arbor@%s,%s/postgres?vault=torture&sslmode=disable", on[0].address, on[1].address)
		addresses = []string{far, far}
	}

	ledger := &serverLedger{tried: map[string]bool{}, done: map[string]bool{}, claimed: map[string]map[string]bool{}, errors: map[string]int{}}
	stop := make(chan struct{})
	var running sync.WaitGroup
	kill := make([]chan struct{}, 4)
	for i := range kill {
		kill[i] = make(chan struct{})
		running.Go(func() {
			livesOnServer(t, ledger, fmt.Sprintf("p%d", i), addresses[i%2], on[2+i%2], kill[i], stop)
		})
	}
	began, failover := time.Now(), false
	last := tortureTime(t)
	counts := map[string]int{}
	for time.Since(began) < last {
		<-time.After(time.Second + rand.N(2*time.Second))
		switch n := rand.N(10); {
		case !failover && time.Since(began) > last/2:
			failover = true
			counts["failovers"]++
			killServer(t, primary.Server)
			must(standby.ctl("promote"))
			now = standby
			r.to.Store(now.socket())
		case n < 5:
			counts["kill -9 of a process of writers"]++
			kill[rand.N(4)] <- struct{}{}
		case n < 7:
			counts["kill -9 of the server"]++
			killServer(t, now.Server)
			restart(t, now)
		case n < 8:
			counts["restarts"]++
			must(now.ctl("restart", "-m", "fast"))
		case !apart:
			counts["network cuts"]++
			r.silent.Store(true)
			<-time.After(2 * time.Second)
			r.silent.Store(false)
		default:
			m, lasts := on[rand.N(4)], []time.Duration{2 * time.Second, 2 * time.Second, 20 * time.Second}[rand.N(3)]
			counts[fmt.Sprintf("cables pulled for %v", lasts)]++
			must(m.plug(false))
			<-time.After(lasts)
			must(m.plug(true))
		}
	}
	close(stop)
	running.Wait()
	judgeServer(t, st, ledger, counts, time.Since(began))
}

// livesOnServer runs a process of writers on a machine, and another one each time that it is killed.
func livesOnServer(t *testing.T, l *serverLedger, name, address string, at *computer, kill <-chan struct{}, stop <-chan struct{}) {
	self, err := os.Executable()
	if err != nil {
		t.Error(err)
		return
	}
	for life := 0; ; life++ {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s %d %s", serverJob, name, life, address))
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = at.do(cmd.Start)
		}
		if err != nil {
			t.Error(err)
			return
		}
		read := make(chan struct{})
		go func() { defer close(read); l.read(out) }()
		over := false
		select {
		case <-kill:
		case <-stop:
			over = true
		}
		_ = cmd.Process.Kill()
		<-read
		_ = cmd.Wait()
		if over {
			return
		}
	}
}

// judgeServer compares the ledger with the vault.
func judgeServer(t *testing.T, st mdstore.Store, l *serverLedger, counts map[string]int, took time.Duration) {
	times := map[string]int{}
	nodes := 0
	for e, err := range st.List(t.Context(), mdstore.Path(ws)) {
		if errors.Is(err, context.Canceled) || e.Path == "" {
			t.Fatal(err)
		}
		f, err := st.Read(t.Context(), e.Path)
		if err != nil {
			t.Error(err)
			continue
		}
		nodes++
		for token := range l.tried {
			text := string(f.Data)
			times[token] += strings.Count(text, "\ntitle: "+token) + strings.Count(text, "] "+token) + strings.Count(text, "\n"+token)
		}
	}
	lost, doubled, twice, claimed := 0, 0, 0, 0
	for token := range l.done {
		if times[token] == 0 {
			lost++
			t.Errorf("lost: %s", token)
		}
	}
	for token, n := range times {
		if n > 1 {
			doubled++
			t.Errorf("%d times: %s", n, token)
		}
	}
	for id, sessions := range l.claimed {
		if claimed++; len(sessions) > 1 {
			twice++
			t.Errorf("%s was claimed by %v", id, sessions)
		}
	}
	t.Logf("%v: %d writes tried, %d acknowledged, %d lost, %d doubled; %d nodes claimed, %d twice; %d files; %v; errors: %v",
		took.Round(time.Second), len(l.tried), len(l.done), lost, doubled, claimed, twice, nodes, counts, l.errors)
}
