package mdoc

import (
	"bytes"
	"strconv"
	"strings"
)

// Foreign is what Arbor shows of a document that is not one of its own files.
type Foreign struct {
	Title       string // front matter title or name, else the first level-1 heading, else ""
	Description string // front matter description or summary, else ""
}

// ReadForeign reads the title and description of a document with YAML or TOML front
// matter, or none. Both are one line, and empty if they cannot be read.
func ReadForeign(src []byte) (f Foreign) {
	src = src[:min(len(src), MaxBytes)]
	src = bytes.TrimPrefix(src, byteOrderMark)
	if at, _ := badText(src); at >= 0 {
		src = replaceBadText(bytes.Clone(src))
	}
	texts, body := readTOML(src)
	if p := split(src); p.found {
		fields, _ := readFront(src, p.front)
		for _, field := range fields {
			texts[strings.ToLower(field.Key)] = field.Value
		}
		body = src[p.body:]
	}
	f.Title, f.Description = oneLine(texts["title"], texts["name"]), oneLine(texts["description"], texts["summary"])
	if f.Title == "" && checkBody(body) == nil {
		for _, k := range parseBlocks(body, 0) {
			if k.kind == headingBlock && k.level == 1 {
				f.Title = oneLine(k.title)
				break
			}
		}
	}
	return f
}

// readTOML returns the values that are texts of one line in front matter between lines +++, but for those in tables,
// and what stands below it. Without such front matter there are none, and the body is the whole document.
func readTOML(src []byte) (texts map[string]string, body []byte) {
	texts = map[string]string{}
	at := lineEnd(src, 0)
	if !delimiter(src[:at], "+++") {
		return texts, src
	}
	for inTable := false; at < len(src); {
		line := src[at:lineEnd(src, at)]
		at += len(line)
		if delimiter(line, "+++") {
			return texts, src[at:]
		}
		inTable = inTable || line[0] == '['
		key, value, _ := strings.Cut(string(line), "=")
		if text, ok := quotedText(strings.TrimSpace(value)); ok && !inTable {
			texts[strings.TrimSpace(key)] = text
		}
	}
	return map[string]string{}, src
}

// quotedText returns the text in quotes with which s begins.
func quotedText(s string) (text string, ok bool) {
	if rest, single := strings.CutPrefix(s, "'"); single {
		text, _, ok = strings.Cut(rest, "'")
		return text, ok
	}
	s, _ = strconv.QuotedPrefix(s)
	text, err := strconv.Unquote(s)
	return text, err == nil
}

// oneLine returns the first of the texts that is not blank, on one line.
func oneLine(texts ...string) string {
	for _, s := range texts {
		if s = strings.Join(strings.Fields(s), " "); s != "" {
			return s
		}
	}
	return ""
}
