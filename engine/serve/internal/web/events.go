package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"arbor/engine/feed"
)

// An event is what a page is told of a change: what it is about, not what it says. The page asks for what it shows.
type event struct {
	Kind      string `json:"kind"`
	Workspace string `json:"workspace,omitempty"`
	Node      string `json:"node,omitempty"`
}

// Run tells the pages what changes, until ctx ends; its error is that of feed.Feed.Serve. It begins when the vault is
// followed, which Hear says.
func (s *Site) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.begun:
	}
	return s.feed.Serve(ctx, s.engine.Live())
}

func (s *Site) tell(r feed.Report) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember(r)
	for _, e := range r.Events {
		for c := range s.streams {
			select {
			case c <- event{Kind: e.Kind, Workspace: string(e.Workspace), Node: string(e.Node)}:
			default: // the page is behind, and is told to look at everything again
				delete(s.streams, c)
				close(c)
			}
		}
	}
	return nil
}

// behind is how many events wait for a page that does not take them.
const behind = 64

// beat is how often a stream without events says that it is there.
const beat = 20 * time.Second

// events is the stream of what changes. It ends where the page is behind: the browser connects again, and looks at
// everything anew.
func (s *Site) events(w http.ResponseWriter, r *http.Request) {
	c := make(chan event, behind)
	s.mu.Lock()
	s.streams[c] = true
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.streams, c)
		s.mu.Unlock()
	}()
	out := http.NewResponseController(w)
	w.Header().Set("Content-Type", "text/event-stream")
	_, err := fmt.Fprint(w, "retry: 1000\nevent: begin\ndata: {}\n\n")
	still := time.NewTicker(beat)
	defer still.Stop()
	for err == nil {
		if err = out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-still.C:
			_, err = fmt.Fprint(w, ":\n\n")
		case e, open := <-c:
			if !open {
				return
			}
			data, _ := json.Marshal(e) // of texts alone, which cannot fail
			_, err = fmt.Fprintf(w, "data: %s\n\n", data)
		}
	}
}
