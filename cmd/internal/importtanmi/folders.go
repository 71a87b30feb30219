package importtanmi

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A nodeFolder is a folder below nodes/.
type nodeFolder struct {
	dir     *folder
	name    string
	text    string // of Info.md
	info    *info  // nil without Info.md
	log     []mdstore.LogEntry
	problem mdstore.Problem
	claimed bool
}

func (f *nodeFolder) id() string {
	if f.info == nil {
		return ""
	}
	return f.info.id
}

// nodeFolders are the nodes of the graph, those that only folders know, and the folders of each.
type nodeFolders struct {
	nodes []*graphNode
	of    map[*graphNode][]*nodeFolder
}

// nodeFolders reads the folders below nodes/ and finds the node of each. A folder with an Info.md that belongs to no node of the graph makes a
// node of its own; the files of other such folders are kept.
func (w *workspace) nodeFolders(g *graph) *nodeFolders {
	all := w.readFolders()
	res := &nodeFolders{nodes: g.nodes, of: map[*graphNode][]*nodeFolder{}}
	known := map[string]bool{}
	for _, n := range g.nodes {
		known[n.key] = true
	}
	x := indexFolders(all)
	for _, n := range g.nodes { // by identity: a folder that two nodes name belongs to the one whose id it holds
		x.claim(res.of, n, x.byID[n.key], func(f *nodeFolder) bool { return f.name == n.dirName })
	}
	for _, n := range g.nodes { // by name: what is left holds no id of the graph
		x.claim(res.of, n, x.byName[n.dirName], nil)
		x.claim(res.of, n, x.byName[n.key], nil)
	}
	for _, n := range g.nodes {
		short := shortID(n.key)
		if list := unclaimed(x.bySuffix[short]); short != "" && len(res.of[n]) == 0 && len(list) == 1 {
			x.claim(res.of, n, list, nil)
		}
	}
	for _, f := range all {
		switch {
		case f.claimed:
		case f.info != nil:
			n := w.orphan(f, known)
			res.nodes = append(res.nodes, n)
			res.of[n] = []*nodeFolder{f}
		case len(f.log) > 0 || !f.problem.IsZero(): // else there is nothing in its files
			f.dir.used[logMD], f.dir.used[problemMD] = false, false
			w.rep.warn(f.dir.path, "belongs to no node and has no %s: its files are kept", infoMD)
		}
		w.keep.rest(f.dir, path.Join(nodesDir, f.name), 0)
	}
	return res
}

func (w *workspace) readFolders() []*nodeFolder {
	dir, ok := w.dir.sub(nodesDir)
	if !ok {
		return nil
	}
	var all []*nodeFolder
	for _, name := range dir.names {
		if !dir.isDir(name) {
			continue
		}
		sub, ok := dir.sub(name)
		if !ok {
			continue
		}
		f := &nodeFolder{dir: sub, name: name}
		if text, ok := w.text(sub, infoMD); ok {
			f.text, f.info = text, parseInfo(text)
		}
		text, _ := w.text(sub, logMD)
		f.log = parseLog(text)
		text, _ = w.text(sub, problemMD)
		f.problem = parseProblem(text)
		all = append(all, f)
	}
	w.keep.rest(dir, nodesDir, 0)
	return all
}

// orphan makes a node of a folder that the graph does not know.
func (w *workspace) orphan(f *nodeFolder, known map[string]bool) *graphNode {
	key := f.info.id
	if key == "" || known[key] {
		key = f.name
	}
	for known[key] {
		key += "+"
	}
	known[key] = true
	if key != string(mdstore.Root) {
		w.rep.warn(f.dir.at(infoMD), "graph.json does not describe this node: imported as %s, below the node that lists it or below the root", quote(key))
	}
	return &graphNode{key: key, dirName: f.name, orphan: true}
}

// An index finds folders by what may tie them to a node.
type index struct{ byID, byName, bySuffix map[string][]*nodeFolder }

func indexFolders(all []*nodeFolder) *index {
	x := &index{map[string][]*nodeFolder{}, map[string][]*nodeFolder{}, map[string][]*nodeFolder{}}
	for _, f := range all {
		if id := f.id(); id != "" {
			x.byID[id] = append(x.byID[id], f)
		}
		x.byName[f.name] = append(x.byName[f.name], f)
		if i := strings.LastIndexByte(f.name, '_'); i >= 0 {
			x.bySuffix[f.name[i+1:]] = append(x.bySuffix[f.name[i+1:]], f)
		}
	}
	return x
}

// claim gives the folders to the node, those that best likes first.
func (x *index) claim(of map[*graphNode][]*nodeFolder, n *graphNode, list []*nodeFolder, best func(*nodeFolder) bool) {
	for _, first := range []bool{true, false} {
		for _, f := range list {
			if !f.claimed && (best == nil || best(f) == first) {
				f.claimed = true
				of[n] = append(of[n], f)
			}
		}
	}
}

func unclaimed(list []*nodeFolder) []*nodeFolder {
	return slices.DeleteFunc(slices.Clone(list), func(f *nodeFolder) bool { return f.claimed })
}

// withoutSuffix cuts the time off a name of the form title_time, as the original names its folders.
func withoutSuffix(name string) string {
	i := strings.LastIndexByte(name, '_')
	if i <= 0 || i == len(name)-1 {
		return name
	}
	if _, ok := base36(name[i+1:]); !ok {
		return name
	}
	return name[:i]
}

// shortID returns the time in an id of the form prefix-time-random, as it stands.
func shortID(id string) string {
	parts := strings.Split(id, "-")
	if len(parts) != 3 {
		return ""
	}
	return parts[1]
}

// idTime returns the time in an id in Unix milliseconds, 0 where there is none.
func idTime(id string) int64 {
	ms, _ := base36(shortID(id))
	return ms
}

// base36 reads a time as the original writes it into ids; ok is false for anything that is not of our century.
func base36(s string) (ms int64, ok bool) {
	const from, to = 946684800000, 4102444800000 // 2000 to 2100
	ms, err := strconv.ParseInt(s, 36, 64)
	if err != nil || ms < from || ms > to {
		return 0, false
	}
	return ms, true
}
