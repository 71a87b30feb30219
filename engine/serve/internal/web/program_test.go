package web

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A project is a folder in which a person and assistants use the program as it is shipped.
type project struct {
	t       *testing.T
	dir     string
	program string
	env     []string
	cmd     *exec.Cmd // the server
	base    string    // its address
	opened  string    // the address that the browser gets
	ready   chan bool // closed when assistants can connect
}

// newProject builds the program, for an empty folder.
func newProject(t *testing.T) *project {
	t.Helper()
	pr := &project{t: t, dir: t.TempDir(), program: filepath.Join(t.TempDir(), "arbor")}
	if said, err := exec.CommandContext(t.Context(), "go", "build", "-o", pr.program, "arbor/cmd/arbor").CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, said)
	}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ARBOR_") && !strings.HasPrefix(v, "CLAUDE_") {
			pr.env = append(pr.env, v)
		}
	}
	home := t.TempDir()
	pr.env = append(pr.env, "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CONFIG_HOME="+home, "BROWSER=no-such-browser")
	return pr
}

// serve starts the server, and waits until it has said the address for a browser.
func (pr *project) serve() {
	pr.t.Helper()
	pr.cmd = exec.Command(pr.program, "serve", "--open", "--toolsets", "all")
	pr.cmd.Dir, pr.cmd.Env = pr.dir, pr.env
	said, err := pr.cmd.StderrPipe()
	if err == nil {
		err = pr.cmd.Start()
	}
	if err != nil {
		pr.t.Fatal(err)
	}
	cmd := pr.cmd
	pr.t.Cleanup(func() { _ = cmd.Process.Kill() }) // it may have ended
	in := bufio.NewReader(said)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			pr.t.Fatalf("arbor serve --open gives no address: %v", err)
		}
		if base, _, ok := strings.Cut(strings.TrimSpace(line), "/#token="); ok {
			pr.base, pr.opened = base, strings.TrimSpace(line)
			break
		}
	}
	pr.ready = make(chan bool)
	go func() {
		for lines := bufio.NewScanner(in); lines.Scan(); {
			if strings.Contains(lines.Text(), "assistants can connect") {
				close(pr.ready)
			}
		}
	}()
}

// stop ends the server as Ctrl+C does.
func (pr *project) stop() {
	pr.t.Helper()
	_ = pr.cmd.Process.Signal(os.Interrupt)
	_ = pr.cmd.Wait() // its exit code is that of an interrupt
}

// file returns the file of the node with a title, and its text.
func (pr *project) file(title string) (name, text string) {
	pr.t.Helper()
	all, _ := filepath.Glob(filepath.Join(pr.dir, ".tanmi-workspace", "*", "nodes", "*", "Node.md"))
	for _, name := range all {
		data, err := os.ReadFile(name)
		if err != nil {
			pr.t.Fatal(err)
		}
		if strings.Contains(string(data), "\ntitle: "+title+"\n") {
			return name, string(data)
		}
	}
	pr.t.Fatalf("no file of %s in %q", title, all)
	return "", ""
}

// An assistant is a client of MCP over HTTP.
type assistant struct {
	pr      *project
	name    string
	session string
	id      int
}

// assistant connects an assistant, which begins a session.
func (pr *project) assistant(name string) *assistant {
	pr.t.Helper()
	a := &assistant{pr: pr, name: name}
	a.connect()
	a.call("session_start", map[string]any{"sessionId": name, "name": name})
	return a
}

func (a *assistant) connect() {
	a.pr.t.Helper()
	a.session = ""
	a.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": a.name, "version": "1"}})
}

// call calls a tool that must succeed, and returns its reply.
func (a *assistant) call(tool string, args map[string]any) map[string]any {
	a.pr.t.Helper()
	out, said := a.try(tool, args)
	if out == nil {
		a.pr.t.Fatalf("%s: %s %v: %s", a.name, tool, args, said)
	}
	return out
}

// try calls a tool, and returns its reply; nil if it was refused, with the reason.
func (a *assistant) try(tool string, args map[string]any) (out map[string]any, said string) {
	a.pr.t.Helper()
	var reply struct {
		Content           []struct{ Text string }
		StructuredContent map[string]any
		IsError           bool
	}
	if err := json.Unmarshal(a.ask("tools/call", map[string]any{"name": tool, "arguments": args}), &reply); err != nil {
		a.pr.t.Fatal(err)
	}
	for _, c := range reply.Content {
		said += c.Text
	}
	if reply.IsError {
		return nil, said
	}
	return reply.StructuredContent, said
}

// ask posts a request, and returns its result.
func (a *assistant) ask(method string, params any) json.RawMessage {
	a.pr.t.Helper()
	a.id++
	body, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": a.id, "method": method, "params": params})
	if err != nil {
		a.pr.t.Fatal(err)
	}
	token, err := os.ReadFile(filepath.Join(a.pr.dir, ".tanmi-workspace", ".local", "token"))
	if err != nil {
		a.pr.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(a.pr.t.Context(), http.MethodPost, a.pr.base+"/mcp", bytes.NewReader(body))
	if err != nil {
		a.pr.t.Fatal(err)
	}
	for key, value := range map[string]string{"Authorization": "Bearer " + strings.TrimSpace(string(token)),
		"Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Session-Id": a.session, "Mcp-Protocol-Version": "2025-06-18", "Arbor-Session": a.name} {
		if value != "" {
			req.Header.Set(key, value)
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		a.pr.t.Fatal(err)
	}
	defer res.Body.Close()
	if session := res.Header.Get("Mcp-Session-Id"); session != "" {
		a.session = session
	}
	said, err := io.ReadAll(res.Body)
	if err != nil {
		a.pr.t.Fatal(err)
	}
	for line := range strings.Lines(string(said)) {
		var reply struct{ Result json.RawMessage }
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &reply) == nil && reply.Result != nil {
			return reply.Result
		}
	}
	a.pr.t.Fatalf("%s: %s: %d %s", a.name, method, res.StatusCode, said)
	return nil
}
