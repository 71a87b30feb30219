package mdoc

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/text"
	"gopkg.in/yaml.v3"
)

// oracle says what is wrong with the result of an edit, or "". It reads both files with the
// libraries, without code of the package.
func (e drawnEdit) oracle(before, after string) string {
	parts := e.parts
	if parts == nil {
		parts = []drawnEdit{e}
	}
	fields, sections := map[string]Scalar{}, map[string]bool{}
	for _, p := range parts {
		if p.kind == "field" {
			fields[p.name] = p.value
		} else {
			sections[standardName(p.name)] = true
		}
	}
	if what := bytesOracle(e.kind, before, after); what != "" {
		return what
	}
	wasFront, wasBody := oracleSplit(before)
	nowFront, nowBody := oracleSplit(after)
	if len(fields) == 0 && wasFront != nowFront {
		return "the front matter changed"
	}
	if len(sections) == 0 && wasBody != nowBody {
		return "the body changed"
	}
	if what := frontOracle(wasFront, nowFront, fields); what != "" {
		return what
	}
	return bodyOracle(wasBody, nowBody, parts, sections)
}

// bytesOracle: an insertion only inserts, a removal only removes, and any other single edit
// changes one run of bytes.
func bytesOracle(kind, before, after string) string {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	tail := 0
	for tail < len(before)-head && tail < len(after)-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	switch {
	case kind == "append" && head+tail < len(before):
		return fmt.Sprintf("an insertion replaced %q", before[head:len(before)-tail])
	case kind == "remove" && head+tail < len(after):
		return fmt.Sprintf("a removal inserted %q", after[head:len(after)-tail])
	}
	return ""
}

func oracleSplit(src string) (front, body string) {
	rest := src
	first := true
	for i := 0; i < len(rest); {
		k := strings.IndexByte(rest[i:], '\n')
		if k < 0 {
			k = len(rest) - i - 1
		}
		line := strings.TrimRight(strings.TrimPrefix(rest[i:i+k+1], "\ufeff"), " \t\r\n")
		i += k + 1
		if line == "---" || line == "..." && !first {
			if !first {
				return rest[:i], rest[i:]
			}
			first = false
		}
	}
	return rest, ""
}

// frontOracle decodes both front matters into maps, and compares those that are not YAML line
// by line.
func frontOracle(was, now string, fields map[string]Scalar) string {
	inner := func(s string) string {
		lines := strings.SplitAfter(strings.TrimPrefix(s, "\ufeff"), "\n")
		for len(lines) > 0 && strings.TrimSpace(lines[0]) == "" {
			lines = lines[1:]
		}
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1]
		}
		return strings.Join(lines[1:len(lines)-1], "")
	}
	was, now = inner(was), inner(now)
	a, errA := oracleYAML(was)
	b, errB := oracleYAML(now)
	if errB == nil {
		for key, v := range fields {
			if got, ok := b[key]; !ok || !sameScalar(got, v) {
				return fmt.Sprintf("%s is %#v, want %v", key, got, v)
			}
		}
	}
	if errA != nil || errB != nil {
		return lenientOracle(was, now, fields)
	}
	for key := range fields {
		delete(a, key)
		delete(b, key)
	}
	if !reflect.DeepEqual(a, b) {
		return fmt.Sprintf("other fields changed: %v, want %v", b, a)
	}
	if x, y := oracleComments(was), oracleComments(now); len(a) > 0 && !slices.Equal(x, y) {
		return fmt.Sprintf("the comments changed: %q, want %q", y, x)
	}
	return ""
}

// oracleYAML decodes through values, not through positions.
func oracleYAML(s string) (m map[string]any, err error) {
	var root yaml.Node
	if err := yaml.Unmarshal([]byte(s), &root); err != nil {
		return nil, err
	}
	m = map[string]any{}
	if root.Kind == 0 {
		return m, nil
	}
	top := root.Content[0]
	for i := 0; i+1 < len(top.Content); i += 2 {
		var k, v any
		if err := top.Content[i].Decode(&k); err != nil {
			k = fmt.Sprint("undecodable key ", top.Content[i].Value, len(top.Content[i].Content))
		}
		if err := top.Content[i+1].Decode(&v); err != nil {
			v = top.Content[i+1].Value
		}
		key := fmt.Sprint(k)
		if top.Content[i].Kind == yaml.ScalarNode {
			key = top.Content[i].Value
		}
		m[key] = v
	}
	return m, nil
}

func sameScalar(got any, want Scalar) bool {
	switch want.kind {
	case Null:
		return got == nil
	case String:
		return got == want.text
	case Bool:
		return fmt.Sprint(got) == want.text
	case Int:
		return fmt.Sprint(got) == want.text
	}
	switch got.(type) {
	case float64:
		return true // its digits are the library's matter
	}
	return false
}

// oracleComments returns all comments of the YAML text.
func oracleComments(s string) (all []string) {
	var root yaml.Node
	if yaml.Unmarshal([]byte(s), &root) != nil {
		return nil
	}
	var walk func(n *yaml.Node)
	walk = func(n *yaml.Node) {
		for _, c := range []string{n.HeadComment, n.LineComment, n.FootComment} {
			for _, line := range strings.Split(c, "\n") {
				if line = strings.TrimSpace(line); line != "" {
					all = append(all, line)
				}
			}
		}
		for _, c := range n.Content {
			walk(c)
		}
	}
	walk(&root)
	slices.Sort(all)
	return all
}

// lenientOracle: every line apart from those of the edited fields is the same.
func lenientOracle(was, now string, fields map[string]Scalar) string {
	others := func(s string) (out []string) {
		for _, line := range strings.SplitAfter(s, "\n") {
			key, _, _ := strings.Cut(line, ":")
			if _, set := fields[strings.Trim(strings.TrimSpace(key), `"'`)]; !set {
				out = append(out, line)
			}
		}
		return out
	}
	if a, b := others(was), others(now); !slices.Equal(a, b) {
		return fmt.Sprintf("other lines changed: %q, want %q", b, a)
	}
	return ""
}

// A stretch is a heading of the document and all up to the next.
type stretch struct {
	level   int
	title   string
	body    string // trimmed of line ends and blanks
	items   []string
	section string // the level-2 section it stands in
}

var fullMarkdown = goldmark.New(goldmark.WithExtensions(extension.Table))

func oracleStretches(body string) []stretch {
	body = strings.ReplaceAll(body, "\r\n", "\n") // the library takes a marker before CRLF for text
	src := []byte(body)
	root := fullMarkdown.Parser().Parse(text.NewReader(src))
	out := []stretch{{}}
	start := 0
	section := ""
	for n := root.FirstChild(); n != nil; n = n.NextSibling() {
		if prev := n.PreviousSibling(); prev != nil && prev.Pos() == n.Pos() {
			continue // the library takes a paragraph before a table for a heading behind it when a - follows
		}
		switch n := n.(type) {
		case *ast.Heading:
			at := strings.LastIndexByte(body[:n.Pos()], '\n') + 1
			out[len(out)-1].body = trimLines(body[start:at])
			title := oracleTitle(n, src)
			if n.Level == 2 {
				section = standardName(title)
			} else if n.Level == 1 {
				section = ""
			}
			out = append(out, stretch{level: n.Level, title: title, section: section})
			start = at
		case *ast.List:
			last := &out[len(out)-1]
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				last.items = append(last.items, string(c.Lines().Value(src)))
			}
		}
	}
	out[len(out)-1].body = trimLines(body[start:])
	return out
}

func oracleTitle(n *ast.Heading, src []byte) string {
	var all []string
	for i := range n.Lines().Len() {
		s := n.Lines().At(i)
		all = append(all, strings.Trim(string(s.Value(src)), " \t\r\n"))
	}
	return strings.Join(all, " ")
}

func trimLines(s string) string {
	return strings.TrimRight(strings.ReplaceAll(s, "\r\n", "\n"), " \t\n")
}

func standardName(title string) string {
	title = strings.TrimSpace(title)
	for _, s := range nodeForm.Sections {
		if strings.EqualFold(s.Name, title) || slices.Contains(s.Aliases, title) {
			return s.Name
		}
	}
	return title
}

// bodyOracle compares all that is not in an edited section, and looks for the given texts in
// the edited ones.
func bodyOracle(was, now string, parts []drawnEdit, sections map[string]bool) string {
	keep := func(all []stretch, sections map[string]bool) (out []stretch) {
		for _, s := range all {
			if !inSections(sections, s.section) {
				s.items = nil
				out = append(out, s)
			}
		}
		return out
	}
	a, b := oracleStretches(was), oracleStretches(now)
	if x, y := keep(a, sections), keep(b, sections); !reflect.DeepEqual(x, y) {
		return fmt.Sprintf("other sections changed: %+v, want %+v", y, x)
	}
	for _, p := range parts {
		count := func(all []stretch) (headings, items int) {
			for _, s := range all {
				if s.section != "" && strings.EqualFold(s.section, standardName(p.name)) {
					if s.level == 2 {
						headings++
						items += len(s.items)
					}
				}
			}
			return headings, items
		}
		ha, ia := count(a)
		hb, ib := count(b)
		if p.kind != "field" && hb != max(ha, 1) && !(ha == 0 && hb == 0) {
			return fmt.Sprintf("section %s stands %d times, stood %d times", p.name, hb, ha)
		}
		if len(parts) > 1 {
			continue
		}
		switch {
		case p.kind == "append" && ib != ia+1:
			return fmt.Sprintf("%d items after an append to %d", ib, ia)
		case p.kind == "replace" && ib != ia:
			return fmt.Sprintf("%d items after a replacement in %d", ib, ia)
		case p.kind == "section":
			for i := range b {
				if b[i].level == 2 && strings.EqualFold(b[i].section, standardName(p.name)) && b[i].section != "" {
					if what := textOracle(p.text, now, b, i); what != "" {
						return what
					}
				}
			}
		}
	}
	return ""
}

func inSections(sections map[string]bool, name string) bool {
	for s := range sections {
		if name != "" && strings.EqualFold(s, name) {
			return true
		}
	}
	return false
}

// textOracle compares a section's text with the given one if that needs no adaptation: it has
// no heading of level 1 or 2, and no open block.
func textOracle(given, now string, all []stretch, i int) string {
	probe := oracleStretches(strings.ReplaceAll(given, "\r\n", "\n") + "\n\n## end\n")
	if probe[len(probe)-1].title != "end" {
		return ""
	}
	for _, s := range probe[:len(probe)-1] {
		if s.level == 1 || s.level == 2 {
			return ""
		}
	}
	var got []string
	for k := i; k < len(all) && (k == i || all[k].level > 2); k++ {
		got = append(got, all[k].body)
	}
	// The heading's lines come first, so the text is at the end.
	want := trimLines(strings.TrimLeft(given, "\n"))
	if joined := strings.Join(got, "\n"); !strings.HasSuffix(squeeze(joined), squeeze(want)) {
		return fmt.Sprintf("the section reads %q, want %q", joined, want)
	}
	return ""
}

// squeeze removes blank lines, as stretches have none at their ends.
func squeeze(s string) string {
	var out []string
	for _, line := range strings.Split(s, "\n") {
		if strings.Trim(line, " \t") != "" {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return strings.Join(out, "\n")
}
