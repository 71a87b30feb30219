package serve_test

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The program of docs/library.md, a module of its own, builds as it stands, its store keeps the promises of storetest,
// and what an assistant creates with it is there after it is started again.
func TestLibraryPage(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	page, err := os.ReadFile("../../docs/library.md")
	if err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(mod), "\n")
	module := strings.TrimPrefix(line, "module ")
	files := map[string]string{"go.sum": string(sums), "go.mod": fmt.Sprintf(
		"module example.org/shelf\n\ngo 1.26.0\n\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]q\n", module, root)}
	for i, block := range strings.Split(string(page), "```") {
		first, text, _ := strings.Cut(block, "\n")
		if name, is := strings.CutPrefix(first, "go "); is && i%2 == 1 {
			files[name] = text
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{{"vet", "."}, {"test", "."}, {"build", "-o", "shelf.exe", "."}} {
		run := exec.Command("go", args...)
		run.Dir = dir
		run.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off")
		if out, err := run.CombinedOutput(); err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	told(t, dir, "workspace_init", `{"name": "Shed", "goal": "a roof"}`)
	told(t, dir, "node_create", `{"title": "Saw the boards"}`)
	if got := told(t, dir, "node_list", `{}`); !strings.Contains(got, "Saw the boards") {
		t.Errorf("started again it lists %s", got)
	}
	if got := shown(t, dir); !strings.Contains(got, "Saw the boards") {
		t.Errorf("the page is\n%s", got)
	}
}

// shown starts the program as a server, logs in as a browser does, and returns the page of the plan.
func shown(t *testing.T, dir string) string {
	t.Helper()
	run := exec.CommandContext(t.Context(), filepath.Join(dir, "shelf.exe"), filepath.Join(dir, "plan.json"), "127.0.0.1:0")
	run.Stderr = t.Output()
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	}()
	line, err := bufio.NewReader(out).ReadString('\n')
	base, token, ok := strings.Cut(strings.TrimSpace(line), "/#token=")
	if err != nil || !ok {
		t.Fatalf("it prints %q, %v", line, err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	fetch := func(method, path, body string) string {
		req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := browser.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		text, err := io.ReadAll(resp.Body)
		if err != nil || resp.StatusCode != http.StatusOK {
			t.Fatalf("%s %s: %s, %v\n%s", method, path, resp.Status, err, text)
		}
		return string(text)
	}
	fetch("POST", "/login", fmt.Sprintf(`{"token": %q}`, token))
	return fetch("GET", "/plan", "")
}

// told starts the program, calls one tool, and returns the reply once the program has ended.
func told(t *testing.T, dir, tool, args string) string {
	t.Helper()
	run := exec.Command(filepath.Join(dir, "shelf.exe"), filepath.Join(dir, "plan.json"))
	run.Stderr = t.Output()
	in, err := run.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := run.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	ask := func(id int, method, params string) (reply string) {
		fmt.Fprintf(in, `{"jsonrpc": "2.0", "id": %d, "method": %q, "params": %s}`+"\n", id, method, params)
		for !strings.Contains(reply, fmt.Sprintf(`"id":%d`, id)) {
			if reply, err = lines.ReadString('\n'); err != nil {
				t.Fatalf("%s: %v", method, err)
			}
		}
		return reply
	}
	ask(1, "initialize", `{"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}`)
	fmt.Fprintln(in, `{"jsonrpc": "2.0", "method": "notifications/initialized"}`)
	reply := ask(2, "tools/call", fmt.Sprintf(`{"name": %q, "arguments": %s}`, tool, args))
	if strings.Contains(reply, `"isError":true`) {
		t.Fatalf("%s: %s", tool, reply)
	}
	in.Close()
	if err := run.Wait(); err != nil {
		t.Fatal(err)
	}
	return reply
}
