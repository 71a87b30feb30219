package exchange

import (
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore/pattern"
)

var (
	specTask    = pattern.Of(`(?m)^\s*[-*] \[[ xX]\] T\d{2,}\b`)
	specID      = pattern.Of(`^(T\d{2,})\s+`)
	specMark    = pattern.Of(`^\[(P|US\d+)\]\s*`)
	specDepends = pattern.Of(`(?i)\s*\(depends on ((?:T\d+|and|,|\s)+)\)`)
	specIDs     = pattern.Of(`T\d+`)
	specLevel   = pattern.Of(`(?i)\(priority:\s*P(\d)\)`)
)

// specLists returns the task lists of Spec Kit, of which each is that of a feature.
func specLists(s Source) (all []string) {
	files := s.Files
	if files == nil {
		files = []string{""}
	}
	for _, f := range files {
		if path.Base(f) != "tasks.md" && !(f == "" && path.Base(s.Name) == "tasks.md") {
			continue
		}
		if data, err := s.Read(f); err == nil && specTask().Match(data) {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return all
}

func isSpeckit(s Source) bool { return len(specLists(s)) > 0 }

// readSpeckit reads the task lists of Spec Kit: each feature becomes a planning node, with its phases and tasks.
func readSpeckit(r *reader) error {
	lists := specLists(r.Source)
	for _, f := range lists {
		if err := r.feature(f); err != nil {
			if r.Files == nil {
				return err
			}
			r.broken(err)
		}
	}
	if len(lists) == 1 {
		r.out.Scope = r.featureName(lists[0]) + "/"
	}
	return nil
}

// featureName returns the folder of a feature: "001-login".
func (r *reader) featureName(list string) string {
	if dir := path.Dir(list); dir != "." {
		return path.Base(dir)
	}
	return r.Name
}

func (r *reader) feature(list string) error {
	data, err := r.Read(list)
	if err != nil {
		return err
	}
	body, line := r.body(list, data)
	top, err := r.outline(list, body, line)
	if err != nil {
		return err
	}
	top.boxes(func(*entry) bool { return true })
	name := r.featureName(list)
	it := plan.ImportItem{Key: r.unique(name), At: r.at(list, 1)}
	it.Title, it.Requirement = name, joined(top.text...)
	if h := top.only(); h != nil {
		it.Title, it.Requirement, top = h.title, joined(slices.Concat(top.text, h.text)...), h
	}
	r.beside(&it, list)
	r.add(it)
	phases(r, top, list, it.Key)
	return nil
}

// beside adds the other documents of a feature.
func (r *reader) beside(it *plan.ImportItem, list string) {
	dir := path.Dir(list)
	for _, f := range slices.Sorted(slices.Values(r.Files)) {
		if f != list && path.Ext(f) != "" && (dir == "." || strings.HasPrefix(f, dir+"/")) {
			r.doc(it, "specification", f, r.featureName(list)+"/"+strings.TrimPrefix(f, dir+"/"))
		}
	}
}

// phases adds the phases of a feature. Setup and Foundational block what follows, and the phase Polish waits for all.
func phases(r *reader, top *entry, list, up string) {
	var all []string // keys of the phases
	block := ""      // the phase that those to come wait for
	for _, k := range top.below {
		it := r.entry(k, list)
		it.Key, it.Up = r.unique(up+"/"+it.Title), up
		title := strings.ToLower(it.Title)
		story := strings.Contains(title, "user story")
		switch {
		case strings.Contains(title, "polish") && !story:
			it.After = slices.Clone(all)
		case block != "":
			it.After = []string{block}
		}
		if !story && (strings.Contains(title, "setup") || strings.Contains(title, "foundation")) {
			block = it.Key
		}
		if m := specLevel().FindStringSubmatch(k.title); m != nil {
			it.Priority = new([]string{"high", "medium", "low"}[min(max(int(m[1][0]-'1'), 0), 2)])
		}
		all = append(all, it.Key)
		r.add(it)
		s := &specSteps{}
		s.tasks(r, k, list, up, it.Key)
	}
}

// specSteps are the steps of a phase: one task, or a run of those that are marked [P].
type specSteps struct {
	last     []string // keys of the tasks of the last one
	parallel bool     // it is a run
}

// tasks adds the tasks of a phase. One marked [P] waits for what it names, any other one for the step before, too.
func (s *specSteps) tasks(r *reader, e *entry, list, feature, up string) {
	for _, k := range e.below {
		it := r.entry(k, list)
		it.Up = up
		m := specID().FindStringSubmatch(it.Title)
		if m == nil {
			it.Key = r.unique(up + "/" + it.Title)
			r.add(it)
			s.tasks(r, k, list, feature, it.Key)
			continue
		}
		rest, parallel := it.Title[len(m[0]):], false
		for x := specMark().FindStringSubmatch(rest); x != nil; x = specMark().FindStringSubmatch(rest) {
			if parallel = parallel || x[1] == "P"; x[1] != "P" {
				it.Tags = append(it.Tags, x[1])
			}
			rest = rest[len(x[0]):]
		}
		for _, d := range specDepends().FindAllStringSubmatch(rest, -1) {
			for _, id := range specIDs().FindAllString(d[1], -1) {
				it.After = append(it.After, feature+"/"+id)
			}
		}
		it.Title = m[1] + " " + specDepends().ReplaceAllString(rest, "")
		it.Key = r.key(feature+"/"+m[1], it.At)
		switch {
		case parallel && s.parallel:
			s.last = append(s.last, it.Key)
		default:
			if !parallel {
				it.After = append(it.After, s.last...)
			}
			s.last, s.parallel = []string{it.Key}, parallel
		}
		r.add(it)
		s.tasks(r, k, list, feature, it.Key)
	}
}
