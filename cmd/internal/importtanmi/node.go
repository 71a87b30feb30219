package importtanmi

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/statemachine"
)

// The keys and sections that the original writes into an Info.md.
var (
	infoKeys     = []string{"id", "type", "title", "status", "createdAt", "updatedAt"}
	infoSections = []string{"节点类型", "需求", "验收标准", "文档引用", "备注", "结论"}
)

// findFolders gives each folder below nodes/ to the node whose id its Info.md holds, or else to the node that it is
// named after.
func (w *workspace) findFolders() {
	byName := map[string]*node{}
	for _, n := range w.tree.nodes {
		for _, name := range []string{n.DirName, n.key} {
			if byName[name] == nil {
				byName[name] = n
			}
		}
	}
	seen := map[string]bool{}
	for _, file := range w.src.names {
		rest, ok := strings.CutPrefix(file, nodesDir+"/")
		name, _, folder := strings.Cut(rest, "/")
		if !ok || !folder || seen[name] {
			continue
		}
		seen[name] = true
		info := path.Join(nodesDir, name, infoMD)
		p, _ := w.src.page(info, infoKeys, infoSections)
		switch n := cmp.Or(w.tree.byKey[p.fields["id"]], byName[name]); {
		case n == nil:
			w.src.used[info] = false
		case name == n.DirName:
			n.folders = slices.Insert(n.folders, 0, name)
		default:
			n.folders = append(n.folders, name)
		}
	}
}

// node makes a node from graph.json and the node's folders.
func (w *workspace) node(n *node) plan.ImportNode {
	out := plan.ImportNode{
		ID: n.id, Head: mdstore.Head{Fields: mdstore.Fields{Order: n.order, Isolated: &n.Isolate}}, CreatedAt: n.createdAt, UpdatedAt: w.millis(graphJSON, n.UpdatedAt),
		Conclusion: strings.TrimRight(strings.TrimLeft(lineEnds.Replace(n.Conclusion), "\n"), " \t\n"),
	}
	if n.parent != nil {
		out.Parent = n.parent.id
	}
	var info string // the path of its Info.md
	for _, folder := range n.folders {
		w.owner[folder] = len(w.imp.Nodes)
		dir := path.Join(nodesDir, folder) + "/"
		if _, ok := w.src.data[dir+infoMD]; ok && info == "" {
			info = dir + infoMD
		} else if ok {
			w.src.keep(dir+infoMD, "it is a second %s of node %s", infoMD, n.key)
		}
		out.Log = append(out.Log, w.log(dir+logMD)...)
		if problem := w.problem(dir + problemMD); out.Problem.IsZero() {
			out.Problem = problem
		} else if !problem.IsZero() {
			w.src.keep(dir+problemMD, "it is a second problem of node %s", n.key)
		}
	}
	slices.SortStableFunc(out.Log, func(a, b mdstore.LogEntry) int { return strings.Compare(a.Time, b.Time) })
	p := w.info(n, &out, info)
	title := titleOf(n.DirName)
	if n.parent == nil {
		title = w.imp.Name
	}
	out.Title = cmp.Or(w.line(info, p.fields["title"]), title, n.key)
	out.UpdatedAt = max(out.UpdatedAt, out.CreatedAt)
	w.state(n, &out, p, info)
	return out
}

// info imports an Info.md. Without one, the node only has the facts in graph.json.
func (w *workspace) info(n *node, out *plan.ImportNode, file string) page {
	p, ok := w.src.page(file, infoKeys, infoSections)
	if !ok {
		w.bare = append(w.bare, n.key)
	}
	for _, f := range [][3]string{{"id", n.key}, {"type", n.Type}, {"status", n.Status}} {
		if got := p.fields[f[0]]; got != "" && f[1] != "" && got != f[1] {
			w.src.keep(file, "its %s, %s, is not that of graph.json, which counts", f[0], got)
		}
	}
	if label := p.sections["节点类型"]; label != "" && label != "规划节点" && label != "执行节点" {
		w.src.keep(file, "its type of node is not known")
	}
	out.Note = w.fit(p.sections["备注"], file)
	requirement := p.sections["需求"] + "\n\n" + w.criteria(n, p.sections["验收标准"])
	out.Requirement = w.fit(strings.Trim(requirement, "\n"), file)
	if text := p.sections["结论"]; out.Conclusion == "" {
		out.Conclusion = text
	} else if text != "" && text != out.Conclusion {
		w.src.keep(file, "its conclusion is not that of graph.json, which counts")
	}
	out.Conclusion = w.fit(out.Conclusion, file, graphJSON)
	created, updated := w.millis(file, p.fields["createdAt"]), w.millis(file, p.fields["updatedAt"])
	out.CreatedAt, out.UpdatedAt = cmp.Or(out.CreatedAt, created), cmp.Or(out.UpdatedAt, updated)
	docs := w.refs(file, p.sections["文档引用"])
	out.References = w.references(n, docs)
	out.Docs = slices.DeleteFunc(docs, func(r mdstore.Ref) bool { return w.refersTo(n, r.Target) })
	return p
}

// criteria returns the acceptance criteria of an Info.md below a heading. If graph.json has others, the file is
// attached.
func (w *workspace) criteria(n *node, body string) string {
	cell := strings.NewReplacer("|", "｜", "\n", "<br>")
	for _, c := range n.AcceptanceCriteria {
		if !strings.Contains(body, cell.Replace(c.When)) || !strings.Contains(body, cell.Replace(c.Then)) {
			w.src.keep(graphJSON, "node %s has acceptance criteria that its %s lacks", n.key, infoMD)
		}
	}
	if body == "" {
		return ""
	}
	return "### Acceptance criteria\n\n" + body
}

// state settles type, status and role: those of graph.json, or else of Info.md. An unknown type is replaced by that
// which fits the place in the tree, an unknown status by the first one, and an unknown role by none.
func (w *workspace) state(n *node, out *plan.ImportNode, p page, info string) {
	out.Type = statemachine.Type(cmp.Or(n.Type, p.fields["type"]))
	out.Status = statemachine.Status(cmp.Or(n.Status, p.fields["status"]))
	unknown := func(what, value string) {
		for _, file := range []string{graphJSON, info} {
			if value != "" {
				w.src.keep(file, "Arbor does not know the %s of node %s, %s", what, n.key, value)
			}
		}
	}
	if !slices.Contains(statemachine.Types(), out.Type) {
		unknown("type", string(out.Type))
		out.Type = statemachine.Execution
		if n.parent == nil || len(n.children) > 0 {
			out.Type = statemachine.Planning
		}
		if out.Type == statemachine.Planning && out.Status == statemachine.Implementing {
			out.Status = statemachine.Monitoring // files older than version 3 know only one type
		}
	}
	if !statemachine.Valid(out.Type, out.Status) {
		unknown("status", string(out.Status))
		out.Status = statemachine.Initial(out.Type)
	}
	role := n.Role
	if role == "info_summary" {
		role = mdstore.RoleSummary
	}
	if out.Role = &role; role == "" {
		out.Role = nil
	} else if _, err := out.Check(); err != nil {
		unknown("role", role)
		out.Role = nil
	}
}
