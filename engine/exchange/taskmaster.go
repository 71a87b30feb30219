package exchange

import (
	"bytes"
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// taskmasterFiles are the places of the tasks in a folder.
var taskmasterFiles = []string{".taskmaster/tasks/tasks.json", "tasks/tasks.json", "tasks.json"}

func isTaskmaster(s Source) bool {
	if s.Files == nil {
		return path.Base(s.Name) == "tasks.json"
	}
	return slices.ContainsFunc(taskmasterFiles, func(f string) bool { return slices.Contains(s.Files, f) })
}

// taskmasterWords are the status words of Task Master. Some are pending for want of a status of their own.
var taskmasterWords = map[string]statemachine.Status{"pending": "", "deferred": "", "blocked": "",
	"in-progress": statemachine.Implementing, "review": statemachine.Validating,
	"done": statemachine.Completed, "completed": statemachine.Completed, "cancelled": dropped}

// A taskmaster reads one tasks.json.
type taskmaster struct {
	*jsonSource
}

// readTaskmaster reads a tasks.json of Task Master: its tags become planning nodes, with tasks and subtasks below
// them. A file of the old form has no tags.
func readTaskmaster(r *reader) error {
	file := ""
	if i := slices.IndexFunc(taskmasterFiles, func(f string) bool { return slices.Contains(r.Files, f) }); i >= 0 {
		file = taskmasterFiles[i]
	}
	f, err := r.json(file)
	if err != nil {
		return err
	}
	t := &taskmaster{f}
	var tags map[string]json.RawMessage
	if err := json.Unmarshal(t.data, &tags); err != nil {
		return t.wrong(err, "a tasks.json of Task Master")
	}
	if tasks, old := tags["tasks"]; old && bytes.HasPrefix(bytes.TrimSpace(tasks), []byte("[")) {
		t.tasks("master", "", tasks)
		return nil
	}
	for _, tag := range slices.Sorted(maps.Keys(tags)) {
		t.tag(tag, tags[tag])
	}
	return nil
}

func (t *taskmaster) tag(name string, raw json.RawMessage) {
	t.here = spot{line: 1}
	at := t.line(raw)
	var x struct {
		Tasks    json.RawMessage
		Metadata struct{ Description string }
	}
	if err := json.Unmarshal(raw, &x); err != nil {
		t.left(at, "the tag %s is left out: %v", name, err)
		return
	}
	if strings.Trim(string(x.Tasks), "[] \t\r\n") == "" {
		t.count("tag(s) without tasks", 1)
		return
	}
	key := t.unique(name)
	t.add(plan.ImportItem{Key: key, At: at,
		ImportNode: plan.ImportNode{Head: mdstore.Head{Title: name}, Requirement: x.Metadata.Description}})
	t.tasks(name, key, x.Tasks)
}

// tasks adds the tasks of a tag.
func (t *taskmaster) tasks(tag, up string, list json.RawMessage) {
	all := t.objects(list, "the tasks of "+tag, "id", "title")
	ids := idsOf(all)
	for _, x := range all {
		id := x.text("id")
		it := t.task(x, tag+":"+id, up)
		for _, d := range x.texts("dependencies") {
			it.After = append(it.After, tag+":"+d)
		}
		subtasks := x.take("subtasks")
		t.add(x.rest(t.reader, it))
		t.here = x.here
		kids := t.objects(subtasks, "the subtasks of "+id, "id", "title")
		siblings := idsOf(kids)
		for _, k := range kids {
			kid := t.task(k, tag+":"+id+"."+strings.TrimPrefix(k.text("id"), id+"."), tag+":"+id)
			k.take("parentId")
			k.take("parentTaskId")
			for _, d := range k.texts("dependencies") { // a bare number is a sibling, if there is one
				if !strings.Contains(d, ".") && (siblings[d] || !ids[d]) {
					d = id + "." + d
				}
				kid.After = append(kid.After, tag+":"+d)
			}
			t.add(k.rest(t.reader, kid))
		}
	}
}

// task returns the item of a task or subtask, without its dependencies.
func (t *taskmaster) task(x *object, key, up string) (it plan.ImportItem) {
	it.Key, it.Up, it.At = key, up, x.at
	it.Title = x.text("title")
	test := x.text("testStrategy")
	if test != "" {
		test = "### Test strategy\n\n" + test
	}
	it.Requirement = joined(x.text("description"), x.text("details"), test)
	it.Status = t.status(taskmasterWords, x.text("status"), x.at)
	it.Priority = given(x.text("priority"))
	it.Tags, it.Assignee = x.texts("tags"), x.texts("assignee")
	for _, c := range x.texts("acceptanceCriteria") {
		for line := range strings.Lines(c) {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*")); line != "" {
				text, done, _ := mdstore.CutBox(line)
				it.Criteria = append(it.Criteria, mdstore.Boxed(text, done || it.Status == statemachine.Completed))
			}
		}
	}
	it.UpdatedAt = x.time("updatedAt")
	return it
}

func idsOf(all []*object) map[string]bool {
	ids := map[string]bool{}
	for _, x := range all {
		ids[scalarText(x.members["id"])] = true
	}
	return ids
}
