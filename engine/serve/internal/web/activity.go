package web

import (
	"net/http"
	"slices"
	"strings"

	"arbor/engine/feed"
	"arbor/engine/ops"
	"arbor/engine/view"
)

// A happening is a change that was seen while the server runs, whoever made it.
type happening struct {
	Time      int64 // Unix milliseconds
	Kind      string
	Workspace string
	Node      string // "" for the workspace's own file and pages
	Page      string
	Title     string
	Fields    []view.FieldChange
	Sections  []view.SectionChange
}

const remembered = 200 // happenings; older ones are only in git, if at all

// remember keeps what the feed tells, newest first.
func (s *Site) remember(r feed.Report) {
	for i := range r.Events {
		e := &r.Events[i]
		s.past = slices.Insert(s.past, 0, happening{Time: r.Time.UnixMilli(), Kind: e.Kind, Workspace: string(e.Workspace),
			Node: string(e.Node), Page: e.Page, Title: e.Title, Fields: e.Fields(), Sections: e.Sections()})
	}
	s.past = s.past[:min(len(s.past), remembered)]
}

type activityPage struct {
	Past       []happening
	Operations []ops.Undoable
	Why        string // why there are no operations
	Started    int64
}

func (s *Site) activity(r *http.Request, v *screen) error {
	v.Title = "Activity"
	b := activityPage{Started: s.started.UnixMilli()}
	s.mu.Lock()
	for _, h := range s.past {
		if h.Workspace == v.Workspace {
			b.Past = append(b.Past, h)
		}
	}
	s.mu.Unlock()
	out, err := ops.UndoOperation(r.Context(), s.env(), ops.UndoIn{List: true})
	if b.Why = why(err); err == nil {
		b.Operations = out.Operations
	}
	v.Body = b
	return nil
}

// A cutDiff is the diff of an operation as far as the page shows it.
type cutDiff struct {
	Text string
	More int // further lines
}

const diffLinesShown = 200

// operation shows what one operation changed.
func (s *Site) operation(r *http.Request, v *screen) error {
	out, err := ops.UndoOperation(r.Context(), s.env(), ops.UndoIn{Operation: r.PathValue("id"), List: true, Diff: true})
	if err != nil {
		return err
	}
	var d cutDiff
	for _, o := range out.Operations {
		lines := slices.Collect(strings.Lines(o.Diff))
		d.More = max(0, len(lines)-diffLinesShown)
		d.Text = strings.Join(lines[:len(lines)-d.More], "")
	}
	v.Title, v.Body = "Activity", d
	return nil
}
