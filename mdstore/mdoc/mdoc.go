// Package mdoc is the lossless Markdown document: the bytes of a file, an
// index of spans over them, and edits that change nothing but those spans.
//
// A Doc is immutable and safe for concurrent use. Its form names the sections that its kind of file knows. Edits are
// computed as Patches and made by Apply, which splices the bytes, parses the result, and refuses it unless exactly the
// requested values changed. The package never prints a document from a tree, and uses no disk, clock or network.
//
// No other package of the module imports YAML and goldmark, and none of their types is exported.
package mdoc

import "fmt"

// A Span is a half-open range of bytes in a document's source.
type Span struct{ Start, End int }

// Len returns the number of bytes in the span.
func (s Span) Len() int { return s.End - s.Start }

// A Form names the sections that a kind of file knows, in the order in which new ones are added. Other sections are
// read, kept and edited under the text of their heading. The zero Form knows none.
type Form struct {
	Sections []SectionForm
	Most     int  // bytes that a file may have; 0 is MaxBytes
	Bare     bool // a file may have a heading of level 1 at its top and no front matter; the first edit adds that
}

// most returns how many bytes a file of the form may have.
func (f *Form) most() int {
	if f == nil || f.Most == 0 {
		return MaxBytes
	}
	return f.Most
}

// A SectionForm is one known section: its standard name and the other headings
// that mean the same. Headings are matched without regard to case.
type SectionForm struct {
	Name    string   // "Log"
	Aliases []string // "日志"

	// Key returns the part of an item that identifies it among the items of the section. Key is nil if the section is
	// text and not a list.
	Key func(item string) string

	Several bool // several sections of the name are usual, and count as one
}

// The codes of the diagnostics of a single document. Each of them closes the document
// to edits; what could be read stays readable.
const (
	CodeTooLarge        = "FILE_TOO_LARGE"       // beyond one of the limits, see MaxBytes
	CodeNotUTF8         = "NOT_UTF8"             // invalid UTF-8 or a NUL byte
	CodeLineEndings     = "LINE_ENDINGS"         // lone CR line ends
	CodeConflictMarkers = "CONFLICT_MARKERS"     // git's <<<<<<< and >>>>>>>
	CodeNoFrontMatter   = "FRONT_MATTER_MISSING" // the front matter is missing or has no end
	CodeFrontMatter     = "FRONT_MATTER_INVALID" // neither YAML nor lines of key: value
	CodeDuplicateKey    = "DUPLICATE_KEY"        // a front matter key is there twice
)

// A Diagnostic is one problem of a file, with its place and its repair.
type Diagnostic struct {
	File string `json:"file"`
	Line int    `json:"line,omitempty"` // 1-based; 0 when the whole file is meant
	Col  int    `json:"col,omitempty"`  // 1-based, in bytes; 0 when the whole line is meant
	Code string `json:"code"`
	Text string `json:"text"`
	Fix  string `json:"fix,omitempty"` // what check --fix does; empty if only a person can repair it

	CopyOf string `json:"-"` // the file that File is a sync program's copy of; "" if it is none, or that is unknown
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

// An UnreadableError says why a document is closed to edits.
type UnreadableError struct{ Problem Diagnostic }

func (e *UnreadableError) Error() string { return e.Problem.String() }

// An EditError refuses an edit or a text that would change more than was requested, or
// would not read back as it was written. Nothing was changed.
type EditError struct {
	File string // the document's name; empty if the given text is the cause
	Line int    // the 1-based line of the cause; 0 if there is none
	Text string // the problem, and what would work
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
	Nested      // a list or a mapping; edits keep it, except that a list of plain values can be replaced
)

// A Field is one entry of the front matter.
type Field struct {
	Key   string
	Kind  Kind
	Value string // the scalar's text with quotes and escapes resolved; empty for null and nested values
	Span  Span   // the bytes of the value; empty if the value is absent
	Line  int    // 1-based line of the key
}

// A Heading is a heading at the top level of the document, not one inside a fence, an HTML block, a list or a quote.
type Heading struct {
	Level int
	Title string // as written, without markers and the spaces around it
	Span  Span   // its whole lines, with the underline of a setext heading
	Line  int    // 1-based
}

// A Section is a heading of level 2 and all up to the next heading of level 1 or 2.
type Section struct {
	Name    string // the form's name for it, or Title if the form has none
	Title   string // the heading as written
	Heading Span   // whole lines
	Body    Span   // from the heading's end to the next heading of level 1 or 2, or the end of the file
	Line    int    // 1-based line of the heading
}

// An Item is one entry of a section's lists, or a block between them, before the section's first subheading.
type Item struct {
	Text   string // without the marker, and without the indentation that the marker demands; line ends are LF
	Listed bool   // false for a paragraph, quote or other block that is not a list item
	Span   Span   // first line to last non-blank line, without the final line end
	Line   int    // 1-based
}
