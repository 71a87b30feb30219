package importtanmi

import (
	"bytes"
	"path"
	"strings"
	"unicode/utf8"

	"arbor/engine"
	"arbor/mdstore"
)

// The limits of a new workspace's front matter: the name's length in characters, the goal's in bytes.
const (
	maxName = 200
	maxGoal = 8 << 10
)

// A workspace is one that is being read.
type workspace struct {
	r        *reading
	dir      *folder
	rep      *report
	imp      engine.Import
	keep     *keeper
	shift    shift
	timed    bool                // a log holds times
	rootNote []string            // what is said of the workspace and has no place but its root's note
	odd      map[string][]string // fields of nodes without a place, and the nodes that have them
	oddKeys  []string            // in the order in which they were met
	damaged  map[string][]byte   // JSON files that could not be read whole
}

// workspace reads one workspace; ok is false where nothing of it could be read.
func (r *reading) workspace(dir *folder) (imp engine.Import, ok bool) {
	w := &workspace{r: r, dir: dir, rep: r.rep, keep: newKeeper(r.rep), odd: map[string][]string{}, damaged: map[string][]byte{}}
	w.rep.begin()
	defer w.rep.end()
	rootKey, configured := w.config()
	goal, described := w.texts()
	g := w.graph()
	folders := w.nodeFolders(g)
	if !configured && !described && len(folders.nodes) == 0 {
		w.rep.warn(dir.path, "nothing of this workspace can be read: not imported")
		delete(r.ids, w.imp.ID)
		return imp, false
	}
	w.keepDamaged()
	w.nodes(g, folders, rootKey)
	w.goal(goal)
	w.keep.rest(dir, "", 0)
	for _, key := range w.oddKeys {
		w.rep.warn(dir.at(graphJSON), "%s of %s: no place for this in Arbor; kept in the note", key, names(w.odd[key]))
	}
	w.fit()
	w.imp.Files = w.keep.files
	if w.timed {
		r.zones.add(dir.path, w.shift)
	}
	return w.imp, true
}

// graph reads graph.json; without one the graph is empty.
func (w *workspace) graph() *graph {
	data, ok := w.dir.read(graphJSON)
	if !ok {
		w.rep.warn(w.dir.at(graphJSON), "is missing or cannot be read: the tree is lost, and every node is imported below the root")
		return &graph{}
	}
	g, whole := readGraph(w.dir.at(graphJSON), data, w.rep)
	if !whole {
		w.damaged[graphJSON] = data
	}
	w.keep.fields(w.dir.at(graphJSON), g.rest, w.rep)
	return g
}

// texts reads Workspace.md, Log.md and Problem.md of the workspace, and returns the goal. ok is false without a Workspace.md.
func (w *workspace) texts() (goal string, ok bool) {
	text, ok := w.text(w.dir, workspaceMD)
	if !ok {
		w.rep.warn(w.dir.at(workspaceMD), "is missing: there are no goal, rules and documents")
	}
	p := parsePage(text, []string{"规则", "文档", "目标"})
	more := []string{p.before}
	for _, s := range p.sections {
		switch fold(s.title) {
		case "规则", "rules":
			items, rest := listItems(dropHint(s.body))
			w.imp.Rules = append(w.imp.Rules, items...)
			more = append(more, under(s.title, rest))
		case "文档", "docs", "documents":
			items, rest := listItems(dropHint(s.body))
			for _, it := range items {
				r, _ := refLine(it)
				w.imp.Docs = addRef(w.imp.Docs, r, it, &more)
			}
			more = append(more, under(s.title, rest))
		case "目标", "goal":
			goal = paragraphs(goal, s.body)
		default:
			more = append(more, "### "+s.title+"\n\n"+s.body)
		}
	}
	if f := unknownFields(p, "name", "createdAt", "updatedAt"); f != "" {
		more = append(more, under("Imported fields", fenced("yaml", f)))
	}
	if rest := paragraphs(more...); rest != "" {
		w.rep.warn(w.dir.at(workspaceMD), "holds text that has no place of its own: kept in the root's note")
		w.rootNote = append(w.rootNote, rest)
	}
	w.name(p.value("name"))
	if w.imp.CreatedAt == 0 {
		w.imp.CreatedAt, _ = parseTime(p.value("createdAt"))
	}
	if w.imp.UpdatedAt == 0 {
		w.imp.UpdatedAt, _ = parseTime(p.value("updatedAt"))
	}
	text, _ = w.text(w.dir, logMD)
	w.imp.Log = parseLog(text)
	w.shift = shiftFor(w.r.opt.Zone, w.imp.Log, w.imp.CreatedAt)
	w.utc(w.imp.Log)
	text, _ = w.text(w.dir, problemMD)
	w.imp.Problem = parseProblem(text)
	return goal, ok
}

// name settles the workspace's name: that of workspace.json, or of Workspace.md, or of the folder.
func (w *workspace) name(inPage string) {
	if w.imp.Name == "" {
		w.imp.Name = inPage
	} else if inPage != "" && unquote(w.imp.Name) != inPage {
		w.rep.warn(w.dir.at(workspaceMD), "the name is %s here and %s in %s, which counts", quote(inPage), quote(w.imp.Name), workspaceJSON)
		w.rootNote = append(w.rootNote, under("Name in "+workspaceMD, inPage))
	}
	if w.imp.Name == "" {
		w.imp.Name = withoutSuffix(path.Base(w.dir.path))
	}
	var full string
	if w.imp.Name, full = title(w.imp.Name, string(w.imp.ID)); full != "" {
		w.rep.warn(w.dir.at(workspaceJSON), "the name does not fit on a line of %d characters: it is shortened, and whole in the root's note", maxName)
		w.rootNote = append(w.rootNote, under("Name", full))
	}
}

// title makes a title or name of a text: one line of at most 200 characters. full is the text where that is less than all of it.
func title(s, fallback string) (line, full string) {
	if s = strings.TrimSpace(s); s == "" || s == "." {
		return fallback, ""
	}
	line, cut := cutRunes(strings.TrimSpace(oneLine(s, 4*maxName)), maxName)
	if cut || line != s {
		full = s
	}
	if line == "" {
		line = fallback
	}
	return line, full
}

// goal settles the goal; the original writes the same text as the root's requirement.
func (w *workspace) goal(goal string) {
	root := &w.imp.Nodes[0]
	if w.imp.Goal = goal; goal == "" {
		w.imp.Goal = root.Requirement
	}
	if len(w.imp.Goal) <= maxGoal {
		return
	}
	if !strings.Contains(root.Requirement, w.imp.Goal) {
		root.Note = paragraphs(root.Note, under("Goal", w.imp.Goal))
	}
	n := maxGoal
	for !utf8.RuneStart(w.imp.Goal[n]) {
		n--
	}
	w.imp.Goal = w.imp.Goal[:n] + "…"
	w.rep.warn(w.dir.at(workspaceMD), "the goal is longer than %d KiB: it is shortened, and whole in the root node", maxGoal>>10)
}

// text reads a Markdown file. Where its bytes are no text as they stand, the file itself is kept besides.
func (w *workspace) text(dir *folder, name string) (string, bool) {
	data, ok := dir.read(name)
	if !ok {
		return "", false
	}
	if !sound(data) {
		p := w.keep.put(path.Join(keptDir, w.rel(dir), name), data)
		w.rep.warn(dir.at(name), "is not UTF-8, or holds NUL: what cannot be read shows as \uFFFD, and the file is kept as %s", p)
	}
	return cleanText(string(bytes.TrimPrefix(data, bom))), true
}

// rel returns a folder's path relative to the workspace.
func (w *workspace) rel(dir *folder) string {
	if dir.path == w.dir.path {
		return ""
	}
	return strings.TrimPrefix(dir.path, w.dir.path+"/")
}

// keepDamaged keeps the JSON files that could not be read whole as they are.
func (w *workspace) keepDamaged() {
	for _, name := range []string{workspaceJSON, graphJSON} {
		if data := w.damaged[name]; len(data) > 0 {
			if p := w.keep.put(path.Join(keptDir, "damaged-"+name), data); p != "" {
				w.rep.warn(w.dir.at(name), "the file itself is kept as %s", p)
			}
		}
	}
}

// utc turns a log's local times into UTC.
func (w *workspace) utc(log []mdstore.LogEntry) {
	w.shift.apply(log)
	for _, e := range log {
		w.timed = w.timed || e.Time != ""
	}
}

// addRef adds a reference that came from an item of a list. What no reference can hold goes to more as it stands.
func addRef(list []mdstore.Ref, r mdstore.Ref, item string, more *[]string) []mdstore.Ref {
	const maxTarget, maxDescription = 4096, mdstore.MaxEvent // bytes
	asItem := "- " + strings.ReplaceAll(item, "\n", "\n  ")
	r.Target = strings.TrimSpace(oneLine(r.Target, len(r.Target)))
	if len(r.Description) > maxDescription {
		*more = append(*more, asItem)
		r.Description = oneLine(r.Description, 100)
	}
	if _, ok := r.Format(); !ok || len(r.Target) > maxTarget {
		*more = append(*more, asItem)
		return list
	}
	return append(list, r)
}
