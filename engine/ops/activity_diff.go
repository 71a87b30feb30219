package ops

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"time"

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
	f.Old, _, err = env.committed(ctx, p, time.Time{})
	return []plan.FileChange{f}, err
}

// NodeSince returns what changed in the file of a node after a time, as a unified diff: from the record of operations,
// or else from git. It is "" if neither has an earlier version.
func NodeSince(ctx context.Context, env *Env, in In, node string, t time.Time) (string, error) {
	_, now, err := fileOf(ctx, env, in.WorkspaceID, node)
	if err != nil {
		return "", err
	}
	f := plan.FileChange{Path: now.Path, New: now.Data, Old: now.Data}
	deeds, err := env.deeds(ctx)
	if err != nil {
		return "", err
	}
	recorded := false
	for _, d := range deeds { // the newest first
		for _, s := range slices.Backward(d.Steps) {
			switch {
			case s.Path != now.Path || s.To != "":
			case d.Began > t.UnixNano():
				f.Old, recorded = s.Base, true
			case !recorded:
				f.Old, recorded = s.New, true
			}
		}
	}
	if !recorded {
		old, known, err := env.committed(ctx, now.Path, t)
		if err != nil {
			return "", err
		}
		if known {
			f.Old = old
		}
	}
	return (&plan.Outcome{Files: []plan.FileChange{f}}).Diff(), nil
}

// committed returns a file as git had it at a time, or with the zero time has it; nil if git did not have it. known is
// false if git had nothing of the vault then.
func (env *Env) committed(ctx context.Context, p mdstore.Path, t time.Time) (data []byte, known bool, err error) {
	r, none := repoOf(ctx, env)
	if none != nil {
		return nil, false, nil
	}
	head, none := revision(ctx, r, "HEAD")
	if none != nil {
		return nil, false, nil
	}
	at := head
	if !t.IsZero() { // commits that were pulled later may be older
		if at, none = revision(ctx, r, "HEAD@{"+t.UTC().Format("2006-01-02 15:04:05 +0000")+"}"); none != nil {
			at = head
		}
	}
	log, err := r.Log(ctx, at, t, 1)
	if err != nil || len(log) == 0 {
		return nil, false, fail(err)
	}
	was, err := r.BlobAt(ctx, log[0].ID, p)
	if err == nil && was.IsFile() {
		err = r.Blobs(ctx, []string{was.ID}, func(_ int, b []byte) error { data = bytes.Clone(b); return nil })
	}
	return data, true, fail(err)
}
