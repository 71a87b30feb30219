package ops_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/mdstore"
)

// heavy is true in the runs of .ci/heavy, which take long.
var heavy = os.Getenv("ARBOR_HEAVY") != ""

// tortureTime is how long a torture lasts: what ARBOR_TORTURE says, a minute under a heavy load, else a few seconds.
func tortureTime(t *testing.T) time.Duration {
	if v := os.Getenv("ARBOR_TORTURE"); v != "" {
		d, err := time.ParseDuration(v)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if heavy {
		return time.Minute
	}
	return time.Second
}

// hubs are the planning nodes that all workers make nodes under.
var hubs = []mdstore.ID{"hub-0", "hub-1", "hub-2", "hub-3", "hub-4", "hub-5"}

// torturedFiles are a vault of pending planning nodes above each other, so that the first child of each raises its
// ancestors.
func torturedFiles() map[mdstore.Path][]byte {
	body := "## Requirement\n\nfirst line\n\nsecond line\n\nthird line\n\n## Note\n\nwhat people note\n\n## Log\n\n- [2026-01-01 10:00:00] [AI] created\n\n## Docs\n\n- docs/x.md: x\n"
	nodes := map[string][2]string{"root": {"title: Login\ntype: planning\nstatus: pending\nparentId: null\ncreatedAt: 1", body}}
	for i, id := range hubs {
		above := mdstore.ID(mdstore.Root)
		if i >= 3 {
			above = hubs[i-3]
		}
		nodes[string(id)] = [2]string{fmt.Sprintf("title: Hub %d\ntype: planning\nstatus: pending\nparentId: %s\ncreatedAt: %d", i, above, i+2), body}
	}
	return vault("- rule 1\n", nodes)
}

// tortured writes torturedFiles into a folder.
func tortured(t *testing.T) string {
	dir := enginetest.Place(t, torturedFiles())
	docs := filepath.Join(filepath.Dir(dir), "docs")
	if err := os.Mkdir(docs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "x.md"), []byte("x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A herd is the workers of a torture and what they have reported.
type herd struct {
	dir  string
	self string

	mu     sync.Mutex
	kills  int         // guarded by mu
	broken []string    // guarded by mu: unexpected errors
	partly []string    // guarded by mu: errors of operations of which a file could not be changed, because the editor saved it
	tries  []*attempt  // guarded by mu: in the order of their beginnings, for each worker
	alive  []*exec.Cmd // guarded by mu
	begun  []bool      // guarded by mu: whether a worker has begun an operation in this life
}

// An attempt is an operation that a worker has begun.
type attempt struct {
	report
	worker        string
	done, refused bool
	until         int64 // Unix nanoseconds; 0 where the worker died first
}

// run has n workers operate on a vault for tortureTime, and longer until enough is done. With kill, one of them is
// killed and started anew every 20 to 320 ms. At the end all are killed.
func run(t *testing.T, dir string, n int, kill bool, during func(stop <-chan struct{})) *herd {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	h := &herd{dir: dir, self: self, alive: make([]*exec.Cmd, n), begun: make([]bool, n)}
	stop := make(chan struct{})
	end := time.Now().Add(tortureTime(t))
	var running sync.WaitGroup
	for i := range n {
		running.Go(func() { h.lives(i, stop) })
	}
	if during != nil {
		running.Go(func() { during(stop) })
	}
	for time.Now().Before(end) || !h.enough(kill) && t.Context().Err() == nil {
		<-time.After(20*time.Millisecond + rand.N(300*time.Millisecond))
		if i := rand.N(n); kill && h.mayDie(i) {
			h.kill(i)
		}
	}
	close(stop)
	for i := range n {
		h.kill(i)
	}
	running.Wait()
	return h
}

// enough reports whether enough was done, or a worker failed.
func (h *herd) enough(kill bool) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.broken) > 0 || h.acknowledged() >= 50 && (!kill || h.kills >= 10)
}

// mayDie reports whether a worker may be killed now. On a slow machine most would die before they do anything, and
// nothing would be done.
func (h *herd) mayDie(i int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.kills < 10+2*h.acknowledged() && (h.begun[i] || rand.N(4) == 0)
}

func (h *herd) kill(i int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if cmd := h.alive[i]; cmd != nil && cmd.Process.Kill() == nil {
		h.kills++
		h.alive[i] = nil
	}
}

// lives runs worker i, again each time that it was killed.
func (h *herd) lives(i int, stop <-chan struct{}) {
	for generation := 0; ; generation++ {
		name := fmt.Sprintf("w%d", i)
		cmd := exec.Command(h.self)
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s|%d|%s", workerJob, name, generation, h.dir))
		var said strings.Builder
		cmd.Stderr = &said
		in, err := cmd.StdinPipe()
		if err != nil {
			h.found("%v", err)
			return
		}
		out, err := cmd.StdoutPipe()
		if err != nil {
			h.found("%v", err)
			return
		}
		h.mu.Lock()
		select {
		case <-stop: // a process that is started now would not be killed
			h.mu.Unlock()
			return
		default:
		}
		err = cmd.Start()
		if err == nil {
			h.alive[i], h.begun[i] = cmd, false
		}
		h.mu.Unlock()
		if err != nil {
			h.found("%v", err)
			return
		}
		h.listen(i, name, out)
		_ = in.Close()
		if err := cmd.Wait(); err == nil || cmd.ProcessState.Exited() {
			h.found("%s ended by itself: %v: %s", name, err, said.String())
			return
		}
	}
}

func (h *herd) found(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.broken = append(h.broken, fmt.Sprintf(format, args...))
}

// listen notes the reports of a worker while it lives. A line that its death cut short does not count.
func (h *herd) listen(i int, name string, out io.Reader) {
	var last *attempt
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var r report
		if err := json.Unmarshal(line, &r); err != nil {
			h.found("%s reports %q", name, line)
			continue
		}
		switch r.What {
		case "try":
			last = &attempt{report: r, worker: name}
			h.mu.Lock()
			h.tries = append(h.tries, last)
			h.begun[i] = true
			h.mu.Unlock()
		case "done":
			h.mu.Lock()
			last.done, last.until, last.Node = true, r.Time, r.Node
			h.mu.Unlock()
		case "refused":
			last.refused, last.until = true, r.Time
		case "partly": // counts as cut short
			h.mu.Lock()
			h.partly = append(h.partly, r.Error)
			h.mu.Unlock()
		default:
			h.found("%s: %s %s: %s", name, r.Kind, r.Key, r.Error)
		}
	}
}

// acknowledged counts the operations that succeeded. h.mu must be held while workers live.
func (h *herd) acknowledged() (n int) {
	for _, a := range h.tries {
		if a.done {
			n++
		}
	}
	return n
}

// Four processes operate on one vault, and one after the other is killed. Each acknowledged operation is made once, and
// none is half made.
func TestKilledAgainAndAgain(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	dir := tortured(t)
	h := run(t, dir, 4, true, nil)
	j := judge(t, h)
	j.sound()
	j.once(said, made, because, ruled, rule, refers)
	j.registers()
	j.atomic()
	j.clean(false)
	t.Logf("kills %d acknowledged %d lost %d half %d duplicated %d", h.kills, h.acknowledged(), j.lost, j.half, j.twice)
}
