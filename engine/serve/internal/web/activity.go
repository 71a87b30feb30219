package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/engine/feed"
	"arbor/engine/ops"
	"arbor/engine/view"
	"arbor/mdstore"
)

// A save is a change of a file by any program. The server saw it since its start.
type save struct {
	ops.Happening
	workspace string
	Fields    []view.FieldChange
	Sections  []view.SectionChange
}

const (
	remembered = 200     // saves that the server remembers
	seenID     = "seen-" // begins the ID of a save that was seen
)

// remember keeps what the feed tells, newest first. Sessions only record what was done otherwise.
func (s *Site) remember(r feed.Report) {
	for i := range r.Events {
		e := &r.Events[i]
		if kind := mdstore.AllKinds().Of(e.Path); e.Kind == feed.Diagnosed || kind != nil && kind.Quiet {
			continue
		}
		s.saves++
		h := ops.Happening{ID: seenID + strconv.Itoa(s.saves), Time: r.Time.UnixMilli(), Path: e.Path, Version: e.Version(),
			Text: e.Kind, What: []view.Change{{ID: e.Node}}, Titles: map[mdstore.ID]string{e.Node: e.Title}}
		s.past = slices.Insert(s.past, 0, save{h, string(e.Workspace), e.Fields(), e.Sections()})
	}
	s.past = s.past[:min(len(s.past), remembered)]
}

type activityPage struct {
	Days  []day
	Older int64 // where the next page begins, Unix milliseconds; 0 if this is the last one
}

// A day of the list of what happened.
type day struct {
	Date string
	Rows []row
}

// A row is one thing that happened.
type row struct {
	ops.Happening
	At, Who, Said string
	Node          string // the id of the present node that it was about first; "" for none
}

const happeningsOnPage = 100

// activity lists what happened, page by page (until=TIME in Unix milliseconds).
func (s *Site) activity(r *http.Request, v *screen) error {
	v.Title = "Activity"
	if len(v.All) == 0 {
		return nil
	}
	in := s.seenSaves(v.Workspace)
	in.Until, _ = strconv.ParseInt(r.FormValue("until"), 10, 64) // 0 for what is no number
	out, err := ops.Activity(r.Context(), s.env(), in)
	if err != nil {
		return err
	}
	snap, err := s.engine.View(r.Context(), mdstore.ID(v.Workspace))
	if err != nil {
		return err
	}
	b := activityPage{}
	for _, x := range v.happened(out.Happenings, snap) {
		date, at, _ := strings.Cut(v.when(x.Time), " ")
		x.At = at
		if len(b.Days) == 0 || b.Days[len(b.Days)-1].Date != date {
			b.Days = append(b.Days, day{Date: date})
		}
		last := &b.Days[len(b.Days)-1]
		last.Rows = append(last.Rows, x)
	}
	if n := len(out.Happenings); out.Older && n > 0 {
		b.Older = out.Happenings[n-1].Time - 1
	}
	v.Body = b
	return nil
}

// seenSaves asks for what happened in a workspace, with the saves that the server saw.
func (s *Site) seenSaves(ws string) ops.ActivityIn {
	in := ops.ActivityIn{In: ops.In{WorkspaceID: ws}, Limit: happeningsOnPage}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, h := range s.past {
		if h.workspace == ws {
			in.Seen = append(in.Seen, h.Happening)
		}
	}
	return in
}

// happened puts what happened into words. An undo says what it took back, as the row of that says it.
func (l look) happened(all []ops.Happening, snap *view.View) (rows []row) {
	for _, h := range slices.Backward(all) { // the oldest first
		x := l.row(h, snap)
		if text, undo := strings.CutPrefix(h.Text, "undo: "); undo && h.Operation {
			i := slices.IndexFunc(rows, func(r row) bool { return r.Operation && r.Undone && r.Text == text })
			if i >= 0 {
				text = strings.TrimSuffix(rows[i].Said, l.undoneMark())
			}
			x.Said = l.say("Undone") + ": " + text
		}
		rows = slices.Insert(rows, 0, x)
	}
	return rows
}

func (l look) undoneMark() string { return " · " + l.say("undone") }

// row puts one thing that happened into words.
func (l look) row(h ops.Happening, snap *view.View) row {
	x := row{Happening: h, Who: cmp.Or(h.Who, l.who(h.By))}
	for _, c := range h.What {
		if _, ok := snap.Node(c.ID); ok && (x.Node == "" || c.Do == view.Created) {
			x.Node = string(c.ID)
			if c.Do == view.Created {
				break
			}
		}
	}
	title := func(id mdstore.ID) string { return h.Titles[id] }
	switch {
	case h.Operation:
		kind, _, _ := strings.Cut(h.By, " ")
		what := slices.Clone(h.What)
		for i, c := range what {
			if c.Key == "log" {
				at := time.UnixMilli(h.Time).UTC().Format(mdstore.TimeLayout)
				what[i].To = l.spoken(mdstore.LogEntry{Time: at, Operator: kind, Event: c.To})
			}
		}
		x.Said = l.did(what, title, func(id string) bool { return l.alike(h, mdstore.ID(id)) }, h.More)
		if x.Said == "" {
			about, did, _ := strings.Cut(h.Text, " ") // such as "memory save decisions"
			x.Said = l.say(strings.ToUpper(about[:min(1, len(about))])+about[min(1, len(about)):]) + ": " + did
		}
		if h.Undone {
			x.Said += l.undoneMark()
		}
	case !h.Commit():
		x.Who = l.say("another program")
		x.Said = title(h.What[0].ID) + ": " + l.say(cmp.Or(h.Text, view.Altered))
	default:
		var titles []string
		for _, c := range h.What[:min(3, len(h.What))] {
			titles = append(titles, title(c.ID))
		}
		x.Said = h.Text + strings.TrimSuffix(" · "+strings.Join(titles, ", "), " · ") +
			l.besides("and others", len(h.What)-len(titles)+h.More)
	}
	return x
}

// alike reports whether an operation was for a node: it deleted the node, or did to it what it did to the first one.
func (l look) alike(h ops.Happening, id mdstore.ID) bool {
	words := func(id mdstore.ID) (all []string) {
		for _, c := range h.What {
			if c.ID == id && c.Key != "" && c.Key != "log" {
				all = append(all, l.changeWord(c))
			}
		}
		return all
	}
	first := words(h.What[0].ID)
	return h.Deleted(id) || slices.ContainsFunc(words(id), func(w string) bool { return slices.Contains(first, w) })
}

// who returns who operated, in words.
func (l look) who(by string) string {
	kind, session, _ := strings.Cut(by, " ")
	switch kind {
	case mdstore.OperatorAI:
		return strings.TrimSpace(l.say("assistant") + " " + session)
	case mdstore.OperatorHuman:
		return l.say("a person")
	}
	return by
}

// A cutDiff is what one thing that happened changed, as far as the page shows it.
type cutDiff struct {
	Text string
	More int // further lines
	Seen *save
}

const (
	diffLinesShown = 200
	diffLineShown  = 1000 // bytes of a line
)

// operation shows what one thing that happened changed.
func (s *Site) operation(r *http.Request, v *screen) error {
	v.Title = "Activity"
	id := r.PathValue("id")
	s.mu.Lock()
	at := slices.IndexFunc(s.past, func(h save) bool { return h.ID == id })
	if at >= 0 {
		seen := s.past[at]
		v.Body = cutDiff{Seen: &seen}
	}
	s.mu.Unlock()
	if at >= 0 {
		return nil
	}
	diff, err := ops.ActivityDiff(r.Context(), s.env(), id)
	if err != nil {
		return err
	}
	v.Body = cut(diff)
	return nil
}

// cut returns the first lines of a diff.
func cut(diff string) (d cutDiff) {
	lines := slices.Collect(strings.Lines(diff))
	d.More = max(0, len(lines)-diffLinesShown)
	for _, line := range lines[:len(lines)-d.More] {
		if len(line) > diffLineShown {
			line = strings.ToValidUTF8(line[:diffLineShown], "") + "…\n"
		}
		d.Text += line
	}
	return d
}
