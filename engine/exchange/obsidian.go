package exchange

import (
	"encoding/json"
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// obsidianTasks is where a vault has the settings of Obsidian Tasks.
const obsidianTasks = ".obsidian/plugins/obsidian-tasks-plugin/data.json"

// taskSign matches what only lines of Obsidian Tasks have.
var taskSign = pattern.Of(`(?m)^[ \t]*(?:[-*+]|\d+[.)]) \[.\] .*(?:[📅📆🗓⏳⌛🛫➕✅❌🔁🏁🆔⛔🔺⏫🔼🔽⏬]|` +
	`[\[(](?:due|scheduled|start|created|completion|cancelled|priority|repeat|id|dependsOn)::)`)

// quotedBox matches a task box in a quote or callout.
var quotedBox = pattern.Of(`(?m)^[ \t]*(?:>[ \t]*)+(?:[-*+]|\d+[.)]) \[.\] `)

func isObsidianTasks(s Source) bool {
	if s.Files == nil {
		data, err := s.Read("")
		return err == nil && isMarkdown(s) && taskSign().Match(data)
	}
	if slices.Contains(s.Files, obsidianTasks) {
		return true
	}
	return slices.ContainsFunc(notes(s.Files), func(f string) bool {
		data, err := s.Read(f)
		return err == nil && taskSign().Match(data)
	})
}

// notes returns the Markdown files, without settings and trash of programs and workspaces of Arbor.
func notes(files []string) (all []string) {
	own := map[string]bool{}
	for _, f := range files {
		own[path.Dir(f)] = own[path.Dir(f)] || path.Base(f) == mdstore.WorkspaceKind.Place.Name
	}
	for _, f := range files {
		hidden := strings.HasPrefix(f, ".") || strings.Contains(f, "/.")
		if strings.EqualFold(path.Ext(f), ".md") && !hidden && !within(own, f) {
			all = append(all, f)
		}
	}
	slices.Sort(all)
	return all
}

// within reports whether a file lies in or below a folder.
func within(folders map[string]bool, file string) bool {
	for dir := path.Dir(file); ; dir = path.Dir(dir) {
		if folders[dir] || dir == "." || dir == "/" {
			return folders[dir]
		}
	}
}

// A vaultReader reads the tasks of a vault of Obsidian.
type vaultReader struct {
	*reader
	types map[string]string // of status marks, by the settings: TODO, DONE, …
	ids   map[string]string // keys by what 🆔 says
	items []plan.ImportItem
}

// readObsidianTasks reads the task boxes of notes as Obsidian Tasks does. Of a folder, each note that has some becomes
// a planning node. Headings and items without boxes below them are text.
func readObsidianTasks(r *reader) error {
	v := &vaultReader{reader: r, types: map[string]string{}, ids: map[string]string{}}
	v.settings()
	files := []string{""}
	if r.out.Scope = r.Name + "#"; r.Files != nil {
		files, r.out.Scope = notes(r.Files), r.Name+"/"
	}
	for _, f := range files {
		data, err := r.Read(f)
		if err != nil {
			if r.Files == nil {
				return err
			}
			r.broken(err)
			continue
		}
		v.note(f, data)
	}
	for _, it := range v.items {
		for i, id := range it.After {
			it.After[i] = keyOr(v.ids, id)
		}
		r.add(it)
	}
	return nil
}

// settings reads what the marks of task boxes mean in this vault.
func (v *vaultReader) settings() {
	if !slices.Contains(v.Files, obsidianTasks) {
		return
	}
	type status struct{ Symbol, Type string }
	var x struct {
		StatusSettings struct{ CoreStatuses, CustomStatuses []status }
	}
	data, err := v.Read(obsidianTasks)
	if err == nil {
		err = json.Unmarshal(data, &x)
	}
	if err != nil {
		v.left(obsidianTasks, "the meaning of further marks is not known: %v", err)
	}
	for _, s := range slices.Concat(x.StatusSettings.CoreStatuses, x.StatusSettings.CustomStatuses) {
		v.types[s.Symbol] = s.Type
	}
}

// taskTypes are the statuses of the types of marks.
var taskTypes = map[string]statemachine.Status{"TODO": "", "ON_HOLD": "", "IN_PROGRESS": statemachine.Implementing,
	"DONE": statemachine.Completed, "CANCELLED": dropped}

// note adds the tasks of a note.
func (v *vaultReader) note(file string, data []byte) {
	body, line := v.body(file, data)
	quoted := quotedBox().FindAllString(inCode().ReplaceAllString(string(data), ""), -1)
	v.count("task box(es) in quotes, which are no tasks", len(quoted))
	top, err := v.outline(file, body, line)
	if err != nil {
		v.broken(err)
		return
	}
	if !top.boxes(func(k *entry) bool { return v.types[k.mark] != "NON_TASK" }) {
		v.count("note(s) without task boxes", 1)
		return
	}
	key, up := v.out.Scope, ""
	if file == "" {
		v.untitled(top)
	} else {
		up = v.unique(v.out.Scope + file)
		key = up + "#"
		if h := top.only(); h != nil {
			top = &entry{text: slices.Concat(top.text, h.text), below: h.below}
			if !strings.EqualFold(h.title+path.Ext(file), path.Base(file)) {
				top.text = slices.Insert(top.text, 0, "# "+h.title)
			}
		}
		it := plan.ImportItem{Key: up, At: v.at(file, 1)}
		it.Title, it.Requirement = strings.TrimSuffix(file, path.Ext(file)), joined(top.text...)
		v.items = append(v.items, it)
	}
	v.tasks(top, file, key, up)
}

// tasks adds the items of what stands below an entry.
func (v *vaultReader) tasks(e *entry, file, path, up string) {
	for _, k := range e.below {
		status, known := taskTypes[v.types[k.mark]]
		if known {
			if v.types[k.mark] == "ON_HOLD" {
				v.count("task(s) on hold, which are pending now", 1)
			}
			k.mark = " "
		}
		it := v.entry(k, file)
		if known {
			it.Status, it.Conclusion = status, ended[status]
		}
		id := ""
		if k.heading == 0 {
			id = v.fields(&it)
		}
		it.Key, it.Up = v.unique(path+it.Title), up
		if id != "" {
			v.identified(&it, v.ids, id)
		}
		v.items = append(v.items, it)
		v.tasks(k, file, it.Key+"/", it.Key)
	}
}
