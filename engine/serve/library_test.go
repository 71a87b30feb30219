package serve_test

import (
	"bufio"
	"fmt"
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
	files := map[string]string{"go.sum": string(sums),
		"go.mod": fmt.Sprintf("module example.org/shelf\n\ngo 1.26.0\n\nrequire arbor v0.0.0\n\nreplace arbor => %q\n", root)}
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
