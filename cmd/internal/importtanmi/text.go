package importtanmi

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

var bom = []byte("\xef\xbb\xbf")

// cleanText returns s with LF line ends, and with U+FFFD for what cannot stand in a Markdown file: NUL and invalid UTF-8.
func cleanText(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexByte(s, 0) >= 0 {
		s = strings.ReplaceAll(s, "\x00", "\uFFFD")
	}
	return s
}

// sound reports whether a file's bytes are text as they stand.
func sound(data []byte) bool { return utf8.Valid(data) && bytes.IndexByte(data, 0) < 0 }

// trimBlank cuts blank lines around a text and spaces at its end. The first line keeps its indentation.
func trimBlank(s string) string {
	s = strings.TrimRight(s, " \t\n")
	for {
		line, rest, ok := strings.Cut(s, "\n")
		if !ok || strings.TrimSpace(line) != "" {
			return s
		}
		s = rest
	}
}

// paragraphs joins texts by blank lines and leaves empty ones out.
func paragraphs(texts ...string) string {
	var b strings.Builder
	for _, t := range texts {
		if t = trimBlank(t); t == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(t)
	}
	return b.String()
}

// under returns a text below a level-3 heading, "" for an empty text.
func under(title, text string) string {
	if trimBlank(text) == "" {
		return ""
	}
	return "### " + title + "\n\n" + trimBlank(text)
}

// fenced returns a text as a code block, whatever it holds.
func fenced(language, text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence + language + "\n" + strings.TrimRight(text, "\n") + "\n" + fence
}

// cutRunes returns the first n characters of s, the last one replaced by an ellipsis where s has more.
func cutRunes(s string, n int) (short string, cut bool) {
	if utf8.RuneCountInString(s) <= n {
		return s, false
	}
	r := []rune(s)
	return strings.TrimSpace(string(r[:n-1])) + "…", true
}
