package importtanmi

import (
	"cmp"
	"math"
	"slices"

	"arbor/mdstore"
)

// A tree is the nodes of a workspace with their ids, parents and places.
type tree struct {
	root   *graphNode
	order  []*graphNode // from the root down, siblings in their order
	ids    map[string]mdstore.ID
	byKey  map[string]*graphNode
	parent map[*graphNode]*graphNode
	place  map[*graphNode]float64 // NaN leaves it to the time of creation
	at     map[*graphNode]int     // the order of the file
}

// plant makes a tree of any nodes: one root, every other node below it, no cycles. Whatever stands against that in the graph is a warning.
func (w *workspace) plant(nodes []*graphNode, rootKey string) *tree {
	t := &tree{byKey: map[string]*graphNode{}, parent: map[*graphNode]*graphNode{}, place: map[*graphNode]float64{}, at: map[*graphNode]int{}}
	for i, n := range nodes {
		t.byKey[n.key] = n
		t.at[n] = i
	}
	w.findRoot(t, nodes, rootKey)
	w.giveIDs(t, nodes)
	w.findParents(t, nodes)
	w.cutCycles(t, nodes)
	t.sort(nodes)
	return t
}

// findRoot finds the root: the node that workspace.json names, or the one called root, or the only one without a parent. Without any there
// is a new one.
func (w *workspace) findRoot(t *tree, nodes []*graphNode, rootKey string) {
	if rootKey == "" {
		rootKey = string(mdstore.Root)
	}
	t.root = t.byKey[rootKey]
	if t.root == nil {
		t.root = t.byKey[string(mdstore.Root)]
	}
	if t.root == nil {
		var tops []*graphNode
		for _, n := range nodes {
			if !n.hasParent && !n.orphan {
				tops = append(tops, n)
			}
		}
		if len(tops) == 1 {
			t.root = tops[0]
		}
	}
	if t.root != nil {
		if t.root.hasParent {
			w.rep.warn(w.dir.at(graphJSON), "the root has a parent, %s: a root has none", quote(t.root.parent))
		}
		return
	}
	key := string(mdstore.Root)
	t.root = &graphNode{key: key, dirName: key, kind: "planning", status: "pending", createdAt: w.imp.CreatedAt, updatedAt: max(w.imp.CreatedAt, w.imp.UpdatedAt)}
	t.byKey[key] = t.root
	t.at[t.root] = -1
	w.rep.warn(w.dir.at(graphJSON), "has no root node: there is a new one")
}

// giveIDs gives each node an id that Arbor takes. Nearly always it is the one that it has.
func (w *workspace) giveIDs(t *tree, nodes []*graphNode) {
	t.ids = map[string]mdstore.ID{t.root.key: mdstore.Root}
	taken := map[mdstore.ID]bool{mdstore.Root: true}
	for _, n := range nodes {
		if id := mdstore.ID(n.key); n != t.root && id.Valid() && !taken[id] {
			t.ids[n.key] = id
			taken[id] = true
		}
	}
	for _, n := range nodes {
		if t.ids[n.key] != "" {
			continue
		}
		id := mdstore.ID("node-" + digest(n.key))
		for taken[id] {
			id += "x"
		}
		t.ids[n.key] = id
		taken[id] = true
		n.rest = append(n.rest, member{key: "id", raw: []byte(jsonText(n.key)), said: true})
		w.rep.warn(w.dir.at(graphJSON), "%s is no id that Arbor takes: the node becomes %s", quote(n.key), id)
	}
}

// findParents gives each node its parent: the one that it names, or one that names it as a child, or the root.
func (w *workspace) findParents(t *tree, nodes []*graphNode) {
	file := w.dir.at(graphJSON)
	listed := map[string]*graphNode{} // by the first parent that names them
	type pair struct{ parent, child string }
	pairs := map[pair]bool{}
	for _, p := range nodes {
		for _, c := range p.children {
			switch {
			case c == "":
			case t.byKey[c] == nil:
				w.rep.warn(file, "%s lists a child %s, which does not exist", p.key, quote(c))
			case pairs[pair{p.key, c}]:
				w.rep.warn(file, "%s lists its child %s twice", p.key, c)
			case listed[c] == nil:
				listed[c] = p
			}
			pairs[pair{p.key, c}] = true
		}
	}
	for _, n := range nodes {
		if n == t.root {
			continue
		}
		named, by := t.byKey[n.parent], listed[n.key]
		if !n.hasParent || named == n {
			named = nil
		}
		if by == n {
			by = nil
		}
		switch {
		case named != nil:
			t.parent[n] = named
			if by != nil && by != named && !pairs[pair{named.key, n.key}] {
				w.rep.warn(file, "%s names %s as its parent, but is listed by %s: the first counts", n.key, named.key, by.key)
			}
		case by != nil:
			t.parent[n] = by
			if n.orphan {
				continue
			}
			w.rep.warn(file, "%s names no parent that exists: it is below %s, which lists it", n.key, by.key)
		default:
			t.parent[n] = t.root
			if !n.orphan {
				w.rep.warn(file, "%s names no parent that exists: it is now below the root", n.key)
			}
		}
	}
}

// cutCycles puts a node of each cycle below the root: the oldest, for the original made its cycles by moving a node below itself.
func (w *workspace) cutCycles(t *tree, nodes []*graphNode) {
	const walking, done = 1, 2
	state := map[*graphNode]int{t.root: done}
	for _, start := range nodes {
		var path []*graphNode
		n := start
		for ; state[n] == 0; n = t.parent[n] {
			state[n] = walking
			path = append(path, n)
		}
		if state[n] == walking {
			cycle := path[slices.Index(path, n):]
			top := slices.MinFunc(cycle, func(a, b *graphNode) int {
				return cmp.Or(cmp.Compare(a.createdAt, b.createdAt), cmp.Compare(t.at[a], t.at[b]))
			})
			t.parent[top] = t.root
			keys := make([]string, len(cycle))
			for i, c := range cycle {
				keys[i] = c.key
			}
			w.rep.warn(w.dir.at(graphJSON), "the parents of %s form a cycle: %s is now below the root", names(keys), top.key)
		}
		for _, n := range path {
			state[n] = done
		}
	}
}

// sort brings the nodes into the order of the tree. Siblings stand as their parent lists them, others of them after those by their times.
// They get numbers only where their times do not say the same.
func (t *tree) sort(nodes []*graphNode) {
	children := map[*graphNode][]*graphNode{}
	for _, n := range nodes {
		if n != t.root {
			children[t.parent[n]] = append(children[t.parent[n]], n)
		}
	}
	for p, list := range children {
		at := map[string]int{}
		for i, c := range p.children {
			if _, twice := at[c]; !twice {
				at[c] = i
			}
		}
		place := func(n *graphNode) int {
			if i, ok := at[n.key]; ok {
				return i
			}
			return math.MaxInt
		}
		age := func(a, b *graphNode) int {
			return cmp.Or(cmp.Compare(a.createdAt, b.createdAt), cmp.Compare(t.ids[a.key], t.ids[b.key]))
		}
		slices.SortFunc(list, func(a, b *graphNode) int { return cmp.Or(cmp.Compare(place(a), place(b)), age(a, b)) })
		natural := slices.IsSortedFunc(list, age) && list[0].createdAt > 0
		for i, n := range list {
			t.place[n] = math.NaN()
			if !natural {
				t.place[n] = float64(i + 1)
			}
		}
	}
	for stack := []*graphNode{t.root}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		t.order = append(t.order, n)
		for _, c := range slices.Backward(children[n]) {
			stack = append(stack, c)
		}
	}
}
