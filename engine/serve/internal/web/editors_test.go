package web

import (
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/serve/internal/httpguard"
)

// A file opens in an editor also where the vault lies within the project, as usual: its path is shown relative to that.
func TestAFileOfTheProjectOpensInAnEditor(t *testing.T) {
	w := newWorld(t, enginetest.Sized(3))
	w.folder()
	st, at := enginetest.NewVault(t, "folder", enginetest.Sized(3))
	at.Project = filepath.Dir(at.Vault)
	e, err := engine.Open(t.Context(), st, at)
	if err != nil {
		t.Fatal(err)
	}
	s := New(e, Options{})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(httpguard.Handler(s.Handler(), httpguard.Options{Open: true}))
	t.Cleanup(server.Close)
	w.site, w.server, w.guest = s, server, &http.Client{Jar: jar}
	if code, said := w.post("/login", map[string]any{"token": s.Invite()}); code != http.StatusOK {
		t.Fatalf("login: %d %s", code, said)
	}
	_, said := w.get("/node/root")
	want := "vscode://file" + filepath.ToSlash(at.Project) + "/"
	if !strings.Contains(said, want) || !strings.Contains(said, ">Obsidian</a>") ||
		strings.Contains(said, "<code>"+at.Project) {
		t.Errorf("it lacks %s:\n%s", want, said)
	}
}
