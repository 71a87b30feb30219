package web

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"arbor/engine"
	"arbor/engine/enginetest"
	"arbor/engine/live"
	"arbor/engine/serve/internal/httpguard"
	"arbor/mdstore"
)

// A world is the page of a vault, and a browser that is logged in.
type world struct {
	t      *testing.T
	store  enginetest.Vault
	dir    string // the vault's folder; "" if it has none
	engine *engine.Engine
	site   *Site
	server *httptest.Server
	guest  *http.Client
	tab    string // the tab of the browser
}

func newWorld(t *testing.T, files map[mdstore.Path][]byte) *world {
	t.Helper()
	st, at := enginetest.NewVault(t, "folder", files)
	e, err := engine.Open(t.Context(), st, at)
	if err != nil {
		t.Fatal(err)
	}
	s := New(e, Options{})
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, store: st, dir: at.Vault, engine: e, site: s, server: httptest.NewServer(httpguard.Handler(s.Handler(), httpguard.Options{Open: true})), guest: &http.Client{Jar: jar}}
	t.Cleanup(func() {
		w.server.CloseClientConnections() // streams do not end by themselves
		w.server.Close()
	})
	code, said := w.post("/login", map[string]any{"token": s.Invite()})
	var in struct{ Tab string }
	if err := json.Unmarshal([]byte(said), &in); err != nil || code != http.StatusOK || in.Tab == "" {
		t.Fatalf("login: %d %s", code, said)
	}
	w.tab = in.Tab
	return w
}

// folder returns the vault's folder, for a test of what other programs do to files. It skips the test over a vault that
// has none.
func (w *world) folder() string {
	w.t.Helper()
	if w.dir == "" {
		w.t.Skip("this vault has no folder")
	}
	return w.dir
}

// follow watches the vault and sends changes to the pages.
func (w *world) follow() {
	ready := make(chan struct{})
	told := func(n live.News) { w.site.Hear(n) }
	go func() { _ = w.engine.Follow(w.t.Context(), func() { told(live.News{}); close(ready) }, told) }()
	go func() { _ = w.site.Run(w.t.Context()) }()
	<-ready
}

func (w *world) get(path string, header ...string) (int, string) {
	w.t.Helper()
	return w.send(w.guest, http.MethodGet, path, "", header...)
}

func (w *world) post(path string, body map[string]any) (int, string) {
	w.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		w.t.Fatal(err)
	}
	return w.send(w.guest, http.MethodPost, path, string(data), "Content-Type", "application/json", tabHeader, w.tab)
}

// do calls an operation that must succeed.
func (w *world) do(operation string, args map[string]any) (out map[string]any) {
	w.t.Helper()
	code, said := w.post("/do/"+operation, args)
	if code != http.StatusOK {
		w.t.Fatalf("%s: %d %s", operation, code, said)
	}
	if err := json.Unmarshal([]byte(said), &out); err != nil {
		w.t.Fatal(err)
	}
	return out
}

func (w *world) send(client *http.Client, method, path, body string, header ...string) (int, string) {
	w.t.Helper()
	req, err := http.NewRequestWithContext(w.t.Context(), method, w.server.URL+path, strings.NewReader(body))
	if err != nil {
		w.t.Fatal(err)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return w.answer(client, req)
}

// answer returns the status and body of the answer to a request.
func (w *world) answer(client *http.Client, req *http.Request) (int, string) {
	w.t.Helper()
	res, err := client.Do(req)
	if err != nil {
		w.t.Fatal(err)
	}
	defer res.Body.Close()
	all, err := io.ReadAll(res.Body)
	if err != nil {
		w.t.Fatal(err)
	}
	return res.StatusCode, string(all)
}

// plan makes a workspace with two nodes, and returns its id and those of the nodes.
func (w *world) plan() (ws, first, second string) {
	w.t.Helper()
	ws = w.do("workspace_init", map[string]any{"name": "Website", "goal": "A site for the shop"})["workspaceId"].(string)
	id := func(title string) string {
		out := w.do("node_create", map[string]any{"workspaceId": ws, "parentId": "root", "title": title, "type": "execution", "requirement": "Do " + title})
		return out["nodeId"].(string)
	}
	return ws, id("Design"), id("Shop")
}

// Everybody who is logged in can open the views.
var views = []string{"/", "/plan", "/approvals", "/check"}

func TestStrangersSeeAnEmptyShell(t *testing.T) {
	w := newWorld(t, nil)
	w.plan()
	stranger := &http.Client{}
	for _, path := range append(views, "/node/root") {
		code, said := w.send(stranger, http.MethodGet, path, "")
		if code != http.StatusUnauthorized || !strings.Contains(said, "arbor serve --open") || strings.Contains(said, "Website") {
			t.Errorf("GET %s: %d %s", path, code, said)
		}
	}
	for _, path := range []string{"/events", "/do/workspace_list"} {
		method := http.MethodGet
		if strings.HasPrefix(path, "/do/") {
			method = http.MethodPost
		}
		if code, said := w.send(stranger, method, path, "{}", "Content-Type", "application/json"); code != http.StatusUnauthorized {
			t.Errorf("%s %s: %d %s", method, path, code, said)
		}
	}
}

func TestAnInvitationWorksOnceAndTheLastOneHolds(t *testing.T) {
	w := newWorld(t, nil)
	old, now := w.site.Invite(), w.site.Invite()
	for _, c := range []struct {
		token string
		want  int
	}{{"", 401}, {"wrong", 401}, {old, 401}, {now, 200}, {now, 401}} {
		if code, said := w.post("/login", map[string]any{"token": c.token}); code != c.want {
			t.Errorf("token %q: %d %s, want %d", c.token, code, said, c.want)
		}
	}
}

// Forms of other sites can send these content types without a preflight request.
func TestOnlyJSONChangesAnything(t *testing.T) {
	w := newWorld(t, nil)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"} {
		code, said := w.send(w.guest, http.MethodPost, "/do/workspace_init", `{"name":"X","goal":"Y"}`, "Content-Type", kind, tabHeader, w.tab)
		if code != http.StatusUnsupportedMediaType {
			t.Errorf("%q: %d %s", kind, code, said)
		}
	}
	if code, said := w.get("/do/workspace_init"); code != http.StatusMethodNotAllowed {
		t.Errorf("GET: %d %s", code, said)
	}
}

func TestViewsShowThePlan(t *testing.T) {
	w := newWorld(t, nil)
	for _, path := range views[:2] {
		if _, said := w.get(path); !strings.Contains(said, "arbor init") {
			t.Errorf("%s does not say how to begin: %s", path, said)
		}
	}
	ws, first, second := w.plan()
	for path, want := range map[string]string{
		"/":                            "A site for the shop",
		"/?ws=" + ws:                   "2 open",
		"/plan":                        "Design",
		"/plan?filter=title:shop":      "1 node",
		"/plan?filter=is:done":         `role="alert">query, character 1: is:done names no state`,
		"/board?filter=title:shop":     `class="card" data-id="` + second,
		"/board?filter=due%3Cfri+shop": "&amp;filter=due%3cfri%20shop\"",
		"/node/" + first:               "Do Design",
		"/node/nothing":                "nothing",
		"/approvals":                   "No requests",
		"/check":                       "No problems found",
		"/plan?ws=no-such-folder":      "no-such-folder",
	} {
		if _, said := w.get(path); !strings.Contains(said, want) {
			t.Errorf("GET %s does not say %q:\n%s", path, want, said)
		}
	}
	for _, path := range []string{"/plan?filter=shop", "/board?filter=shop", "/plan?filter=is:ready+shop",
		"/plan?filter=is:done"} {
		if _, said := w.get(path); strings.Contains(said, "Design") {
			t.Errorf("%s shows what the filter does not ask for", path)
		}
	}
	if _, said := w.get("/plan", "Arbor-Part", "main"); strings.Contains(said, "<html") || !strings.Contains(said, "Design") {
		t.Errorf("a part of the page is not a part: %s", said)
	}
}

func TestReferencesAreReadFromBothEnds(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, second := w.plan()
	w.do("node_reference", map[string]any{"workspaceId": ws, "nodeId": second, "targetIdOrPath": first, "action": "add", "description": "its colours"})
	if _, said := w.get("/node/" + second); !strings.Contains(said, `">Design</a> its colours`) {
		t.Errorf("the node that refers: %s", said)
	}
	if _, said := w.get("/node/" + first); !strings.Contains(said, "Referenced by") || !strings.Contains(said, `">Shop</a>`) {
		t.Errorf("the node that is referred to: %s", said)
	}
}

// The overview lists the changes since the last visit. A page that is drawn again is not a visit.
func TestSinceTheLastVisit(t *testing.T) {
	now := time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)
	var cookie string
	for _, step := range []struct {
		after  time.Duration
		opened bool
		want   time.Duration // the last visit, before now; 0 for none
	}{
		{0, true, 0}, {time.Minute, true, 0}, {time.Hour, false, 0}, {time.Minute, true, 61 * time.Minute}, {time.Minute, true, 62 * time.Minute},
		{2 * time.Hour, false, 0}, {0, true, 2 * time.Hour},
	} {
		now = now.Add(step.after)
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.Header.Set("Cookie", cookie)
		w := httptest.NewRecorder()
		before := visit(w, r, now, step.opened)
		if set := w.Result().Cookies(); len(set) > 0 {
			cookie = set[0].Name + "=" + set[0].Value
		} else if step.opened {
			t.Error("a visit is not noted")
		}
		want := int64(0)
		if step.want > 0 {
			want = now.Add(-step.want).UnixMilli()
		}
		if step.opened && before != want {
			t.Errorf("%+v: %v, want %v", step, time.UnixMilli(before), time.UnixMilli(want))
		}
	}
}

func TestChangesAreMadeByOperations(t *testing.T) {
	w := newWorld(t, nil)
	ws, first, _ := w.plan()
	w.do("node_update", map[string]any{"workspaceId": ws, "nodeId": first, "requirement": "# Draw it"})
	if _, said := w.get("/node/" + first); !strings.Contains(said, `<h3 dir="auto">Draw it</h3>`) {
		t.Errorf("the new text is not shown: %s", said)
	}
	code, said := w.post("/do/node_update", map[string]any{"workspaceId": ws, "nodeId": first, "requirement": "Other", "ifMatch": "old"})
	if code != http.StatusConflict {
		t.Errorf("an old version: %d %s", code, said)
	}
	if code, said := w.post("/do/no_such", nil); code != http.StatusNotFound {
		t.Errorf("no such operation: %d %s", code, said)
	}
}
