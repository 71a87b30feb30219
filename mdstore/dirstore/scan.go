package dirstore

import (
	"cmp"
	"context"
	"sync"

	"arbor/mdstore"
)

// scans holds what earlier scans found in the workspaces of a vault.
type scans struct {
	*vault
	mu    sync.Mutex
	trees map[mdstore.Path]*tree // guarded by mu
}

// Scan looks at the stamp of every file and folder of a workspace. It lists the folders and reads the files that
// neither an earlier scan of this store nor the cache proves, and writes the cache anew when too much of it is stale.
// With kinds it looks only into the places of these kinds.
func (s *scans) Scan(ctx context.Context, workspace mdstore.Path, kinds ...*mdstore.Kind) (*mdstore.Scan, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := &mdstore.Scan{}
	if !workspace.Valid() {
		out.Broken = []mdstore.Broken{{Path: workspace, Err: invalid(workspace).err}}
		return out, nil
	}
	t := s.tree(workspace)
	t.mu.Lock()
	defer t.mu.Unlock()
	items, work, err := s.walk(ctx, t, true, kinds...)
	if err != nil {
		return nil, err
	}
	out.Work = work
	out.Records = make([]*mdstore.Scanned, 0, len(items))
	for _, i := range items {
		switch {
		case i.err != nil:
			out.Broken = append(out.Broken, mdstore.Broken{Path: i.path, Err: i.err})
		case i.record != nil:
			out.Records = append(out.Records, i.record)
		default:
			out.Others = append(out.Others, *i.data)
		}
	}
	out.Work.Written = s.save(t)
	return out, nil
}

// tree returns what earlier scans of a workspace found: by this store, or from the cache.
func (s *scans) tree(under mdstore.Path) *tree {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.trees[under] == nil {
		s.trees[under] = cmp.Or(s.load(under), newTree(s.kinds, under))
	}
	return s.trees[under]
}
