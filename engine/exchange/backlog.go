package exchange

import (
	"cmp"
	"path"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// backlogWords are the status words of Backlog.md and those that its users add; the first and the last word of the
// list in config.yml are pending and completed.
var backlogWords = map[string]statemachine.Status{"to-do": "", "todo": "", "draft": "", "backlog": "", "ready": "",
	"blocked": "", "on-hold": "", "in-progress": statemachine.Implementing, "doing": statemachine.Implementing,
	"review": statemachine.Validating, "in-review": statemachine.Validating, "testing": statemachine.Validating,
	"done": statemachine.Completed, "completed": statemachine.Completed, "closed": statemachine.Completed,
	"won't-do": dropped, "wont-do": dropped, "cancelled": dropped, "canceled": dropped}

// A backlog reads one folder of Backlog.md.
type backlog struct {
	*reader
	dir        string // of the folders tasks, drafts and so on: "" or with a slash at its end
	words      map[string]statemachine.Status
	tasks      map[string]string // keys of tasks by their id, and by their number
	milestones map[string]string // keys of milestones by id and title
}

// backlogDir returns the folder of the tasks, and the file with the settings.
func backlogDir(s Source) (dir, config string, ok bool) {
	for _, dir := range []string{"", "backlog/", ".backlog/"} {
		for _, ext := range []string{"yml", "yaml"} {
			is := func(f string) bool { return strings.HasPrefix(f, dir+"tasks/") || strings.HasPrefix(f, dir+"drafts/") }
			if config = dir + "config." + ext; slices.Contains(s.Files, config) && slices.ContainsFunc(s.Files, is) {
				return dir, config, true
			}
		}
	}
	config = "backlog.config.yml"
	if !slices.Contains(s.Files, config) {
		return "", "", false
	}
	dir = settings(s, config)["backlog_directory"]
	return path.Clean(cmp.Or(dir, "backlog")) + "/", config, true
}

func isBacklog(s Source) bool {
	_, _, ok := backlogDir(s)
	return ok
}

// settings returns the plain values of a YAML file; a list has one item on a line.
func settings(s Source, file string) map[string]string {
	data, _ := s.Read(file)
	d, _ := mdoc.Parse(file, []byte("---\n"+string(data)+"\n---\n"), nil)
	all := map[string]string{}
	for _, f := range d.Fields() {
		all[f.Key] = strings.Join(d.List(f.Key), "\n")
	}
	return all
}

// readBacklog reads a folder of Backlog.md: tasks, drafts and completed tasks become nodes below those of their
// milestones; decisions and documents become documents.
func readBacklog(r *reader) error {
	b := &backlog{reader: r, words: map[string]statemachine.Status{},
		tasks: map[string]string{}, milestones: map[string]string{}}
	dir, config, ok := backlogDir(r.Source)
	if !ok {
		return refused("%s has no folder of Backlog.md: its config.yml and its folder tasks are expected", r.named())
	}
	b.dir = dir
	if words := strings.Split(settings(r.Source, config)["statuses"], "\n"); len(words) > 1 {
		b.words[words[0]], b.words[words[len(words)-1]] = "", statemachine.Completed
	}
	b.words = table(b.words, backlogWords)
	folders := map[string][]string{}
	for _, f := range slices.SortedFunc(slices.Values(r.Files), byNumber) {
		rest, in := strings.CutPrefix(f, b.dir)
		folder, _, deep := strings.Cut(rest, "/")
		if in && deep && strings.HasSuffix(f, ".md") && !strings.EqualFold(path.Base(f), "readme.md") {
			folders[folder] = append(folders[folder], f)
		}
	}
	b.count("archived file(s)", len(folders["archive"]))
	for _, f := range folders["milestones"] {
		b.milestone(f)
	}
	read := b.ids(slices.Concat(folders["completed"], folders["tasks"], folders["drafts"]))
	for _, t := range read {
		b.task(t)
	}
	for _, f := range slices.Concat(folders["decisions"], folders["docs"]) {
		b.document(f)
	}
	return nil
}

var digits = pattern.Of(`\d+`)

// byNumber compares two names with numbers in them by these.
func byNumber(a, b string) int {
	fill := func(s string) string {
		return digits().ReplaceAllStringFunc(s, func(n string) string { return strings.Repeat("0", max(0, 12-len(n))) + n })
	}
	return cmp.Or(cmp.Compare(fill(a), fill(b)), cmp.Compare(a, b))
}

func (b *backlog) milestone(file string) {
	x, text, _, err := b.page(file)
	if err != nil {
		b.broken(err)
		return
	}
	title := cmp.Or(x.text("title"), strings.TrimSuffix(path.Base(file), ".md"))
	id := cmp.Or(x.text("id"), title)
	it := plan.ImportItem{Key: b.unique(strings.ToLower(id)), At: x.at}
	it.Title = title
	b.setDate(&it, "due", x.text("due_date"))
	for _, p := range parts(text) {
		if p.title == "Description" {
			p.title = ""
		}
		it.Requirement = joined(it.Requirement, p.whole())
	}
	for _, name := range []string{id, title} {
		if name = strings.ToLower(name); b.milestones[name] == "" {
			b.milestones[name] = it.Key
		}
	}
	b.add(x.rest(b.reader, it))
}

// A backlogTask is a file of a task.
type backlogTask struct {
	*object
	key, file, text string
}

// ids reads the files of tasks, and gives each its key.
func (b *backlog) ids(files []string) (all []backlogTask) {
	for _, f := range files {
		x, text, _, err := b.page(f)
		if err != nil {
			b.broken(err)
			continue
		}
		name, title, _ := strings.Cut(strings.TrimSuffix(path.Base(f), ".md"), " - ")
		id := strings.ToLower(cmp.Or(x.text("id"), name))
		if scalarText(x.members["title"]) == "" {
			x.members["title"] = quoted(cmp.Or(strings.ReplaceAll(title, "-", " "), id))
		}
		t := backlogTask{x, b.key(id, x.at), f, text}
		for _, name := range []string{id, numberOf(id)} {
			if b.tasks[name] == "" && (name == id || !strings.HasPrefix(id, "draft-")) {
				b.tasks[name] = t.key
			}
		}
		all = append(all, t)
	}
	return all
}

// numberOf returns the number of an id, "4.1" of "task-004.01".
func numberOf(id string) string {
	_, number, _ := strings.Cut(id, "-")
	ns := strings.Split(number, ".")
	for i, n := range ns {
		if v, err := strconv.Atoi(n); err == nil {
			ns[i] = strconv.Itoa(v)
		}
	}
	return "#" + strings.Join(ns, ".")
}

// known returns the key of the task that an id means: by its number where the prefix was changed since.
func (b *backlog) known(id string) string {
	id = strings.ToLower(strings.TrimSpace(id))
	return cmp.Or(b.tasks[id], b.tasks[numberOf(id)], id)
}

func (b *backlog) task(t backlogTask) {
	x, folder := t.object, strings.TrimPrefix(t.file, b.dir)
	it := plan.ImportItem{Key: t.key, At: x.at}
	it.Title = x.text("title")
	it.Status = b.status(b.words, x.text("status"), x.at)
	it.Tags = x.texts("labels")
	if strings.HasPrefix(folder, "completed/") {
		it.Status = statemachine.Completed
	} else if strings.HasPrefix(folder, "drafts/") {
		it.Status, it.Tags = "", append(it.Tags, "draft")
	}
	it.Tags = append(it.Tags, x.texts("type")...)
	it.Assignee = x.texts("assignee")
	it.Priority = given(x.text("priority"))
	b.setDate(&it, "due", x.text("due_date"))
	if n, err := strconv.ParseFloat(scalarText(x.members["ordinal"]), 64); err == nil {
		it.Order = &n
		x.take("ordinal")
	}
	it.CreatedAt, it.UpdatedAt = x.time("created_date"), x.time("updated_date")
	for _, id := range x.texts("dependencies") {
		it.After = append(it.After, b.known(id))
	}
	b.place(&it, x)
	b.docs(&it, "reference", x.texts("references"))
	b.docs(&it, "documentation", x.texts("documentation"))
	b.docs(&it, "modified", x.texts("modified_files"))
	x.take("subtasks")
	if x.text("onStatusChange") != "" {
		b.count("onStatusChange, a shell command", 1)
	}
	b.sections(&it, parts(t.text))
	b.add(x.rest(b.reader, it))
}

// place puts a task below its parent, or else below its milestone, which is made if no file has it.
func (b *backlog) place(it *plan.ImportItem, x *object) {
	if parent := x.text("parent_task_id"); parent != "" {
		it.Up = b.known(parent)
		return // its milestone stays a key of its own
	}
	name := x.text("milestone")
	if name == "" {
		return
	}
	key := b.milestones[strings.ToLower(name)]
	if key == "" {
		key = b.unique(strings.ToLower(name))
		b.milestones[strings.ToLower(name)] = key
		m := plan.ImportItem{Key: key, At: x.at}
		m.Title = name
		b.add(m)
	}
	it.Up = key
}

// sections gives an item the texts of its file.
func (b *backlog) sections(it *plan.ImportItem, all []part) {
	var note, summary []string
	last := "description"
	for _, p := range all {
		name := strings.ToLower(p.title)
		switch name {
		case "description":
			it.Requirement = joined(it.Requirement, p.text)
		case "acceptance criteria", "definition of done":
			items, rest := criteria(p.text, false)
			it.Criteria = append(it.Criteria, items...)
			it.Requirement = joined(it.Requirement, under(p.title, rest))
		case "implementation plan", "implementation notes", "notes":
			note = append(note, under(p.title, p.text))
		case "comments":
			note = append(note, under("Comments", comments(it, p.text)))
		case "final summary":
			summary = append(summary, p.text)
		default: // a heading within the section before it
			switch name = last; last {
			case "implementation plan", "implementation notes", "notes":
				note = append(note, p.whole())
			case "final summary":
				summary = append(summary, p.whole())
			default:
				it.Requirement = joined(it.Requirement, p.whole())
			}
		}
		last = name
	}
	if it.Conclusion = joined(summary...); it.Status != statemachine.Completed && it.Status != dropped {
		note, it.Conclusion = append(note, under("Final Summary", it.Conclusion)), ""
	}
	it.Note = joined(append(note, it.Note)...)
}

// comments adds comments to the log: lines "author:" and "created:", ---, a text, ---. It returns what is none.
func comments(it *plan.ImportItem, text string) (rest string) {
	blocks := strings.Split("\n"+text+"\n", "\n---\n")
	for i := 0; i < len(blocks); i += 2 {
		head, who, when := strings.TrimSpace(blocks[i]), "", ""
		for line := range strings.Lines(head) {
			if v, ok := strings.CutPrefix(line, "author:"); ok {
				who = strings.TrimSpace(v)
			} else if v, ok := strings.CutPrefix(line, "created:"); ok {
				when = strings.TrimSpace(v)
			} else {
				return joined(rest, strings.Join(blocks[i:], "\n---\n"))
			}
		}
		if i+1 < len(blocks) {
			said(it, who, when, blocks[i+1])
		} else {
			rest = joined(rest, head)
		}
	}
	return rest
}

// document adds a decision or document, front matter and all.
func (b *backlog) document(file string) {
	data, err := b.raw(file)
	if err != nil {
		b.broken(err)
		return
	}
	title := strings.TrimSuffix(path.Base(file), ".md")
	if x, _, _, err := b.page(file); err == nil {
		title = cmp.Or(x.text("title"), title)
	}
	doc := plan.ImportDoc{Path: strings.TrimPrefix(file, b.dir), Title: title, Text: data, At: file}
	b.out.Docs = append(b.out.Docs, doc)
}
