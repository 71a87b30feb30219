package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// The codes of diagnostics that concern more than one file, besides those of packages mdoc, mdstore and statemachine.
const (
	CodeFileMissing   = "FILE_MISSING"       // a folder below nodes/ without a Node.md
	CodeRootMissing   = "ROOT_MISSING"       // no node has the id root
	CodeExecChildren  = "CHILDREN_FORBIDDEN" // an execution node has children
	CodeHashStale     = "RULES_HASH_STALE"   // rules were edited by hand
	CodeDangling      = "REFERENCE_DANGLING" // an active reference to a node that does not exist
	CodeDocMissing    = "DOC_MISSING"        // an active document that is not in the project
	CodeFocusDangling = "FOCUS_DANGLING"     // the focused node does not exist
	CodeSectionTwice  = "SECTION_TWICE"      // a section that holds one text stands twice
	CodeStray         = "STRAY_FILE"         // a conflict copy, a backup, a temporary file
	CodeSessions      = "SESSIONS_CORRUPT"   // sessions.json is no valid JSON
)

// Check returns every diagnostic of a workspace, in the order of files and lines.
func (e *Engine) Check(ctx context.Context, ws mdstore.ID) (*Snapshot, []mdoc.Diagnostic, error) {
	snap, err := e.Reload(ctx, ws)
	if err != nil {
		return nil, nil, err
	}
	out, err := e.diagnose(ctx, snap)
	return snap, out, err
}

// diagnose adds what only the store can tell to the diagnostics of a snapshot.
func (e *Engine) diagnose(ctx context.Context, snap *Snapshot) ([]mdoc.Diagnostic, error) {
	out := snap.Diagnostics()
	if r, ok := e.st.(mdstore.DocReader); ok {
		out = append(out, snap.missingDocs(ctx, r)...)
	}
	if w, ok := e.st.(mdstore.WriteChecker); ok {
		files := []mdstore.Path{snap.ws.Path}
		for n := range snap.All() {
			files = append(files, n.Path)
		}
		for _, p := range files {
			var u *mdoc.UnreadableError
			if err := w.Writable(ctx, p); errors.As(err, &u) {
				out = append(out, u.Problem)
			}
		}
	}
	if in, ok := e.st.(mdstore.Inspector); ok {
		strays, err := in.Strays(ctx, snap.ws.Dir)
		if err != nil {
			return nil, err
		}
		for _, s := range strays {
			out = append(out, mdoc.Diagnostic{File: string(s.Path), Code: CodeStray, Text: strayText(s.Kind)})
		}
	}
	sortDiagnostics(out)
	return out, nil
}

func strayText(k mdstore.StrayKind) string {
	switch k {
	case mdstore.StrayConflictCopy:
		return "a conflict copy: compare it with the file beside it, take over what is missing there, and remove it"
	case mdstore.StrayBackup:
		return "an editor's backup or swap file: remove it when the editor is closed"
	case mdstore.StrayTemporary:
		return "a temporary file that an interrupted write left: it can be removed"
	}
	return string(k)
}

func sortDiagnostics(ds []mdoc.Diagnostic) {
	slices.SortStableFunc(ds, func(a, b mdoc.Diagnostic) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col), strings.Compare(a.Code, b.Code))
	})
}

// findings are the diagnostics of a snapshot, looked for when they are first asked for.
type findings struct {
	once sync.Once
	all  []mdoc.Diagnostic
}

// Diagnostics returns what is wrong with the files of the snapshot and what they say together, in the order of files and lines.
func (s *Snapshot) Diagnostics() []mdoc.Diagnostic {
	s.found.once.Do(func() { s.found.all = s.diagnose() })
	return slices.Clone(s.found.all)
}

func (s *Snapshot) diagnose() []mdoc.Diagnostic {
	c := checker{s: s, out: append([]mdoc.Diagnostic{}, s.ws.Problems...), circles: s.circles()}
	for it := s.broken.Iterator(); !it.Done(); {
		_, d, _ := it.Next()
		c.out = append(c.out, d)
	}
	c.workspace()
	for n := range s.All() {
		c.out = append(c.out, n.Problems...)
		c.node(n)
	}
	sortDiagnostics(c.out)
	return c.out
}

type checker struct {
	s       *Snapshot
	circles map[mdstore.ID]bool
	out     []mdoc.Diagnostic
}

func (c *checker) at(d *mdoc.Doc, line int, code, fix, format string, args ...any) {
	c.out = append(c.out, mdoc.Diagnostic{File: d.Name(), Line: line, Code: code, Text: fmt.Sprintf(format, args...), Fix: fix})
}

func lineOf(d *mdoc.Doc, key string) int {
	f, _ := d.Field(key)
	return f.Line
}

func (c *checker) workspace() {
	w := c.s.ws
	c.sections(w.Doc)
	if len(w.Problems) == 0 || w.Doc.Editable() == nil {
		if hash := w.RulesHash(); w.StoredHash != hash {
			c.at(w.Doc, lineOf(w.Doc, mdstore.KeyRulesHash), CodeHashStale, "write the hash of the rules as they stand", "rulesHash is %s, the rules as they stand have %s", orMissing(w.StoredHash), orMissing(hash))
		}
		if w.Focus != "" {
			if _, ok := c.s.Node(w.Focus); !ok {
				fix := "focus the root"
				if _, ok := c.s.Node(mdstore.Root); !ok {
					fix = ""
				}
				c.at(w.Doc, lineOf(w.Doc, mdstore.KeyFocus), CodeFocusDangling, fix, "focusedNodeId %s is no node", w.Focus)
			}
		}
	}
	if _, ok := c.s.Node(mdstore.Root); !ok {
		c.at(w.Doc, 0, CodeRootMissing, "", "no node has the id root; restore nodes/root/Node.md (git, the trash), or give the topmost node that id")
	}
}

func orMissing(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

func (c *checker) node(n *mdstore.Node) {
	if same := c.s.Files(n.ID); len(same) > 1 {
		var others []string
		for _, o := range same {
			if o != n {
				others = append(others, string(o.Path))
			}
		}
		c.at(n.Doc, lineOf(n.Doc, mdstore.KeyID), string(DuplicateID), "", "id %s is that of %s too; give one of them another id, or remove the copy", n.ID, strings.Join(others, " and "))
	}
	c.parent(n)
	c.sections(n.Doc)
	c.status(n)
	for _, r := range n.References() {
		if _, ok := c.s.Node(mdstore.ID(r.Target)); !ok && !r.Expired && isNodeRef(r.Target) {
			c.at(n.Doc, r.Line, CodeDangling, "mark the reference expired", "reference to %s, which is no node", r.Target)
		}
	}
}

// isNodeRef reports whether a target has the form of a generated node id, and not that of a document's path.
func isNodeRef(target string) bool {
	return mdstore.ID(target).Valid() && strings.HasPrefix(target, "node-")
}

func (c *checker) parent(n *mdstore.Node) {
	line := lineOf(n.Doc, mdstore.KeyParent)
	if n.ID == mdstore.Root {
		if n.Parent != "" {
			c.at(n.Doc, line, mdstore.CodeFieldInvalid, "write null", "parentId is %s, but the root has no parent", n.Parent)
		}
		return
	}
	if n.Doc.Editable() != nil && n.Parent == "" {
		return
	}
	p, ok := c.s.Node(n.Parent)
	broken, unread := c.s.brokenFolder(string(n.Parent))
	switch {
	case !ok && unread:
		c.at(n.Doc, line, string(OrphanNode), "", "parent %s cannot be read; mend %s", n.Parent, broken)
	case n.Parent == "":
		c.at(n.Doc, line, string(OrphanNode), "", "parentId is missing; name the node's parent (root is one)")
	case !ok:
		c.at(n.Doc, line, string(OrphanNode), "", "parent %s does not exist; name another parentId (root is one), or move the node", n.Parent)
	case c.circles[n.ID]:
		c.at(n.Doc, line, string(Cycle), "", "its ancestors go round in a circle: %s; give one of them another parentId", c.way(n))
	case len(p.Problems) == 0 && !statemachine.TakesChildren(p.Type):
		c.at(n.Doc, line, CodeExecChildren, "", "parent %s is an execution node, which has no children; name another parentId, or make the parent a planning node", p.ID)
	}
}

func (c *checker) way(n *mdstore.Node) string {
	up, _ := c.s.Ancestors(n.ID)
	s := string(n.ID)
	for _, a := range up[:min(len(up), candidatesShown)] {
		s += " → " + string(a.ID)
	}
	return s + " → " + string(n.ID)
}

// texts are the sections that hold one text; of the others every one is read, and entries go into the last.
var texts = []string{mdstore.SecRequirement, mdstore.SecConclusion, mdstore.SecNote, mdstore.SecProblem}

// sections reports texts that stand twice, as there is no telling which of them an edit means.
func (c *checker) sections(d *mdoc.Doc) {
	first := map[string]mdoc.Section{}
	for _, s := range d.Sections() {
		if f, twice := first[s.Name]; twice && slices.Contains(texts, s.Name) {
			c.at(d, s.Line, CodeSectionTwice, "", "the section %s stands in line %d already; join the two, as commands cannot tell which one to write to", s.Title, f.Line)
		} else {
			first[s.Name] = s
		}
	}
}

func (c *checker) status(n *mdstore.Node) {
	if len(n.Problems) > 0 {
		return
	}
	line := lineOf(n.Doc, mdstore.KeyStatus)
	for _, r := range statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, "", c.s.facts(n, "")) {
		c.at(n.Doc, line, string(r.Code), "", "%s", r.Text)
	}
	// A reopened node is in planning with the children it had; one that never started has none.
	if kids := c.s.kidsOf(n.ID); len(kids) > 0 && statemachine.TakesChildren(n.Type) && n.Status == statemachine.Initial(n.Type) {
		c.at(n.Doc, line, string(statemachine.CodeStatusUnreachable), "move it to "+string(statemachine.Monitoring), "status is %s, but the node has children (%s); it is %s from the first of them on",
			n.Status, kids[0].ID, statemachine.Monitoring)
	}
}

// missingDocs looks for active documents that the project does not have. Addresses and what lies outside of the project are not looked for.
func (s *Snapshot) missingDocs(ctx context.Context, r mdstore.DocReader) []mdoc.Diagnostic {
	var out []mdoc.Diagnostic
	met := map[string]bool{}
	look := func(d *mdoc.Doc, refs []mdstore.Ref) {
		for _, ref := range refs {
			if ref.Expired || strings.Contains(ref.Target, "://") || isNodeRef(ref.Target) || strings.HasPrefix(ref.Target, "#") {
				continue
			}
			if _, ok := s.Node(mdstore.ID(ref.Target)); ok {
				continue
			}
			missing, known := met[ref.Target]
			if !known {
				_, err := readDoc(ctx, r, ref.Target)
				missing = errors.Is(err, fs.ErrNotExist)
				met[ref.Target] = missing
			}
			if missing {
				out = append(out, mdoc.Diagnostic{File: d.Name(), Line: ref.Line, Code: CodeDocMissing, Text: fmt.Sprintf("document %s is not in the project; correct its path, expire it, or remove it", ref.Target)})
			}
		}
	}
	look(s.ws.Doc, s.ws.Docs())
	for n := range s.All() {
		look(n.Doc, n.Docs())
		look(n.Doc, n.References())
	}
	return out
}
