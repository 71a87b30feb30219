package web

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"arbor/engine/feed"
)

// An event tells a page what was changed, but not how. The page then asks for what it shows.
type event struct {
	Kind      string `json:"kind"`
	Workspace string `json:"workspace,omitempty"`
	Node      string `json:"node,omitempty"`
}

// Run tells the pages what changes, from the first call of Hear until ctx ends. Its error is that of ctx or of
// feed.Feed.Serve.
func (s *Site) Run(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.begun:
	}
	s.noteWaits(ctx)
	s.feed.Tell = func(r feed.Report) error {
		s.tell(r)
		s.noteWaits(ctx)
		return nil
	}
	return s.feed.Serve(ctx, s.engine.Live())
}

func (s *Site) tell(r feed.Report) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.remember(r)
	for _, e := range r.Events {
		for c := range s.streams {
			select {
			case c <- event{Kind: e.Kind, Workspace: string(e.Workspace), Node: string(e.Node)}:
			default: // the page has fallen behind: see events
				delete(s.streams, c)
				close(c)
			}
		}
	}
}

// behind is how many events at most wait for a page.
const behind = 64

// beat is the time between two signs of life in a stream without events.
const beat = 20 * time.Second

// askedEvery is how often a stream looks for requests that wait for a decision. They lie outside of the vault, where no
// event tells of them.
const askedEvery = time.Second

// events serves the stream of events. The stream ends if the page falls behind; the browser then connects again and
// asks for everything anew.
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
	still, look := time.NewTicker(beat), time.NewTicker(askedEvery)
	defer still.Stop()
	defer look.Stop()
	known := "unknown"
	for err == nil {
		if err = out.Flush(); err != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case <-still.C:
			_, err = fmt.Fprint(w, "event: beat\ndata: {}\n\n")
		case <-look.C:
			all := s.waiting(r.Context())
			n := len(all) + s.alsoWaits(r.Context())
			if now := fmt.Sprint(n, all); now != known {
				known = now
				_, err = fmt.Fprintf(w, "event: waits\ndata: %d\n\n", n)
			}
		case e, open := <-c:
			if !open {
				return
			}
			data, _ := json.Marshal(e) // cannot fail: it is all strings
			_, err = fmt.Fprintf(w, "data: %s\n\n", data)
		}
	}
}
