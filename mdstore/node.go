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
	Version   Version
	Doc       *mdoc.Doc
	Problems  []mdoc.Diagnostic // what is wrong with this file by itself
}

// ParseNode reads a node from its file. It always returns a node: what cannot be read has its zero value and a problem.
func ParseNode(f File) *Node {
	doc, problems := mdoc.Parse(string(f.Path), f.Data, NodeForm)
	return NodeOf(f.Path, f.Version, doc, problems)
}

// NodeOf returns the node that a document at that path states; problems are those of its parsing.
func NodeOf(path Path, version Version, doc *mdoc.Doc, problems []mdoc.Diagnostic) *Node {
	r := reader{doc: doc, problems: problems}
	n := &Node{Path: path, Version: version, Doc: doc, Order: math.NaN()}
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
func (n *Node) Requirement() string { return n.Doc.Text(SecRequirement) }

// Conclusion returns what came of it.
func (n *Node) Conclusion() string { return n.Doc.Text(SecConclusion) }

// Note returns what is worth knowing besides.
func (n *Node) Note() string { return n.Doc.Text(SecNote) }

// Docs returns the documents that belong to the node, expired ones too.
func (n *Node) Docs() []Ref { return refs(n.Doc, SecDocs) }

// References returns the nodes and documents that the node refers to, expired ones too.
func (n *Node) References() []Ref { return refs(n.Doc, SecReferences) }

// Log returns the entries in the order of the file, oldest first.
func (n *Node) Log() []LogEntry { return logEntries(n.Doc) }

// LogWith returns those of the entries that hold one of the texts.
func (n *Node) LogWith(texts ...string) []LogEntry { return logEntries(n.Doc, texts...) }

// Problem returns what is wrong now; the zero Problem when nothing is.
func (n *Node) Problem() Problem { return problemOf(n.Doc) }

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
