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
	for n := range s.All() {
		if old, ok := since.file(n.Path); !ok || !old.Is(n) {
			out[n.ID] = true
			if ok {
				out[old.ID] = true
			}
		}
	}
	for n := range since.All() {
		if _, ok := s.file(n.Path); !ok {
			out[n.ID] = true
		}
	}
	return out
}
