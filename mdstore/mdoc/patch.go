package mdoc

import (
	"fmt"
	"unicode/utf8"
)

// A Patch is a set of edits computed against one Doc, with what must hold
// after them. Adapted names what had to be changed in a text to fit it in. The
// zero Patch changes nothing.
type Patch struct {
	Adapted []string

	doc *Doc
	ops []op
}

// An op is one thing asked for. Patches keep what was asked, not the bytes that
// would follow: several items for one list become one insertion only when all
// patches of an Apply are known.
type op struct {
	do     opKind
	name   string // field key or section name
	scalar Scalar
	text   string // adapted already, LF line ends
	index  int
}

type opKind uint8

const (
	setField opKind = iota
	setSection
	appendItem
	replaceItem
	removeItem
)

// SetField computes the edit that gives the front matter key the value. A key that is
// missing is added after the last one. Comment, quoting style and place stay, and
// a key that has the value already stays as it is. A list or a mapping is refused.
func (d *Doc) SetField(key string, v Scalar) (Patch, error) {
	if what := checkField(key, v); what != "" {
		return Patch{}, d.refuse(0, "%s", what)
	}
	return d.patch(op{do: setField, name: key, scalar: v}, nil)
}

// checkField says why a field cannot be written, or "".
func checkField(key string, v Scalar) string {
	switch {
	case key == "" || !utf8.ValidString(key):
		return fmt.Sprintf("%q cannot be a front matter key", key)
	case v.kind == Nested:
		return fmt.Sprintf("%s cannot be set to a list or a mapping", key)
	case !utf8.ValidString(v.text):
		return fmt.Sprintf("the value of %s is not valid UTF-8", key)
	}
	return ""
}

// SetSection computes the edit that makes body the text of the section of that name,
// adding the section where it is missing; an empty body leaves the heading alone and adds none.
// A section that stands more than once is refused.
//
// The text is nested below the section: where it has headings of level 1 or 2, all its headings move down
// together, and an open fence or HTML block gets its closing line. Outer blank lines are cut, and its
// line ends become those of the file.
func (d *Doc) SetSection(name, body string) (Patch, error) {
	text, adapted, err := embed(body)
	if err != nil {
		return Patch{}, err
	}
	return d.patch(op{do: setSection, name: name, text: text}, adapted)
}

// AppendItem computes the insertion of one list item at the end of the section, before its first
// subheading: at the end of the list that ends it, or as a new list below what else does. An item of
// several lines is continued by indented lines. Blanks before its first line and outer blank lines are cut.
// Where the section stands more than once the last one gets the item, where it is missing it is added.
func (d *Doc) AppendItem(section, item string) (Patch, error) {
	text, adapted, err := embedItem(item)
	if err != nil {
		return Patch{}, err
	}
	return d.patch(op{do: appendItem, name: section, text: text}, adapted)
}

// ReplaceItem computes the edit that gives the i-th of Items(section) another text.
// The marker stays.
func (d *Doc) ReplaceItem(section string, i int, item string) (Patch, error) {
	text, adapted, err := embedItem(item)
	if err != nil {
		return Patch{}, err
	}
	return d.patch(op{do: replaceItem, name: section, index: i, text: text}, adapted)
}

// RemoveItem computes the edit that takes the i-th of Items(section) out with its
// lines and the blank lines that parted it from its neighbour. The heading stays.
func (d *Doc) RemoveItem(section string, i int) (Patch, error) {
	return d.patch(op{do: removeItem, name: section, index: i}, nil)
}

// patch makes the patch of one op, or says why it cannot be done.
func (d *Doc) patch(o op, adapted []string) (Patch, error) {
	if err := d.Editable(); err != nil {
		return Patch{}, err
	}
	ops := []op{o}
	if !d.takes(o) {
		if _, err := d.plan(ops); err != nil {
			return Patch{}, err
		}
	}
	return Patch{Adapted: adapted, doc: d, ops: ops}, nil
}

// takes reports whether no plan of the op alone can be refused: a field can be set where all of the front matter is plain lines, and an
// item can be appended to a section that is there.
func (d *Doc) takes(o op) bool {
	switch o.do {
	case setField:
		return d.plain
	case appendItem:
		for range d.named(o.name) {
			return true
		}
	}
	return false
}

// refuse returns the error of an edit that is not made. line is 0 where none is to name.
func (d *Doc) refuse(line int, format string, args ...any) *EditError {
	return &EditError{File: d.name, Line: line, Text: fmt.Sprintf(format, args...)}
}
