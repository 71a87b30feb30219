package plan

import (
	"math"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NewNode are the arguments of a node's creation.
type NewNode struct {
	Parent      mdstore.ID
	Type        statemachine.Type
	Title       string
	Requirement string
	RulesHash   string // of the workspace's rules; asked for where there are any
	Role        mdstore.Role
	Docs        []mdstore.Ref
	Cascade     bool // reopen completed and cancelled ancestors
}

// Created is what a node's creation did.
type Created struct {
	Node     mdstore.ID
	Path     mdstore.Path
	Cascades []Cascade
}

// Plan makes a node under a planning node. In a workspace with rules the caller must show that it has read them.
func (a NewNode) Plan(d *Draft) (*Created, error) {
	if err := d.Writable(); err != nil {
		return nil, err
	}
	if !slices.Contains(statemachine.Types(), a.Type) {
		return nil, errs.New(errs.InvalidNodeType, "type %q: a node is of type planning (it is divided into children) or execution (it is done)", a.Type)
	}
	if err := title(errs.InvalidTitle, "title", a.Title); err != nil {
		return nil, err
	}
	if a.Role != mdstore.RoleNone && !slices.Contains(mdstore.Roles(), a.Role) {
		return nil, errs.New(errs.InvalidParams, "role %q: info_collection, validation and summary are the roles, or none", a.Role)
	}
	if strings.TrimSpace(a.Requirement) == "" {
		return nil, errs.New(errs.InvalidParams, "requirement is empty; say what is to be done").With(errs.Details{Param: "requirement"})
	}
	if err := d.rulesRead(a.RulesHash); err != nil {
		return nil, err
	}
	up, err := d.place(a.Parent, a.Cascade)
	if err != nil {
		return nil, err
	}
	id, err := d.FreshID()
	if err != nil {
		return nil, err
	}
	if err := distinct(a.Docs); err != nil {
		return nil, err
	}
	docs, err := formatRefs("doc path", a.Docs)
	if err != nil {
		return nil, err
	}
	n := born(a.Type, a.Title, a.Requirement, d.now, d.act.Operator, mdstore.StatusChange{By: mdstore.ByCreation}.String())
	n.ID, n.Parent, n.Role, n.CreatedAt = id, up[0].ID, a.Role, d.createdAt(up[0].ID)
	out := &Created{Node: id, Path: mdstore.NodePath(d.View.Workspace().Dir, id)}
	if err := d.create(out.Path, n, docs); err != nil {
		return nil, err
	}
	out.Cascades, err = d.Raise(entered(n.Type, n.Status, up), a.Cascade, "child "+string(id)+" created")
	return out, err
}

// create adds the file of a new node.
func (d *Draft) create(path mdstore.Path, n ImportNode, docs []string) error {
	doc, adapted, err := n.compose(path, docs, nil)
	if err != nil {
		return err
	}
	d.adapted = append(d.adapted, adapted...)
	d.whole(mdstore.Change{Path: path, New: doc.Bytes()}, created(n.ID, n.Title))
	return nil
}

// created says that a node or workspace is made.
func created(id mdstore.ID, title string) string { return string(id) + " created: " + title }

// rulesRead checks the proof that the rules were read. The hash itself is never told: having it is the proof.
func (d *Draft) rulesRead(hash string) error {
	w := d.View.Workspace()
	if err := w.Doc.Editable(); err != nil {
		return err // the rules may be more than what can be read of them
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
		return errs.New(errs.RulesHashMismatch, "%s: this workspace has rules, and rulesHash proves that they were read: read them (context_get, workspace_get, arbor rules) and give the rulesHash that stands there", w.ID)
	}
	return errs.New(errs.RulesHashMismatch, "%s: rulesHash %q is not that of the rules as they are now: read them again (context_get, workspace_get, arbor rules) and give the rulesHash that stands there", w.ID, hash)
}

// FreshID returns an id that no node of the workspace has.
func (d *Draft) FreshID() (mdstore.ID, error) {
	for range 100 {
		id, err := d.opt.NewID("node")
		if err != nil {
			return "", err
		}
		if _, taken := d.View.Node(id); !taken {
			if _, broken := d.View.BrokenFolder(string(id)); !broken {
				return id, nil
			}
		}
	}
	return "", errs.New(errs.InternalError, "no free id found in 100 tries; the source of randomness repeats itself")
}

// createdAt returns the time of creation of a new child: now, or just after the last sibling where that one was made in the same moment, so
// that children stay in the order of their creation.
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
	parent, role := mdoc.NullValue(), mdoc.NullValue()
	if n.ID != mdstore.Root {
		parent = mdoc.Text(string(n.Parent))
	}
	if n.Role != mdstore.RoleNone {
		role = mdoc.Text(string(n.Role))
	}
	fields := []mdoc.FieldValue{
		{Key: mdstore.KeyID, Value: mdoc.Text(string(n.ID))},
		{Key: mdstore.KeyTitle, Value: mdoc.Text(n.Title)},
		{Key: mdstore.KeyType, Value: mdoc.Text(string(n.Type))},
		{Key: mdstore.KeyStatus, Value: mdoc.Text(string(n.Status))},
		{Key: mdstore.KeyRole, Value: role},
		{Key: mdstore.KeyParent, Value: parent},
		{Key: mdstore.KeyIsolated, Value: mdoc.Boolean(n.Isolated)},
	}
	if !math.IsNaN(n.Order) {
		fields = append(fields, mdoc.FieldValue{Key: mdstore.KeyOrder, Value: mdoc.Number(n.Order)})
	}
	fields = append(fields,
		mdoc.FieldValue{Key: mdstore.KeyCreated, Value: mdoc.Integer(n.CreatedAt)},
		mdoc.FieldValue{Key: mdstore.KeyUpdated, Value: mdoc.Integer(n.UpdatedAt)})
	sections := []mdoc.SectionText{{Name: mdstore.SecRequirement, Text: n.Requirement}}
	add := func(name, text string, items []string) {
		if text != "" || len(items) > 0 {
			sections = append(sections, mdoc.SectionText{Name: name, Text: text, Items: items})
		}
	}
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

func formatLog(es []mdstore.LogEntry) []string {
	out := make([]string, 0, len(es))
	for _, e := range es {
		if e.Time == "" {
			out = append(out, e.Event)
			continue
		}
		out = append(out, mdstore.FormatLog(e.Time, e.Operator, e.Event))
	}
	return out
}
