package ops

import (
	"context"
	"slices"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/view"
	"arbor/mdstore"
)

type ActivityIn struct {
	In
	Until int64 // only what happened at that time or before, Unix milliseconds; 0 for everything
	Limit int
	Seen  []Happening // saves that the caller saw, with the path of each; those by operations are left out
}

type ActivityOut struct {
	Happenings []Happening // the newest first
	Older      bool        // there are older ones
}

// A Happening changed a workspace: an operation of this machine, a commit, or a save by another program.
type Happening struct {
	ID     string                // for ActivityDiff
	Time   int64                 // Unix milliseconds
	Who    string                // the person, or "person/assistant", by whose token it was done; "" if there is none
	By     string                // who operated, or the author of the commit; "" for another program
	Text   string                // the description of an operation, or a commit's first line
	What   []view.Change         // what it did to nodes and the workspace: the first ones
	Titles map[mdstore.ID]string // of those in What, as they were then
	More   int                   // further nodes

	Operation, Undone, TooLarge bool            // it is an operation; it is undone; it was too large to be recorded
	Path                        mdstore.Path    // of a save
	Version                     mdstore.Version // of the saved file
}

// Commit reports whether it is a commit.
func (h Happening) Commit() bool { return strings.HasPrefix(h.ID, commitID) }

// Deleted reports whether it deleted a node, and did not do so because that was below another one.
func (h Happening) Deleted(id mdstore.ID) bool {
	gone := func(c view.Change) bool { return c.ID == id && c.Do == view.Deleted && c.Key == "" }
	return slices.ContainsFunc(h.What, gone)
}

const (
	happeningNodes = 12        // of one happening, in What
	commitID       = "commit-" // begins the ID of a commit; the commit's id follows
	saveID         = "save-"   // begins the ID of a save; the path of the file follows
	commitFiles    = 50        // in the diff of a commit
)

// Activity returns what happened in a workspace: from the record of operations, from git, and the last save of each
// node that neither of them knows. It is for people only, as it names what others deleted.
func Activity(ctx context.Context, env *Env, in ActivityIn) (*ActivityOut, error) {
	s, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	deeds, err := env.deeds(ctx)
	if err != nil {
		return nil, err
	}
	a := happened{env: env, ActivityIn: in, dir: s.Workspace().Dir, deeds: deeds,
		ids: map[mdstore.Path]mdstore.ID{}, titles: map[mdstore.ID]string{}}
	if err := env.Engine.Read(ctx, func(ctx context.Context) error { return a.know(ctx, s.Workspace().ID) }); err != nil {
		return nil, fail(err)
	}
	a.operations(ctx)
	a.commits(ctx)
	a.saves()
	a.found = slices.DeleteFunc(a.found, func(h Happening) bool { return in.Until > 0 && h.Time > in.Until })
	slices.SortStableFunc(a.found, func(x, y Happening) int { return int(min(max(y.Time-x.Time, -1), 1)) })
	out := &ActivityOut{Happenings: a.found}
	if n := in.Limit; n > 0 && n < len(a.found) {
		out.Happenings, out.Older = a.found[:n], true
	}
	return out, nil
}

// A happened collects what happened in a workspace.
type happened struct {
	env *Env
	ActivityIn
	dir    mdstore.Path
	deeds  []engine.Deed // the newest first
	nodes  []savedNode
	ids    map[mdstore.Path]mdstore.ID
	titles map[mdstore.ID]string // of present nodes
	dirty  map[mdstore.Path]bool // files that git has otherwise
	found  []Happening
}

// A savedNode is a node as its file is now.
type savedNode struct {
	path    mdstore.Path
	version mdstore.Version
	time    int64 // of the last save, Unix milliseconds; 0 if unknown
}

func (a *happened) know(ctx context.Context, ws mdstore.ID) error {
	v, err := a.env.Engine.View(ctx, ws)
	if err != nil {
		return err
	}
	a.nodes = nil
	for n := range v.All() {
		a.nodes = append(a.nodes, savedNode{n.Path, n.Version(), n.Stamp.Mtime / 1e6})
		a.ids[n.Path], a.titles[n.ID] = n.ID, n.Title
	}
	return nil
}

func (a *happened) operations(ctx context.Context) {
	for _, d := range a.deeds {
		h := Happening{ID: d.ID, Time: time.Unix(0, d.Began).UnixMilli(), Who: d.Who,
			By:   strings.TrimSpace(d.Operator + " " + d.Session),
			Text: d.Text, Operation: true, Undone: d.Undone, TooLarge: d.Large, Titles: map[mdstore.ID]string{}}
		own := d.Large
		for _, s := range d.Steps {
			own = own || s.Path.Under(a.dir)
			kind := mdstore.AllKinds().Of(s.Path)
			switch {
			case s.To != "":
				if x, ok := a.env.Engine.Deletion(ctx, s.To); ok && h.Titles[x.Node] == "" {
					h.Titles[x.Node] = x.Title
					h.What = append(h.What, view.Change{ID: x.Node, Do: view.Deleted, Name: x.Title})
					h.More += len(x.Nodes) - 1
				}
			case kind != mdstore.NodeKind && kind != mdstore.WorkspaceKind:
			case len(h.What) >= happeningNodes:
				h.More++
			default:
				h.tell(s)
			}
		}
		if own {
			a.found = append(a.found, h)
		}
	}
}

// tell adds what a step did to a node or workspace.
func (h *Happening) tell(s mdstore.Step) {
	var was *view.Edition
	if s.Base != nil {
		was = view.EditionOf(s.Path, s.Base)
	}
	if s.New == nil {
		h.Titles[was.ID] = was.Title
		h.What = append(h.What, view.Change{ID: was.ID, Do: view.Deleted, Name: was.Title})
		return
	}
	is := view.EditionOf(s.Path, s.New)
	h.Titles[is.ID] = is.Title
	if was == nil && is.ID == mdstore.Root {
		return // it comes with its workspace
	}
	if was == nil {
		h.What = append(h.What, view.Change{ID: is.ID, Do: view.Created, Name: is.Title})
		return
	}
	var e HistoryEntry
	e.tell(was, is)
	if was.Parent != is.Parent {
		e.What = append(e.What, view.Change{Key: mdstore.KeyParent, From: string(was.Parent), To: string(is.Parent)})
	}
	if len(e.What) == 0 && len(e.Log) > 0 {
		e.What = append(e.What, view.Change{Key: "log", To: e.Log[0].Event})
	}
	for _, c := range e.What {
		c.ID = is.ID
		h.What = append(h.What, c)
	}
}

// commits adds the commits that changed the workspace. Without git there are none.
func (a *happened) commits(ctx context.Context) {
	r, err := repoOf(ctx, a.env)
	if err != nil {
		return
	}
	head, err := revision(ctx, r, "HEAD")
	if err != nil {
		return
	}
	until := time.Time{}
	if a.Until > 0 {
		until = time.UnixMilli(a.Until)
	}
	log, err := r.Log(ctx, head, until, a.Limit+1)
	if err != nil {
		return
	}
	for _, c := range log {
		h := Happening{ID: commitID + c.ID, Time: c.Time.UnixMilli(), By: c.Author, Text: c.Subject,
			Titles: map[mdstore.ID]string{}}
		own := len(c.Paths) == 0 // a merge
		for _, p := range c.Paths {
			own = own || p.Under(a.dir)
			switch id, known := a.ids[p]; {
			case !known:
			case len(h.What) >= happeningNodes:
				h.More++
			default:
				h.What, h.Titles[id] = append(h.What, view.Change{ID: id}), a.titles[id]
			}
		}
		if own {
			a.found = append(a.found, h)
		}
	}
	differ, err := r.SinceCommit(ctx, head)
	if err != nil {
		return
	}
	a.dirty = map[mdstore.Path]bool{}
	for _, c := range differ {
		a.dirty[c.Path] = true
	}
}

// saves adds the saves that the caller saw, and nodes whose files are not as the last operation on them left them, or
// that no operation made and git has otherwise.
func (a *happened) saves() {
	type edition struct {
		path    mdstore.Path
		version mdstore.Version
	}
	last, made := map[mdstore.Path]mdstore.Version{}, map[edition]bool{}
	asked := map[mdstore.Path]bool{}
	for _, h := range a.Seen {
		asked[h.Path] = true
	}
	for _, n := range a.nodes {
		asked[n.path] = true
	}
	for _, d := range a.deeds {
		for _, s := range slices.Backward(d.Steps) {
			at := edition{path: s.Path}
			if s.To != "" || s.New == nil {
				made[at] = true // with what lies below it
				continue
			}
			if !asked[s.Path] {
				continue
			}
			at.version = mdstore.VersionOf(s.New)
			made[at] = true
			if _, met := last[s.Path]; !met {
				last[s.Path] = at.version
			}
		}
	}
	gone := func(p mdstore.Path) bool {
		for ; p != "" && p != "."; p = p.Dir() {
			if made[edition{path: p}] {
				return true
			}
		}
		return false
	}
	for _, h := range a.Seen {
		at := edition{h.Path, h.Version}
		if !made[at] && !(h.Version.IsZero() && gone(h.Path)) {
			made[at] = true
			a.found = append(a.found, h)
		}
	}
	for _, n := range a.nodes {
		version, met := last[n.path]
		if n.time == 0 || made[edition{n.path, n.version}] || met && version == n.version || !met && !a.dirty[n.path] {
			continue
		}
		id := a.ids[n.path]
		a.found = append(a.found, Happening{ID: saveID + string(n.path), Time: n.time, Path: n.path, Version: n.version,
			What: []view.Change{{ID: id}}, Titles: map[mdstore.ID]string{id: a.titles[id]}})
	}
}
