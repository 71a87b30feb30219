package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/mdoc"
)

type HistoryGetIn struct {
	In
	NodeID string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"default: the workspace itself"`
	Limit  int    `json:"limit,omitempty" min:"-1" flag:"limit,n" help:"at most N commits; default 20"`
	Since  string `json:"since,omitempty" help:"since this TIME, such as yesterday, 2026-01-31 or 2h30m"`
}

type HistoryGetOut struct {
	Entries []HistoryEntry `json:"entries"`
	Out
}

// HistoryEntry is what one commit changed in the file.
type HistoryEntry struct {
	Commit string             `json:"commit,omitempty"` // "" for changes that are in no commit yet
	Time   string             `json:"timestamp,omitempty"`
	Author string             `json:"author,omitempty"`
	What   []view.Change      `json:"what"`
	Log    []mdstore.LogEntry `json:"log,omitempty"` // entries that the commit added
}

const (
	commitsShown = 20 // unless told otherwise
	shortID      = 12 // digits of a commit's id in results
)

var historyGet = op("history_get", reads|repeats|byGit, HistoryGet, Help{
	Summary: "show who changed a node and when, from git and its log",
	Use:     "history [NODE]",
	Text: `One entry per commit that changed the node, newest first, with the changes and
the log entries that came with it. Uncommitted changes come first. Moves are
followed by the node's id. Without NODE it shows the workspace itself.`,
	Example: "arbor history \"Sign-in endpoint\"\narbor history . -n 5 --since 2026-01-01",
})

// HistoryGet returns the history of a node's file, or of the workspace's own.
func HistoryGet(ctx context.Context, env *Env, in HistoryGetIn) (*HistoryGetOut, error) {
	id, f, err := fileOf(ctx, env, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	h := history{id: id, path: f.Path, now: f.Data}
	if in.Since != "" {
		if h.since, _, err = env.when("since", in.Since); err != nil {
			return nil, err
		}
	}
	if h.Repo, err = repoOf(ctx, env); err != nil {
		return nil, err
	}
	limit := max(0, cmp.Or(in.Limit, commitsShown))
	if limit > 0 {
		h.most = limit + 1
	}
	out := &HistoryGetOut{}
	all := []gitrepo.Commit{{}}
	if head, none := revision(ctx, h.Repo, "HEAD"); none != nil {
		out.Hint = none.Error()
	} else if all, err = h.read(ctx, head); err != nil {
		return nil, fail(err)
	}
	older := limit > 0 && len(all)-1 > limit
	if older {
		all = all[:1+limit]
	}
	entries, err := h.entries(ctx, all)
	if err != nil {
		return nil, fail(err)
	}
	hint := out.Hint
	env.fit(out, len(entries), func(n int) {
		switch out.Entries, out.Hint = nonNil(entries[:n]), hint; {
		case n < len(entries):
			out.Hint = shownOf(n, len(entries), "commits", "arbor history at the command line brings the others")
		case older:
			out.Hint = fmt.Sprintf("%d are shown; {.limit} brings older ones", n)
		case h.ends:
			out.Hint = "the clone is shallow and ends here; git fetch --unshallow brings what is older"
		case n == 0:
			out.Hint = "no commit changed it since then"
		}
	})
	return out, nil
}

// A history finds the commits of one file in git.
type history struct {
	*gitrepo.Repo
	id    mdstore.ID
	path  mdstore.Path // of the file now
	now   []byte
	since time.Time
	most  int                     // commits; 0 for all
	moved map[string]mdstore.Path // by commit that moved the file: the path before
	ends  bool                    // the shallow clone ends here; there may be older commits
}

// read returns the commits that changed the file, from head back. The first element has no ID: it stands for changes
// that are in no commit.
func (h *history) read(ctx context.Context, head string) (all []gitrepo.Commit, err error) {
	h.moved = map[string]mdstore.Path{}
	from := h.path
	was, err := h.BlobAt(ctx, head, from)
	if err == nil && was.ID == "" {
		from, was, err = h.before(ctx, "", head)
	}
	all = []gitrepo.Commit{{Old: was}}
	for err == nil && was.ID != "" && (h.most == 0 || len(all) <= h.most) {
		found, err := h.FileLog(ctx, head, from, h.since, h.most)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(found, func(c gitrepo.Commit) bool { return c.Others == nil && !c.Old.IsFile() })
		if at < 0 {
			return append(all, found...), nil
		}
		all = append(all, found[:at+1]...)
		last := &all[len(all)-1]
		if h.ends = slices.Contains(h.Shallow(), last.ID); h.ends {
			break
		}
		head = last.ID + "^"
		if from, was, err = h.before(ctx, last.ID, head); err != nil {
			return nil, err
		}
		last.Old = was
	}
	return all, err
}

// before finds the file, by its id, in the commit before another one; "" is the vault's present state. It returns the
// zero Blob if the file did not exist.
func (h *history) before(ctx context.Context, commit, parent string) (p mdstore.Path, b gitrepo.Blob, err error) {
	var changes []gitrepo.Change
	if commit == "" {
		changes, err = h.SinceCommit(ctx, parent)
	} else if changes, err = h.Between(ctx, parent, commit); err != nil && ctx.Err() == nil {
		return "", b, nil // the first commit of all
	}
	kind, folder := mdstore.AllKinds().Of(h.path), mdstore.WorkspaceDir(h.path).Base() // archiving keeps the folder's name
	changes = slices.DeleteFunc(changes, func(c gitrepo.Change) bool {
		return !c.Old.IsFile() || mdstore.AllKinds().Of(c.Path) != kind || mdstore.WorkspaceDir(c.Path).Base() != folder
	})
	var ids []string
	for _, c := range changes {
		ids = append(ids, c.Old.ID)
	}
	if err != nil {
		return "", b, err
	}
	err = h.Blobs(ctx, ids, func(i int, data []byte) error {
		if b.ID == "" && view.EditionOf(changes[i].Path, data).ID == h.id {
			p, b = changes[i].Path, changes[i].Old
			h.moved[commit] = p
		}
		return nil
	})
	return p, b, err
}

// entries returns what each commit changed. It reads each version of the file once.
func (h *history) entries(ctx context.Context, commits []gitrepo.Commit) (out []HistoryEntry, err error) {
	at := map[string]*view.Edition{}
	var ids []string
	for _, c := range commits {
		for _, b := range append([]gitrepo.Blob{c.New, c.Old}, c.Others...) {
			if _, met := at[b.ID]; !met && b.IsFile() {
				at[b.ID] = nil
				ids = append(ids, b.ID)
			}
		}
	}
	err = h.Blobs(ctx, ids, func(i int, data []byte) error { at[ids[i]] = view.EditionOf(h.path, data); return nil })
	for _, c := range commits {
		e := HistoryEntry{Commit: c.ID[:min(len(c.ID), shortID)], Author: c.Author}
		was, is := at[c.Old.ID], at[c.New.ID]
		if c.ID == "" {
			is = view.EditionOf(h.path, h.now)
		} else {
			e.Time = c.Time.Format(mdstore.TimeLayout)
		}
		switch {
		case was == nil && c.ID != "" && slices.Contains(h.Shallow(), c.ID):
			e.What = []view.Change{{Do: "it was there; the shallow clone ends here"}}
		case is == nil && c.New.Mode == "":
			e.What = []view.Change{{Do: "removed"}}
		case is == nil:
			e.What = []view.Change{{Do: "a link or a submodule took its place"}}
		default:
			e.tell(was, is)
			for _, other := range c.Others {
				e.keep(at[other.ID], is)
			}
		}
		if from := h.moved[c.ID]; from != "" {
			e.What = append(e.What, view.Change{Do: "file moved from " + string(from)})
		}
		if c.Others != nil {
			e.What = slices.Insert(e.What, 0, view.Change{Do: "merged"})
		}
		if c.ID != "" || len(e.What)+len(e.Log) > 0 {
			out = append(out, e)
		}
	}
	return out, err
}

// keep removes changes that another parent of a merge has already: they came with a commit of that side.
func (e *HistoryEntry) keep(other, is *view.Edition) {
	var against HistoryEntry
	against.tell(other, is)
	e.What = slices.DeleteFunc(e.What, func(c view.Change) bool { return !slices.Contains(against.What, c) })
	e.Log = slices.DeleteFunc(e.Log, func(l mdstore.LogEntry) bool { return !slices.Contains(against.Log, l) })
}

// tell adds to the entry what changed in the file from one edition to the next.
func (e *HistoryEntry) tell(was, is *view.Edition) {
	s := view.StepOf(was, is)
	e.Log = s.Log
	switch {
	case was == nil:
		e.What = append(e.What, view.Change{Do: view.Created, Name: string(is.Status)})
	case was.Status != is.Status:
		e.What = append(e.What, view.Change{Key: mdstore.KeyStatus, From: string(was.Status), To: string(is.Status)})
	}
	if was != nil && was.Parent != is.Parent && was.Parent != "" && is.Parent != "" {
		e.What = append(e.What, view.Change{Do: fmt.Sprintf("moved from %s to %s", was.Parent, is.Parent)})
	}
	if e.What = append(e.What, s.What...); is.Damage != "" {
		e.What = append(e.What, view.Change{Do: "damaged", Name: is.Damage})
	}
}

type BlameIn struct {
	In
	NodeID  string `json:"nodeId,omitempty" arg:"NODE" is:"node" help:"default: the workspace itself"`
	Section string `json:"section,omitempty" help:"only this SECTION, as Conclusion"`
}

type BlameOut struct {
	Parts []BlamePart `json:"parts"`
	Out
}

// BlamePart is a field of the front matter, named by its key, or a section, named as its heading: "## Log".
type BlamePart struct {
	Name   string   `json:"name"`
	Commit string   `json:"commit,omitempty"` // of its newest line; "" if a line is in no commit yet
	Time   string   `json:"timestamp,omitempty"`
	Author string   `json:"author,omitempty"`
	Others []string `json:"others,omitempty"` // authors of its other lines
}

var blame = op("blame", reads|repeats|byGit, Blame, Help{
	Summary: "show who last changed each field and section of a node",
	Use:     "blame [NODE]",
	Text: `For each field and section it shows who changed its newest line, and then the
authors of the other lines. Without NODE it shows the workspace itself.`,
	Example: "arbor blame \"Sign-in endpoint\"\narbor blame . --section Conclusion",
})

// Blame says who changed each field and section of a file last, by git.
func Blame(ctx context.Context, env *Env, in BlameIn) (*BlameOut, error) {
	_, f, err := fileOf(ctx, env, in.WorkspaceID, in.NodeID)
	if err != nil {
		return nil, err
	}
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	out := &BlameOut{Parts: []BlamePart{}}
	lines, err := r.Blame(ctx, f.Path, f.Data)
	if _, ok := errors.AsType[*gitrepo.Error](err); ok {
		out.Hint, err = "it is in no commit yet", nil
	}
	doc, _ := mdoc.Parse(string(f.Path), f.Data, mdstore.AllKinds().Of(f.Path).Form)
	add := func(name string, first int, s mdoc.Span) {
		_, last := doc.Lines(s)
		of := lines[min(first-1, len(lines)):min(max(first, last), len(lines))]
		part, newest, whole := BlamePart{Name: name}, gitrepo.Commit{}, len(of) > 0
		for _, c := range of {
			if whole = whole && c.ID != ""; c.Time.After(newest.Time) {
				newest = c
			}
		}
		if whole {
			part.Commit, part.Time, part.Author = newest.ID[:shortID], newest.Time.Format(mdstore.TimeLayout), newest.Author
		}
		for _, c := range of {
			if c.ID != "" && c.Author != part.Author && !slices.Contains(part.Others, c.Author) {
				part.Others = append(part.Others, c.Author)
			}
		}
		out.Parts = append(out.Parts, part)
	}
	for _, f := range doc.Fields() {
		add(f.Key, f.Line, f.Span)
	}
	for _, s := range doc.Sections() {
		add("## "+s.Name, s.Line, mdoc.Span{Start: s.Heading.Start, End: s.Body.End})
	}
	if in.Section != "" {
		other := func(p BlamePart) bool { return !strings.EqualFold(p.Name, "## "+in.Section) }
		out.Parts = slices.DeleteFunc(out.Parts, other)
		if len(out.Parts) == 0 {
			return nil, badParam("section", "there is no section %q; without it all are told", in.Section)
		}
	}
	return out, fail(err)
}
