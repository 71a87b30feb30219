package exchange

import (
	"path"
	"strings"
)

// homes are the folders in which programs keep their tasks in a project, by kind. Keys of these kinds are unique in one
// project only: those of a project that is not the vault's begin with its place. Keys of other kinds are unique
// everywhere.
var homes = map[string][]string{
	"taskmaster": {".taskmaster/tasks", ".taskmaster", "tasks"}, "backlog": {"backlog", ".backlog"}, "taskmd": {"tasks"},
	"markdown": {}, "todotxt": {},
}

// place returns the folder of the project that the source belongs to, relative to the vault's project: "" for that
// project itself. Of a folder outside it is the name.
func (s Source) place(homes []string) string {
	p := s.Place
	for _, home := range homes {
		if p == home || strings.HasSuffix(p, "/"+home) {
			p = strings.TrimSuffix(strings.TrimSuffix(p, home), "/")
			break
		}
	}
	if path.IsAbs(p) {
		p = strings.Trim(path.Base(p), "/")
	}
	return p
}

// placeKeys puts the place of the source before all keys.
func (r *reader) placeKeys() {
	homes, local := homes[r.out.Kind]
	place := r.place(homes)
	if !local || place == "" || r.Name == "" {
		return
	}
	if place += "#"; r.out.Scope != "" {
		place = strings.TrimSuffix(place, "#") + "/" // the scope is a file's name
	}
	r.out.Scope = place + r.out.Scope
	for i := range r.out.Items {
		it := &r.out.Items[i]
		for k, ref := range it.References {
			if r.keys[ref.Target] > 0 {
				it.References[k].Target = place + ref.Target
			}
		}
		if it.Key = place + it.Key; it.Up != "" {
			it.Up = place + it.Up
		}
		for k := range it.After {
			it.After[k] = place + it.After[k]
		}
	}
}
