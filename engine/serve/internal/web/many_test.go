package web

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
)

// A hundred streams each get the last change of a writer. When they end, nothing of them is left.
func TestStreamsAreToldAndLeaveNothing(t *testing.T) {
	w := newWorld(t, nil)
	w.follow()
	ws, first, _ := w.plan()
	const streams = 100
	var began, told sync.WaitGroup
	began.Add(streams)
	marker := make(chan struct{}) // closed before the last change
	for range streams {
		told.Go(func() {
			begun := sync.OnceFunc(began.Done)
			defer begun()
			res, err := w.guest.Get(w.server.URL + "/events")
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			if res.StatusCode != http.StatusOK {
				t.Errorf("a stream is refused: %s", res.Status)
			}
			in := bufio.NewScanner(res.Body)
			for last, once := false, false; in.Scan(); {
				if strings.HasPrefix(in.Text(), "event: begin") && !once {
					once = true
					begun()
					<-marker
				}
				if last = strings.Contains(in.Text(), first); last {
					return
				}
			}
			t.Error("a stream ended before it was told")
		})
	}
	began.Wait()
	close(marker)
	w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": first, "event": "the last one"})
	told.Wait()
	w.guest.CloseIdleConnections()
	w.server.CloseClientConnections()
	w.server.Close()
	w.site.mu.Lock()
	defer w.site.mu.Unlock()
	if n := len(w.site.streams); n != 0 {
		t.Errorf("%d streams are left", n)
	}
}

// Many open pages in a browser all show the last state, by one stream. A hidden page asks for nothing until it is shown
// again.
func TestPagesShowTheLastState(t *testing.T) {
	pages := 4
	if os.Getenv("ARBOR_HEAVY") != "" {
		pages = 100
	}
	w := newWorld(t, nil)
	b := newBrowser(t)
	w.follow()
	ws, first, _ := w.plan()
	all := []*page{b.open(w, "/node/"+first)}
	for range pages - 1 {
		p := b.tab(w.server.URL)
		p.visit("/node/" + first)
		all = append(all, p)
	}
	for i := range 20 {
		w.do("log_append", map[string]any{"workspaceId": ws, "nodeId": first, "event": fmt.Sprintf("entry number %d", i)})
	}
	p := all[len(all)-1]
	p.sees("entry number 19")
	asked := `performance.getEntriesByType("resource").filter((e) => e.name === location.href).length`
	if n := all[0].eval(`document.hidden && ` + asked); n == false || n.(float64) > 2 { // two before it was hidden
		t.Errorf("a hidden page has asked %v times", n)
	}
	for _, p := range all {
		p.front()
		p.sees("entry number 19")
	}
	streams := func() int {
		w.site.mu.Lock()
		defer w.site.mu.Unlock()
		return len(w.site.streams)
	}
	for range 200 { // the server may not know yet that the stream of a page that was left is gone
		if streams() == 1 {
			break
		}
		p.eval(`new Promise((done) => setTimeout(done, 20))`)
	}
	if n := streams(); n != 1 {
		t.Errorf("%d pages have %d streams", pages, n)
	}
	b.must("", "Target.closeTarget", map[string]any{"targetId": all[0].target}, nil) // the page with the stream
	w.saved(first, "Do Design", "Do it well")
	for _, p := range all[1:] {
		p.front()
		p.sees("Do it well")
	}
	if code, _ := w.send(&http.Client{}, http.MethodGet, "/events", ""); code != http.StatusUnauthorized {
		t.Errorf("a stranger's stream: %d", code)
	}
}
