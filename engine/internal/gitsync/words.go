package gitsync

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/statemachine"
)

// A tally counts the changes of the plan between two trees, for messages.
type tally struct {
	titles map[string][]string // the titles of nodes by the verb that was done to them
	log    int                 // entries that people and assistants wrote
	files  int                 // changed files that are not part of the plan
}

// verbs are the changes of nodes in the order of messages: as an instruction and as done.
var verbs = [][2]string{
	{"complete", "completed"}, {"fail", "failed"}, {"cancel", "cancelled"}, {"submit", "submitted"}, {"start", "started"},
	{"reopen", "reopened"}, {"create", "created"}, {"move", "moved"}, {"delete", "deleted"}, {"change", "changed"},
	{rulesDeed, "with changed rules"}}

const rulesDeed = "change the rules of"

// tallyOf compares the files of the vault in two trees; "" is an empty one.
func tallyOf(ctx context.Context, r *gitrepo.Repo, from, to string) (*tally, error) {
	t := &tally{titles: map[string][]string{}}
	all, err := r.Deltas(ctx, from, to)
	if err != nil {
		return nil, err
	}
	var blobs []gitrepo.Blob
	var paths []mdstore.Path
	for _, d := range all {
		p, ok := r.InFolder(d.Name)
		if kind := mdstore.AllKinds().Of(p); ok && (kind == mdstore.NodeKind || kind == mdstore.WorkspaceKind) && d.Old.Plain() && d.New.Plain() {
			blobs, paths = append(blobs, d.Old, d.New), append(paths, p)
		} else if ok {
			t.files++
		}
	}
	texts, err := readBlobs(ctx, r, blobs)
	if err != nil {
		return nil, err
	}
	gone := map[string]int{} // a file that is deleted here may appear elsewhere
	for i, p := range paths {
		if texts[2*i+1] == nil {
			gone[identity(p, texts[2*i])] = i
		}
	}
	for i, p := range paths {
		from, moved := gone[identity(p, texts[2*i+1])]
		if moved && texts[2*i] == nil && texts[2*i+1] != nil {
			texts[2*i], texts[2*from] = texts[2*from], nil
			if mdstore.AllKinds().Of(p) == mdstore.WorkspaceKind {
				w := mdstore.ParseWorkspace(mdstore.File{Path: p, Data: texts[2*i]})
				t.titles["move"] = append(t.titles["move"], w.Name+" to "+string(p.Dir()))
			}
		}
	}
	for i, p := range paths {
		if !bytes.Equal(texts[2*i], texts[2*i+1]) {
			t.add(p, texts[2*i], texts[2*i+1])
		}
	}
	return t, nil
}

// identity returns a key for the file of a node or workspace that stays the same when the file moves.
func identity(p mdstore.Path, data []byte) string {
	id := string(mdstore.ParseNode(mdstore.File{Path: p, Data: data}).ID)
	if mdstore.AllKinds().Of(p) == mdstore.NodeKind {
		id += "\x00" + mdstore.WorkspaceDir(p).Base()
	}
	return id
}

// add counts the change of a file.
func (t *tally) add(p mdstore.Path, was, is []byte) {
	did := func(what, title string) { t.titles[what] = append(t.titles[what], title) }
	if mdstore.AllKinds().Of(p) == mdstore.WorkspaceKind {
		old, now := mdstore.ParseWorkspace(mdstore.File{Path: p, Data: was}), mdstore.ParseWorkspace(mdstore.File{Path: p, Data: is})
		if was == nil || is == nil {
			return // the root of the workspace counts instead
		}
		t.entries(old.Log(), now.Log())
		if old.RulesHash() != now.RulesHash() {
			did(rulesDeed, now.Name)
		}
		return
	}
	old, now := mdstore.ParseNode(mdstore.File{Path: p, Data: was}), mdstore.ParseNode(mdstore.File{Path: p, Data: is})
	before := len(old.Log())
	switch {
	case was == nil:
		did("create", now.Title)
	case is == nil:
		did("delete", old.Title)
		return
	}
	wrote := t.entries(old.Log(), now.Log())
	switch steady := was == nil && now.Status == statemachine.Initial(now.Type); {
	case was != nil && old.Status == now.Status, steady, now.Status == statemachine.Monitoring:
		if was != nil && old.Parent != now.Parent && old.Parent != "" && now.Parent != "" {
			did("move", now.Title)
		} else if was != nil && !wrote && before == len(now.Log()) {
			did("change", now.Title)
		}
	case now.Status == statemachine.Completed:
		did("complete", now.Title)
	case now.Status == statemachine.Failed:
		did("fail", now.Title)
	case now.Status == statemachine.Cancelled:
		did("cancel", now.Title)
	case now.Status == statemachine.Validating:
		did("submit", now.Title)
	case was != nil && statemachine.Terminal(old.Status):
		did("reopen", now.Title)
	default:
		did("start", now.Title)
	}
}

// entries counts the entries of a log that were written since, and reports whether there are any.
func (t *tally) entries(was, is []mdstore.LogEntry) bool {
	before, old := t.log, map[mdstore.LogEntry]int{}
	for _, e := range was {
		old[mdstore.LogEntry{Time: e.Time, Operator: e.Operator, Event: e.Event}]++
	}
	for _, e := range is {
		key := mdstore.LogEntry{Time: e.Time, Operator: e.Operator, Event: e.Event}
		if old[key]--; old[key] < 0 && !e.Own() {
			t.log++
		}
	}
	return t.log > before
}

// message returns a commit message: a subject of at most 72 characters, and lines with the titles of nodes.
func (t *tally) message() string {
	var parts, lines []string
	for _, d := range verbs {
		switch all := t.titles[d[0]]; len(all) {
		case 0:
			continue
		case 1:
			parts = append(parts, d[0]+" "+all[0])
		default:
			parts = append(parts, d[0]+" "+plural(len(all), "node"))
		}
		for _, title := range t.titles[d[0]] {
			lines = append(lines, "- "+d[0]+" "+title)
		}
	}
	if t.log > 0 {
		parts = append(parts, plural(t.log, "log entry"))
	}
	if t.files > 0 || len(parts) == 0 {
		parts = append(parts, plural(t.files, "other file"))
	}
	subject := strings.Join(parts, "; ")
	if runes := []rune(subject); len(runes) > 72 {
		subject = string(runes[:71]) + "…"
	} else if len(lines) < 2 {
		lines = nil
	}
	if lines == nil {
		return subject + "\n"
	}
	return subject + "\n\n" + strings.Join(lines, "\n") + "\n"
}

// came returns what came in with commits, in one line: "2 nodes completed, 3 log entries by Ann".
func (t *tally) came(commits []gitrepo.Logged) string {
	var parts, by []string
	for _, d := range verbs {
		if n := len(t.titles[d[0]]); n > 0 && d[0] == rulesDeed {
			parts = append(parts, plural(n, "workspace")+" "+d[1])
		} else if n > 0 && len(parts) == 0 {
			parts = append(parts, plural(n, "node")+" "+d[1])
		} else if n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", d[1]))
		}
	}
	if t.log > 0 {
		parts = append(parts, plural(t.log, "log entry"))
	}
	if t.files > 0 {
		parts = append(parts, plural(t.files, "other file"))
	}
	if parts == nil {
		parts = append(parts, plural(len(commits), "commit"))
	}
	for _, c := range commits {
		if !slices.Contains(by, c.Author) {
			by = append(by, c.Author)
		}
	}
	if len(by) > 3 {
		by = append(by[:2], fmt.Sprintf("%d others", len(by)-2))
	}
	return strings.Join(parts, ", ") + " by " + strings.Join(by, ", ")
}

// plural returns a number of things in words.
func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	if strings.HasSuffix(what, "y") {
		what = strings.TrimSuffix(what, "y") + "ie"
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// readBlobs returns the texts of blobs, nil for the zero Blob, by one process.
func readBlobs(ctx context.Context, r *gitrepo.Repo, blobs []gitrepo.Blob) ([][]byte, error) {
	texts := make([][]byte, len(blobs))
	var ids []string
	var at []int
	for i, b := range blobs {
		if b.ID != "" {
			ids, at = append(ids, b.ID), append(at, i)
		}
	}
	return texts, r.Blobs(ctx, ids, func(i int, data []byte) error { texts[at[i]] = data; return nil })
}
