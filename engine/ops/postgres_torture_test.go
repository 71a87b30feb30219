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
	"sync/atomic"
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
	for i := 0; ; i++ {
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

// A relay passes connections on to the socket of a server that is in use, until it falls silent.
type relay struct {
	net.Listener
	to     atomic.Pointer[string]
	silent atomic.Bool
}

func (r *relay) serve() {
	for {
		in, err := r.Accept()
		if err != nil {
			return
		}
		go func() {
			defer in.Close()
			out, err := net.Dial("unix", *r.to.Load())
			if err != nil {
				return
			}
			defer out.Close()
			go func() { r.copy(in, out); in.Close() }()
			r.copy(out, in)
		}()
	}
}

// copy passes bytes on. What arrives while the relay is silent is lost, and the connection with it, a while later.
func (r *relay) copy(to, from net.Conn) {
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		for r.silent.Load() {
			<-time.After(10 * time.Millisecond)
			if !r.silent.Load() {
				return
			}
		}
		if n > 0 {
			if _, failed := to.Write(buf[:n]); failed != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Sixteen writers of four processes work over one server while processes and the server are killed, the network falls
// silent, and a synchronous standby takes over: no acknowledged write is lost, none is there twice, and no node is
// claimed by two sessions.
func TestServerTorture(t *testing.T) {
	if !heavy {
		t.Skip("with ARBOR_HEAVY=1, in .ci/heavy postgres")
	}
	primary, err := pgtest.Init()
	if err != nil {
		t.Skip(err)
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	defer os.RemoveAll(primary.Dir)
	must(primary.Ctl("start"))
	defer func() { _ = primary.Ctl("stop", "-m", "immediate") }()
	standby, err := primary.Standby()
	must(err)
	defer os.RemoveAll(standby.Dir)
	must(standby.Ctl("start"))
	defer func() { _ = standby.Ctl("stop", "-m", "immediate") }()
	must(primary.Set("synchronous_standby_names='*'"))
	must(primary.Ctl("reload"))

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
	socketOf := func(s *pgtest.Server) *string { p := filepath.Join(s.Dir, ".s.PGSQL.5432"); return &p }
	r.to.Store(socketOf(now))
	go r.serve()
	relayed := fmt.Sprintf("postgres://arbor@%s/postgres?vault=torture&sslmode=disable", l.Addr())

	ledger := &serverLedger{tried: map[string]bool{}, done: map[string]bool{}, claimed: map[string]map[string]bool{}, errors: map[string]int{}}
	stop := make(chan struct{})
	var running sync.WaitGroup
	kill := make([]chan struct{}, 4)
	for i := range kill {
		kill[i] = make(chan struct{})
		address := sockets
		if i%2 == 1 {
			address = relayed
		}
		running.Go(func() { livesOnServer(t, ledger, fmt.Sprintf("p%d", i), address, kill[i], stop) })
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
			killServer(t, primary)
			must(standby.Ctl("promote"))
			now = standby
			r.to.Store(socketOf(now))
		case n < 5:
			counts["kill -9 of a process of writers"]++
			kill[rand.N(4)] <- struct{}{}
		case n < 7:
			counts["kill -9 of the server"]++
			killServer(t, now)
			restart(t, now)
		case n < 8:
			counts["restarts"]++
			must(now.Ctl("restart", "-m", "fast"))
		default:
			counts["network cuts"]++
			r.silent.Store(true)
			<-time.After(2 * time.Second)
			r.silent.Store(false)
		}
	}
	close(stop)
	running.Wait()
	judgeServer(t, st, ledger, counts, time.Since(began))
}

// livesOnServer runs a process of writers, and another one each time that it is killed.
func livesOnServer(t *testing.T, l *serverLedger, name, address string, kill <-chan struct{}, stop <-chan struct{}) {
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
			err = cmd.Start()
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

// killServer kills a server and all its processes.
func killServer(t *testing.T, s *pgtest.Server) {
	t.Helper()
	pid := s.PID()
	if pid == 0 {
		t.Error("the server does not run")
		return
	}
	children := []int{}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, name := range stats {
		var id, parent int
		var state byte
		data, _ := os.ReadFile(name)
		_, rest, _ := strings.Cut(string(data), ") ")
		fmt.Sscanf(string(data), "%d", &id)
		fmt.Sscanf(rest, "%c %d", &state, &parent)
		if parent == pid {
			children = append(children, id)
		}
	}
	for _, id := range append([]int{pid}, children...) {
		if p, err := os.FindProcess(id); err == nil {
			_ = p.Kill()
		}
	}
}

// restart starts a server that was killed, once the system has let go of what it had.
func restart(t *testing.T, s *pgtest.Server) {
	t.Helper()
	var err error
	for range 20 {
		if err = s.Ctl("start"); err == nil {
			return
		}
		<-time.After(200 * time.Millisecond)
	}
	t.Error(err)
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
