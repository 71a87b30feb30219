package engine

import "arbor/mdstore"

// Altered returns the nodes of which a file differs between two snapshots of a workspace, came or went; "" stands for the workspace's own file.
func (s *Snapshot) Altered(since *Snapshot) map[mdstore.ID]bool {
	out := map[mdstore.ID]bool{}
	if s == since {
		return out
	}
	if s.ws.Version != since.ws.Version || s.ws.Path != since.ws.Path {
		out[""] = true
	}
	for it := s.files.Iterator(); !it.Done(); {
		p, n, _ := it.Next()
		if old, ok := since.files.Get(p); !ok || !old.Is(n) {
			out[n.ID] = true
			if ok {
				out[old.ID] = true
			}
		}
	}
	for it := since.files.Iterator(); !it.Done(); {
		if p, n, _ := it.Next(); s.versionAt(p).IsZero() {
			out[n.ID] = true
		}
	}
	return out
}
