package engine

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sort"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// ignored is what a vault's .gitignore says: what belongs to one machine only, and what is there for a moment only.
const ignored = mdstore.LocalDir + "/\n" + mdstore.SessionsFile + "\n" + mdstore.SessionsFile + ".corrupt-*\n" + mdstore.TempPrefix + "*\n"

// Import writes a whole workspace in one commit. Nothing is written when one of its texts cannot be held.
func (e *Engine) Import(ctx context.Context, w Import, dryRun bool) (*Outcome, error) {
	e.writing.Lock()
	defer e.writing.Unlock()
	files, adapted, err := w.files()
	if err != nil {
		return nil, err
	}
	out := &Outcome{DryRun: dryRun, Adapted: adapted}
	act := func(st mdstore.Store) error {
		all, err := workspaces(ctx, st)
		if err != nil {
			return err
		}
		for _, x := range all {
			if x.ID == w.ID {
				return Fail(InvalidParams, "%s: the vault has a workspace with this id already, %s (%s); nothing of it was imported: delete that one first, or leave it as it is", w.ID, x.Name, x.Path).
					with(Details{Paths: []string{string(x.Path)}})
			}
		}
		changes := files
		switch _, err := st.Read(ctx, mdstore.IgnoreFile); {
		case errors.Is(err, fs.ErrNotExist):
			changes = append(slices.Clone(files), mdstore.Change{Path: mdstore.IgnoreFile, New: []byte(ignored)})
		case err != nil:
			return err
		}
		out.Files = nil
		for _, c := range changes {
			out.Files = append(out.Files, FileChange{Path: c.Path, Version: mdstore.VersionOf(c.New), new: c.New, What: w.what(c.Path)})
		}
		if dryRun {
			return nil
		}
		_, err = st.Commit(ctx, changes)
		return err
	}
	if dryRun {
		return out, act(e.st)
	}
	if err := e.exclusively(ctx, act); err != nil {
		return nil, err
	}
	return out, nil
}

func (w Import) what(p mdstore.Path) []string {
	if p == mdstore.WorkspacePath(w.dir()) {
		return []string{string(w.ID) + " created: " + w.Name}
	}
	for _, n := range w.Nodes {
		if n.ID == mdstore.Root && p == mdstore.NodePath(w.dir(), n.ID) {
			return []string{string(n.ID) + " created: " + n.Title}
		}
	}
	return nil
}

func (w Import) dir() mdstore.Path {
	if w.Archived {
		return mdstore.Path(mdstore.ArchiveDir).Join(string(w.ID))
	}
	return mdstore.Path(w.ID)
}

// files composes every file of the workspace: its own first, then each node after its parent, so that what is there of it hangs together if the commit and its
// journal are lost in the middle. Readers wait for the commit.
func (w Import) files() ([]mdstore.Change, []string, error) {
	if !w.ID.Valid() {
		return nil, nil, Fail(InvalidParams, "%q cannot be the id of a workspace", w.ID)
	}
	var out []mdstore.Change
	var adapted []string
	note := func(as []string) {
		for _, a := range as {
			if !slices.Contains(adapted, a) {
				adapted = append(adapted, a)
			}
		}
	}
	doc, as, err := w.compose()
	if err != nil {
		return nil, nil, err
	}
	note(as)
	out = append(out, mdstore.Change{Path: mdstore.WorkspacePath(w.dir()), New: doc.Bytes()})
	for _, n := range w.downwards() {
		if !n.ID.Valid() {
			return nil, nil, Fail(InvalidParams, "%q cannot be the id of a node", n.ID)
		}
		docs, err := formatRefs("doc path", n.Docs)
		if err != nil {
			return nil, nil, err
		}
		refs, err := formatRefs("reference", n.References)
		if err != nil {
			return nil, nil, err
		}
		path := mdstore.NodePath(w.dir(), n.ID)
		doc, as, err := n.compose(path, docs, refs)
		if err != nil {
			return nil, nil, err
		}
		note(as)
		out = append(out, mdstore.Change{Path: path, New: doc.Bytes()})
	}
	for _, name := range slices.Sorted(maps.Keys(w.Files)) {
		if p := w.dir().Join(name); p.Valid() {
			out = append(out, mdstore.Change{Path: p, New: append([]byte{}, w.Files[name]...)})
		} else {
			return nil, nil, Fail(InvalidPath, "%q cannot be the path of a file in a vault", name)
		}
	}
	return out, adapted, nil
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
	sections := []mdoc.SectionText{
		{Name: mdstore.SecRules, Items: some(w.Rules)},
		{Name: mdstore.SecDocs, Items: some(docs)},
		{Name: mdstore.SecLog, Items: some(formatLog(w.Log))},
	}
	problem, more, err := w.Problem.Body(nil)
	if err != nil {
		return nil, nil, err
	}
	if problem != "" {
		sections = append(sections, mdoc.SectionText{Name: mdstore.SecProblem, Text: problem})
	}
	doc, adapted, err := mdoc.Compose(string(mdstore.WorkspacePath(w.dir())), mdstore.WorkspaceForm, fields, sections)
	return doc, append(adapted, more...), err
}

// some returns an empty list for none, so that the section is made.
func some(items []string) []string {
	if items == nil {
		return []string{}
	}
	return items
}

// formatRefs returns the items of documents or references.
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
