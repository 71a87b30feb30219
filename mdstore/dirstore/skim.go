package dirstore

import (
	"context"

	"arbor/mdstore"
)

var _ mdstore.Skimming = (*Store)(nil)

// Skim returns the metadata of a workspace's nodes.
func (s *Store) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	seq, err := s.Sequence(ctx)
	if err != nil {
		return nil, err
	}
	out := &mdstore.Skimmed{Sequence: seq}
	var sk mdstore.Skimmer
	for f, err := range s.List(ctx, under) {
		switch {
		case err != nil && f.Path == "":
			return nil, err
		case err != nil:
			out.Broken = append(out.Broken, mdstore.Broken{Path: f.Path, Err: err})
		case f.Path == mdstore.WorkspacePath(under):
		default:
			out.Nodes = append(out.Nodes, sk.Skim(f))
			out.Work.Read++
			out.Work.Bytes += len(f.Data)
		}
	}
	return out, nil
}

// Keep does nothing yet that outlives the process.
func (s *Store) Keep(context.Context, mdstore.Path, *mdstore.Skimmed) {}
