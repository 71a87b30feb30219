package mdoc

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// A Patch is a set of edits computed against one Doc. Adapted names the changes that were made to a given text so that
// it fits. The zero Patch changes nothing.
type Patch struct {
	Adapted []string

	doc *Doc
	ops []op
}

// Empty reports whether the patch changes nothing.
func (p Patch) Empty() bool { return len(p.ops) == 0 }

// An op is one requested change. Patches keep the request, not its bytes, because Apply
// turns several items for one list into one insertion.
type op struct {
	do     opKind
	name   string // field key or section name
	scalar Scalar
	text   string // adapted, with LF line ends
	index  int    // index of an item, or offset of the mark of a box
}

type opKind uint8

const (
	setField opKind = iota
	setSection
	appendItem
	replaceItem
	removeItem
	dropSection
	tickBox
	tickLine
	renameField
)

// SetField computes the edit that sets the front matter key to the value. A missing key is added after the last one,
// and Removed() takes the key's lines out. Comment, quoting style and place stay. A key that has the value already is
// not changed. SetField refuses to replace a mapping, or a list that holds more than texts.
func (d *Doc) SetField(key string, v Scalar) (Patch, error) {
	if what := checkField(key, v); what != "" {
		return Patch{}, d.refuse(0, "%s", what)
	}
	return d.patch(op{do: setField, name: key, scalar: v}, nil)
}

// RenameField computes the edit that gives a front matter key another name. Its value and its place stay. It refuses a
// key that is not there, and a name that another key has.
func (d *Doc) RenameField(key, to string) (Patch, error) {
	_, ok := d.Field(key)
	if _, taken := d.Field(to); !ok || taken || !utf8.ValidString(to) || to == "" {
		return Patch{}, d.refuse(0, "%s cannot be renamed to %s", key, to)
	}
	return d.patch(op{do: renameField, name: key, text: to}, nil)
}

// checkField returns why a field cannot be written; "" if it can.
func checkField(key string, v Scalar) string {
	switch {
	case key == "" || !utf8.ValidString(key):
		return fmt.Sprintf("%q cannot be a front matter key", key)
	case v.kind == Nested && v.text == "": // the Scalar of a Field
		return fmt.Sprintf("%s cannot be set to the list or mapping of another file", key)
	case !utf8.ValidString(v.text):
		return fmt.Sprintf("the value of %s is not valid UTF-8", key)
	}
	return ""
}

// SetSection computes the edit that makes body the text of the section of that name. A missing section is added unless
// body is empty; an empty body leaves the heading in place. A section that is there more than once is refused.
//
// The text is nested below the section: if it has headings of level 1 or 2, all its headings move down together, and an
// open fence or HTML block gets its closing line. The section's own heading, if the text begins with it, is left out.
// Outer blank lines are cut, and line ends become those of the file.
func (d *Doc) SetSection(name, body string) (Patch, error) {
	body, own := d.form.withoutOwnHeading(name, d.likeFile(body))
	text, adapted, err := Nest(body, 2)
	if err != nil {
		return Patch{}, err
	}
	if own != "" {
		adapted = append([]string{own}, adapted...)
	}
	return d.patch(op{do: setSection, name: name, text: text}, adapted)
}

// AppendItem computes the insertion of one list item at the end of the section, before its first subheading: in the
// list that is last there, or as a new list below another block. An item of several lines goes on in indented lines.
// Blanks before its first line and outer blank lines are cut. Of several sections of the name the last one gets the
// item; a missing section is added.
func (d *Doc) AppendItem(section, item string) (Patch, error) {
	return d.itemPatch(op{do: appendItem, name: section}, item)
}

// ReplaceItem computes the edit of the text of item i of Items(section). The marker stays.
func (d *Doc) ReplaceItem(section string, i int, item string) (Patch, error) {
	return d.itemPatch(op{do: replaceItem, name: section, index: i}, item)
}

// RemoveItem computes the edit that removes item i of Items(section) with the blank
// lines between it and its neighbour. The heading stays.
func (d *Doc) RemoveItem(section string, i int) (Patch, error) {
	return d.patch(op{do: removeItem, name: section, index: i}, nil)
}

// DropSection computes the edit that takes the heading of a section out, if the items that the same Apply removes are
// all that the section holds, or if it sets the text of the section to "". Of several sections of the name each is
// looked at by itself.
func (d *Doc) DropSection(section string) (Patch, error) {
	return d.patch(op{do: dropSection, name: section}, nil)
}

func (d *Doc) itemPatch(o op, item string) (p Patch, err error) {
	var adapted []string
	if o.text, adapted, err = ItemText(d.likeFile(item)); err != nil {
		return Patch{}, err
	}
	return d.patch(o, adapted)
}

// likeFile returns text with LF in place of the file's own line ends, so that no adaptation is reported for these.
func (d *Doc) likeFile(text string) string { return strings.ReplaceAll(text, eolAt(d.text, 0), "\n") }

// patch returns the patch of one op, or an error if the op cannot be planned.
func (d *Doc) patch(o op, adapted []string) (Patch, error) {
	if err := d.Editable(); err != nil {
		return Patch{}, err
	}
	ops := []op{o}
	if _, err := d.plan(ops); err != nil {
		return Patch{}, err
	}
	return Patch{Adapted: adapted, doc: d, ops: ops}, nil
}

// refuse returns the error for an edit that the package refuses. line is 0 if no line is the cause.
func (d *Doc) refuse(line int, format string, args ...any) *EditError {
	return &EditError{File: d.name, Line: line, Text: fmt.Sprintf(format, args...)}
}
