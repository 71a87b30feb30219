package gitsync

import (
	"bytes"
	"cmp"
	"context"
	"strings"
	"time"

	"arbor/engine"
	"arbor/engine/check"
	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/memstore"
	"arbor/mdstore/merge"
)

// mend repairs the tree of a merge whose files contradict each other, and returns the new tree: see check.Fix.Merged.
// It dates its changes by the newest change in the workspace, so that every machine writes the same.
func (s *syncing) mend(ctx context.Context, base, ours, theirs, tree string) (string, error) {
	both, err := s.both(ctx, base, ours, theirs)
	if err != nil || len(both) == 0 {
		return tree, err
	}
	files, err := s.r.Files(ctx, tree, func(p mdstore.Path) bool { return p.Valid() && !p.Under(mdstore.LocalDir) })
	if err != nil {
		return "", err
	}
	var newest time.Time
	st := memstore.New(files)
	e, err := engine.Open(ctx, st, engine.Options{Now: func() time.Time { return newest }})
	if err != nil {
		return "", err
	}
	all, err := e.Workspaces(ctx)
	if err != nil {
		return "", err
	}
	for _, w := range all {
		v, err := e.WithPages(ctx, w.ID)
		if !both[w.Dir] || err != nil || v.Unread() != nil || v.Pages().Unread() != nil || w.Newer() {
			continue // arbor check reports its problems
		}
		latest, fix := w.UpdatedAt, check.Fix{Merged: true}
		for n := range v.All() {
			latest = max(latest, n.UpdatedAt)
			if _, ok := v.Node(n.Parent); !ok && n.ID != mdstore.Root && fix.Parents == nil {
				if fix.Parents, err = s.parents(ctx, base, w.Dir); err != nil {
					return "", err
				}
			}
		}
		newest = time.UnixMilli(latest)
		fixed, _, err := engine.Apply(ctx, e, w.ID, plan.Act{Operator: mdstore.OperatorAI}, fix)
		if err != nil {
			return "", err
		}
		for _, d := range fixed.Fixed {
			s.out.Notes = append(s.out.Notes, d.Code+": "+d.File+": "+d.Text+": "+d.Fix)
		}
	}
	var puts []gitrepo.Put
	var texts [][]byte
	for p, data := range st.Files() {
		if !p.Under(mdstore.LocalDir) && !bytes.Equal(data, files[p]) {
			puts, texts = append(puts, gitrepo.Put{Name: s.r.InRepo(p), Blob: gitrepo.Blob{Mode: "100644"}}), append(texts, data)
		}
	}
	ids, err := s.r.Keep(ctx, texts)
	if err != nil {
		return "", err
	}
	for i, id := range ids {
		puts[i].ID = id
	}
	return s.r.Graft(ctx, tree, puts)
}

// both returns the folders of the workspaces in which both sides have changed files.
func (s *syncing) both(ctx context.Context, base, ours, theirs string) (map[mdstore.Path]bool, error) {
	sides := map[mdstore.Path]int{}
	for bit, side := range []string{ours, theirs} {
		all, err := s.r.Deltas(ctx, base, side)
		if err != nil {
			return nil, err
		}
		for _, d := range all {
			if p, ok := s.r.InFolder(d.Name); ok {
				sides[mdstore.WorkspaceDir(p)] |= 1 << bit
			}
		}
	}
	both := map[mdstore.Path]bool{}
	for dir, bits := range sides {
		if bits == 3 && dir != "" {
			both[dir] = true
		}
	}
	return both, nil
}

// parents returns the parents that the nodes of a workspace have in a commit.
func (s *syncing) parents(ctx context.Context, commit string, dir mdstore.Path) (map[mdstore.ID]mdstore.ID, error) {
	of := func(p mdstore.Path) bool { return p.Under(dir) && mdstore.AllKinds().Of(p) == mdstore.NodeKind }
	files, err := s.r.Files(ctx, commit, of)
	parents := map[mdstore.ID]mdstore.ID{}
	for p, data := range files {
		n := mdstore.ParseNode(mdstore.File{Path: p, Data: data})
		parents[n.ID] = n.Parent
	}
	return parents, err
}

// open returns the names of the files that people still have to decide on.
func (s *syncing) open(ctx context.Context) (names []string, err error) {
	all, err := gitrepo.UnmergedIn(ctx, s.r)
	for _, u := range all {
		names = append(names, s.r.InRepo(u.Path))
	}
	return names, err
}

// resume ends a merge that stopped, once people have decided. The caller holds the store's lock.
func (s *syncing) resume(ctx context.Context, w gitrepo.Waiting) error {
	if open, err := s.open(ctx); err != nil || len(open) > 0 {
		return cmp.Or(err, stopped("still open: %s; %s", named(open), syncAsk))
	}
	h, err := s.r.Head(ctx)
	if err != nil {
		return err
	}
	if h.Commit != w.Ours {
		return stopped("something was committed since the sync stopped: git merge --continue or git merge --abort ends the merge, then sync")
	}
	tree, names, err := s.r.Snapshot(ctx, w.Tree)
	if err != nil {
		return err
	}
	files, err := s.r.Files(ctx, tree, func(p mdstore.Path) bool { return mdstore.AllKinds().Of(p) != nil })
	if err != nil {
		return err
	}
	for p, data := range files {
		if merge.Marked(data) {
			return stopped("%s still has the marks of a conflict: choose the lines to keep and remove the marks, then sync --continue", p)
		}
	}
	base, err := s.r.MergeBase(ctx, w.Ours, w.Theirs)
	if err != nil {
		return err
	}
	if err := s.tell(ctx, base, w.Ours, w.Theirs); err != nil {
		return err
	}
	mended, err := s.mend(ctx, base, w.Ours, w.Theirs, tree)
	if err != nil {
		return err
	}
	message := "merge " + strings.TrimPrefix(h.Tracking, "refs/remotes/") + ": " + s.out.CameIn + "\n"
	id, err := s.record(ctx, mended, message, w.Ours, w.Theirs)
	if err != nil {
		return err
	}
	if err := s.r.Stage(ctx, names); err != nil {
		return err
	}
	if err := s.to(ctx, tree, mended); err != nil {
		return err
	}
	s.out.Changed = true
	if err := s.r.Advance(ctx, w.Ours, id, syncReflog+": "+s.out.CameIn); err != nil {
		return err
	}
	return s.r.EndWait()
}

// abort undoes a merge that stopped. The caller holds the store's lock.
func (s *syncing) abort(ctx context.Context, w gitrepo.Waiting) error {
	tree, names, err := s.r.Snapshot(ctx, w.Tree)
	if err != nil {
		return err
	}
	open, err := s.open(ctx)
	if err != nil {
		return err
	}
	if err := s.r.Stage(ctx, append(names, open...)); err != nil {
		return err
	}
	if err := s.to(ctx, tree, w.Ours); err != nil {
		return err
	}
	s.out.Changed, s.out.Hint = true, "the vault was restored to its state before the merge; its commit stays"
	return s.r.EndWait()
}
