package importtanmi

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strings"

	"arbor/mdstore"
)

// A node is a node of graph.json that is imported.
type node struct {
	nodeEntry
	key       string // its id in graph.json
	id        mdstore.ID
	parent    *node // nil for the root
	children  []*node
	createdAt int64
	order     *float64 // nil leaves it to the time of creation
	folders   []string // its folders, the one that graph.json names first
}

// A tree is the nodes below a root.
type tree struct {
	root  *node
	byKey map[string]*node
	nodes []*node // from the root down, siblings in their order
}

// readGraph reads graph.json. Nodes that do not fit into a tree are left out. If graph.json is missing or damaged, the
// tree is only a root.
func (w *workspace) readGraph(rootKey string) (g graphFile) {
	data, ok := w.src.data[graphJSON]
	w.src.used[graphJSON] = true
	err := decode(data, &g)
	switch {
	case !ok:
		w.warn(graphJSON, "is missing: there is a root node alone, and the files of other nodes are attached")
	case err != nil && g.Nodes == nil:
		w.warn(graphJSON, "is damaged: there is a root node alone, and the files of other nodes are attached; "+
			"repair it and import the folder again for the other nodes")
		fallthrough
	case err != nil:
		w.src.keep(graphJSON, "%v", err)
	case strings.Trim(g.Version, "012345.") != "":
		w.src.keep(graphJSON, "it has version %s, and 5.0 is the newest that is known here", g.Version)
	}
	w.tree.byKey = map[string]*node{}
	for _, key := range slices.Sorted(maps.Keys(g.Nodes)) {
		n := &node{key: key, id: mdstore.ID(key)}
		if err := decode(g.Nodes[key], &n.nodeEntry); err != nil {
			w.src.keep(graphJSON, "node %s: %v", key, err)
			if errors.Is(err, errNoObject) {
				continue
			}
		}
		if !n.id.Valid() {
			w.src.keep(graphJSON, "Arbor does not take the id of node %s", key)
			continue
		}
		if n.ID != key && n.ID != "" {
			w.src.keep(graphJSON, "node %s says that its id is %s", key, n.ID)
		}
		n.createdAt = w.millis(graphJSON, n.CreatedAt)
		w.tree.byKey[key] = n
	}
	w.plant(rootKey)
	return g
}

// plant makes a tree of the nodes: the root and all nodes below it.
func (w *workspace) plant(rootKey string) {
	t := &w.tree
	if t.root = cmp.Or(t.byKey[string(mdstore.Root)], t.byKey[rootKey]); t.root == nil {
		if len(t.byKey) > 0 {
			w.src.keep(graphJSON, "it has no root node: there is a new one")
		}
		t.root = &node{key: string(mdstore.Root), createdAt: w.imp.CreatedAt}
		t.byKey[t.root.key] = t.root
	}
	t.root.id = mdstore.Root
	keys := slices.Sorted(maps.Keys(t.byKey))
	for _, key := range keys {
		n := t.byKey[key]
		if n == t.root {
			continue
		}
		if n.parent = t.byKey[n.ParentID]; n.parent == nil {
			w.src.keep(graphJSON, "node %s has no parent: it is now below the root", key)
			n.parent = t.root
		}
		n.parent.children = append(n.parent.children, n)
	}
	reached := map[*node]bool{}
	for stack := []*node{t.root}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		reached[n] = true
		t.nodes = append(t.nodes, n)
		w.sortChildren(n)
		for _, c := range slices.Backward(n.children) {
			stack = append(stack, c)
		}
	}
	for _, key := range keys {
		if !reached[t.byKey[key]] {
			w.src.keep(graphJSON, "node %s is below itself", key)
			delete(t.byKey, key)
		}
	}
	if p := t.root.ParentID; p != "" {
		w.src.keep(graphJSON, "the root has a parent, %s", p)
	}
}

// sortChildren orders the children as their node lists them, and then the others by their times. They get numbers only
// if their times would give another order.
func (w *workspace) sortChildren(n *node) {
	at := map[string]int{}
	for i, key := range n.Children {
		if c := w.tree.byKey[key]; c == nil || c.parent != n || at[key] < 0 {
			w.src.keep(graphJSON, "node %s lists a child that it does not have, %s", n.key, key)
		}
		at[key] = i - len(n.Children) // negative, because missing keys are at 0
	}
	age := func(a, b *node) int { return cmp.Or(cmp.Compare(a.createdAt, b.createdAt), cmp.Compare(a.id, b.id)) }
	slices.SortFunc(n.children, func(a, b *node) int { return cmp.Or(cmp.Compare(at[a.key], at[b.key]), age(a, b)) })
	natural := slices.IsSortedFunc(n.children, age) && (len(n.children) == 0 || n.children[0].createdAt > 0)
	for i, c := range n.children {
		if !natural {
			order := float64(i + 1)
			c.order = &order
		}
	}
}
