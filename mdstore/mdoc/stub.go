package mdoc

import "errors"

// This file holds the signatures that the rest of the module builds on.

var errStub = errors.New("stub")

// Doc is one document.
type Doc struct {
	name string
	src  []byte
	form *Form
}

// A Patch is a set of edits computed against one Doc, with what must hold
// after them. Adapted names what had to be changed in a text to fit it in.
type Patch struct {
	Adapted []string
}

// Parse reads a document. It always returns a Doc; what is unreadable is a
// diagnostic, and the Doc is then closed to edits. form may be nil.
// name is the file's name in diagnostics and errors. src must not be modified afterwards.
// The body is parsed when it is first asked for.
func Parse(name string, src []byte, form *Form) (*Doc, []Diagnostic) {
	return &Doc{name, src, form}, nil
}

// Name returns the name that the document was parsed under.
func (d *Doc) Name() string { return d.name }

// Bytes returns the source, which must not be modified.
func (d *Doc) Bytes() []byte { return d.src }

// Editable returns nil, or the *UnreadableError that closes the document to edits.
func (d *Doc) Editable() error { return errStub }

// Fields returns the front matter's entries in their order.
func (d *Doc) Fields() []Field { return nil }

// Field returns the entry with that key.
func (d *Doc) Field(key string) (Field, bool) { return Field{}, false }

// Headings returns the top-level headings of every level in their order.
func (d *Doc) Headings() []Heading { return nil }

// Sections returns all sections in their order, known or not.
func (d *Doc) Sections() []Section { return nil }

// Section returns the first section of that name.
func (d *Doc) Section(name string) (Section, bool) { return Section{}, false }

// Text returns the text of the section of that name without outer blank lines,
// with LF line ends; where the section stands more than once, all of them,
// parted by a blank line; "" where there is none.
func (d *Doc) Text(name string) string { return "" }

// Items returns the items of every section of that name.
func (d *Doc) Items(name string) []Item { return nil }

// Lines returns the 1-based numbers of the first and last line of a span; blank lines at its end are not counted.
func (d *Doc) Lines(s Span) (first, last int) { return 0, 0 }

// SetField computes the edit that gives the front matter key the value. A key that is
// missing is added after the last one. Comment, quoting style and place stay.
func (d *Doc) SetField(key string, v Scalar) (Patch, error) { return Patch{}, errStub }

// SetSection computes the edit that makes body the text of the section of that name,
// adding the section where it is missing; an empty body leaves the heading alone.
func (d *Doc) SetSection(name, body string) (Patch, error) { return Patch{}, errStub }

// AppendItem computes the insertion of one list item at the end of the section's
// list. An item of several lines is continued by indented lines.
func (d *Doc) AppendItem(section, item string) (Patch, error) { return Patch{}, errStub }

// ReplaceItem computes the edit that gives the i-th of Items(section) another text.
func (d *Doc) ReplaceItem(section string, i int, item string) (Patch, error) {
	return Patch{}, errStub
}

// RemoveItem computes the edit that takes the i-th of Items(section) out with its lines.
func (d *Doc) RemoveItem(section string, i int) (Patch, error) { return Patch{}, errStub }

// Apply makes the edits of all patches, which must have been computed against d, in one splice,
// parses the result again, and refuses with an *EditError unless exactly what was asked changed.
func (d *Doc) Apply(ps ...Patch) (*Doc, error) { return nil, errStub }

// A FieldValue is an entry of a new document's front matter.
type FieldValue struct {
	Key   string
	Value Scalar
}

// A SectionText is a section of a new document: free text, or list items where Items is not nil.
type SectionText struct {
	Name  string
	Text  string
	Items []string
}

// Compose makes a new document of that form: fields in their order, then the sections in theirs. It fails with an
// *EditError where a text cannot be held. adapted is as in Patch.
func Compose(name string, form *Form, fields []FieldValue, sections []SectionText) (d *Doc, adapted []string, err error) {
	return nil, nil, errStub
}

// Foreign is what Arbor shows of a document that is not its own.
type Foreign struct {
	Title       string // front matter title or name, else the first level-1 heading, else ""
	Description string // front matter description or summary, else ""
}

// ReadForeign reads the title and description of a document with YAML, TOML or JSON front matter, or none.
// It never fails: what cannot be read is empty.
func ReadForeign(src []byte) Foreign { return Foreign{} }
