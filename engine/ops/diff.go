package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

type PlanDiffIn struct {
	In
	Revisions []string `json:"revisions,omitempty" arg:"REV" help:"one: compare it with now; two: with each other; default HEAD"`
}

type PlanDiffOut struct {
	From    string         `json:"from"`
	To      string         `json:"to,omitempty"` // "" for the files as they are now
	Changes []PlanChange   `json:"changes"`
	Hidden  int            `json:"hidden,omitempty"`     // changes that a bounded result leaves out
	Others  map[string]int `json:"others,omitempty"`     // files of other kinds that differ, such as slots and sessions
	Damaged []string       `json:"unreadable,omitempty"` // files that cannot be read, or only in part, in one of the two
	Out
}

// PlanChange is the change of a node, or of a workspace itself.
type PlanChange struct {
	WorkspaceID string        `json:"workspaceId"`
	NodeID      string        `json:"nodeId,omitempty"` // "" for the workspace itself
	Title       string        `json:"title"`
	Kind        string        `json:"kind" enum:"created,changed,removed"`
	Was         string        `json:"was,omitempty"`    // the old status, if it changed
	Status      string        `json:"status,omitempty"` // the new status, if it changed
	From        string        `json:"from,omitempty"`   // the old parent, if the node was moved or removed
	Parent      string        `json:"parent,omitempty"` // the parent, if the node was moved or created
	Conclusion  string        `json:"conclusion,omitempty"`
	What        []view.Change `json:"what,omitempty"`
	RulesAdded  []string      `json:"rulesAdded,omitempty"`
	RulesGone   []string      `json:"rulesRemoved,omitempty"`
	Log         int           `json:"logEntries,omitempty"` // how many are new
}

var planDiff = op("plan_diff", reads|repeats|byGit, PlanDiff, Help{
	Summary: "compare the plans of two git revisions",
	Use:     "diff [REV...]",
	Text: `Lists what was created, finished (with conclusions), started, moved and changed:
since HEAD, since REV, or between two revisions, also written A..B. Other
changed files of the vault are counted.`,
	Example: "arbor diff\narbor diff main\narbor diff v1 v2 --format markdown",
})

// PlanDiff compares the plans of two revisions, or of one with the files as they are now.
func PlanDiff(ctx context.Context, env *Env, in PlanDiffIn) (*PlanDiffOut, error) {
	revs := in.Revisions
	if len(revs) == 1 && strings.Contains(revs[0], "..") {
		revs = strings.SplitN(revs[0], "..", 2)
	}
	if len(revs) > 2 || len(revs) == 2 && strings.HasPrefix(revs[1], ".") {
		return nil, badParam("revisions", "%q: one or two commits are compared; of A...B the first is what git merge-base A B prints",
			strings.Join(in.Revisions, " "))
	}
	if len(revs) == 0 {
		revs = []string{"HEAD"}
	}
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	var ids [2]string
	for i, rev := range revs {
		if ids[i], err = revision(ctx, r, cmp.Or(rev, "HEAD")); err != nil {
			return nil, err
		}
	}
	var changes []gitrepo.Change
	if ids[1] == "" {
		changes, err = r.SinceCommit(ctx, ids[0])
	} else {
		changes, err = r.Between(ctx, ids[0], ids[1])
	}
	if err != nil {
		return nil, fail(err)
	}
	d := diff{env: env, folders: map[string]mdstore.ID{}, sides: [2]map[planKey]*view.Edition{{}, {}}}
	all, err := env.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	for _, w := range all {
		d.folders[w.Dir.Base()] = w.ID
	}
	if in.WorkspaceID != "" {
		id, err := env.workspace(ctx, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		changes = slices.DeleteFunc(changes, func(c gitrepo.Change) bool {
			return d.folders[mdstore.WorkspaceDir(c.Path).Base()] != id
		})
	}
	out := &PlanDiffOut{From: ids[0][:shortID], To: ids[1][:min(len(ids[1]), shortID)], Others: map[string]int{}}
	changes = slices.DeleteFunc(changes, func(c gitrepo.Change) bool {
		k := mdstore.AllKinds().Of(c.Path)
		if k != nil && k != mdstore.NodeKind && k != mdstore.WorkspaceKind {
			out.Others[k.Name]++
		}
		return k != mdstore.NodeKind && k != mdstore.WorkspaceKind
	})
	if err := d.read(ctx, r, changes); err != nil {
		return nil, fail(err)
	}
	found := d.changes(ctx)
	out.Damaged, _ = first(env, d.damaged, boundedItems)
	env.fit(out, len(found), func(n int) {
		out.Changes, out.Hidden, out.Hint = nonNil(found[:n]), len(found)-n, ""
		if out.Hidden > 0 {
			out.Hint = shownOf(n, len(found), "changes", "{.workspaceId} or nearer revisions narrow it")
		}
	})
	return out, nil
}

// A diff is the comparison of two plans.
type diff struct {
	env     *Env
	folders map[string]mdstore.ID // workspace ids by folder name; archiving keeps that name
	sides   [2]map[planKey]*view.Edition
	keys    []planKey // of both sides
	damaged []string
}

// A planKey identifies a node, or a workspace itself, independent of where its file lies.
type planKey struct {
	folder string     // of the workspace
	node   mdstore.ID // "" for the workspace itself
}

// read reads the files of both sides: those that git has with one git process, those of the vault through the store.
func (d *diff) read(ctx context.Context, r *gitrepo.Repo, changes []gitrepo.Change) error {
	var ids []string
	for _, c := range changes {
		for _, b := range []gitrepo.Blob{c.Old, c.New} {
			if b.IsFile() && b.ID != "" {
				ids = append(ids, b.ID)
			}
		}
	}
	data := map[string][]byte{}
	err := r.Blobs(ctx, ids, func(i int, text []byte) error { data[ids[i]] = text; return nil })
	for _, c := range changes {
		for side, b := range []gitrepo.Blob{c.Old, c.New} {
			text, there := data[b.ID]
			switch {
			case b.Mode != "" && !b.IsFile():
				d.damaged = append(d.damaged, string(c.Path)+": is a link or a submodule")
			case b.Mode != "" && b.ID == "":
				f, err := d.env.Engine.FileAt(ctx, c.Path)
				if err != nil {
					d.damaged = append(d.damaged, err.Error())
				}
				text, there = f.Data, !f.Version.IsZero()
			}
			if there {
				d.add(side, c.Path, view.EditionOf(c.Path, text))
			}
		}
	}
	return err
}

func (d *diff) add(side int, p mdstore.Path, e *view.Edition) {
	if e.Damage != "" && !slices.Contains(d.damaged, e.Damage) {
		d.damaged = append(d.damaged, e.Damage)
	}
	key := planKey{mdstore.WorkspaceDir(p).Base(), e.ID}
	if mdstore.AllKinds().Of(p) == mdstore.WorkspaceKind {
		key.node, d.folders[key.folder] = "", cmp.Or(d.folders[key.folder], e.ID)
	}
	if d.sides[0][key] == nil && d.sides[1][key] == nil {
		d.keys = append(d.keys, key)
	}
	d.sides[side][key] = e
}

// changes returns the change of each node and workspace.
func (d *diff) changes(ctx context.Context) (out []PlanChange) {
	for _, key := range d.keys {
		was, is := d.sides[0][key], d.sides[1][key]
		c := PlanChange{WorkspaceID: cmp.Or(string(d.folders[key.folder]), key.folder), NodeID: string(key.node), Kind: view.Altered}
		if was != nil {
			c.Title, c.Was, c.From = was.Title, string(was.Status), string(was.Parent)
		}
		if is != nil {
			s := view.StepOf(was, is)
			c.Title, c.Status, c.Parent, c.What = is.Title, string(is.Status), string(is.Parent), s.What
			c.Conclusion, c.RulesAdded, c.RulesGone, c.Log = s.Conclusion, s.Rules, s.Taken, len(s.Log)
		}
		switch {
		case was == nil:
			c.Kind = view.Added
		case is == nil:
			c.Kind = view.Removed
		}
		if is != nil && c.Was == c.Status {
			c.Was, c.Status = "", ""
		}
		if is != nil && c.From == c.Parent {
			c.From, c.Parent = "", ""
		}
		if c.Kind == view.Altered && c.Status+c.From+c.Parent == "" && len(c.What)+c.Log == 0 {
			continue // only its file's place, or its time, differs
		}
		c.From, c.Parent = d.title(ctx, key.folder, c.From), d.title(ctx, key.folder, c.Parent)
		out = append(out, c)
	}
	return out
}

// title returns the title of a node: from the nodes that differ, or else from the vault. It returns the id if the node
// is in neither.
func (d *diff) title(ctx context.Context, folder, id string) string {
	key := planKey{folder, mdstore.ID(id)}
	if e := cmp.Or(d.sides[1][key], d.sides[0][key]); e != nil && id != "" {
		return e.Title
	}
	if v, err := d.env.Engine.View(ctx, d.folders[folder]); err == nil && id != "" {
		if n, ok := v.Node(key.node); ok {
			return n.Title
		}
	}
	return id
}
