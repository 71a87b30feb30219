package mdoc

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// Foreign is what Arbor shows of a document that is not its own.
type Foreign struct {
	Title       string // front matter title or name, else the first level-1 heading, else ""
	Description string // front matter description or summary, else ""
}

// ReadForeign reads the title and description of a document with YAML, TOML or JSON front matter, or none.
// It never fails: what cannot be read is empty. Both are one line.
func ReadForeign(src []byte) (f Foreign) {
	defer func() {
		if recover() != nil {
			f = Foreign{} // the last wall around three decoders
		}
	}()
	src = src[:min(len(src), MaxBytes)]
	src = bytes.TrimPrefix(src, byteOrderMark)
	if at, _ := badText(src); at >= 0 {
		src = replaceBadText(bytes.Clone(src))
	}
	var m matter
	rest := src
	if p := split(src); p.found {
		m.yaml(src, p.front)
		rest = src[p.body:]
	} else if f, front, body := splitForeign(src); f != nil {
		m.read(f, front)
		rest = body
	}
	f.Title, f.Description = oneLine(m.Title, m.Name), oneLine(m.Description, m.Summary)
	if f.Title == "" && checkBody(rest) == nil {
		for _, k := range parseBlocks(rest, 0) {
			if k.kind == headingBlock && k.level == 1 {
				f.Title = oneLine(k.title)
				break
			}
		}
	}
	return f
}

// matter is what is looked for in front matter; a value of another type is as good as none.
type matter struct {
	Title       any `toml:"title" json:"title"`
	Name        any `toml:"name" json:"name"`
	Description any `toml:"description" json:"description"`
	Summary     any `toml:"summary" json:"summary"`
}

func (m *matter) yaml(src []byte, s Span) {
	fields, _ := readFront(src, s)
	for _, f := range fields {
		if f.Kind == Null || f.Kind == Nested {
			continue
		}
		switch strings.ToLower(f.Key) {
		case "title":
			m.Title = f.Value
		case "name":
			m.Name = f.Value
		case "description":
			m.Description = f.Value
		case "summary":
			m.Summary = f.Value
		}
	}
}

// A foreignFormat is a form of front matter that other programs write, bounded by lines that hold nothing else.
type foreignFormat struct {
	start, end string
	object     bool // start and end are part of what is decoded, and an empty line follows
	decode     func([]byte, *matter) error
}

var foreignFormats = []foreignFormat{
	{start: "---yaml", end: "---", decode: foreignYAML},
	{start: "+++", end: "+++", decode: foreignTOML},
	{start: "---toml", end: "---", decode: foreignTOML},
	{start: ";;;", end: ";;;", decode: foreignJSON},
	{start: "---json", end: "---", decode: foreignJSON},
	{start: "{", end: "}", decode: foreignJSON, object: true},
}

// splitForeign finds the front matter that a document of another program begins with, after blank lines at most, and what follows it. The format is nil
// where there is none, or no end of it. It agrees with the library that most such programs read it with.
func splitForeign(src []byte) (f *foreignFormat, front, rest []byte) {
	line, from, more := "", 0, true
	at := 0
	for line == "" && more {
		from = at
		line, at, more = cutLine(src, at)
	}
	i := slices.IndexFunc(foreignFormats, func(f foreignFormat) bool { return f.start == line })
	if i < 0 || !more {
		return nil, nil, src
	}
	f = &foreignFormats[i]
	if !f.object {
		from = at
	}
	for closing := false; more || closing; {
		begin := at
		line, at, more = cutLine(src, at)
		switch {
		case closing && line == "":
			return f, src[from:at], src[at:]
		case line != f.end:
			closing = false
		case f.object:
			closing = true
		default:
			return f, src[from:begin], src[at:]
		}
	}
	return nil, nil, src
}

// cutLine returns the line at an offset without the blanks around it, where the next one starts, and whether this one has an end.
func cutLine(src []byte, at int) (line string, next int, more bool) {
	raw, _, more := bytes.Cut(src[at:], []byte{'\n'})
	if next = at + len(raw); more {
		next++
	}
	return string(bytes.TrimSpace(raw)), next, more
}

// read decodes front matter within the limit. What fails is an empty result: the body is read either way.
func (m *matter) read(f *foreignFormat, front []byte) {
	if len(front) <= MaxFrontMatterBytes && f.decode(front, m) != nil {
		*m = matter{}
	}
}

func foreignYAML(b []byte, m *matter) error {
	m.yaml(b, Span{0, len(b)})
	return nil
}

func foreignTOML(b []byte, m *matter) error {
	if deepTOML(b) {
		return errTooDeep
	}
	return toml.Unmarshal(b, m)
}

// deepTOML reports whether keys or inline tables nest deeper than anybody writes: the decoder takes a minute for
// 64 kB of them.
func deepTOML(b []byte) bool {
	if bytes.Count(b, []byte{'{'}) > MaxContainers {
		return true
	}
	for line := range bytes.Lines(b) {
		key, _, assigns := bytes.Cut(line, []byte{'='})
		header := bytes.HasPrefix(bytes.TrimLeft(line, " \t"), []byte{'['})
		if (assigns || header) && bytes.Count(key, []byte{'.'}) > MaxContainers {
			return true
		}
	}
	return false
}

func foreignJSON(b []byte, m *matter) error { return json.Unmarshal(b, m) }

// oneLine returns the first of the values that is a text with something in it, on one line.
func oneLine(values ...any) string {
	for _, v := range values {
		if s, ok := v.(string); ok {
			if s = strings.Join(strings.Fields(s), " "); s != "" {
				return s
			}
		}
	}
	return ""
}
