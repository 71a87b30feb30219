package importtanmi

import (
	"cmp"
	"fmt"
	"hash/crc32"
	"path"
	"strings"
	"unicode/utf8"

	"arbor/engine/plan"
	"arbor/mdstore"
)

// The limits of the front matter: a name's or title's length in characters, the goal's in bytes.
const (
	maxName = 200
	maxGoal = 8 << 10
)

// A workspace is a workspace of version 1 while it is read.
type workspace struct {
	*reader
	src   *source
	imp   plan.Import
	tree  tree
	memos map[string]mdstore.Ref // those with a file, by the id in graph.json
	owner map[string]int         // the node of a folder, as its place among the nodes
	bare  []string               // nodes without an Info.md
}

// workspace reads one workspace. The error is that of a file that cannot be read. Damaged and unknown files are
// attached.
func (r *reader) workspace(dir string) (plan.Import, error) {
	src, err := r.load(dir)
	if err != nil {
		return plan.Import{}, err
	}
	w := &workspace{reader: r, src: src, memos: map[string]mdstore.Ref{}, owner: map[string]int{}}
	c := w.config()
	w.page()
	w.imp.Name = cmp.Or(w.imp.Name, titleOf(path.Base(dir)), string(w.imp.ID))
	w.imp.Log = w.log(logMD)
	w.imp.Problem = w.problem(problemMD)
	g := w.readGraph(c.RootNodeID)
	w.readMemos(g)
	w.findFolders()
	for _, n := range w.tree.nodes {
		w.imp.Nodes = append(w.imp.Nodes, w.node(n))
	}
	if root := w.imp.Nodes[0]; w.imp.Goal == "" && len(root.Requirement) <= maxGoal {
		w.imp.Goal = root.Requirement
	}
	if n := w.tree.byKey[g.CurrentFocus]; n != nil {
		w.imp.Focus = n.id
	} else if g.CurrentFocus != "" {
		w.src.keep(graphJSON, "its focus, %s, is no node", g.CurrentFocus)
	}
	if key := c.RootNodeID; key != "" && key != w.tree.root.key {
		w.src.keep(workspaceJSON, "its root, %s, is not that of graph.json", key)
	}
	if w.opt.Zone == nil && len(w.imp.Log) > 0 {
		w.warn(logMD, "its times are local and say no zone: they are read as UTC, as in the logs of the nodes")
	}
	if len(w.bare) > 0 {
		w.warn(nodesDir, "there is no %s of %s: graph.json has all that is known", infoMD, few(w.bare))
	}
	w.attach()
	return w.imp, nil
}

func (w *workspace) warn(name, format string, args ...any) {
	w.reader.warn(path.Join(w.src.dir, name), format, args...)
}

// config reads workspace.json.
func (w *workspace) config() (c configFile) {
	data, ok := w.src.data[workspaceJSON]
	w.src.used[workspaceJSON] = true
	if !ok {
		w.warn(workspaceJSON, "is missing: the workspace has a new id")
	} else if err := decode(data, &c); err != nil {
		w.src.keep(workspaceJSON, "%v", err)
	}
	w.imp.Name = w.line(workspaceJSON, c.Name)
	w.imp.CreatedAt = w.millis(workspaceJSON, c.CreatedAt)
	w.imp.UpdatedAt = w.millis(workspaceJSON, c.UpdatedAt)
	inArchive := path.Base(path.Dir(w.src.dir)) == archiveDir
	w.imp.Archived = inArchive || c.Status == mdstore.StatusArchived
	if inArchive && c.Status == mdstore.StatusActive {
		w.warn(workspaceJSON, "its status is active, but the folder lies in the archive, and that counts")
	} else if c.Status != "" && c.Status != mdstore.StatusActive && c.Status != mdstore.StatusArchived {
		w.src.keep(workspaceJSON, "Arbor does not know its status, %s", c.Status)
	}
	w.imp.ID = w.newID(c)
	return c
}

// newID returns the id in workspace.json, or a new one if that is invalid or in use.
func (w *workspace) newID(c configFile) mdstore.ID {
	id := mdstore.ID(c.ID)
	if !id.Valid() {
		id = mdstore.ID(fmt.Sprintf("ws-%08x", crc32.ChecksumIEEE([]byte(path.Base(w.src.dir)+c.DirName+c.ID))))
		if c.ID != "" {
			w.src.keep(workspaceJSON, "Arbor does not take its id, which is %s now", id)
		}
	}
	free := id
	for n := 2; w.ids[free]; n++ {
		free = mdstore.ID(fmt.Sprintf("%.120s-%d", id, n))
	}
	if free != id {
		w.warn(workspaceJSON, "another workspace has the id %s: this one becomes %s", id, free)
	}
	w.ids[free] = true
	return free
}

// page reads Workspace.md.
func (w *workspace) page() {
	p, ok := w.src.page(workspaceMD, []string{"name", "createdAt", "updatedAt"}, []string{"规则", "文档", "目标"})
	if !ok {
		w.warn(workspaceMD, "is missing or no text: there are no rules and documents")
	}
	name := w.line(workspaceMD, p.fields["name"])
	if w.imp.Name = cmp.Or(w.imp.Name, name); name != "" && name != w.imp.Name {
		w.src.keep(workspaceMD, "its name is not that of workspace.json, which counts")
	}
	created, updated := w.millis(workspaceMD, p.fields["createdAt"]), w.millis(workspaceMD, p.fields["updatedAt"])
	w.imp.CreatedAt, w.imp.UpdatedAt = cmp.Or(w.imp.CreatedAt, created), cmp.Or(w.imp.UpdatedAt, updated)
	rules, whole := listItems(p.sections["规则"])
	if !whole {
		w.src.keep(workspaceMD, "its rules are not only a list")
	}
	w.imp.Rules = fitList(w, workspaceMD, rules)
	w.imp.Docs = w.refs(workspaceMD, p.sections["文档"])
	if w.imp.Goal = p.sections["目标"]; len(w.imp.Goal) > maxGoal {
		w.imp.Goal = strings.ToValidUTF8(w.imp.Goal[:maxGoal], "") + "…"
		w.src.keep(workspaceMD, "its goal is longer than %d KiB, and shortened", maxGoal>>10)
	}
}

// line returns a name or title of a file. If that is not all of it, the file is attached.
func (w *workspace) line(file, s string) string {
	line := titleLine(s)
	if line != strings.TrimSpace(s) {
		w.src.keep(file, "its name or title does not fit on a line of %d characters, and is shortened", maxName)
	}
	return line
}

// titleLine returns a text as one line of at most maxName characters.
func titleLine(s string) string {
	line := strings.TrimSpace(oneLine(s))
	if utf8.RuneCountInString(line) > maxName {
		line = strings.TrimSpace(string([]rune(line)[:maxName-1])) + "…"
	}
	return line
}

// titleOf returns the title in the name of a folder, behind which the original puts the time, as in title_mwpt3ok8.
func titleOf(folder string) string {
	if i := strings.LastIndexByte(folder, '_'); i > 0 && len(folder)-i == 9 {
		folder = folder[:i]
	}
	return titleLine(strings.Trim(folder, "."))
}
