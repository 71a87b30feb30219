package mdstore

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// NodeKind is the kind of Node.md. Its keys are these and the rows of Fields.
var NodeKind = &Kind{
	Name: "node", Form: NodeForm, Facts: nodeFacts, Check: checkNode,
	Place: Place{Dir: NodesDir, Name: NodeFile, Deep: true, Each: true},
	Keys:  nodeKeys,
}

var nodeKeys = append([]Key{
	{Name: KeyID, Help: "an id; `root` for the root"},
	{Name: KeyTitle, Merge: MergeNoted, Help: "text of one line"},
	{Name: KeyType, Help: "`planning` or `execution`"},
	{Name: KeyStatus, Merge: MergeStatus, Help: "a status of that type"},
	{Name: KeyParent, Help: "the id of the parent; `null` for the root"},
	{Name: KeyCreated, Time: true, Help: "Unix milliseconds"},
	{Name: KeyUpdated, Time: true, Merge: MergeNewest, Help: "Unix milliseconds"},
	{Name: KeyImported, Merge: MergeLater, Help: "digests of what an import read: a later one says what has changed"},
}, fieldKeys()...)

// NodeForm is the form of Node.md.
var NodeForm = &mdoc.Form{Bare: true, Sections: []mdoc.SectionForm{
	{Name: SecRequirement, Aliases: []string{"需求"}},
	{Name: SecCriteria, Key: unboxed, Several: true,
		Aliases: []string{"验收标准", "Acceptance", "Definition of Done", "完成标准"}},
	{Name: SecConclusion, Aliases: []string{"结论"}},
	{Name: SecNote, Aliases: []string{"备注"}},
	{Name: SecDocs, Aliases: []string{"文档"}, Key: target},
	{Name: SecReferences, Aliases: []string{"引用"}, Key: target},
	{Name: SecLog, Aliases: []string{"日志"}, Key: itself},
	{Name: SecProblem, Aliases: []string{"问题"}},
}}

// The codes of problems in what a file says, in addition to those of package mdoc.
const (
	CodeIDMissing     = "ID_MISSING"       // the front matter has no id, or an invalid one
	CodeTypeInvalid   = "TYPE_INVALID"     // neither planning nor execution
	CodeStatusInvalid = "STATUS_INVALID"   // no status of that type
	CodeFieldInvalid  = "FIELD_INVALID"    // a value of another kind than its key asks for
	CodeLooksLike     = "LOOKS_LIKE"       // a key or heading that resembles a known one
	CodeFormatNewer   = "FORMAT_NEWER"     // written in a newer format than this program knows
	CodeSessions      = "SESSIONS_CORRUPT" // sessions.json or a binding in it is not valid JSON
)

// A Head is what every list of nodes has about a node besides its id.
type Head struct {
	Title  string              `json:"title"`
	Type   statemachine.Type   `json:"type"`
	Status statemachine.Status `json:"status"`
	Ticked string              `json:"ticked,omitempty"`                // how many of its task boxes are ticked, as "2/5"; "" for none
	Late   bool                `json:"overdue,omitempty" only:"rarely"` // see HeadOn
	Fields
}

// Marks returns what lists show of a node besides title and status.
func (h *Head) Marks() []string { return h.marks(h.Fields.shown(false, h.Late)) }

// AllMarks returns what the view of a single node shows besides title and status.
func (h *Head) AllMarks() []string { return h.marks(h.Fields.shown(true, h.Late)) }

// HeadOn returns the head of the node as it is on a day: Late if it is overdue then.
func (n *Node) HeadOn(today string) Head {
	h := n.Head
	h.Late = h.Overdue(today)
	return h
}

func (h *Head) marks(all []string) []string {
	if h.Ticked != "" {
		all = append(all, h.Ticked)
	}
	return all
}

// A Node is one node as its file states it. It never changes; its texts are read from the document.
//
// A node that a scan found has no document. Operations run over views that load the documents they ask for: see
// Recording.
type Node struct {
	ID     ID // from the front matter, or else the folder's name
	Parent ID // "" for the root and where the file names none; a view resolves it: see Stated
	Head
	CreatedAt int64 // Unix milliseconds; 0 if the file says none
	UpdatedAt int64
	Path      Path
	Stamp     Stamp             // of the file when it was read; zero if the store has none
	Problems  []mdoc.Diagnostic // problems of this file by itself

	open    [2]int    // task boxes that are not ticked: of the criteria, and of the requirement
	damaged bool      // the first problem closes the document to edits
	lost    bool      // not even the front matter can be read
	doc     *mdoc.Doc // nil if it is not loaded
	version Version
	facts   Facts  // "" if they must be computed from the document
	stated  string // what the file states as the parent
	gaps    Gaps
	want    func(*Node) // called when a document is asked for that is not loaded; nil: that is a mistake of the caller
}

// Holding returns the node with its document.
func (n *Node) Holding(doc *mdoc.Doc) *Node {
	m := *n
	m.doc, m.want = doc, nil
	return &m
}

// setParent sets the parent to what the file states.
func (n *Node) setParent(text string) { n.Parent, n.stated = ID(text), text }

// parent returns what the file states as the parent. A link without quotes is a list in a list to YAML.
func (r *reader) parent() string {
	if f, ok := r.doc.Field(KeyParent); ok && f.Kind == mdoc.Nested {
		if links := r.doc.Links(KeyParent); len(links) == 1 {
			return "[[" + links[0] + "]]"
		}
	}
	return r.text(KeyParent)
}

// Lean returns the node without its document, which is read again when it is needed. A damaged node keeps its document,
// because its earlier content is nowhere else.
func (n *Node) Lean() *Node {
	if n.doc == nil || n.damaged {
		return n
	}
	m := *n
	m.facts, m.doc = n.Facts(), nil
	return &m
}

// Recording returns the node. While its document is not loaded, each use of it calls want and gets an empty document;
// the caller must discard results that were computed with that.
func (n *Node) Recording(want func(*Node)) *Node {
	m := *n
	m.want = want
	return &m
}

// Loaded reports whether the node holds its document.
func (n *Node) Loaded() bool { return n.doc != nil }

// Doc returns the document. It is never nil.
func (n *Node) Doc() *mdoc.Doc {
	if n.doc != nil {
		return n.doc
	}
	if n.want == nil {
		panic("mdstore: the document of " + string(n.Path) + " is used and was not loaded")
	}
	n.want(n)
	return emptyDoc(n.Path)
}

// emptyDoc stands in for a document that is not loaded.
func emptyDoc(p Path) *mdoc.Doc {
	d, _ := mdoc.Parse(string(p), []byte("---\n---\n"), NodeForm)
	return d
}

// File returns the document and the version of the file.
func (n *Node) File() (*mdoc.Doc, Version) { return n.Doc(), n.version }

// Version returns the version of the file, the zero Version if it could not be read.
func (n *Node) Version() Version { return n.version }

// Facts returns what is known of the document without its body.
func (n *Node) Facts() Facts {
	if n.facts == "" && n.doc != nil && !n.damaged {
		return nodeFacts(NodeKind, n.Path, n.doc)
	}
	return n.facts
}

// Editable returns nil, or the *mdoc.UnreadableError that closes the document to edits. It does not look at the
// document.
func (n *Node) Editable() error {
	if !n.damaged {
		return nil
	}
	return &mdoc.UnreadableError{Problem: n.Problems[0]}
}

// ParseNode reads a node from its file. It always returns a node: what cannot be read has its zero value and a problem.
func ParseNode(f File) *Node {
	doc, problems := f.parsed(NodeForm)
	n := NodeOf(f.Path, f.Version, doc, problems)
	n.Stamp = f.Stamp
	return n
}

// NodeOf returns the node that a document at that path states; problems are those of its parsing.
func NodeOf(path Path, version Version, doc *mdoc.Doc, problems []mdoc.Diagnostic) *Node {
	r := reader{doc: doc, problems: problems}
	n := &Node{Path: path, version: version, doc: doc, damaged: doc.Editable() != nil, lost: lost(doc)}
	n.Type = statemachine.Type(r.text(KeyType))
	n.Status = statemachine.Status(r.text(KeyStatus))
	if !n.damaged {
		n.gaps.Life = r.lacks(KeyType) && r.lacks(KeyStatus)
		n.gaps.ID = r.lacks(KeyID)
		n.gaps.Parent = r.lacks(KeyParent)
	}
	folder := path.Dir().Base()
	if n.gaps.ID && n.gaps.Life {
		n.ID = placeID(folder)
	} else {
		n.ID = r.id(folder)
	}
	n.setParent(r.parent())
	n.Title = cmp.Or(r.text(KeyTitle), doc.Heading())
	if n.Title == "" && n.gaps.ID {
		n.Title = folder
	}
	if strings.ContainsAny(n.Title, "\r\n") { // a block of YAML ends with a line feed
		n.Title = strings.Join(strings.Fields(n.Title), " ")
	}
	if n.Title == "" {
		n.Title = string(n.ID)
	}
	n.setGaps()
	boxes := criteriaOf(doc)
	n.Ticked, n.open = ticked(boxes), openOf(boxes)
	n.Fields = r.fields()
	n.CreatedAt = r.integer(KeyCreated)
	n.UpdatedAt = r.integer(KeyUpdated)
	if len(problems) == 0 && !n.gaps.Life { // an unreadable file has a problem already
		r.types(n)
	}
	n.Problems = r.problems
	return n
}

func (r *reader) types(n *Node) {
	if !slices.Contains(statemachine.Types(), n.Type) {
		r.complain(KeyType, CodeTypeInvalid, "type is "+quoted(string(n.Type))+"; planning and execution are the types")
	} else if !statemachine.Valid(n.Type, n.Status) {
		var all []string
		for _, s := range statemachine.Statuses(n.Type) {
			all = append(all, string(s))
		}
		r.complain(KeyStatus, CodeStatusInvalid, "status is "+quoted(string(n.Status))+"; a node of type "+string(n.Type)+" can be "+strings.Join(all, ", "))
	}
}

// Requirement returns the text of the section Requirement.
func (n *Node) Requirement() string { return n.Doc().Text(SecRequirement) }

// Conclusion returns the text of the section Conclusion.
func (n *Node) Conclusion() string { return n.Doc().Text(SecConclusion) }

// Note returns the text of the section Note.
func (n *Node) Note() string { return n.Doc().Text(SecNote) }

// Docs returns the documents that belong to the node, expired ones too.
func (n *Node) Docs() []Ref { return refs(n.Doc(), SecDocs) }

// References returns the nodes and documents that the node refers to, expired ones too.
func (n *Node) References() []Ref { return refs(n.Doc(), SecReferences) }

// Log returns the entries in the order of the file, oldest first.
func (n *Node) Log() []LogEntry { return logEntries(n.Doc()) }

// LogWith returns those of the entries that hold one of the texts.
func (n *Node) LogWith(texts ...string) []LogEntry { return logEntries(n.Doc(), texts...) }

// Problem returns the node's open problem, or the zero Problem. It reads the document only if the facts lack it.
func (n *Node) Problem() Problem {
	if n.doc == nil {
		if p, ok := n.facts.Problem(); ok {
			return p
		}
	}
	return problemOf(n.Doc())
}

// HasProblem reports whether there is a problem.
func (n *Node) HasProblem() bool {
	if n.doc == nil && n.facts.Known() {
		return n.facts.HasProblem()
	}
	return !n.Problem().IsZero()
}

// Place returns the number that puts the node among its siblings: its order; without one the time of its creation in
// milliseconds, so that an order can be found between any two siblings; and without that, +Inf.
func (n *Node) Place() float64 {
	switch {
	case n.Order != nil:
		return *n.Order
	case n.CreatedAt > 0:
		return float64(n.CreatedAt)
	}
	return math.Inf(1)
}

// Compare orders siblings: by place, then by creation, then by id, then by path.
func (n *Node) Compare(m *Node) int {
	return cmp.Or(cmp.Compare(n.Place(), m.Place()), cmp.Compare(n.CreatedAt, m.CreatedAt), cmp.Compare(n.ID, m.ID), cmp.Compare(n.Path, m.Path))
}

func quoted(s string) string {
	if s == "" {
		return "missing"
	}
	return strconv.Quote(s)
}
