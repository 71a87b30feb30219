package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"arbor/cmd/internal/cli"
	"arbor/engine"
	places "arbor/engine/env"
	"arbor/engine/env/command"
	"arbor/engine/env/remote"
	"arbor/engine/errs"
)

func TestMain(m *testing.M) {
	if code, started := command.Main(os.Args[1:]); started { // for the program of a tool
		os.Exit(code)
	}
	os.Exit(m.Run())
}

// A server that machines can connect to, and the code for one.
func newClients(t *testing.T) (c *clients, url, code string) {
	t.Helper()
	c = &clients{pairs: true}
	c.hub()
	var err error
	if c.engine, err = engine.Open(t.Context(), emptyStore{}, engine.Options{Vault: t.TempDir(), State: filepath.Join(t.TempDir(), "state")}); err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/env", c.connect)
	mux.HandleFunc("POST /env/pair", c.pair)
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	var said bytes.Buffer
	if err := c.show(cli.Call{Stderr: &said}); err != nil {
		t.Fatal(err)
	}
	return c, s.URL, strings.TrimSpace(said.String()[strings.LastIndex(said.String(), " ")+1:])
}

// machine is a call of arbor env connect by a person who types the lines.
func machine(t *testing.T, url string, lines io.Reader) cli.Call {
	home := t.TempDir()
	return cli.Call{
		Words: []string{url}, Terminal: lines != nil, Stdin: lines, Stderr: io.Discard, Dir: t.TempDir(),
		Getenv: func(key string) string { return map[string]string{"HOME": home}[key] },
	}
}

// A folder of another machine is read at once and written when its own person agrees; the server never learns where it
// lies.
func TestAFolderOfAnotherMachine(t *testing.T) {
	c, url, code := newClients(t)
	call := machine(t, url, strings.NewReader("y\nn\n"))
	file := filepath.Join(call.Dir, "a.txt")
	if err := os.WriteFile(file, []byte("one\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	s, err := newServed(t.Context(), call, call.Dir, places.Restricted)
	if err != nil {
		t.Fatal(err)
	}
	socket, pairing, err := addresses(url)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.token(t.Context(), socket, pairing, "", "laptop"); err == nil {
		t.Error("it connects without a code")
	}
	if _, err := s.token(t.Context(), socket, pairing, "wrong", "laptop"); err == nil {
		t.Error("a wrong code is taken")
	}
	token, err := s.token(t.Context(), socket, pairing, code, "laptop")
	if err != nil {
		t.Fatal(err)
	}
	if again, err := s.token(t.Context(), socket, pairing, "", ""); err != nil || again != token {
		t.Errorf("the token is not kept: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, socket, token) }()
	for range 5000 {
		if _, ok := c.all.Tools("laptop", s.env.ID); ok {
			break
		}
		<-time.After(time.Millisecond)
	}
	do := func(tool string, in map[string]any) (string, errs.Code) {
		t.Helper()
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.all.Call(t.Context(), "laptop", remote.Call{Tool: tool, Root: s.env.ID, Session: "s1", Arguments: raw})
		if err != nil {
			return err.Error(), errs.As(err).Code
		}
		return string(out), ""
	}
	if got, code := do("file_read", map[string]any{"path": "a.txt", "environment": "laptop.x", "sessionId": "s1"}); code != "" || !strings.Contains(got, "one") || strings.Contains(got, call.Dir) {
		t.Errorf("file_read: %s %s", got, code)
	}
	edit := map[string]any{"path": "a.txt", "old": "one", "new": "two"}
	if got, code := do("file_edit", edit); code != "" {
		t.Errorf("file_edit: %s", got)
	}
	if data, _ := os.ReadFile(file); string(data) != "two\n" {
		t.Errorf("the file is %q", data)
	}
	if got, code := do("file_delete", map[string]any{"path": "a.txt"}); code != errs.ApprovalDenied {
		t.Errorf("file_delete that the person refused: %s", got)
	}
	if got, code := do("file_read", map[string]any{"path": "../x"}); code != errs.PathOutside {
		t.Errorf("outside: %s", got)
	}
	for _, tool := range []string{"approve", "file_approve", "env_trust"} {
		if got, code := do(tool, map[string]any{"id": "x", "tool": tool}); code == "" {
			t.Errorf("%s: %s", tool, got)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// An unanswered question times out and leaves no request. The same call asks again.
func TestAnUnansweredQuestionEnds(t *testing.T) {
	_, url, _ := newClients(t)
	call := machine(t, url, strings.NewReader(""))
	s, err := newServed(t.Context(), call, call.Dir, places.Restricted)
	if err != nil {
		t.Fatal(err)
	}
	s.lines, s.patience = make(chan string, 1), time.Millisecond
	write := remote.Call{Tool: "file_write", Root: s.env.ID, Session: "s1", Arguments: json.RawMessage(`{"path": "b.txt", "content": "x"}`)}
	if _, err := s.handle(t.Context(), write); errs.As(err) == nil || errs.As(err).Code != errs.ApprovalPending {
		t.Errorf("unanswered it ends with %v", err)
	}
	s.asking <- struct{}{} // another question is put
	if _, err := s.handle(t.Context(), write); errs.As(err) == nil || errs.As(err).Code != errs.ApprovalPending {
		t.Errorf("behind another question it ends with %v", err)
	}
	<-s.asking
	if b, err := s.store.Read(); err != nil || len(b.Requests) > 0 {
		t.Errorf("left are %v, %v", b.Requests, err)
	}
	s.lines <- "y"
	s.patience = time.Hour
	if _, err := s.handle(t.Context(), write); err != nil {
		t.Errorf("again: %v", err)
	}
}

// A folder is lent by a person at a terminal, and only over TLS to other machines.
func TestOnlyAPersonLendsAFolder(t *testing.T) {
	_, url, _ := newClients(t)
	call := machine(t, url, nil)
	if _, err := newServed(t.Context(), call, call.Dir, places.Restricted); errs.As(err) == nil || errs.As(err).Code != errs.ToolRefused {
		t.Errorf("nobody is at the terminal: %v", err)
	}
	call = machine(t, url, strings.NewReader(""))
	if _, err := newServed(t.Context(), call, call.Getenv("HOME"), places.Full); err == nil {
		t.Error("all of HOME is lent with full trust")
	}
	for _, address := range []string{"http://plans.example", "ws://10.0.0.1:7433", "ftp://x", "plans.example"} {
		if _, _, err := addresses(address); err == nil {
			t.Errorf("%s is spoken to", address)
		}
	}
}
