package importtanmi

import (
	"path"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/pattern"
)

// memoScheme is how the original refers to memos.
const memoScheme = "memo://"

// docLine is an entry of a list of documents: `[name](path)`, with an optional ` - description` and ` (status)` after
// it. Brackets in the name are in pairs.
var docLine = pattern.Of(`^\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\(([^\s<].*?)\)(?: - (.+?))?(?: \((active|expired)\))?$`)

// refs reads a list of documents. If it holds anything else, the file is attached.
func (w *workspace) refs(file, body string) []mdstore.Ref {
	items, whole := listItems(body)
	var all []mdstore.Ref
	for _, item := range items {
		m := docLine().FindStringSubmatch(item)
		if m == nil {
			whole = false
			continue
		}
		name, more := strings.TrimSpace(m[1]), m[3]
		r := mdstore.Ref{Target: strings.TrimSpace(m[2]), Description: name, Expired: m[4] == "expired"}
		switch {
		case name == "", name == r.Target, more != "" && name == path.Base(r.Target):
			r.Description = more
		case more != "":
			r.Description = name + " - " + more
		}
		if holdsRef(r) {
			all = append(all, r)
		} else {
			whole = false
		}
	}
	if !whole {
		w.src.keep(file, "its documents are not only a list of links")
	}
	return fitList(w, file, all)
}

// refersTo reports whether an entry of a node's documents is a reference to a node or a memo. graph.json has these,
// too, while they are active.
func (w *workspace) refersTo(n *node, target string) bool {
	return w.tree.byKey[target] != nil || strings.HasPrefix(target, memoScheme) ||
		mdstore.ID(target).Generated("node") || slices.Contains(n.References, target)
}

// references returns the references of a node to nodes and memos: those among its documents, and those that are only in
// graph.json. A reference that is missing in graph.json, or has no target, is expired.
func (w *workspace) references(n *node, docs []mdstore.Ref) []mdstore.Ref {
	var all []mdstore.Ref
	listed := map[string]bool{}
	for _, r := range docs {
		if !w.refersTo(n, r.Target) {
			continue
		}
		listed[r.Target] = true
		if r.Description == "节点引用: "+r.Target || r.Description == "备忘引用: "+r.Target {
			r.Description = "" // the original makes these up
		}
		r.Expired = mdstore.Expired(!slices.Contains(n.References, r.Target))
		all = append(all, w.resolve(r))
	}
	for _, target := range n.References {
		if r := w.resolve(mdstore.Ref{Target: target}); listed[target] {
			continue
		} else if holdsRef(r) {
			all = append(all, r)
		} else {
			w.src.keep(graphJSON, "node %s has the reference %q, which no list of Arbor's can hold", n.key, target)
		}
		listed[target] = true
	}
	return fitList(w, graphJSON, all)
}

// resolve gives a reference the target that it has in the new workspace.
func (w *workspace) resolve(r mdstore.Ref) mdstore.Ref {
	key, isMemo := strings.CutPrefix(r.Target, memoScheme)
	memo, ok := w.memos[key]
	n := w.tree.byKey[r.Target]
	switch {
	case isMemo && ok:
		r.Target = memo.Target
		if r.Description == "" {
			r.Description = memo.Description
		}
	case n != nil:
		r.Target = string(n.id)
	case isMemo, mdstore.ID(r.Target).Generated("node"):
		r.Expired = true
	}
	return r
}
