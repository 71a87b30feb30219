package mdoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/adrg/frontmatter"
)

// Foreign is what Arbor shows of a document that is not one of its own files.
type Foreign struct {
	Title       string // front matter title or name, else the first level-1 heading, else ""
	Description string // front matter description or summary, else ""
}

// ReadForeign reads the title and description of a document with YAML, TOML or JSON front
// matter, or none. Both are one line, and empty if they cannot be read.
func ReadForeign(src []byte) (f Foreign) {
	defer func() {
		if recover() != nil {
			f = Foreign{} // a bug in one of three decoders
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
		// This package's reader accepts more YAML than the library's splitter.
		m.yaml(src, p.front)
		rest = src[p.body:]
	} else if r, err := frontmatter.Parse(bytes.NewReader(src), &m, foreignFormats...); err == nil {
		rest = r
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

// matter is what ReadForeign looks for in front matter. A value that is not text is ignored.
type matter struct {
	Title       any `toml:"title" json:"title"`
	Name        any `toml:"name" json:"name"`
	Description any `toml:"description" json:"description"`
	Summary     any `toml:"summary" json:"summary"`
}

func (m *matter) yaml(src []byte, s Span) {
	fields, _ := readFront(src, s)
	into := map[string]*any{"title": &m.Title, "name": &m.Name, "description": &m.Description, "summary": &m.Summary}
	for _, f := range fields {
		if v := into[strings.ToLower(f.Key)]; v != nil && f.Kind != Null && f.Kind != Nested {
			*v = f.Value
		}
	}
}

// foreignFormats are the forms of front matter that other programs write.
var foreignFormats = []*frontmatter.Format{
	frontmatter.NewFormat("---yaml", "---", limited(func(b []byte, m *matter) error {
		m.yaml(b, Span{0, len(b)})
		return nil
	})),
	frontmatter.NewFormat("+++", "+++", limited(decodeTOML)),
	frontmatter.NewFormat("---toml", "---", limited(decodeTOML)),
	frontmatter.NewFormat(";;;", ";;;", limited(decodeJSON)),
	frontmatter.NewFormat("---json", "---", limited(decodeJSON)),
	{Start: "{", End: "}", Unmarshal: limited(decodeJSON), UnmarshalDelims: true, RequiresNewLine: true},
}

func decodeTOML(b []byte, m *matter) error {
	if deepTOML(b) {
		return errors.New("the front matter is nested too deep")
	}
	return toml.Unmarshal(b, m)
}

// deepTOML reports whether keys or inline tables nest too deep: the decoder takes a minute for 64 kB of them.
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

func decodeJSON(b []byte, m *matter) error { return json.Unmarshal(b, m) }

// limited wraps a decoder. Front matter beyond the limit does not reach it. If it fails, the result is empty and no
// error, because ReadForeign reads the body either way.
func limited(decode func([]byte, *matter) error) frontmatter.UnmarshalFunc {
	return func(b []byte, v any) error {
		m := v.(*matter)
		if len(b) > maxFrontMatterBytes {
			return nil
		}
		if decode(b, m) != nil {
			*m = matter{}
		}
		return nil
	}
}

// oneLine returns the first value that is a text and not blank, joined into one line; "" if there is none.
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
