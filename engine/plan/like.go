package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// alike returns the node with values copied from Like: the title if it has none, the type, and copies of all nodes
// below it.
func (a NewNode) alike(d *Draft) (NewNode, error) {
	if a.Like == "" {
		return a, nil
	}
	if len(a.Children)+len(a.Docs)+len(a.References) > 0 {
		return a, errs.New(errs.InvalidParams, "like takes children, docs and references from %s; "+
			"leave them out, and add to the copy afterwards", a.Like).With(errs.Details{Param: "like"})
	}
	if err := d.View.Unread(); err != nil { // the file may be of a node to copy
		return a, err
	}
	n, err := d.View.Known(a.Like)
	if err != nil {
		return a, err
	}
	if strings.TrimSpace(a.Title) == "" {
		a.Title = n.Title
	}
	a.copies = map[mdstore.ID]mdstore.ID{}
	return a.of(d, n)
}

// of returns the node as a copy of n.
func (a NewNode) of(d *Draft, n *mdstore.Node) (NewNode, error) {
	if err := d.Editable(n); err != nil {
		return a, err
	}
	a.like, a.Type = n, n.Type
	d.Rely(n)
	for _, k := range d.View.Below(n.ID) {
		kid, err := NewNode{Head: mdstore.Head{Title: k.Title}, copies: a.copies}.of(d, k)
		if err != nil {
			return a, err
		}
		a.Children = append(a.Children, kid)
	}
	return a, nil
}

// copied adds the file of a copy: every byte of the original but ids, status, times, source, conclusion, problem and
// log. n has what differs. Its boxes are open. Dependencies and references on nodes that are copied along lead to the
// copies; other dependencies are left out.
func (s *seed) copied(d *Draft, path mdstore.Path, n ImportNode) error {
	original, _ := s.like.File()
	doc, err := without(path, original, mdstore.SecConclusion, mdstore.SecProblem, mdstore.SecLog)
	if err != nil {
		return err
	}
	var all []mdoc.Patch
	add := func(p mdoc.Patch, e error) {
		all = append(all, p)
		if err == nil {
			err = e
		}
	}
	set := func(key string, v mdoc.Scalar) { add(doc.SetField(key, v)) }
	set(mdstore.KeyID, mdoc.Text(string(n.ID)))
	set(mdstore.KeyTitle, mdoc.Text(n.Title))
	set(mdstore.KeyStatus, mdoc.Text(string(n.Status)))
	set(mdstore.KeyParent, mdoc.Text(string(n.Parent)))
	set(mdstore.KeyCreated, mdoc.Integer(n.CreatedAt))
	set(mdstore.KeyUpdated, mdoc.Integer(n.UpdatedAt))
	for _, key := range []string{ImportedKey, mdstore.KeyImported} { // a copy does not come from the source
		if _, has := doc.Field(key); has {
			set(key, mdoc.Removed())
		}
	}
	for _, f := range mdstore.AllFields() {
		switch text := s.fieldText(d, f, n); {
		case text == s.like.Text(f):
		case text == "" && f.Rule.List || f.Key == "order" && text == "":
			set(f.Key, mdoc.Removed())
		default:
			set(f.Key, scalar(doc, f, text))
		}
	}
	if n.Requirement == "" {
		n.Requirement = mdstore.Unticked(doc.Text(mdstore.SecRequirement))
	}
	for name, text := range map[string]string{
		mdstore.SecRequirement: n.Requirement, mdstore.SecCriteria: mdstore.Unticked(doc.Text(mdstore.SecCriteria)),
	} {
		if text != doc.Text(name) {
			add(doc.SetSection(name, text))
		}
	}
	for _, r := range s.like.References() {
		to, ok := d.View.Referred(s.like, r.Target)
		if !ok || s.copies[to.ID] == "" {
			continue
		}
		r.Target = string(s.copies[to.ID])
		if text, ok := r.Format(); ok {
			add(doc.ReplaceItem(mdstore.SecReferences, r.Index, text))
		}
	}
	for _, item := range formatLog(n.Log) {
		add(doc.AppendItem(mdstore.SecLog, item))
	}
	if err != nil {
		return err
	}
	after, err := doc.Apply(all...)
	if err != nil {
		return err
	}
	d.whole(mdstore.Change{Path: path, New: after.Bytes()}, created(n.ID, n.Title))
	return nil
}

// fieldText returns the value of a field of a copy: the one that the call gives, or else that of the original. The
// topmost node has its place by its time, unless the call gives an order.
func (s *seed) fieldText(d *Draft, f *mdstore.Field, n ImportNode) string {
	for given, text := range n.Fields.Given() {
		if given == f {
			return text
		}
	}
	text := s.like.Text(f)
	if f.Key == "order" && s.Like != "" || text == "" {
		return ""
	}
	if !f.Node {
		return text
	}
	var inside []string
	for target := range strings.SplitSeq(text, "\n") {
		if to, ok := d.View.Referred(s.like, target); ok && s.copies[to.ID] != "" {
			inside = append(inside, string(s.copies[to.ID]))
		}
	}
	return strings.Join(inside, "\n")
}

// without returns a document that lacks the sections of these names.
func without(path mdstore.Path, d *mdoc.Doc, names ...string) (*mdoc.Doc, error) {
	var rest []byte
	src, at := d.Bytes(), 0
	for _, x := range d.Sections() {
		if slices.Contains(names, x.Name) {
			rest = append(rest, src[at:x.Heading.Start]...)
			at = x.Body.End
		}
	}
	doc, problems := mdoc.Parse(string(path), append(rest, src[at:]...), mdstore.NodeForm)
	if len(problems) > 0 {
		return nil, &mdoc.UnreadableError{Problem: problems[0]}
	}
	return doc, nil
}
