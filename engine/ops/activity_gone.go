package ops

import (
	"context"
	"slices"
	"time"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

const goneNodes = 100 // deleted nodes that GoneSince reads at most

// GoneSince returns the deletions of nodes that came by git after a time, as by git pull: nodes that git had then and
// has no longer, without those that the record of operations knows and those below another one. Each has the commit
// that deleted the node.
func GoneSince(ctx context.Context, env *Env, in In, t time.Time) (all []Happening, err error) {
	v, err := env.In(ctx, in.WorkspaceID)
	if err != nil {
		return nil, err
	}
	r, none := repoOf(ctx, env)
	if none != nil {
		return nil, nil
	}
	head, none := revision(ctx, r, "HEAD")
	if none != nil {
		return nil, nil
	}
	was, none := revision(ctx, r, "HEAD@{"+t.UTC().Format("2006-01-02 15:04:05 +0000")+"}")
	if none != nil || was == head { // without a log of HEAD nobody knows
		return nil, nil
	}
	differ, err := r.Between(ctx, was, head)
	if err != nil {
		return nil, fail(err)
	}
	deeds, err := env.deeds(ctx)
	if err != nil {
		return nil, err
	}
	recorded := func(p mdstore.Path) bool {
		for _, d := range deeds {
			for _, s := range d.Steps {
				if p.Under(s.Path) && (s.To != "" || s.New == nil) {
					return true
				}
			}
		}
		return false
	}
	dir := v.Workspace().Dir
	differ = slices.DeleteFunc(differ, func(c gitrepo.Change) bool {
		deleted := c.New.Mode == "" && c.Old.IsFile() && !recorded(c.Path)
		return !deleted || !c.Path.Under(dir) || mdstore.AllKinds().Of(c.Path) != mdstore.NodeKind
	})
	differ = differ[:min(len(differ), goneNodes)]
	var ids []string
	for _, c := range differ {
		ids = append(ids, c.Old.ID)
	}
	gone := map[mdstore.ID]bool{}
	of := make([]*view.Edition, len(differ))
	err = r.Blobs(ctx, ids, func(i int, data []byte) error {
		of[i] = view.EditionOf(differ[i].Path, slices.Clone(data))
		if _, there := v.Node(of[i].ID); !there && of[i].ID != "" { // else its folder was moved
			gone[of[i].ID] = true
		}
		return nil
	})
	if err != nil {
		return nil, fail(err)
	}
	for i, n := range of {
		if !gone[n.ID] || gone[n.Parent] {
			continue
		}
		log, err := r.FileLog(ctx, head, differ[i].Path, time.Time{}, 3) // a merge may be the newest, and has no change
		if err != nil {
			return nil, fail(err)
		}
		by := append(log, gitrepo.Commit{ID: head, Author: "git", Time: t})[0]
		all = append(all, Happening{ID: commitID + by.ID, Time: by.Time.UnixMilli(), By: by.Author,
			What: []view.Change{{ID: n.ID, Do: view.Deleted, Name: n.Title}}, Titles: map[mdstore.ID]string{n.ID: n.Title}})
	}
	return all, nil
}
