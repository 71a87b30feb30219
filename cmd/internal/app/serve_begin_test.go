package app

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/cmd/internal/cli"
)

// An account is what the commands of one person see of the environment.
type account map[string]string

func newAccount(t *testing.T) account {
	return account{"BROWSER": "no-such-browser", "XDG_STATE_HOME": t.TempDir()}
}

func (a account) system(dir string, out, err io.Writer, args ...string) cli.System {
	return cli.System{Args: args, Stdout: out, Stderr: err, Dir: dir, Getenv: func(name string) string { return a[name] }}
}

// serves starts arbor serve in a folder. It returns the address of the page, a reader of what goes to stderr behind it,
// and a function that ends the server.
func (a account) serves(t *testing.T, dir string, args ...string) (base string, said *bufio.Reader, end func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	read, out := io.Pipe()
	errors, errs := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, a.system(dir, out, errs, append([]string{"serve"}, args...)...))
		out.Close()
		errs.Close()
	}()
	said = bufio.NewReader(errors)
	var first bytes.Buffer
	told := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(read).ReadString('\n')
		told <- line
		_, _ = io.Copy(io.Discard, read)
	}()
	select {
	case line := <-told:
		base = strings.TrimSuffix(strings.TrimSpace(line), "/mcp")
	case code := <-ended:
		t.Fatalf("arbor serve %v ends with %d: %s", args, code, &first)
	}
	return base, said, func() {
		cancel()
		go func() { _, _ = io.Copy(io.Discard, said) }()
		<-ended
	}
}

// Each vault has a port, which it keeps. arbor serve --open finds the server of the vault wherever it listens.
func TestEachVaultHasAPortOfItsOwn(t *testing.T) {
	a := newAccount(t)
	var bases []string
	for _, name := range []string{"one", "two"} {
		dir := lay(t, nil)
		if code := run(t.Context(), a.system(dir, io.Discard, io.Discard, "init", name, "-q")); code != 0 {
			t.Fatalf("init ends with %d", code)
		}
		base, _, end := a.serves(t, dir, "-q")
		bases = append(bases, base)
		says := func(code int, want string, args ...string) {
			t.Helper()
			var said bytes.Buffer
			if got := run(t.Context(), a.system(dir, io.Discard, &said, args...)); got != code || !strings.Contains(said.String(), want) {
				t.Errorf("arbor %v: %d %s", args, got, &said)
			}
		}
		says(2, base, "serve")
		says(0, base+"/#token=", "serve", "--open")
		end()
		elsewhere, _, end := a.serves(t, dir, "-q", "--listen", "127.0.0.1:0")
		says(0, elsewhere+"/#token=", "serve", "--open")
		end()
		again, _, end := a.serves(t, dir, "-q")
		if end(); again != base {
			t.Errorf("the port was that of %s and is now that of %s", base, again)
		}
	}
	if bases[0] == bases[1] {
		t.Errorf("both vaults are at %s", bases[0])
	}
}

// Without a vault, serve --open serves a page that makes one with its first workspace, and nothing before. Assistants
// can connect from then on.
func TestThePageBeginsWhereThereIsNoVault(t *testing.T) {
	a, dir := newAccount(t), lay(t, nil)
	if code := run(t.Context(), a.system(dir, io.Discard, io.Discard, "serve")); code != 3 {
		t.Errorf("serve without a vault ends with %d", code)
	}
	base, said, end := a.serves(t, dir, "--open")
	defer end()
	token := ""
	for token == "" {
		line, err := said.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		_, token, _ = strings.Cut(strings.TrimSpace(line), "#token=")
	}
	began := make(chan string, 1)
	go func() {
		line, _ := said.ReadString('\n')
		began <- line
	}()
	send := func(path, body string, header map[string]string, into any) int {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		for k, v := range header {
			req.Header.Set(k, v)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		for _, c := range res.Cookies() {
			header["Cookie"] = c.Name + "=" + c.Value
		}
		if into != nil {
			if err := json.NewDecoder(res.Body).Decode(into); err != nil {
				t.Fatal(err)
			}
		}
		return res.StatusCode
	}
	browser := map[string]string{}
	var in struct{ Tab string }
	if status := send("/login", `{"token":"`+token+`"}`, browser, &in); status != http.StatusOK {
		t.Fatalf("login: %d", status)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("before the first title: %v, %v", left, err)
	}
	browser["Arbor-Tab"] = in.Tab
	garden := `{"name":"Garden","goal":"Vegetables"}`
	if status := send("/do/workspace_init", garden, browser, nil); status != http.StatusOK {
		t.Fatalf("workspace_init: %d", status)
	}
	select {
	case line := <-began:
		if !strings.Contains(line, "assistants can connect") {
			t.Errorf("%s", line)
		}
	case <-time.After(time.Minute):
		t.Fatal("assistants cannot connect")
	}
	secret, err := os.ReadFile(filepath.Join(dir, ".tanmi-workspace", ".local", "token"))
	if err != nil {
		t.Fatal(err)
	}
	hello := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
		`"capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`
	bearer := map[string]string{"Authorization": "Bearer " + string(bytes.TrimSpace(secret)),
		"Accept": "application/json, text/event-stream"}
	if status := send("/mcp", hello, bearer, nil); status != http.StatusOK {
		t.Errorf("an assistant: %d", status)
	}
}
