package web

import (
	"fmt"
	"net/http"
	"net/http/httptrace"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"arbor/engine/enginetest"
	"arbor/engine/exchange"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// Each view has at most 300 kB, not compressed, also after a large import, with many sessions and slots and a long log.
// go test -v prints the sizes and the times.
func TestEveryViewIsLight(t *testing.T) {
	sizes, many, lines := []int{50}, 5, 2000
	if os.Getenv("ARBOR_HEAVY") != "" {
		sizes, many = []int{50, 2000, 10000}, 30
	}
	for _, n := range sizes {
		t.Run(fmt.Sprint(n), func(t *testing.T) { lightViews(t, n, many, lines) })
	}
}

func lightViews(t *testing.T, nodes, many, lines int) {
	files := enginetest.Sized(nodes)
	var ws, node mdstore.ID
	for p, data := range files { // the log of one node is long
		id := mdstore.ID(p.Dir().Base())
		if mdstore.AllKinds().Of(p) == mdstore.NodeKind && id != mdstore.Root && (node == "" || id < node) {
			node = id
		}
		if mdstore.AllKinds().Of(p) == mdstore.WorkspaceKind {
			ws = mdstore.ParseWorkspace(mdstore.File{Path: p, Data: data}).ID
		}
	}
	for p, data := range files {
		if mdstore.ID(p.Dir().Base()) == node {
			files[p] = append(data, []byte("\n## Log\n\n"+strings.Repeat("- [2026-01-01 10:00:00] [AI] "+strings.Repeat("what was done ", 15)+"\n", lines))...)
		}
	}
	w := newWorld(t, files)
	text := []byte(strings.Repeat("- A task that is imported\n\n  with what it needs\n", nodes))
	w.assistant("", "import", &ops.ImportIn{In: ops.In{WorkspaceID: string(ws)}, Path: "-", From: "markdown", Into: "root", RulesRead: true,
		Source: exchange.Source{Read: func(string) ([]byte, error) { return text, nil }}})
	for i := range many {
		w.do("session_start", map[string]any{"workspaceId": ws, "name": fmt.Sprint("Session ", i), "goal": strings.Repeat("A long goal. ", 50)})
		w.do("memory_save", map[string]any{"workspaceId": ws, "slot": fmt.Sprint("slot-", i), "text": strings.Repeat("What was decided, and why. ", 50)})
	}
	paths := []string{"/", "/plan", "/plan?filter=task", "/board", "/graph", "/activity", "/search?q=task", "/memory", "/slot/slot-0", "/sessions",
		"/approvals", "/check", "/node/root", "/node/" + string(node), "/node/" + string(node) + "?tab=context", "/node/" + string(node) + "/history"}
	_, activity := w.get("/activity")
	for _, m := range regexp.MustCompile(`data-part="([^"]+)"`).FindAllStringSubmatch(activity, -1) {
		paths = append(paths, m[1])
	}
	for _, path := range paths {
		began, first := time.Now(), time.Duration(0)
		trace := &httptrace.ClientTrace{GotFirstResponseByte: func() { first = time.Since(began) }}
		req, err := http.NewRequestWithContext(httptrace.WithClientTrace(t.Context(), trace), http.MethodGet, w.server.URL+path, http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		code, said := w.answer(w.guest, req)
		t.Logf("%d nodes, %s: %d bytes after %d ms, the first after %d ms", nodes, path, len(said),
			time.Since(began).Milliseconds(), first.Milliseconds())
		if len(said) > 300e3 || code != 200 {
			t.Errorf("%d nodes, %s: %d, %d bytes", nodes, path, code, len(said))
		}
	}
}
