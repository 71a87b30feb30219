//go:build unix

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// A host is a server of HTTP that is killed from time to time, and started anew.
type host struct {
	w     *world
	url   atomic.Pointer[string] // of the one that runs
	calls atomic.Int64           // that were answered
	kills int
}

// up runs servers one after the other until the round is over. Each is killed but the last one, which ends by itself.
func (h *host) up() {
	for {
		cmd := exec.Command("arbor", "serve", "--listen", "127.0.0.1:0", "--toolsets", "all")
		cmd.Dir, cmd.Env = h.w.dir, h.w.env
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			h.w.Error(err)
			return
		}
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			h.w.Errorf("arbor serve says no address: %v", err)
		}
		url := strings.TrimSpace(line)
		h.url.Store(&url)
		h.w.pause(6 * time.Second)
		if h.w.ended() {
			_ = cmd.Process.Signal(os.Interrupt)
			if err := cmd.Wait(); err != nil {
				h.w.Errorf("arbor serve ends with %v", err)
			}
			return
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		h.kills++
	}
}

// A visitor is a client of MCP over HTTP, for one visit.
type visitor struct {
	h       *host
	url     string
	session string
	id      int
}

// ask posts a request and returns the result; nil where the server was killed.
func (v *visitor) ask(method string, params any) json.RawMessage {
	v.id++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": v.id, "method": method, "params": params})
	if err != nil {
		panic(err)
	}
	token, err := os.ReadFile(filepath.Join(v.h.w.vault, ".local", "token"))
	if err != nil {
		return nil
	}
	req, err := http.NewRequest(http.MethodPost, v.url, bytes.NewReader(body))
	if err != nil {
		return nil
	}
	for key, value := range map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token)), "Content-Type": "application/json",
		"Accept": "application/json, text/event-stream", "Mcp-Session-Id": v.session, "Mcp-Protocol-Version": "2025-06-18"} {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	res, err := (&http.Client{Timeout: hung}).Do(req)
	if err != nil {
		return nil
	}
	defer res.Body.Close()
	if session := res.Header.Get("Mcp-Session-Id"); session != "" {
		v.session = session
	}
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		var reply struct{ Result json.RawMessage }
		line = strings.TrimPrefix(line, "data: ")
		if json.Unmarshal([]byte(line), &reply) == nil && reply.Result != nil {
			v.h.calls.Add(1)
			return reply.Result
		}
	}
	return nil
}

func (v *visitor) call(tool string, args map[string]any) answer {
	return answered(v.h.w, tool, v.ask("tools/call", map[string]any{"name": tool, "arguments": args}))
}

// Clients of MCP over HTTP come and go while their server is killed again and again, commands and stale editors write,
// streams are not read and a person stashes: every write that was acknowledged is in a file, in git, in a copy, or
// told.
func TestSoak(t *testing.T) {
	t.Parallel()
	needGit(t)
	if os.Getenv("ARBOR_HEAVY") == "" {
		t.Skip("it plays for minutes; ARBOR_HEAVY=1 runs it")
	}
	rounds(t, []setting{{2, false}}, func(w *world, run func(func())) {
		h := &host{w: w}
		p := w.repository()
		nodes := w.nodes[:3]
		w.writers(run, nodes...)
		run(h.up)
		for i := range 8 {
			run(func() {
				for n := 0; !w.ended(); n++ {
					url := h.url.Load()
					if url == nil {
						w.pause(100 * time.Millisecond)
						continue
					}
					v := &visitor{h: h, url: *url}
					if v.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
						"clientInfo": map[string]any{"name": "soak", "version": "1"}}) == nil {
						w.pause(200 * time.Millisecond)
						continue
					}
					node := pick(nodes)
					for range 1 + rand.IntN(4) {
						a := &write{token: w.token(), file: w.file(node), who: fmt.Sprintf("visitor %d.%d", i, n)}
						w.note(v, a, "log_append", map[string]any{"nodeId": node, "operator": "AI", "event": "said " + a.token})
					}
					w.pause(time.Second)
				}
			})
		}
		for range 2 {
			run(func() {
				for !w.ended() {
					b := w.open(w.file(pick(nodes)))
					w.pause(min(3*time.Second, w.last/2))
					b.whole(b.insert())
				}
			})
		}
		run(func() {
			for !w.ended() {
				if w.pause(2 * time.Second); p.do("stash -q") {
					p.popped()
				}
			}
			for p.do("stash pop -q") {
			}
			t.Logf("%d calls were answered over HTTP, %d servers were killed", h.calls.Load(), h.kills)
		})
	})
}
