package door

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No operation and no address reads a document whose name, or that of a folder above it, begins with a dot: such files
// of the server's user hold passwords and keys.
func TestNoFileOfTheServerIsRead(t *testing.T) {
	w := newWorld(t)
	project := filepath.Dir(w.engine.Vault())
	const secret = "hunter2"
	for _, name := range []string{".pgpass", ".env", ".ssh/id", ".config/arbor/config.toml", "sub/.netrc", "readme.md"} {
		text := secret
		if name == "readme.md" {
			text = "shown to all"
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(project, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(project, name), []byte("# "+text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	worker, assistant := w.browser(w.invite("bob", "work")), w.assistant(w.invite("bob", "work"))
	read := func(target string) (all string) {
		for _, op := range []string{"workspace_update_docs", "memory_import"} {
			args := `{"action": "add", "path": "` + target + `", "description": "x"}`
			if op == "memory_import" {
				args = `{"source": "` + target + `", "slot": "decisions"}`
			}
			all += worker.post("/do/"+op, args).text
		}
		all += worker.send(worker.client, "GET", "/doc?target="+url.QueryEscape(target), "").text
		for _, q := range []string{secret, "shown"} {
			all += worker.post("/do/search", `{"query": "`+q+`", "in": "docs"}`).text
		}
		return all + w.tool(assistant, "context_get", `{"nodeId": "Task"}`).text +
			w.tool(assistant, "workspace_load", `{}`).text + w.tool(assistant, "search", `{"query": "`+secret+`"}`).text +
			worker.send(worker.client, "GET", "/memory", "").text
	}
	for _, target := range []string{".pgpass", ".env", ".ssh/id", ".config/arbor/config.toml", "sub/.netrc", "./.pgpass",
		"x/../.pgpass", "%2epgpass", ".pgpass#x", "sub/../.ssh/id", filepath.ToSlash(filepath.Join(project, ".pgpass")),
		"/etc/passwd", "../../../../../../etc/passwd", "file:///etc/passwd", ".git/config", ".local/people.json"} {
		all := read(target)
		if i := strings.Index(all, "# "+secret); i >= 0 || strings.Contains(all, "root:x:") {
			t.Errorf("a worker reads %s: %.300s", target, all[max(0, i-100):])
		}
	}
	if all := read("readme.md"); !strings.Contains(all, "shown to all") {
		t.Errorf("a document is not shown: %s", all)
	}
	reader := w.browser(w.invite("carol", "read"))
	for _, r := range []reply{reader.post("/do/plan_diff", `{}`), reader.post("/do/blame", `{"nodeId": "Task"}`),
		reader.send(reader.client, "GET", "/node/root/history", ""), worker.post("/do/workspace_init", `{"name": "W", "goal": "x"}`),
		worker.post("/do/node_reference", `{"nodeId": "Task", "action": "add", "targetIdOrPath": "none.md"}`)} {
		if strings.Contains(r.text, filepath.Dir(project)) || strings.Contains(r.text, w.engine.Project()) {
			t.Errorf("a folder of the server is shown: %s", r.text)
		}
	}
	for _, path := range []string{"/etc/passwd", "-", "readme.md"} {
		r := worker.post("/do/import", `{"path": "`+path+`", "into": "root", "from": "markdown"}`)
		if r.code != 422 || !strings.Contains(r.text, "not on the server") {
			t.Errorf("import of %s: %d %s", path, r.code, r.text)
		}
	}
}
