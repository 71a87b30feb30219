package ops

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"arbor/engine"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// PlanDiffIn names what is compared.
type PlanDiffIn struct {
	In
	Revisions []string `json:"revisions,omitempty" arg:"REV" help:"one: it and now; two: both; HEAD and now unless given"`
}

// PlanDiffOut says how the plan of one revision became that of another.
type PlanDiffOut struct {
	From    string         `json:"from"`
	To      string         `json:"to,omitempty"` // "" for the files as they are now
	Changes []PlanChange   `json:"changes"`
	Hidden  int            `json:"hidden,omitempty"`     // further changes, where results are bounded
	Others  map[string]int `json:"others,omitempty"`     // files of other kinds that differ, such as slots and sessions
	Damaged []string       `json:"unreadable,omitempty"` // files that cannot be read, or not in full, in one of the two
	Out
}

// PlanChange is what became of a node, or of a workspace itself.
type PlanChange struct {
	WorkspaceID string   `json:"workspaceId"`
	NodeID      string   `json:"nodeId,omitempty"` // "" for the workspace itself
	Title       string   `json:"title"`
	Kind        string   `json:"kind" enum:"created,changed,removed"`
	Was         string   `json:"was,omitempty"`    // its status before, where it was another one
	Status      string   `json:"status,omitempty"` // likewise, now
	From        string   `json:"from,omitempty"`   // the parent of one that was moved or removed
	Parent      string   `json:"parent,omitempty"` // of one that was moved or created
	Conclusion  string   `json:"conclusion,omitempty"`
	What        []string `json:"what,omitempty"`
	RulesAdded  []string `json:"rulesAdded,omitempty"`
	RulesGone   []string `json:"rulesRemoved,omitempty"`
	Log         int      `json:"logEntries,omitempty"` // that came
}

var planDiff = op("plan_diff", reads|repeats|byGit, PlanDiff, Help{
	Summary: "compare the plans of two git revisions",
	Use:     "diff [REV...]",
	Text: `What was created, finished with which conclusion, started, moved and changed:
since HEAD, since REV, or from one REV to another, also as A..B. Other files of
the vault are counted.`,
	Example: "arbor diff\narbor diff main\narbor diff v1 v2 --format markdown",
})

// PlanDiff compares the plans of two revisions, or of one with the files as they are now.
func PlanDiff(ctx context.Context, env *Env, in PlanDiffIn) (*PlanDiffOut, error) {
	r, err := env.repo(ctx)
	if err != nil {
		return nil, err
	}
	revs := in.Revisions
	if len(revs) == 1 && strings.Contains(revs[0], "..") {
		a, b, _ := strings.Cut(revs[0], "..")
		if strings.HasPrefix(b, ".") {
			return nil, badParam("revisions", "%q: name the commit that it begins with, as git merge-base prints it, and the one that it ends with", revs[0])
		}
		revs = []string{cmp.Or(a, "HEAD"), cmp.Or(b, "HEAD")}
	}
	var ids [2]string
	switch len(revs) {
	case 0:
		revs = []string{"HEAD"}
	case 1, 2:
	default:
		return nil, badParam("revisions", "%d revisions are given; one or two can be compared", len(revs))
	}
	for i, rev := range revs {
		if ids[i], err = revision(ctx, r, rev); err != nil {
			return nil, err
		}
	}
	changes := []gitrepo.Change(nil)
	if ids[1] == "" {
		changes, err = r.SinceCommit(ctx, ids[0])
	} else {
		changes, err = r.Between(ctx, ids[0], ids[1])
	}
	if err != nil {
		return nil, fail(err)
	}
	d := diff{env: env, ids: map[string]mdstore.ID{}, was: map[planKey]*view.Edition{}, is: map[planKey]*view.Edition{}}
	all, err := env.Engine.Workspaces(ctx)
	if err != nil {
		return nil, fail(err)
	}
	for _, w := range all {
		d.ids[w.Dir.Base()] = w.ID
	}
	if in.WorkspaceID != "" {
		id, err := env.workspace(ctx, in.WorkspaceID)
		if err != nil {
			return nil, err
		}
		changes = slices.DeleteFunc(changes, func(c gitrepo.Change) bool { return d.ids[mdstore.WorkspaceDir(c.Path).Base()] != id })
	}
	out := &PlanDiffOut{From: ids[0][:shortID], To: ids[1][:min(len(ids[1]), shortID)]}
	if out.Others, err = d.read(ctx, r, changes); err != nil {
		return nil, fail(err)
	}
	found := d.changes(ctx)
	out.Damaged, _ = first(env, d.damaged, boundedItems)
	env.fit(out, len(found), func(n int) {
		out.Changes, out.Hidden, out.Hint = nonNil(found[:n]), len(found)-n, "history_get (arbor history) tells who changed one"
		if out.Hidden > 0 {
			out.Hint = shownOf(n, len(found), "changes", "workspaceId or nearer revisions narrow it")
		}
	})
	return out, nil
}

// A diff is the comparison of two plans.
type diff struct {
	env     *Env
	ids     map[string]mdstore.ID // of the workspaces, by their folders' names, which the archive keeps
	was, is map[planKey]*view.Edition
	keys    []planKey // of both, in the order of paths
	damaged []string
}

// A planKey is a node, or a workspace itself, wherever its file lies.
type planKey struct {
	folder string     // of the workspace
	node   mdstore.ID // "" for the workspace itself
}

// read reads the plan's files that differ, by one process, and those of the vault through its store. It counts the
// files of other kinds.
func (d *diff) read(ctx context.Context, r *gitrepo.Repo, changes []gitrepo.Change) (others map[string]int, err error) {
	others = map[string]int{}
	var ids []string
	data := map[string][]byte{}
	changes = slices.DeleteFunc(changes, func(c gitrepo.Change) bool {
		k := mdstore.AllKinds().Of(c.Path)
		plan := k == mdstore.NodeKind || k == mdstore.WorkspaceKind
		if k != nil && !plan {
			others[k.Name]++
		}
		return !plan
	})
	for _, c := range changes {
		for _, b := range []gitrepo.Blob{c.Old, c.New} {
			if b.IsFile() && b.ID != "" {
				ids = append(ids, b.ID)
			}
		}
	}
	err = r.Blobs(ctx, ids, func(i int, text []byte) error { data[ids[i]] = text; return nil })
	for _, c := range changes {
		for side, b := range []gitrepo.Blob{c.Old, c.New} {
			text := data[b.ID]
			switch {
			case b.Mode == "":
				continue
			case !b.IsFile():
				d.damaged = append(d.damaged, string(c.Path)+": is a link or a submodule")
				continue
			case b.ID == "":
				f, err := engine.FileAt(ctx, d.env.Engine, c.Path)
				if err != nil {
					d.damaged = append(d.damaged, err.Error())
				}
				if f.Version.IsZero() {
					continue
				}
				text = f.Data
			}
			d.add(side, c.Path, view.EditionOf(c.Path, text))
		}
	}
	return others, err
}

func (d *diff) add(side int, p mdstore.Path, e *view.Edition) {
	if e.Damage != "" && !slices.Contains(d.damaged, e.Damage) {
		d.damaged = append(d.damaged, e.Damage)
	}
	key := planKey{mdstore.WorkspaceDir(p).Base(), e.ID}
	if mdstore.AllKinds().Of(p) == mdstore.WorkspaceKind {
		if key.node = ""; d.ids[key.folder] == "" {
			d.ids[key.folder] = e.ID
		}
	}
	if d.was[key] == nil && d.is[key] == nil {
		d.keys = append(d.keys, key)
	}
	if side == 0 {
		d.was[key] = e
	} else {
		d.is[key] = e
	}
}

// changes says what became of each node and workspace.
func (d *diff) changes(ctx context.Context) (out []PlanChange) {
	for _, key := range d.keys {
		was, is := d.was[key], d.is[key]
		e := cmp.Or(is, was)
		c := PlanChange{WorkspaceID: cmp.Or(string(d.ids[key.folder]), key.folder), NodeID: string(key.node), Title: e.Title, Kind: view.Altered}
		if is != nil {
			s := view.StepOf(was, is)
			c.What, c.Log, c.RulesAdded, c.RulesGone = s.What, len(s.Log), s.Rules, s.Taken
			if c.Status = string(is.Status); s.Concluded {
				c.Conclusion = is.Conclusion()
			}
			c.Parent = string(is.Parent)
		}
		if was != nil {
			c.Was, c.From = string(was.Status), string(was.Parent)
		}
		switch {
		case was == nil:
			c.Kind = view.Added
		case is == nil:
			c.Kind = view.Removed
		default:
			if c.Was == c.Status {
				c.Was, c.Status = "", ""
			}
			if c.From == c.Parent {
				c.From, c.Parent = "", ""
			}
			if c.Status+c.From+c.Parent == "" && len(c.What)+c.Log == 0 {
				continue
			}
		}
		c.From, c.Parent = d.title(ctx, key.folder, c.From), d.title(ctx, key.folder, c.Parent)
		out = append(out, c)
	}
	return out
}

// title returns the title of a node that is among those that differ, or else in the vault; its id where it is in none.
func (d *diff) title(ctx context.Context, folder, id string) string {
	key := planKey{folder, mdstore.ID(id)}
	e := cmp.Or(d.is[key], d.was[key])
	switch {
	case id == "":
		return ""
	case e != nil:
		return e.Title
	}
	if v, err := d.env.Engine.View(ctx, d.ids[folder]); err == nil {
		if n, ok := v.Node(key.node); ok {
			return n.Title
		}
	}
	return id
}
