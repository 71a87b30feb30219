package lsp

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"arbor/engine/check"
	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A ref is a place in a text that names a node, a document or a slot.
type ref struct {
	target     string
	start, end int  // of the target, in bytes
	wiki       bool // [[target]]: titles count too
	loose      bool // only an id in a text: it may name nothing
}

// forms are the expressions for references in a text. They are compiled at the first use.
var forms = sync.OnceValue(func() (f struct{ wiki, link, id, key, token *regexp.Regexp }) {
	f.wiki = regexp.MustCompile(`\[\[([^\]\[|#\n]+)[^\]\[\n]*\]\]`)
	f.link = regexp.MustCompile(`\]\(<?([^()<>\s#]+)[^()\n]*\)`)
	f.id = regexp.MustCompile(`\bnode-[0-9a-z]{8,9}-[0-9a-z]{6}\b`)
	f.key = regexp.MustCompile(`(?m)^([A-Za-z][\w-]*):`)
	f.token = regexp.MustCompile(`[^\s\[\]",']+`)
	return f
})

// nodeKeys returns whether the values of a key of the front matter are nodes.
func namesNodes(key string) bool {
	if key == mdstore.KeyParent || key == mdstore.KeyFocus || key == mdstore.KeyNode {
		return true
	}
	for _, f := range mdstore.AllFields() {
		if f.Node && f.Key == key {
			return true
		}
	}
	return false
}

// A frontKey is a key of the front matter of a text, with the place of its value, which may have several lines.
type frontKey struct {
	name       string
	start, end int // of the value, with the line ends in it
}

// front returns the keys of a text's front matter, and where the body begins; 0 if there is none.
func front(s string) (keys []frontKey, body int) {
	if !strings.HasPrefix(s, "---") {
		return nil, 0
	}
	first := strings.IndexByte(s, '\n') + 1
	end := strings.Index(s[first:], "\n---")
	if first == 0 || end < 0 {
		return nil, 0
	}
	end += first + 1
	body = len(s)
	if i := strings.IndexByte(s[end:], '\n'); i >= 0 {
		body = end + i + 1
	}
	for _, m := range forms().key.FindAllStringSubmatchIndex(s[first:end], -1) {
		if len(keys) > 0 {
			keys[len(keys)-1].end = first + m[0]
		}
		keys = append(keys, frontKey{s[first+m[2] : first+m[3]], first + m[1], end})
	}
	return keys, body
}

// refsIn returns the references in a text of a kind, in no order.
func refsIn(s string, doc *mdoc.Doc) (all []ref) {
	f := forms()
	keys, body := front(s)
	for _, k := range keys {
		if !namesNodes(k.name) {
			continue
		}
		value := s[k.start:k.end]
		if i := strings.Index(value, " #"); i >= 0 && !strings.Contains(value, "[[") {
			value = value[:i]
		}
		if links := f.wiki.FindAllStringSubmatchIndex(value, -1); links != nil {
			for _, m := range links {
				all = append(all, ref{target: value[m[2]:m[3]], start: k.start + m[2], end: k.start + m[3], wiki: true})
			}
			continue
		}
		for _, m := range f.token.FindAllStringIndex(value, -1) {
			if word := value[m[0]:m[1]]; word != "null" && word != "-" {
				all = append(all, ref{target: word, start: k.start + m[0], end: k.start + m[1]})
			}
		}
	}
	taken := map[int]bool{}
	add := func(r ref) {
		if !taken[r.start] {
			taken[r.start] = true
			all = append(all, r)
		}
	}
	for _, m := range f.wiki.FindAllStringSubmatchIndex(s[body:], -1) {
		add(ref{target: strings.TrimSpace(s[body+m[2] : body+m[3]]), start: body + m[2], end: body + m[3], wiki: true})
	}
	for _, m := range f.link.FindAllStringSubmatchIndex(s[body:], -1) {
		add(ref{target: s[body+m[2] : body+m[3]], start: body + m[2], end: body + m[3]})
	}
	for _, section := range []string{mdstore.SecReferences, mdstore.SecDocs} {
		if doc == nil {
			break
		}
		for _, item := range doc.Items(section) {
			target := mdstore.ParseRef(item.Text).Target
			if i := strings.Index(s[item.Span.Start:min(item.Span.End, len(s))], target); target != "" && i >= 0 {
				add(ref{target: target, start: item.Span.Start + i, end: item.Span.Start + i + len(target)})
			}
		}
	}
	for _, m := range f.id.FindAllStringIndex(s[body:], -1) {
		add(ref{target: s[body+m[0] : body+m[1]], start: body + m[0], end: body + m[1], loose: true})
	}
	return all
}

// doc returns the document of the text of the client.
func (d *document) doc() *mdoc.Doc {
	if d.parsedDoc == nil {
		d.parsedDoc, _ = mdoc.Parse(string(d.path), []byte(d.text.s), d.kind.Form)
	}
	return d.parsedDoc
}

// refAt returns the reference at a place of a document; ok is false if there is none.
func (d *document) refAt(at int) (found ref, ok bool) {
	for _, r := range refsIn(d.text.s, d.doc()) {
		if r.start <= at && at <= r.end {
			return r, true
		}
	}
	return ref{}, false
}

// A target is what a reference leads to: a node, or a file.
type target struct {
	node *mdstore.Node // nil for a document or a slot
	slot *mdstore.Page // nil for a node or a document
	file string        // absolute
}

// lead returns what a reference in a file leads to. It is called under Read.
func (s *server) lead(v *vault, in mdstore.Path, w *view.View, r ref) (to target, ok bool) {
	from, known := w.File(in)
	if !known {
		from, known = w.Node(mdstore.Root)
	}
	if known {
		if n, found := leadToNode(w, from, r); found {
			return target{node: n, file: v.file(n.Path)}, true
		}
	}
	if r.loose {
		return target{}, false
	}
	for _, t := range append(check.Tries(r.target), r.target) {
		for _, dir := range []string{v.file(in.Dir()), v.engine.Project()} {
			file := filepath.Join(dir, filepath.FromSlash(t))
			if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() {
				return target{file: file}, true
			}
		}
	}
	if page, err := view.Slot(w, r.target, false); err == nil && r.wiki {
		return target{slot: page, file: v.file(page.Path)}, true
	}
	return target{}, false
}

// leadToNode returns the node that a reference in a node's file names.
func leadToNode(w *view.View, from *mdstore.Node, r ref) (*mdstore.Node, bool) {
	if n, ok := w.Referred(from, r.target); ok || r.loose || strings.Contains(r.target, "/") {
		return n, ok
	}
	if id, err := w.Resolve(r.target); err == nil {
		return w.Node(id)
	}
	return nil, false
}

// titled returns the place of a node's title in its file.
func (s *server) titled(v *vault, p mdstore.Path) location {
	t := s.textAt(v, p)
	keys, _ := front(t.s)
	for _, k := range keys {
		if k.name == mdstore.KeyTitle {
			value := strings.TrimRight(t.s[k.start:k.end], " \r\n")
			start := k.start + len(value) - len(strings.TrimLeft(value, " "))
			return location{v.uri(p), t.span(min(start, k.start+len(value)), k.start+len(value))}
		}
	}
	return location{URI: v.uri(p)}
}

// at calls f under Read with the document of a request, its view and the place. It returns false for a file that is
// not served.
func (s *server) at(p textParams, f func(ctx context.Context, d *document, w *view.View, at int) error) (bool, error) {
	d := s.docs[p.Doc.URI]
	if d == nil || d.kind.Place.Vault {
		return false, nil
	}
	err := s.over(d.vault, mdstore.WorkspaceDir(d.path), func(ctx context.Context, w *view.View) error {
		return f(ctx, d, w, d.text.offset(p.Position))
	})
	if err != nil && errs.As(err).Code == errs.WorkspaceNotFound {
		return false, nil // it was deleted, or moved to the trash, with the file still open
	}
	return true, err
}

// exists reports whether there is a file or folder.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func definition(s *server, p textParams) (out any, err error) {
	_, err = s.at(p, func(_ context.Context, d *document, w *view.View, at int) error {
		out = nil
		if r, ok := d.refAt(at); ok {
			if to, ok := s.lead(d.vault, d.path, w, r); ok && to.node != nil {
				out = s.titled(d.vault, to.node.Path)
			} else if ok {
				out = location{URI: uriOf(to.file)}
			}
		}
		return nil
	})
	return out, err
}

func documentLinks(s *server, p textParams) (any, error) {
	all := []docLink{}
	ok, err := s.at(p, func(_ context.Context, d *document, w *view.View, _ int) error {
		all = all[:0]
		for _, r := range refsIn(d.text.s, d.doc()) {
			if to, ok := s.lead(d.vault, d.path, w, r); ok {
				l := docLink{Range: d.text.span(r.start, r.end), Target: uriOf(to.file), Tooltip: path.Base(r.target)}
				if to.node != nil {
					l.Tooltip = to.node.Title + " · " + string(to.node.Status)
				}
				all = append(all, l)
			}
		}
		return nil
	})
	if !ok || err != nil {
		return nil, err
	}
	return all, nil
}
