package exchange

import (
	"net/url"
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

func isFolder(s Source) bool { return len(notes(s.Files)) > 0 }

var (
	wikilink = pattern.Of(`\[\[([^\[\]|#^\n]+)[^\[\]\n]*\]\]`)
	noteLink = pattern.Of(`\]\(<?([^()<>\s]+\.md)(?:#[^()<>\s]*)?>?\)`)
	inCode   = pattern.Of("(?ms)^[ \t]*```.*?^[ \t]*```|^[ \t]*~~~.*?^[ \t]*~~~|`[^`\n]*`")
)

// noteWords are words that notes have as status. Another one is a key of the note's own.
var noteWords = map[string]statemachine.Status{"pending": "", "todo": "", "to do": "", "open": "", "backlog": "",
	"in progress": statemachine.Implementing, "in-progress": statemachine.Implementing, "doing": statemachine.Implementing,
	"review": statemachine.Validating, "done": statemachine.Completed, "completed": statemachine.Completed,
	"cancelled": dropped, "canceled": dropped, "dropped": dropped}

// readFolder reads a folder of notes: each note becomes a node with its text as it is, each folder a planning node.
// What a note links to is among its references.
func readFolder(r *reader) error {
	r.out.Scope = r.Name + "/"
	f := &folder{reader: r, keys: map[string]string{}, named: map[string][]string{}}
	all := notes(r.Files)
	for _, file := range r.Files {
		if !strings.HasPrefix(file, ".") && !strings.Contains(file, "/.") && !slices.Contains(all, file) {
			r.count("file(s) that are no notes", 1)
		}
	}
	for _, file := range all {
		f.keys[file] = r.unique(r.out.Scope + file)
		name := noteName(file)
		f.named[name] = append(f.named[name], file)
	}
	for _, file := range all {
		f.note(file, f.above(path.Dir(file)))
	}
	return nil
}

// A Note is a file to adopt, with the folder that it is in as its source.
type Note struct {
	Source
	File  string       // in the folder
	Stray mdstore.Path // in the vault, among the nodes; "" for a file elsewhere
}

// Notes reads single notes as readFolder reads those of a whole folder, so that each has the key that it has there.
func Notes(all []Note) (*Result, error) {
	r := &reader{out: &Result{Kind: "folder", Part: true}, keys: map[string]int{}, counts: map[string]int{}}
	folders := map[string]*folder{}
	of := func(n Note) *folder { return folders[n.Place+"\x00"+n.Name] }
	for _, n := range all {
		f := of(n)
		if f == nil {
			one := *r
			one.Source = n.Source.plain()
			f = &folder{reader: &one, keys: map[string]string{}, named: map[string][]string{}}
			folders[n.Place+"\x00"+n.Name] = f
		}
		if f.keys[n.File] != "" {
			return nil, refused("%s is named twice", n.File)
		}
		f.keys[n.File] = r.unique(n.Name + "/" + n.File)
		f.named[noteName(n.File)] = append(f.named[noteName(n.File)], n.File)
	}
	for _, n := range all {
		made := len(r.out.Items)
		of(n).note(n.File, "")
		for i := range r.out.Items[made:] {
			r.out.Items[made+i].Stray = n.Stray
		}
	}
	r.placeKeys()
	return r.out, nil
}

// A folder reads the notes of a folder.
type folder struct {
	*reader
	keys  map[string]string   // by the paths of notes and folders
	named map[string][]string // notes by noteName
}

// noteName returns the name by which links name a note.
func noteName(file string) string {
	return strings.ToLower(strings.TrimSuffix(path.Base(file), path.Ext(file)))
}

// above returns the key of a folder, whose item it adds if it is new.
func (f *folder) above(dir string) (key string) {
	if dir == "." || f.keys[dir] != "" {
		return f.keys[dir]
	}
	it := plan.ImportItem{Up: f.above(path.Dir(dir)), At: f.at(dir, 0)}
	it.Key, it.Title = f.unique(f.out.Scope+dir+"/"), path.Base(dir)
	f.keys[dir] = it.Key
	f.add(it)
	return it.Key
}

// note adds the item of a note.
func (f *folder) note(file, up string) {
	it := plan.ImportItem{Key: f.keys[file], Up: up, At: f.at(file, 1)}
	it.Title = strings.TrimSuffix(path.Base(file), path.Ext(file))
	data, err := f.Read(file)
	if err != nil {
		f.broken(err)
		return
	}
	x, text := &object{}, strings.ToValidUTF8(strings.TrimPrefix(string(data), "\uFEFF"), "\uFFFD")
	if strings.HasPrefix(text, "---") {
		if page, below, _, err := f.page(file); err == nil {
			x, text = page, below
		} else {
			f.out.Left = append(f.out.Left, err.Error()+"; the front matter stays in the text")
		}
	}
	if title := x.text("title"); strings.TrimSpace(title) != "" {
		it.Title = title
	}
	for _, tag := range slices.Concat(x.texts("tags"), x.texts("tag")) {
		it.Tags = append(it.Tags, strings.FieldsFunc(tag, func(c rune) bool { return c == ',' || c == ' ' || c == '#' })...)
	}
	if word := strings.ToLower(scalarText(x.members["status"])); word != "" {
		if status, known := noteWords[word]; known {
			it.Status = status
			x.take("status")
		}
	}
	if p := x.text("priority"); p != "" {
		it.Priority = &p
	}
	it.Assignee = x.texts("assignee")
	if due := scalarText(x.members["due"]); due != "" {
		f.setDate(&it, "due", x.text("due"))
	}
	it.CreatedAt, it.UpdatedAt = x.time("created"), x.time("updated")
	it = x.rest(f.reader, it)
	text = strings.Trim(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	if rest, ok := strings.CutPrefix(text+"\n", "# "+it.Title+"\n"); ok {
		text = strings.Trim(rest, "\n") // it is the title
	}
	it.Requirement = text
	it.References = f.links(file, text)
	f.add(it)
}

// links returns references to the notes that a text links to.
func (f *folder) links(file, text string) (refs []mdstore.Ref) {
	text = inCode().ReplaceAllString(text, "")
	add := func(to string) {
		same := func(r mdstore.Ref) bool { return r.Target == f.keys[to] }
		if to != "" && to != file && !slices.ContainsFunc(refs, same) {
			refs = append(refs, mdstore.Ref{Target: f.keys[to]})
		}
	}
	for _, m := range wikilink().FindAllStringSubmatch(text, -1) {
		add(f.linked(file, strings.TrimSpace(strings.TrimSuffix(m[1], `\`))))
	}
	for _, m := range noteLink().FindAllStringSubmatch(text, -1) {
		if to, err := url.PathUnescape(m[1]); err == nil && f.keys[path.Join(path.Dir(file), to)] != "" {
			add(path.Join(path.Dir(file), to))
		}
	}
	return refs
}

// linked returns the note that a wikilink names, as Obsidian finds it: by its path or name, and in
// the same folder before others; "" for none.
func (f *folder) linked(from, name string) string {
	name = strings.TrimSuffix(name, ".md")
	var found []string
	for _, file := range f.named[noteName(name+".md")] {
		whole := "/" + strings.ToLower(strings.TrimSuffix(file, path.Ext(file)))
		if strings.HasSuffix(whole, "/"+strings.ToLower(strings.TrimPrefix(path.Clean(name), "../"))) {
			found = append(found, file)
		}
	}
	if i := slices.IndexFunc(found, func(file string) bool { return path.Dir(file) == path.Dir(from) }); i >= 0 {
		return found[i]
	}
	if len(found) > 0 {
		return found[0]
	}
	return ""
}
