package mdoc

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"
)

// readFront returns the fields of the front matter at s, and what is wrong with it.
// It asks the YAML parser only if scanPlain gives up.
func readFront(text []byte, s Span) (fields []Field, problems []Diagnostic) {
	if s.Len() > maxFrontMatterBytes {
		return nil, []Diagnostic{{Line: lineNumber(text, s.Start), Col: 1, Code: CodeTooLarge,
			Text: fmt.Sprintf("the front matter has %d bytes, the limit is %d", s.Len(), maxFrontMatterBytes)}}
	}
	if fields, ok := scanPlain(text, s); ok {
		return fields, nil
	}
	f, problem := parseFront(text, s)
	if problem != nil {
		return f.fields(), []Diagnostic{*problem}
	}
	return f.fields(), f.duplicates()
}

// front is front matter as edits need it: with the YAML parser's nodes.
type front struct {
	text    []byte // the document's text; all offsets are in it
	span    Span   // the lines between the delimiters
	root    *yaml.Node
	entries []entry
	lenient bool // not YAML as a whole: each line is read by itself
}

// An entry is one key with its value.
type entry struct {
	Field
	start    int        // offset of the key
	located  bool       // Span was found and may be edited
	key, val *yaml.Node // nil for a line that is not YAML
}

// listed reports whether the entry is one of the document's fields.
func (e *entry) listed() bool { return e.key == nil || e.key.Kind == yaml.ScalarNode }

// parseFront reads the front matter at s. If it returns a problem, the front holds what could be read.
func parseFront(text []byte, s Span) (*front, *Diagnostic) {
	f := &front{text: text, span: s}
	root, err := decodeYAML(text[s.Start:s.End])
	if err != nil {
		if f.lenient = f.readLines(); f.lenient {
			return f, nil
		}
		line, what := yamlError(err)
		at := lineNumber(text, s.Start)
		if k := bytes.Index(text[s.Start:s.End], []byte(":\u00a0")); k >= 0 {
			here, col := position(text, s.Start+k+1)
			return f, &Diagnostic{Line: here, Col: col, Code: CodeFrontMatter,
				Text: "the front matter is not YAML: a no-break space (U+00A0) stands behind the colon; write a plain one"}
		}
		if k := bytes.Index(text[s.Start:s.End], []byte("\n\t")); k >= 0 {
			here, col := position(text, s.Start+k+1)
			return f, &Diagnostic{Line: here, Col: col, Code: CodeFrontMatter,
				Text: "the front matter is not YAML: a tab indents this line; write blanks"}
		}
		return f, &Diagnostic{Line: min(at+max(line-1, 0), lineNumber(text, s.End)), Col: 1, Code: CodeFrontMatter,
			Text: "the front matter is not YAML: " + what + "; a text with a colon, a hash or a bracket in it needs quotes"}
	}
	if root == nil {
		return f, nil
	}
	if countNodes(root) > maxFrontMatterNodes {
		return f, &Diagnostic{Line: lineNumber(text, s.Start), Col: 1, Code: CodeTooLarge,
			Text: fmt.Sprintf("the front matter has more than %d keys and values", maxFrontMatterNodes)}
	}
	pos := newPositions(text, s)
	if root.Kind != yaml.MappingNode {
		return f, &Diagnostic{Line: pos.fileLine(root.Line), Col: 1, Code: CodeFrontMatter,
			Text: "the front matter is not a mapping; write lines of the form key: value"}
	}
	f.root = root
	f.entries = entriesOf(text, s, root, pos)
	return f, nil
}

// fields returns the entries that have a name.
func (f *front) fields() []Field {
	var out []Field
	for i := range f.entries {
		if f.entries[i].listed() {
			out = append(out, f.entries[i].Field)
		}
	}
	return out
}

// find returns the entry of that key, or nil.
func (f *front) find(key string) *entry {
	for i := range f.entries {
		if e := &f.entries[i]; e.listed() && e.Key == key {
			return e
		}
	}
	return nil
}

// duplicates reports each key that an earlier entry has already.
func (f *front) duplicates() (found []Diagnostic) {
	first := make(map[string]int, len(f.entries))
	for i := range f.entries {
		e := &f.entries[i]
		if !e.listed() {
			continue
		}
		if line, again := first[e.Key]; again {
			here, col := position(f.text, e.start)
			found = append(found, Diagnostic{Line: here, Col: col, Code: CodeDuplicateKey,
				Text: fmt.Sprintf("the key %q stands in line %d already; keep one of the two", e.Key, line)})
			continue
		}
		first[e.Key] = e.Line
	}
	return found
}

// yamlError splits an error of the YAML parser into its line, 0 if it names none, and its text.
func yamlError(err error) (line int, what string) {
	what = strings.TrimPrefix(err.Error(), "yaml: ")
	if n, _ := fmt.Sscanf(what, "line %d:", &line); n == 1 {
		_, what, _ = strings.Cut(what, ": ")
	}
	return line, what
}
