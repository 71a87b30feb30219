package plan

import (
	"maps"
	"slices"
	"sort"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Ignored is the text of a vault's .gitignore: files of one machine only, and temporary files.
const Ignored = mdstore.LocalDir + "/\n" + mdstore.SessionsFile + "\n" + mdstore.CorruptPrefix + "*\n" + mdstore.TempPrefix + "*\n"

// An Import is a whole workspace from elsewhere. Its statuses and times are kept, so that nothing is lost. Statuses
// that the life cycles forbid become findings afterwards, as in files written by hand.
type Import struct {
	ID         mdstore.ID
	Name, Goal string
	Archived   bool
	Rules      []string
	Docs       []mdstore.Ref
	Focus      mdstore.ID
	CreatedAt  int64 // Unix milliseconds
	UpdatedAt  int64
	Log        []mdstore.LogEntry
	Problem    mdstore.Problem
	Nodes      []ImportNode      // the root, whose id is mdstore.Root, among them; siblings in their order
	Files      map[string][]byte // further files, by path relative to the workspace's folder
	Adapted    []string          // how texts were changed to fit the limits, one sentence each
	Briefing   Briefing
	Identifier string // that the workspace is created for; "" for none
}

// An ImportNode is one node of an Import.
type ImportNode struct {
	ID, Parent   mdstore.ID
	mdstore.Head // without an order, its place among its siblings is by its time of creation
	CreatedAt    int64
	UpdatedAt    int64
	Requirement  string
	Criteria     []string // the items of a list, with their boxes
	Conclusion   string
	Note         string
	Docs         []mdstore.Ref
	References   []mdstore.Ref
	Log          []mdstore.LogEntry
	Problem      mdstore.Problem
	Own          []mdoc.FieldValue // further keys
}

// Plan composes the workspace's files and their description. It returns an error if a file cannot hold one of the
// texts.
func (w Import) Plan() ([]mdstore.Change, *Outcome, error) {
	out := &Outcome{}
	if err := w.files(out); err != nil {
		return nil, nil, err
	}
	out.adapt(w.Adapted)
	changes := make([]mdstore.Change, len(out.Files))
	for i, f := range out.Files {
		changes[i] = mdstore.Change{Path: f.Path, New: f.New}
	}
	return changes, out, nil
}

// Dir returns the folder for the workspace.
func (w Import) Dir() mdstore.Path {
	if w.Archived {
		return mdstore.Path(mdstore.ArchiveDir).Join(string(w.ID))
	}
	return mdstore.Path(w.ID)
}

// files adds every file of the workspace: its own first, then each node after its parent, so that no node is without
// its parent even if the commit stops in the middle and its journal is lost. Readers wait for the commit.
func (w Import) files(out *Outcome) error {
	if !w.ID.Valid() {
		return errs.New(errs.InvalidParams, "%q cannot be the id of a workspace", w.ID)
	}
	doc, adapted, err := w.compose()
	if err != nil {
		return err
	}
	out.adapt(adapted)
	out.Add(mdstore.Change{Path: mdstore.WorkspacePath(w.Dir()), New: doc.Bytes()}, created(w.ID, w.Name))
	for _, n := range w.downwards() {
		if !n.ID.Valid() {
			return errs.New(errs.InvalidParams, "%q cannot be the id of a node", n.ID)
		}
		docs, err := formatRefs("doc path", n.Docs)
		if err != nil {
			return err
		}
		refs, err := formatRefs("reference", n.References)
		if err != nil {
			return err
		}
		path := mdstore.NodePath(w.Dir(), n.ID)
		doc, adapted, err := n.compose(path, docs, refs)
		if err != nil {
			return err
		}
		out.adapt(adapted)
		var what []view.Change // the root is named, as a node that every workspace has
		if n.ID == mdstore.Root {
			what = []view.Change{created(n.ID, n.Title)}
		}
		out.Add(mdstore.Change{Path: path, New: doc.Bytes()}, what...)
	}
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		p := w.Dir().Join(name)
		if !p.Valid() {
			return errs.New(errs.InvalidPath, "%q cannot be the path of a file in a vault", name)
		}
		out.Add(mdstore.Change{Path: p, New: append([]byte{}, w.Files[name]...)})
	}
	return nil
}

// downwards returns the nodes from the root down, each after its parent.
func (w Import) downwards() []ImportNode {
	parent := make(map[mdstore.ID]mdstore.ID, len(w.Nodes))
	for _, n := range w.Nodes {
		parent[n.ID] = n.Parent
	}
	depth := make(map[mdstore.ID]int, len(w.Nodes))
	for _, n := range w.Nodes {
		at := n.ID
		for at != mdstore.Root && depth[n.ID] <= len(w.Nodes) { // those in a circle come last
			depth[n.ID]++
			at = parent[at]
			if _, ok := parent[at]; !ok {
				break
			}
		}
	}
	nodes := slices.Clone(w.Nodes)
	sort.SliceStable(nodes, func(i, j int) bool { return depth[nodes[i].ID] < depth[nodes[j].ID] })
	return nodes
}

func (w Import) compose() (*mdoc.Doc, []string, error) {
	docs, err := formatRefs("doc path", w.Docs)
	if err != nil {
		return nil, nil, err
	}
	status, focus := mdstore.StatusActive, mdoc.NullValue()
	if w.Archived {
		status = mdstore.StatusArchived
	}
	if w.Focus != "" {
		focus = mdoc.Text(string(w.Focus))
	}
	fields := []mdoc.FieldValue{
		{Key: mdstore.KeyID, Value: mdoc.Text(string(w.ID))},
		{Key: mdstore.KeyName, Value: mdoc.Text(w.Name)},
		{Key: mdstore.KeyGoal, Value: mdoc.Text(w.Goal)},
		{Key: mdstore.KeyStatus, Value: mdoc.Text(status)},
		{Key: mdstore.KeyRulesHash, Value: mdoc.Text(mdstore.RulesHash(w.Rules))},
		{Key: mdstore.KeyFocus, Value: focus},
		{Key: mdstore.KeyCreated, Value: mdoc.Integer(w.CreatedAt)},
		{Key: mdstore.KeyUpdated, Value: mdoc.Integer(w.UpdatedAt)},
	}
	if w.Identifier != "" {
		fields = append(fields, mdoc.FieldValue{Key: mdstore.KeyIdentifier, Value: mdoc.Text(w.Identifier)})
	}
	sections := []mdoc.SectionText{
		{Name: mdstore.SecRules, Items: append([]string{}, w.Rules...)}, // not nil: these sections are made, be they empty
		{Name: mdstore.SecDocs, Items: docs},
		{Name: mdstore.SecLog, Items: formatLog(w.Log)},
	}
	problem, more, err := w.Problem.Body(nil)
	if err != nil {
		return nil, nil, err
	}
	if problem != "" {
		sections = append(sections, mdoc.SectionText{Name: mdstore.SecProblem, Text: problem})
	}
	doc, adapted, err := mdoc.Compose(string(mdstore.WorkspacePath(w.Dir())), mdstore.WorkspaceForm, fields, sections)
	if err != nil {
		return nil, nil, err
	}
	e := &Edit{doc: doc, after: doc}
	if err = w.Briefing.edit(e, string(w.ID)); err == nil {
		err = e.apply()
	}
	return e.after, slices.Concat(adapted, more, e.adapted), err
}

// formatRefs returns the items of documents or references, an empty list for none.
func formatRefs(what string, rs []mdstore.Ref) ([]string, error) {
	out := make([]string, 0, len(rs))
	for _, r := range rs {
		r.Target, r.Description = strings.TrimSpace(r.Target), strings.TrimSpace(r.Description)
		item, err := formatRef(what, r)
		if err != nil {
			return nil, err
		}
		out = append(out, item)
	}
	return out, nil
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
