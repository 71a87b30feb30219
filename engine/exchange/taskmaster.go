package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
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
	*reader
	file string
	data []byte
	from int // where the next task is looked for in data
}

// readTaskmaster reads a tasks.json of Task Master: its tags become planning nodes, with tasks and subtasks below
// them. A file of the old form has no tags.
func readTaskmaster(r *reader) error {
	t := &taskmaster{reader: r}
	if i := slices.IndexFunc(taskmasterFiles, func(f string) bool { return slices.Contains(r.Files, f) }); i >= 0 {
		t.file = taskmasterFiles[i]
	}
	var err error
	if t.data, err = r.Read(t.file); err != nil {
		return err
	}
	t.data = bytes.TrimPrefix(t.data, []byte("\uFEFF"))
	var tags map[string]json.RawMessage
	if err := json.Unmarshal(t.data, &tags); err != nil {
		return refused("%s: %v; a tasks.json of Task Master is expected", r.at(t.file, lineOf(t.data, err)), err)
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
	t.from = 0
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

// line returns the place of a part of the file that stands behind those asked for before.
func (t *taskmaster) line(part []byte) string {
	i := bytes.Index(t.data[t.from:], part)
	if i < 0 {
		return t.at(t.file, 0)
	}
	t.from += i
	return t.at(t.file, 1+bytes.Count(t.data[:t.from], []byte("\n")))
}

// tasks adds the tasks of a tag.
func (t *taskmaster) tasks(tag, up string, list json.RawMessage) {
	all := t.objects(list, "the tasks of "+tag)
	ids := idsOf(all)
	for _, x := range all {
		id := x.text("id")
		it := t.task(x, tag+":"+id, up)
		for _, d := range x.texts("dependencies") {
			it.After = append(it.After, tag+":"+d)
		}
		subtasks := x.take("subtasks")
		t.finish(it, x)
		t.from = x.from
		kids := t.objects(subtasks, "the subtasks of "+id)
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
			t.finish(kid, k)
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
	word := x.text("status")
	it.Status = t.status(taskmasterWords, word, x.at)
	if word == "deferred" || word == "blocked" {
		t.count("status "+word+", which is pending now", 1)
	}
	if p := x.text("priority"); p != "" {
		it.Priority = &p
	}
	it.Tags, it.Assignee = x.texts("tags"), x.texts("assignee")
	for _, c := range x.texts("acceptanceCriteria") {
		for line := range strings.Lines(c) {
			if line = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(line), "-*")); line != "" {
				text, done, _ := mdstore.CutBox(line)
				it.Criteria = append(it.Criteria, mdstore.Boxed(text, done || it.Status == statemachine.Completed))
			}
		}
	}
	if at, ok := mdstore.ParseTime(x.text("updatedAt")); ok {
		it.UpdatedAt = at.UnixMilli()
	}
	return it
}

// finish adds an item with all further members of its object as keys of its own.
func (t *taskmaster) finish(it plan.ImportItem, x *object) {
	for _, key := range slices.Sorted(maps.Keys(x.members)) {
		text := scalarText(x.members[key])
		if text == "" || text == "null" || text == "[]" || text == "{}" {
			continue
		}
		if slices.ContainsFunc(mdstore.NodeKind.Keys, func(k mdstore.Key) bool { return k.Name == key }) {
			key = "taskmaster-" + key
		}
		it.Own = append(it.Own, mdoc.FieldValue{Key: key, Value: mdoc.Text(text)})
	}
	t.add(it)
}

// objects returns the objects of a list; what is none, or has no id or title, is named and left out.
func (t *taskmaster) objects(list json.RawMessage, what string) (all []*object) {
	var raws []json.RawMessage
	if len(list) == 0 || string(list) == "null" {
		return nil
	}
	if err := json.Unmarshal(list, &raws); err != nil {
		t.left(t.at(t.file, 0), "%s are left out: %v", what, err)
		return nil
	}
	for _, raw := range raws {
		x := &object{at: t.line(raw)}
		x.from = t.from
		err := json.Unmarshal(raw, &x.members)
		if err == nil && (scalarText(x.members["id"]) == "" || scalarText(x.members["title"]) == "") {
			err = errors.New("it needs an id and a title")
		}
		if err != nil {
			t.left(x.at, "an item is left out: %v", err)
			continue
		}
		all = append(all, x)
	}
	return all
}

func idsOf(all []*object) map[string]bool {
	ids := map[string]bool{}
	for _, x := range all {
		ids[scalarText(x.members["id"])] = true
	}
	return ids
}

// An object is an object of JSON whose members are taken one by one.
type object struct {
	members map[string]json.RawMessage
	at      string
	from    int // where it stands in the file
}

func (x *object) take(key string) json.RawMessage {
	raw := x.members[key]
	delete(x.members, key)
	return raw
}

// text takes a member as text.
func (x *object) text(key string) string { return scalarText(x.take(key)) }

// texts takes a member that is a list of texts or numbers, or one of these.
func (x *object) texts(key string) (all []string) {
	raw := x.take(key)
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, r := range list {
		if s := strings.TrimSpace(scalarText(r)); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// lineOf returns the line of an error of JSON, 0 if it is unknown.
func lineOf(data []byte, err error) int {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return 1 + bytes.Count(data[:min(int(e.Offset), len(data))], []byte("\n"))
	}
	return 0
}

// scalarText returns a text without its quotes, null as "", and any other value as JSON in one line.
func scalarText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s // null is "" too
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
