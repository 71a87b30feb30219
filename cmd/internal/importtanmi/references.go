package importtanmi

import (
	"strings"

	"arbor/engine"
	"arbor/mdstore"
)

// references sorts a node's list of documents into documents and references, and adds the references that only the graph has. It returns the
// items that are neither, for the note.
//
// Whether a reference to a node or a memo is active is what the graph says; whether a document is, what its line says.
func (w *workspace) references(out *engine.ImportNode, s *source, t *tree, memos map[string]mdstore.Ref) []string {
	active := map[string]bool{}
	for _, target := range s.graphNode.references {
		active[strings.TrimSpace(target)] = true
	}
	var odd []string
	seen := map[string]bool{}
	for _, item := range s.in.docs {
		r, known := refLine(item)
		target := r.Target
		_, node := t.ids[target]
		memo := strings.HasPrefix(target, memoScheme)
		if !active[target] && !node && !memo && !looksLikeNode(target) {
			out.Docs = addRef(out.Docs, r, item, &odd)
			continue
		}
		seen[target] = true
		if byItself(r) {
			r.Description = ""
		}
		if expired := !active[target]; r.Expired != expired {
			if node && known {
				w.rep.warn(s.file, "the reference to %s is marked otherwise here than in graph.json, which counts", quote(target))
			} else if node || memo {
				w.rep.warn(s.file, "the reference to %s stands only here and not in graph.json: taken as expired", quote(target))
			}
			r.Expired = expired
		}
		out.References = addRef(out.References, w.resolve(r, t, memos, s.file), item, &odd)
	}
	for _, target := range s.graphNode.references {
		target = strings.TrimSpace(target)
		if target == "" || seen[target] {
			continue
		}
		seen[target] = true
		out.References = addRef(out.References, w.resolve(mdstore.Ref{Target: target}, t, memos, s.file), target, &odd)
	}
	if len(odd) > 0 {
		w.rep.warn(s.file, "lists documents that no reference can hold: kept in the note")
		return []string{under("Documents", strings.Join(odd, "\n"))}
	}
	return nil
}

// resolve gives a reference the target that it has in the new workspace. What does not exist any more is expired.
func (w *workspace) resolve(r mdstore.Ref, t *tree, memos map[string]mdstore.Ref, file string) mdstore.Ref {
	key, memo := strings.CutPrefix(r.Target, memoScheme)
	if memo {
		to, ok := memos[key]
		if !ok {
			w.rep.warn(file, "refers to memo %s, which does not exist: the reference is expired", quote(key))
			r.Expired = true
			return r
		}
		r.Target = to.Target
		if r.Description == "" {
			r.Description = to.Description
		}
		return r
	}
	if id, ok := t.ids[r.Target]; ok {
		r.Target = string(id)
	} else if looksLikeNode(r.Target) {
		if !r.Expired {
			r.Expired = true
		}
		w.rep.warn(file, "refers to node %s, which does not exist: the reference is expired", quote(r.Target))
	}
	return r
}
