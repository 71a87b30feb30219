package exchange

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// taskmdWords are the status words of taskmd.
var taskmdWords = map[string]statemachine.Status{"pending": "", "blocked": "", "in-progress": statemachine.Implementing,
	"in-review": statemachine.Validating, "completed": statemachine.Completed, "cancelled": dropped}

// taskmdName is the name of a task's file: its number, then words.
var taskmdName = pattern.Of(`^[A-Za-z]*-?\d+-[^/]+\.md$`)

// taskmdFiles returns the files below the folder of tasks whose names are those of tasks, and that folder.
func taskmdFiles(s Source) (dir string, files []string) {
	dirs := []string{"tasks/", ""}
	for _, config := range []string{".taskmd.yaml", ".taskmd.yml"} {
		if slices.Contains(s.Files, config) {
			all := settings(s, config)
			if in := cmp.Or(all["dir"], all["task-dir"], all["tasks-dir"], all["task_dir"]); in != "" {
				dirs = slices.Insert(dirs, 0, strings.TrimPrefix(path.Clean(in)+"/", "./"))
			}
		}
	}
	for _, dir = range dirs {
		for _, f := range s.Files {
			if strings.HasPrefix(f, dir) && taskmdName().MatchString(path.Base(f)) {
				files = append(files, f)
			}
		}
		if len(files) > 0 {
			break
		}
	}
	slices.SortFunc(files, byNumber)
	return dir, files
}

func isTaskmd(s Source) bool {
	_, files := taskmdFiles(s)
	return slices.ContainsFunc(files[:min(len(files), 20)], func(f string) bool {
		x, _, _, err := (&reader{Source: s}).page(f)
		return err == nil && x.text("id") != "" && x.text("title") != "" && x.text("status") != ""
	})
}

// A taskmd reads one folder of taskmd.
type taskmd struct {
	*reader
	dir    string
	ids    map[string]string // keys by id, and by id without zeros at its beginning
	groups map[string]bool
}

// readTaskmd reads a folder of taskmd: its tasks become nodes below their parents or groups.
func readTaskmd(r *reader) error {
	t := &taskmd{reader: r, ids: map[string]string{}, groups: map[string]bool{}}
	var files []string
	if t.dir, files = taskmdFiles(r.Source); len(files) == 0 {
		return refused("%s has no tasks of taskmd: files named as 001-title.md are expected, in tasks or below it", r.named())
	}
	type task struct {
		*object
		key, file, text string
	}
	var all []task
	for _, f := range files {
		x, text, _, err := r.page(f)
		if err == nil && (scalarText(x.members["id"]) == "" || scalarText(x.members["title"]) == "") {
			err = fmt.Errorf("%s: it needs id and title", r.at(f, 1))
		}
		if err != nil {
			r.broken(err)
			continue
		}
		id := x.text("id")
		k := task{x, r.key(id, x.at), f, text}
		for _, name := range []string{id, strings.TrimLeft(id, "0")} {
			t.ids[name] = cmp.Or(t.ids[name], k.key)
		}
		all = append(all, k)
	}
	for _, k := range all {
		t.task(k.object, k.key, k.file, k.text)
	}
	return nil
}

// known returns the key of the task with an id.
func (t *taskmd) known(id string) string {
	return cmp.Or(t.ids[id], t.ids[strings.TrimLeft(id, "0")], id)
}

func (t *taskmd) task(x *object, key, file, text string) {
	it := plan.ImportItem{Key: key, At: x.at}
	it.Title = x.text("title")
	it.Status = t.status(taskmdWords, x.text("status"), x.at)
	it.Priority, it.Tags, it.Assignee = given(x.text("priority")), x.texts("tags"), x.texts("owner")
	it.CreatedAt, it.UpdatedAt = x.time("created"), x.time("updated")
	t.docs(&it, "context", x.texts("context"))
	for _, id := range x.texts("dependencies") {
		it.After = append(it.After, t.known(id))
	}
	folder := path.Dir(strings.TrimPrefix(file, t.dir))
	if parent := x.text("parent"); parent != "" {
		it.Up = t.known(parent)
	} else if group := cmp.Or(x.text("group"), folder); group != "." {
		it.Up = t.group(group, x.at)
	}
	done := it.Status == statemachine.Completed
	t.verify(&it, x, done)
	for _, p := range parts(text) {
		if p.title == "" {
			first, rest, _ := strings.Cut(strings.TrimLeft(p.text, "\n"), "\n")
			if strings.TrimSpace(strings.TrimPrefix(first, "# ")) == it.Title && strings.HasPrefix(first, "# ") {
				p.text = strings.TrimLeft(rest, "\n")
			}
		}
		if strings.EqualFold(p.title, "Acceptance Criteria") {
			items, rest := criteria(p.text, done)
			it.Criteria = append(it.Criteria, items...)
			p.text = rest
			if rest == "" {
				continue
			}
		}
		it.Requirement = joined(it.Requirement, p.whole())
	}
	t.add(x.rest(t.reader, it))
}

// group returns the key of a group, which is made with those above it if it is not there.
func (t *taskmd) group(name, at string) string {
	key := "group:" + name
	if !t.groups[key] {
		t.groups[key] = true
		it := plan.ImportItem{Key: key, At: at}
		if it.Title = path.Base(name); path.Dir(name) != "." {
			it.Up = t.group(path.Dir(name), at)
		}
		t.add(it)
	}
	return key
}

// verify makes criteria of the steps that verify a task; it runs none. Steps of other kinds stay a key of the node.
func (t *taskmd) verify(it *plan.ImportItem, x *object, done bool) {
	var steps []map[string]any
	if json.Unmarshal(x.members["verify"], &steps) != nil {
		return
	}
	var other []map[string]any
	for _, s := range steps {
		text := func(key string) string { v, _ := s[key].(string); return strings.TrimSpace(v) }
		run, where := text("run"), text("dir")
		if where != "" {
			where = " in " + where
		}
		switch {
		case text("type") == "assert" && text("check") != "":
			it.Criteria = append(it.Criteria, mdstore.Boxed(text("check"), done))
		case text("type") == "bash" && run != "" && !strings.Contains(run, "\n"):
			it.Criteria = append(it.Criteria, mdstore.Boxed("`"+run+"` passes"+where, done))
		case text("type") == "bash" && run != "":
			it.Criteria = append(it.Criteria, mdstore.Boxed("this passes"+where+":\n\n```sh\n"+run+"\n```", done))
		default:
			other = append(other, s)
		}
	}
	if x.take("verify"); len(other) > 0 {
		x.members["verify"], _ = json.Marshal(other) // it was read from JSON
	}
}
