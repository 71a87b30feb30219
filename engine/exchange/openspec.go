package exchange

import (
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

var (
	changeFile = pattern.Of(`^(?:(.*/)?changes/)(archive/)?([^/]+)/(.+)$`)
	archivedAt = pattern.Of(`^(\d{4}-\d\d-\d\d)-(.+)$`)
	specNumber = pattern.Of(`^(\d+(?:\.\d+)*)\.?\s`)
	specSchema = pattern.Of(`(?m)^(schema|created):\s*["']?([^"'\s#]+)`)
	specDelta  = pattern.Of(`^(ADDED|MODIFIED|REMOVED|RENAMED) Requirements$`)
)

// A specChange is a change of OpenSpec with its files by their paths in it.
type specChange struct {
	name, dir string
	archived  string // the date; "-" for none
	files     []string
}

// archive cuts the date of its end off the name of a change; ok is false if it has none.
func (c *specChange) archive() (ok bool) {
	d := archivedAt().FindStringSubmatch(c.name)
	if d != nil {
		c.name, c.archived = d[2], d[1]
	}
	return d != nil
}

// specChanges returns the changes of a project, or the one whose folder the source is; archived ones come last.
func specChanges(s Source) (all []*specChange) {
	own := func(f string) bool { return f == "tasks.md" || strings.HasPrefix(f, "specs/") }
	if slices.Contains(s.Files, "proposal.md") && slices.ContainsFunc(s.Files, own) {
		c := &specChange{name: s.Name, files: s.Files}
		c.archive()
		return []*specChange{c}
	}
	at := map[string]*specChange{}
	for _, f := range slices.Sorted(slices.Values(s.Files)) {
		m := changeFile().FindStringSubmatch(f)
		if m == nil || m[2] == "" && m[3] == "archive" {
			continue
		}
		dir := strings.TrimSuffix(f, m[4])
		if at[dir] == nil {
			at[dir] = &specChange{name: m[3], dir: dir}
			if m[2] != "" && !at[dir].archive() {
				at[dir].archived = "-"
			}
			all = append(all, at[dir])
		}
		at[dir].files = append(at[dir].files, m[4])
	}
	all = slices.DeleteFunc(all, func(c *specChange) bool {
		return !slices.Contains(c.files, "proposal.md") && !slices.Contains(c.files, "tasks.md")
	})
	slices.SortStableFunc(all, func(a, b *specChange) int { return strings.Compare(a.archived, b.archived) })
	return all
}

func isOpenspec(s Source) bool { return len(specChanges(s)) > 0 }

// readOpenspec reads the changes of OpenSpec: each becomes a planning node, with groups of tasks that wait for each
// other in their order. Archived changes are completed.
func readOpenspec(r *reader) error {
	all := specChanges(r.Source)
	if len(all) == 1 {
		r.out.Scope = all[0].name + "/"
	}
	for _, c := range all {
		if err := r.change(c); err != nil {
			r.broken(err)
		}
	}
	return nil
}

func (r *reader) change(c *specChange) error {
	it := plan.ImportItem{Key: r.unique(c.name), At: r.at(c.dir+"proposal.md", 0)}
	it.Title = c.name
	if c.archived != "" {
		it.Status, it.Conclusion = statemachine.Completed, "was archived in the source"
		r.setDate(&it, "done", strings.Trim(c.archived, "-"))
	}
	var tasks *entry
	for _, f := range c.files {
		at := c.dir + f
		if f != "proposal.md" && f != "tasks.md" && f != ".openspec.yaml" {
			r.specDoc(&it, c, at)
			continue
		}
		data, err := r.Read(at)
		if err != nil {
			r.broken(err)
			continue
		}
		switch text, line := r.body(at, data); f {
		case "proposal.md":
			it.Requirement = strings.TrimSpace(text)
		case ".openspec.yaml":
			for _, m := range specSchema().FindAllStringSubmatch(string(data), -1) {
				r.setDate(&it, m[1], m[2])
			}
		default:
			if tasks, err = r.outline(at, text, line); err != nil {
				r.broken(err)
			} else {
				tasks.boxes(func(*entry) bool { return true })
			}
		}
	}
	if tasks != nil {
		if h := tasks.only(); h != nil {
			tasks = &entry{text: slices.Concat(tasks.text, []string{"# " + h.title}, h.text), below: h.below}
		}
		it.Note = joined(tasks.text...)
	}
	r.add(it)
	if tasks != nil {
		r.specTasks(tasks, c, it.Key, it.Key, true)
	}
	return nil
}

// specDoc adds a document of a change; of a specification, with the requirements that it changes.
func (r *reader) specDoc(it *plan.ImportItem, c *specChange, file string) {
	if path.Ext(file) != ".md" {
		r.count("file(s) that are no Markdown", 1)
		return
	}
	data, err := r.Read(file)
	if err != nil {
		r.broken(err)
		return
	}
	pieces, _ := mdoc.Pieces(string(data))
	var says []string
	kind := ""
	for _, p := range pieces {
		if p.Kind != mdoc.HeadingPiece {
			continue
		}
		if m := specDelta().FindStringSubmatch(strings.TrimSpace(p.Text)); p.Level <= 2 {
			if kind = ""; m != nil {
				kind = m[1]
			}
		} else if name, ok := strings.CutPrefix(p.Text, "Requirement: "); ok && kind != "" && p.Level == 3 {
			says = append(says, kind+" "+strings.TrimSpace(name))
		}
	}
	description := strings.Join(says, "; ")
	if description == "" {
		description = strings.TrimSuffix(path.Base(file), ".md")
	}
	r.doc(it, description, file, c.name+"/"+strings.TrimPrefix(file, c.dir))
}

// specTasks adds what stands below an entry. Groups of tasks wait for each other in their order.
func (r *reader) specTasks(e *entry, c *specChange, change, up string, top bool) {
	before := ""
	for _, k := range e.below {
		it := r.entry(k, c.dir+"tasks.md")
		if name := it.Title; specNumber().MatchString(name + " ") {
			it.Key = change + "/" + specNumber().FindStringSubmatch(name + " ")[1]
		} else {
			it.Key = up + "/" + name
		}
		it.Key, it.Up = r.unique(it.Key), up
		if k.heading > 0 && top {
			if before != "" {
				it.After = []string{before}
			}
			before = it.Key
		}
		if c.archived != "" && it.Status != statemachine.Completed {
			it.Status, it.Conclusion = dropped, "was not ticked when the change was archived"
			if len(k.below) > 0 || k.heading > 0 {
				it.Status, it.Conclusion = statemachine.Completed, "was archived in the source"
			}
		}
		r.add(it)
		r.specTasks(k, c, change, it.Key, false)
	}
}
