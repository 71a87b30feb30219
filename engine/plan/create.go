package plan

import (
	"fmt"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NewNode are the arguments of a node's creation, with those of the nodes that are made below it.
type NewNode struct {
	mdstore.Head  // without a status: it begins with that of its type
	Parent        mdstore.ID
	Requirement   string // may be empty
	Criteria      []string
	RulesHash     string // the hash of the workspace's rules; required if it has rules
	RulesRead     bool   // the caller has been shown the rules, and is not asked for their hash
	Docs          []mdstore.Ref
	References    []mdstore.Ref // a target may be the title of a node that is made along with it
	Before, After mdstore.ID    // the sibling next to which it is placed; at most one of both
	Cascade       bool          // reopen completed and cancelled ancestors
	Like          mdstore.ID    // the node that it is a copy of, with all below it; "" for none
	Children      []NewNode     // in order; the place, the rules hash and Cascade come from the topmost node

	like   *mdstore.Node             // Like, or the node in its place below it
	copies map[mdstore.ID]mdstore.ID // the copies of all nodes below Like
}

// Created is the result of creating a node.
type Created struct {
	Node     mdstore.ID
	Path     mdstore.Path
	Cascades []Cascade
	Children []Created
}

// A seed is a node before it is written, with its id.
type seed struct {
	NewNode
	id    mdstore.ID
	where string // the prefix of messages, such as "children[0]: "; "" for the topmost
	below []*seed
}

// Plan makes a node under a planning node, and all new nodes below it. In a workspace with rules the caller must show
// that it has read them.
func (a NewNode) Plan(d *Draft) (*Created, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	a, err := a.alike(d)
	if err != nil {
		return nil, err
	}
	made := map[string][]mdstore.ID{} // ids by title
	top, err := sow(d, a, "", made)
	if err != nil {
		return nil, err
	}
	if !a.RulesRead {
		if err := d.rulesRead(a.RulesHash); err != nil {
			return nil, err
		}
	}
	up, err := d.place(a.Parent, a.Cascade)
	if err != nil {
		return nil, err
	}
	if a.Before != "" || a.After != "" {
		order, err := Move{Node: top.id, Parent: up[0].ID, Before: a.Before, After: a.After}.beside(d)
		if err != nil {
			return nil, err
		}
		top.Order = &order // it has no place yet
	}
	warnTitle(d, a.Title, up[0].ID, top.id)
	out, err := top.grow(d, up[0].ID, d.createdAt(up[0].ID), made)
	if err != nil {
		return nil, err
	}
	start := statemachine.Initial(top.Type)
	out.Cascades, err = d.Raise(entered(top.Type, start, up), a.Cascade, "child "+string(top.id)+" created")
	return out, err
}

// sow draws the ids of a node and of all below it, and refuses what cannot be made.
func sow(d *Draft, a NewNode, where string, made map[string][]mdstore.ID) (*seed, error) {
	s := &seed{NewNode: a, where: where}
	if err := s.judge(); err != nil {
		return nil, s.at(err)
	}
	var err error
	if s.id, err = d.FreshID(); err != nil {
		return nil, err
	}
	if s.like != nil {
		s.copies[s.like.ID] = s.id
	} else {
		made[a.Title] = append(made[a.Title], s.id)
	}
	titles := map[string]bool{}
	for i, k := range a.Children {
		kid, err := sow(d, k, fmt.Sprintf("%schildren[%d]: ", strings.TrimSuffix(where, ": ")+dot(where), i), made)
		if err != nil {
			return nil, err
		}
		if titles[k.Title] {
			d.warn("%s: two of the new children of %q have this title; only their ids tell them apart", k.Title, a.Title)
		}
		titles[k.Title] = true
		s.below = append(s.below, kid)
	}
	return s, nil
}

func dot(where string) string {
	if where == "" {
		return ""
	}
	return "."
}

// at adds to an error which of the nodes it is about.
func (s *seed) at(err error) error {
	if s.where == "" {
		return err
	}
	e := *errs.As(err)
	e.Message = s.where + e.Message
	return &e
}

// judge refuses what no node can be.
func (s *seed) judge() error {
	if !slices.Contains(statemachine.Types(), s.Type) {
		return errs.New(errs.InvalidNodeType, "type is %q; one of planning, execution is expected", s.Type)
	}
	if err := title(errs.InvalidTitle, "title", s.Title); err != nil {
		return err
	}
	if len(s.Children) > 0 && !statemachine.TakesChildren(s.Type) {
		return errs.New(errs.ExecutionChildren, "%s: an execution node has no children; make it a planning node", s.Title)
	}
	if err := distinct("doc path", s.Docs); err != nil {
		return err
	}
	return distinct("reference", s.References)
}

// grow adds the files of a node and of all below it, each after its parent.
func (s *seed) grow(
	d *Draft, parent mdstore.ID, createdAt int64, made map[string][]mdstore.ID,
) (*Created, error) {
	s.inherited(d, parent)
	if err := s.fields(d, made); err != nil {
		return nil, s.at(err)
	}
	requirement := s.Requirement
	if strings.TrimSpace(requirement) == "" {
		requirement = "" // no section
	}
	var err error
	n := born(s.Type, s.Title, requirement, d.now, d.act.Operator,
		d.named(mdstore.StatusChange{By: mdstore.ByCreation}.String()))
	n.ID, n.Parent, n.Fields, n.CreatedAt = s.id, parent, s.Fields, createdAt
	if len(s.below) > 0 {
		steps, err := statemachine.Rise(n.Status, false)
		if err != nil {
			return nil, err
		}
		for _, x := range steps {
			e := mdstore.StatusChange{By: string(x.Action), From: x.From, To: x.To, Why: "child " + string(s.below[0].id) + " created"}
			n.Log = append(n.Log, mdstore.LogEntry{Time: n.Log[0].Time, Operator: d.act.Operator, Event: d.named(e.String())})
			n.Status = x.To
		}
	}
	if n.Criteria, err = criteriaItems(s.Criteria); err != nil {
		return nil, s.at(err)
	}
	docs, err := formatRefs("doc path", s.Docs)
	if err != nil {
		return nil, s.at(err)
	}
	refs, err := s.references(d, made)
	if err != nil {
		return nil, s.at(err)
	}
	out := &Created{Node: s.id, Path: newFile(d, s.id, s.Title)}
	if s.like != nil {
		err = s.copied(d, out.Path, n)
	} else {
		err = d.create(out.Path, n, docs, refs)
	}
	if err != nil {
		return nil, s.at(err)
	}
	for i, k := range s.below {
		kid, err := k.grow(d, s.id, d.now.UnixMilli()+int64(i), made)
		if err != nil {
			return nil, err
		}
		out.Children = append(out.Children, *kid)
	}
	return out, nil
}

// fields checks the fields of a new node. The title of another new node may stand for its id.
func (s *seed) fields(d *Draft, made map[string][]mdstore.ID) error {
	if err := d.checkFields(&s.Fields, made); err != nil {
		return err
	}
	return s.Resolve(func(f *mdstore.Field, name string) (mdstore.ID, error) {
		ids := made[name]
		if len(ids) > 1 {
			return "", severalMade(f.Key, name, len(ids))
		}
		if len(ids) == 1 {
			return ids[0], nil
		}
		return mdstore.ID(name), nil
	})
}

func severalMade(what, title string, n int) error {
	return errs.New(errs.AmbiguousID, "%s %q: %d of the new nodes have this title; give them others", what, title, n)
}

// references returns the items of a new node's references. The title of another new node may stand for its id.
func (s *seed) references(d *Draft, made map[string][]mdstore.ID) ([]string, error) {
	rs := slices.Clone(s.References)
	for i, r := range rs {
		switch ids := made[r.Target]; {
		case len(ids) > 1:
			return nil, severalMade("reference", r.Target, len(ids))
		case len(ids) == 1:
			rs[i].Target = string(ids[0])
		default:
			self := &mdstore.Node{Path: mdstore.NodePath(d.View.Workspace().Dir, s.id)}
			if to, ok := d.View.Referred(self, r.Target); ok {
				rs[i].Target = string(to.ID)
			} else if err := refersTo(d, r.Target); err != nil {
				return nil, err
			}
		}
		if rs[i].Target == string(s.id) {
			return nil, errs.New(errs.InvalidParams, "%s: a node cannot refer to itself", s.Title)
		}
	}
	return formatRefs("reference", rs)
}

// refersTo returns an error for the id of a node that does not exist. One that exists gets its id into its file.
func refersTo(d *Draft, target string) error {
	id := mdstore.ID(target)
	if n, ok := d.View.Node(id); ok {
		d.Settle(n)
	} else if id.Valid() && strings.HasPrefix(target, "node-") || view.NamesNode(target) {
		return errs.Recoded(d.View.Unknown(target), errs.ReferenceNotFound)
	}
	return nil
}

// warnTitle warns of a sibling with the same title.
func warnTitle(d *Draft, title string, parent, self mdstore.ID) {
	in := string(parent)
	if n, ok := d.View.Node(parent); ok {
		in = view.Named(n)
	}
	for _, k := range d.View.Below(parent) {
		if k.Title == title && k.ID != self {
			d.warn("%s: %s has a child of this title already, %s; only their ids tell them apart", title, in, k.ID)
			return
		}
	}
}

// warn adds a warning for the caller. The change is made all the same.
func (d *Draft) warn(format string, args ...any) {
	d.warnings = append(d.warnings, fmt.Sprintf(format, args...))
}

// create adds the file of a new node.
func (d *Draft) create(path mdstore.Path, n ImportNode, docs, references []string) error {
	doc, adapted, err := n.compose(path, docs, references)
	if err != nil {
		return err
	}
	d.adapted = append(d.adapted, adapted...)
	d.whole(mdstore.Change{Path: path, New: doc.Bytes()}, created(n.ID, n.Title))
	return nil
}

// created returns the change that a node or workspace is made.
func created(id mdstore.ID, title string) view.Change {
	return view.Change{ID: id, Do: view.Created, Name: title}
}

// rulesRead checks the proof that the rules were read. No error reveals the hash, because having it is the proof.
func (d *Draft) rulesRead(hash string) error {
	w := d.View.Workspace()
	if err := w.Doc.Editable(); err != nil {
		return err // some of the rules may be unreadable
	}
	want := w.RulesHash()
	if want == "" {
		return nil
	}
	d.keep[w.Path] = w.Version
	switch hash {
	case want:
		return nil
	case "":
		return errs.New(errs.RulesHashMismatch, "%s: this workspace has rules, and {.rulesHash} proves that they "+
			"were read: read them ({context_get}, {workspace_get}) and give the {.rulesHash} that stands there", w.ID)
	}
	return errs.New(errs.RulesHashMismatch, "%s: {.rulesHash} %q is not that of the rules as they are now: read "+
		"them again ({context_get}, {workspace_get}) and give the {.rulesHash} that stands there", w.ID, hash)
}

// createdAt returns the time of creation of a new child: now, or just after that of the last sibling if it was made in
// the same moment, so that children stay in the order of their creation.
func (d *Draft) createdAt(parent mdstore.ID) int64 {
	const moment = 1000 // milliseconds; a sibling further ahead comes from another clock
	at := d.now.UnixMilli()
	for _, k := range d.View.Below(parent) {
		if k.CreatedAt >= at && k.CreatedAt < at+moment {
			at = k.CreatedAt + 1
		}
	}
	return at
}

// compose makes the file of a new node.
func (n ImportNode) compose(path mdstore.Path, docs, references []string) (*mdoc.Doc, []string, error) {
	parent := mdoc.NullValue()
	if n.ID != mdstore.Root {
		parent = mdoc.Text(string(n.Parent))
	}
	fields := []mdoc.FieldValue{
		{Key: mdstore.KeyID, Value: mdoc.Text(string(n.ID))},
		{Key: mdstore.KeyTitle, Value: mdoc.Text(n.Title)},
		{Key: mdstore.KeyType, Value: mdoc.Text(string(n.Type))},
		{Key: mdstore.KeyStatus, Value: mdoc.Text(string(n.Status))},
	}
	front := n.Front() // the key of the parent comes after the first of these
	fields = append(append(fields, front[0], mdoc.FieldValue{Key: mdstore.KeyParent, Value: parent}), front[1:]...)
	fields = append(fields, n.Own...)
	fields = append(fields,
		mdoc.FieldValue{Key: mdstore.KeyCreated, Value: mdoc.Integer(n.CreatedAt)},
		mdoc.FieldValue{Key: mdstore.KeyUpdated, Value: mdoc.Integer(n.UpdatedAt)})
	var sections []mdoc.SectionText
	add := func(name, text string, items []string) {
		if text != "" || len(items) > 0 {
			sections = append(sections, mdoc.SectionText{Name: name, Text: text, Items: items})
		}
	}
	add(mdstore.SecRequirement, n.Requirement, nil)
	add(mdstore.SecCriteria, "", n.Criteria)
	add(mdstore.SecConclusion, n.Conclusion, nil)
	add(mdstore.SecNote, n.Note, nil)
	add(mdstore.SecDocs, "", docs)
	add(mdstore.SecReferences, "", references)
	add(mdstore.SecLog, "", formatLog(n.Log))
	problem, more, err := n.Problem.Body(nil)
	if err != nil {
		return nil, nil, err
	}
	add(mdstore.SecProblem, problem, nil)
	doc, adapted, err := mdoc.Compose(string(path), mdstore.NodeForm, fields, sections)
	return doc, append(adapted, more...), err
}
