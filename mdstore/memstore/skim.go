package memstore

import (
	"context"

	"arbor/mdstore"
)

var _ mdstore.Skimming = (*Store)(nil)

// Stamp returns the stamp of the file at p, another one after each write.
func (s *Store) Stat(ctx context.Context, p mdstore.Path) (mdstore.Stamp, error) {
	f, err := s.Read(ctx, p)
	return f.Stamp, err
}

// Unchanged reports whether the file at p has that stamp still.
func (s *Store) Unchanged(p mdstore.Path, stamp mdstore.Stamp) bool {
	is, err := s.Stat(context.Background(), p)
	return err == nil && is.Same(stamp)
}

// stamp is the stamp of a file that is there. s.mu must be held.
func (s *Store) stamp(p mdstore.Path) mdstore.Stamp {
	return mdstore.Stamp{Size: int64(len(s.files[p])), Inode: s.written[p], Firm: true}
}

// Skim returns the metadata of a workspace's nodes. Those whose files are the same as in known are taken from it. Every file is looked at, trusting or not: it costs nothing.
func (s *Store) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	s.mu.RLock()
	out := &mdstore.Skimmed{Sequence: s.generation}
	s.mu.RUnlock()
	was := map[mdstore.Path]*mdstore.Node{}
	if known != nil {
		for i := range known.Nodes {
			was[known.Nodes[i].Path] = &known.Nodes[i]
		}
	}
	var sk mdstore.Skimmer
	for f, err := range s.List(ctx, under) {
		out.Work.Stamped++
		switch n := was[f.Path]; {
		case err != nil && f.Path == "":
			return nil, err
		case err != nil:
			out.Broken = append(out.Broken, mdstore.Broken{Path: f.Path, Err: err})
		case f.Path == mdstore.WorkspacePath(under):
		case n != nil && n.Stamp.Same(f.Stamp):
			same := *n
			same.From(nil)
			out.Nodes = append(out.Nodes, same)
		default:
			out.Nodes = append(out.Nodes, sk.Skim(f))
			out.Work.Read++
			out.Work.Bytes += len(f.Data)
		}
	}
	return out, nil
}

// Keep keeps nothing: there is no other process.
func (s *Store) Keep(context.Context, mdstore.Path, *mdstore.Skimmed) {}
