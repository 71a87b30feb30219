// Package mdoc is the lossless Markdown document: the bytes of a file, an
// index of spans over them, and edits that change nothing but those spans.
//
// A Doc is immutable and safe for concurrent use. It is read with a form that
// names the sections its kind of file knows. Edits are computed as Patches and
// made by Apply, which splices the bytes, parses the result again and refuses
// it unless exactly what was asked changed. Nothing in this package prints a
// document from a tree, and nothing touches the disk, the clock or the network.
//
// It is the one package of the module that knows YAML and goldmark; their
// types go no further.
package mdoc

import "fmt"

// A Span is a half-open range of bytes in a document's source.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// A Form names the sections that a kind of file knows, in the order in which
// new ones are placed. The zero Form knows none; sections that a form does not
// know are read, kept and edited under the text of their heading.
type Form struct{ Sections []SectionForm }

// A SectionForm is one known section: its standard name and the other headings
// that mean the same. Headings are matched without regard to case.
type SectionForm struct {
	Name    string   // "Log"
	Aliases []string // "日志"
}

// The codes of the diagnostics that a single document can carry. Each of them
// closes the document to edits; what could be read stays readable.
const (
	CodeTooLarge        = "FILE_TOO_LARGE"       // more bytes, front matter, containers or definitions than the limits allow
	CodeNotUTF8         = "NOT_UTF8"             // invalid UTF-8 or a NUL byte
	CodeLineEndings     = "LINE_ENDINGS"         // lone CR line ends
	CodeConflictMarkers = "CONFLICT_MARKERS"     // git's <<<<<<< and >>>>>>>
	CodeNoFrontMatter   = "FRONT_MATTER_MISSING" // no front matter, or one that never ends
	CodeFrontMatter     = "FRONT_MATTER_INVALID" // neither YAML nor lines of key: value
	CodeDuplicateKey    = "DUPLICATE_KEY"        // a front matter key stands twice
)

// A Diagnostic is one problem of a file, where it is and what would mend it.
type Diagnostic struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 1-based; 0 when the whole file is meant
	Col  int    `json:"col,omitempty"`  // 1-based, in bytes; 0 when the whole line is meant
	Code string `json:"code"`
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"` // what check --fix would do; empty when only a person can mend it
}

// String returns the diagnostic in the form file:line:col: code: text.
func (d Diagnostic) String() string {
	switch {
	case d.Line == 0:
		return fmt.Sprintf("%s: %s: %s", d.File, d.Code, d.Text)
	case d.Col == 0:
		return fmt.Sprintf("%s:%d: %s: %s", d.File, d.Line, d.Code, d.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s: %s", d.File, d.Line, d.Col, d.Code, d.Text)
}

// An UnreadableError says that a document is closed to edits, and why.
type UnreadableError struct{ Problem Diagnostic }

func (e *UnreadableError) Error() string { return e.Problem.String() }

// An EditError refuses an edit or a text that would change more than was
// asked, or not read back as it was written. Nothing was changed.
type EditError struct {
	File string // the document's name; empty when the text itself is at fault
	Line int    // the 1-based line of the cause; 0 when there is none to name
	Text string // what is wrong and what would work
}

func (e *EditError) Error() string {
	switch {
	case e.File == "":
		return e.Text
	case e.Line == 0:
		return e.File + ": " + e.Text
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// A Kind is the type of a front matter value.
type Kind uint8

// The kinds of values. The zero Kind is null.
const (
	Null   Kind = iota
	Bool        // true, false
	Int         // 42
	Float       // 1.5
	String      // any text
	Nested      // a list or a mapping: kept, never edited
)

// A Field is one entry of the front matter.
type Field struct {
	Key   string
	Kind  Kind
	Value string // the scalar's text with quotes and escapes resolved; empty for null and nested values
	Span  Span   // the bytes of the value; empty where the value is absent
	Line  int    // 1-based line of the key
}

// A Heading is a heading at the top level of the document: not one inside a
// fence, an HTML block, a list or a quote.
type Heading struct {
	Level int
	Title string // as written, without markers, spaces around it cut
	Span  Span   // its whole lines, with the underline of a setext heading
	Line  int    // 1-based
}

// A Section is a level-2 heading and all up to the next heading of level 1 or 2.
type Section struct {
	Name    string // the form's name for it, or Title where the form knows none
	Title   string // the heading as written
	Heading Span   // whole lines
	Body    Span   // from the heading's end to the next heading of level 1 or 2, or the end of the file
	Line    int    // 1-based line of the heading
}

// An Item is one entry of a section's lists, or a block that stands between
// them. Items before the first subheading are the section's own.
type Item struct {
	Text   string // without marker; continuation lines without the marker's indentation; LF line ends
	Listed bool   // false for a paragraph, quote or other block that is no list item
	Span   Span   // first line to last non-blank line, without the final line end
	Line   int    // 1-based
}
