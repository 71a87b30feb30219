package app

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"arbor/cmd/internal/cli"
)

// arbor serve answers who has the token of the vault, nobody else, and ends when it is told to.
func TestServe(t *testing.T) {
	dir := lay(t, nil)
	person := map[string]string{"BROWSER": "no-such-browser", "XDG_STATE_HOME": t.TempDir()}
	sys := func(out io.Writer, args ...string) cli.System {
		return cli.System{Args: args, Stdout: out, Stderr: io.Discard, Dir: dir, Getenv: func(name string) string { return person[name] }}
	}
	if code := run(t.Context(), sys(io.Discard, "init", "Login", "--goal", "Users sign in")); code != 0 {
		t.Fatalf("init ends with %d", code)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	said, out := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, sys(out, "serve", "--listen", "127.0.0.1:0"))
		out.Close()
	}()
	url, err := bufio.NewReader(said).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	url = strings.TrimSpace(url)
	file := filepath.Join(dir, ".tanmi-workspace", ".local", "token")
	token, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read the token: %v, %v", info.Mode(), err)
	}
	post := func(header map[string]string, body string) (int, string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
		for k, v := range header {
			if k == "Host" {
				req.Host = v
			}
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	bearer := "Bearer " + string(bytes.TrimSpace(token))
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	modern := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"workspace_get","arguments":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
		`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	example := regexp.MustCompile(`(?s)curl --json '([^']*)'.* -H "Accept: ([^"]*)"`).FindStringSubmatch(serveCommand("").Example)
	if example == nil {
		t.Fatalf("help shows no request:\n%s", serveCommand("").Example)
	}
	for _, tt := range []struct {
		name   string
		header map[string]string
		body   string
		status int
		says   string
	}{
		{"an old client", map[string]string{"Authorization": bearer}, hello, 200, "Arbor keeps plans"},
		{"who follows help", map[string]string{"Authorization": bearer, "Accept": example[2]}, example[1], 200, "Arbor keeps plans"},
		{"a new client", map[string]string{"Authorization": bearer, "Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "workspace_get"}, modern, 200, "Users sign in"},
		{"no token", nil, hello, 401, ".local/token of the vault"},
		{"another token", map[string]string{"Authorization": "Bearer x"}, hello, 401, ""},
		{"a page of another origin", map[string]string{"Authorization": bearer, "Origin": "https://evil.example"}, hello, 403, ""},
		{"a name that was pointed here", map[string]string{"Authorization": bearer, "Host": "evil.example"}, hello, 403, ""},
		{"too much", map[string]string{"Authorization": bearer}, strings.Repeat(" ", 5<<20), 413, ""},
	} {
		status, text := post(tt.header, tt.body)
		if status != tt.status || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %d %s", tt.name, status, text)
		}
		if strings.Contains(text, dir) && status != 200 {
			t.Errorf("%s learns where the vault is: %s", tt.name, text)
		}
	}
	// Only an invitation logs a browser in. serve --open writes it into the person's state folder. The clients' token does
	// not log in, and the page's operations refuse it.
	base := strings.TrimSuffix(url, "/mcp")
	for _, path := range []string{"/invite", "/login", "/do/workspace_init", "/do/env_register", "/do/approve", "/join"} {
		url = base + path
		body := `{"token":"` + string(bytes.TrimSpace(token)) + `"}`
		if status, text := post(map[string]string{"Authorization": bearer}, body); status != 401 && status != 404 && status != 405 {
			t.Errorf("the clients' token at %s: %d %s", path, status, text)
		}
	}
	var shown bytes.Buffer
	again := sys(io.Discard, "serve", "--open", "--listen", strings.TrimPrefix(base, "http://"))
	again.Stderr = &shown
	if code := run(t.Context(), again); code != 0 || !strings.Contains(shown.String(), base+"/#token=") {
		t.Errorf("serve --open beside a server: %d %s", code, &shown)
	}
	_, invited, _ := strings.Cut(strings.TrimSpace(shown.String()), "#token=")
	for _, c := range []struct {
		path, body string
		status     int
	}{{"/plan", "", 401}, {"/login", `{"token":"x"}`, 401}, {"/login", `{"token":"` + invited + `"}`, 200}, {"/login", `{"token":"` + invited + `"}`, 401}} {
		url = base + c.path
		status := 0
		if c.body == "" {
			res, err := http.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			res.Body.Close()
			status = res.StatusCode
		} else {
			status, _ = post(nil, c.body)
		}
		if status != c.status {
			t.Errorf("%s %s: %d", c.path, c.body, status)
		}
	}
	cancel()
	if code := <-ended; code != 130 && code != 0 {
		t.Errorf("it ends with %d", code)
	}
}
