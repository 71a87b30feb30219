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

// A Role says what a node is for besides its own work. The zero Role is none.
type Role string

// The roles.
const (
	RoleNone           Role = ""
	RoleInfoCollection Role = "info_collection" // its conclusion is archived into the workspace's rules and docs
	RoleValidation     Role = "validation"
	RoleSummary        Role = "summary"
)

// Roles returns the roles a node can be given, without RoleNone.
func Roles() []Role { return []Role{RoleInfoCollection, RoleValidation, RoleSummary} }

// The codes of problems in what a file says, in addition to those of package mdoc.
const (
	CodeIDMissing     = "ID_MISSING"     // no id in the front matter, or one that is none
	CodeTypeInvalid   = "TYPE_INVALID"   // neither planning nor execution
	CodeStatusInvalid = "STATUS_INVALID" // no status of that type
	CodeFieldInvalid  = "FIELD_INVALID"  // a value of another kind than its key asks for
	CodeFormatNewer   = "FORMAT_NEWER"   // written in a newer format than this program knows
)

// A Node is one node as its file states it. It never changes; its texts are read from the document when asked for.
//
// The document of a node that was only skimmed is read from its file when somebody asks for it. What the file holds by then may be newer than what the node
// states: whoever lends it sees to that.
type Node struct {
	ID        ID // from the front matter; the folder's name where that holds none
	Parent    ID // "" for the root and where the file names none
	Type      statemachine.Type
	Status    statemachine.Status
	Role      Role
	Title     string
	Isolated  bool
	Order     float64 // position among siblings; NaN where the file says none: see Place
	CreatedAt int64   // Unix milliseconds; 0 where the file says none
	UpdatedAt int64
	Path      Path
	Stamp     Stamp             // of the file when it was read; zero where the store has none
	Gist      string            // what whoever keeps nodes has found in the document, for his own use; "" for nothing yet
	Problems  []mdoc.Diagnostic // what is wrong with this file by itself

	damaged bool // the first problem closes the document to edits
	lost    bool // not even the front matter can be read
	doc     *mdoc.Doc
	version Version // zero: to be asked of the library
	lib     Library
}

// A Library has the documents of nodes that were skimmed.
type Library interface {
	// Lend returns the document that the node's file holds, and its version. It always returns one: of a file that cannot be read it is empty, with the zero Version.
	Lend(n *Node) (*mdoc.Doc, Version)
}

// From has the node's document read from a library, and drops the one that the node holds.
func (n *Node) From(lib Library) { n.lib, n.doc = lib, nil }

// Holding returns the node with a document of its own.
func (n *Node) Holding(doc *mdoc.Doc) *Node {
	m := *n
	m.doc, m.lib = doc, nil
	return &m
}

// Filed reports whether there is a file to read the document from.
func (n *Node) Filed() bool { return n.doc != nil || n.lib != nil }

// Doc returns the document. It is never nil.
func (n *Node) Doc() *mdoc.Doc {
	if n.doc != nil {
		return n.doc
	}
	d, _ := n.open()
	return d
}

// Version returns the version of the file, the zero Version where it cannot be read.
func (n *Node) Version() Version {
	if !n.version.IsZero() {
		return n.version
	}
	_, v := n.open()
	return v
}

// File returns the document and the version, both of one moment.
func (n *Node) File() (*mdoc.Doc, Version) {
	if n.doc != nil && !n.version.IsZero() {
		return n.doc, n.version
	}
	return n.open()
}

func (n *Node) open() (*mdoc.Doc, Version) {
	if n.lib == nil {
		if n.doc != nil {
			return n.doc, n.version
		}
		d, _ := mdoc.Parse(string(n.Path), nil, NodeForm)
		return d, n.version
	}
	return n.lib.Lend(n)
}

// Editable returns nil, or the *mdoc.UnreadableError that closes the document to edits. It does not look at the document.
func (n *Node) Editable() error {
	if !n.damaged {
		return nil
	}
	return &mdoc.UnreadableError{Problem: n.Problems[0]}
}

// Read reports whether f is known to be the file that the node was read from.
func (n *Node) Read(f File) bool {
	if !n.version.IsZero() {
		return n.version == f.Version
	}
	return n.Stamp.Same(f.Stamp)
}

// Is reports whether n and m are of one state of one file, as far as that can be told without reading it.
func (n *Node) Is(m *Node) bool {
	if n == m {
		return true
	}
	if n.Path != m.Path {
		return false
	}
	if !n.version.IsZero() && !m.version.IsZero() {
		return n.version == m.version
	}
	return n.Stamp.Same(m.Stamp)
}

// ParseNode reads a node from its file. It always returns a node: what cannot be read has its zero value and a problem.
func ParseNode(f File) *Node {
	doc, problems := mdoc.Parse(string(f.Path), f.Data, NodeForm)
	n := NodeOf(f.Path, f.Version, doc, problems)
	n.Stamp = f.Stamp
	return n
}

// NodeOf returns the node that a document at that path states; problems are those of its parsing.
func NodeOf(path Path, version Version, doc *mdoc.Doc, problems []mdoc.Diagnostic) *Node {
	r := reader{doc: doc, problems: problems}
	n := &Node{Path: path, version: version, doc: doc, Order: math.NaN(), damaged: doc.Editable() != nil, lost: lost(doc)}
	n.ID = r.id(path.Dir().Base())
	n.Parent = ID(r.text(KeyParent))
	n.Title = r.text(KeyTitle)
	if n.Title == "" {
		n.Title = string(n.ID)
	}
	n.Type = statemachine.Type(r.text(KeyType))
	n.Status = statemachine.Status(r.text(KeyStatus))
	n.Role = Role(r.text(KeyRole))
	n.Isolated = r.flag(KeyIsolated)
	n.CreatedAt = r.integer(KeyCreated)
	n.UpdatedAt = r.integer(KeyUpdated)
	if fl, ok := doc.Field(KeyOrder); ok && fl.Kind != mdoc.Null {
		if v, err := strconv.ParseFloat(fl.Value, 64); err == nil && !math.IsNaN(v) {
			n.Order = v
		} else {
			r.complain(KeyOrder, CodeFieldInvalid, "order is no number: "+strconv.Quote(fl.Value))
		}
	}
	if len(problems) == 0 { // a file that cannot be read at all has said enough
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
	if n.Role != RoleNone && !slices.Contains(Roles(), n.Role) {
		r.complain(KeyRole, CodeFieldInvalid, "role is "+quoted(string(n.Role))+"; info_collection, validation, summary and null are the roles")
	}
}

// Requirement returns what is to be done.
func (n *Node) Requirement() string { return n.Doc().Text(SecRequirement) }

// Conclusion returns what came of it.
func (n *Node) Conclusion() string { return n.Doc().Text(SecConclusion) }

// Note returns what is worth knowing besides.
func (n *Node) Note() string { return n.Doc().Text(SecNote) }

// Docs returns the documents that belong to the node, expired ones too.
func (n *Node) Docs() []Ref { return refs(n.Doc(), SecDocs) }

// References returns the nodes and documents that the node refers to, expired ones too.
func (n *Node) References() []Ref { return refs(n.Doc(), SecReferences) }

// Log returns the entries in the order of the file, oldest first.
func (n *Node) Log() []LogEntry { return wholeLogOf(n.Doc()) }

// LogWith returns those of the entries that hold one of the texts.
func (n *Node) LogWith(texts ...string) []LogEntry { return logEntries(n.Doc(), texts...) }

// Problem returns what is wrong now; the zero Problem when nothing is.
func (n *Node) Problem() Problem { return problemOf(n.Doc()) }

// Place returns the number that puts the node among its siblings: its order; without one the time of its creation in milliseconds, so
// that an order can be found between any two siblings; and without that, +Inf.
func (n *Node) Place() float64 {
	switch {
	case !math.IsNaN(n.Order):
		return n.Order
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
