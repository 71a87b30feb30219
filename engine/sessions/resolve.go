package sessions

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// Has reports whether the file has an entry for an identifier, which may be no valid binding.
func (s *Bindings) Has(identifier string) bool {
	_, there := s.bindings[identifier]
	return there
}

var object = pattern.Of(`\{[^{}]*\}`)

// salvaged returns the complete bindings in a damaged file. Each contains its own key.
func salvaged(data []byte) map[string]json.RawMessage {
	out := map[string]json.RawMessage{}
	for _, raw := range object().FindAll(data, -1) {
		var b Binding
		if json.Unmarshal(raw, &b) == nil && ValidID(b.SessionID) == nil && b.WorkspaceID != "" {
			out[b.SessionID] = raw
		}
	}
	return out
}

// To returns the bindings to a workspace, in the order of their keys.
func (s *Bindings) To(ws mdstore.ID) (all []Binding) {
	for _, id := range slices.Sorted(maps.Keys(s.bindings)) {
		if b, ok := s.Get(id); ok && b.WorkspaceID == ws {
			b.SessionID = id
			all = append(all, b)
		}
	}
	return all
}

// UnsetTo returns the commit that ends all bindings to a workspace, nil if there is none.
func (s *Bindings) UnsetTo(ws mdstore.ID, now time.Time) ([]mdstore.Change, error) {
	bound := s.To(ws)
	if len(bound) == 0 {
		return nil, nil
	}
	return s.rewritten(now, func(all map[string]json.RawMessage) {
		for _, b := range bound {
			delete(all, b.SessionID)
		}
	})
}

// FolderPrefix begins identifiers that bind a folder: its path follows, with slashes.
const FolderPrefix = "path:"

// Folder returns the binding of dir or of the nearest folder above it that has one. dir is a path with slashes.
func (s *Bindings) Folder(dir string) (nearest Binding, ok bool) {
	long := -1
	for id := range s.bindings {
		folder, is := strings.CutPrefix(id, FolderPrefix)
		folder = strings.TrimSuffix(folder, "/")
		if !is || len(folder) <= long || folder != dir && !strings.HasPrefix(dir, folder+"/") {
			continue
		}
		if b, bound := s.Get(id); bound && b.WorkspaceID != "" {
			b.SessionID = id
			nearest, ok, long = b, true, len(folder)
		}
	}
	return nearest, ok
}
