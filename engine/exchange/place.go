package exchange

import (
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
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

// docs adds documents that a source names, each once. Those that no list can hold, and files of a project that is not
// the vault's, become part of the note.
func (r *reader) docs(it *plan.ImportItem, description string, targets []string) {
	for _, target := range targets {
		target = strings.TrimSpace(target)
		at, inside := target, true
		if !strings.Contains(target, "://") && !path.IsAbs(target) {
			other := []string{".workspaces", "Nexus/data", "Nexus", ".nexus"}
			at = path.Join(r.place(append(slices.Clone(homes[r.out.Kind]), other...)), target)
			inside = !path.IsAbs(r.Place)
		}
		if ref := (mdstore.Ref{Target: at, Description: description}); !inside || !fits(ref) {
			it.Note = joined(it.Note, strings.TrimPrefix(description+": "+target, ": "))
		} else {
			addDoc(it, ref)
		}
	}
}

func fits(ref mdstore.Ref) bool {
	_, ok := ref.Format()
	return ok && len(ref.Target) <= 4096
}

func addDoc(it *plan.ImportItem, ref mdstore.Ref) {
	if !slices.ContainsFunc(it.Docs, func(r mdstore.Ref) bool { return r.Target == ref.Target }) {
		it.Docs = append(it.Docs, ref)
	}
}

// doc adds a file of the source as a document of an item. A file of another project than the vault's is copied, to this
// path below the folder of imported documents.
func (r *reader) doc(it *plan.ImportItem, description, file, to string) {
	if !path.IsAbs(r.Place) {
		if ref := (mdstore.Ref{Target: path.Join(r.Place, file), Description: description}); fits(ref) {
			addDoc(it, ref)
		} else {
			it.Note = joined(it.Note, description+": "+ref.Target)
		}
		return
	}
	data, err := r.raw(file)
	if err != nil {
		r.broken(err)
		return
	}
	r.out.Docs = append(r.out.Docs, plan.ImportDoc{Path: to, Title: description, Text: data, At: file, Of: it.Key})
	addDoc(it, mdstore.Ref{Target: to, Description: description})
}
