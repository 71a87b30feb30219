package ops

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
)

// ActivityDiff returns what a happening changed, as a unified diff. Of a commit it has the first files.
func ActivityDiff(ctx context.Context, env *Env, id string) (string, error) {
	var files []plan.FileChange
	var err error
	if commit, ok := strings.CutPrefix(id, commitID); ok {
		files, err = env.commitFiles(ctx, commit)
	} else if path, ok := strings.CutPrefix(id, saveID); ok {
		files, err = env.savedFile(ctx, mdstore.Path(path))
	} else {
		out, err := undoList(ctx, env, UndoIn{Operation: id, List: true, Diff: true})
		if err != nil {
			return "", err
		}
		return out.Operations[0].Diff, nil
	}
	mask(files)
	return (&plan.Outcome{Files: files}).Diff(), err
}

func (env *Env) commitFiles(ctx context.Context, id string) (files []plan.FileChange, err error) {
	r, err := repoOf(ctx, env)
	if err != nil {
		return nil, err
	}
	if id, err = revision(ctx, r, id); err != nil {
		return nil, err
	}
	changes, err := r.Between(ctx, id+"^", id)
	if err != nil { // the first commit
		tree, err := r.Tree(ctx, id)
		if err != nil {
			return nil, fail(err)
		}
		for p, b := range tree {
			changes = append(changes, gitrepo.Change{Path: p, New: b})
		}
		slices.SortFunc(changes, func(a, b gitrepo.Change) int { return strings.Compare(string(a.Path), string(b.Path)) })
	}
	for _, c := range changes[:min(commitFiles, len(changes))] {
		f := plan.FileChange{Path: c.Path}
		for _, side := range []struct {
			blob gitrepo.Blob
			data *[]byte
		}{{c.Old, &f.Old}, {c.New, &f.New}} {
			if !side.blob.IsFile() {
				continue
			}
			err := r.Blobs(ctx, []string{side.blob.ID}, func(_ int, data []byte) error {
				*side.data = bytes.Clone(data)
				return nil
			})
			if err != nil {
				return nil, fail(err)
			}
		}
		files = append(files, f)
	}
	return files, nil
}

// savedFile returns the change from what the last operation or commit has of a node's file to what is in it now.
func (env *Env) savedFile(ctx context.Context, p mdstore.Path) ([]plan.FileChange, error) {
	if !p.Valid() || mdstore.AllKinds().Of(p) != mdstore.NodeKind {
		return nil, badParam("id", "%s is not the file of a node", p)
	}
	now, err := env.Engine.ReadFile(ctx, p)
	if err != nil {
		return nil, fail(err)
	}
	f := plan.FileChange{Path: p, New: now.Data}
	deeds, err := env.deeds(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range deeds {
		for _, s := range slices.Backward(d.Steps) {
			if s.Path == p && s.To == "" {
				f.Old = s.New
				return []plan.FileChange{f}, nil
			}
		}
	}
	if r, err := repoOf(ctx, env); err == nil {
		head, err := revision(ctx, r, "HEAD")
		if err != nil {
			return []plan.FileChange{f}, nil //nolint:nilerr // nothing is committed: all of it is new
		}
		was, err := r.BlobAt(ctx, head, p)
		if err == nil && was.IsFile() {
			err = r.Blobs(ctx, []string{was.ID}, func(_ int, data []byte) error { f.Old = bytes.Clone(data); return nil })
		}
		if err != nil {
			return nil, fail(err)
		}
	}
	return []plan.FileChange{f}, nil
}
