package act

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"arbor/context/render"
)

// mostShown is how many bytes of a text a question shows, unless it is wanted whole.
const mostShown = 4 << 10

// A question is the text that a person reads before they decide. It shows each character, in order. Of a long text it
// shows the beginning and the end, with the size of the rest and the command that shows it.
type question struct {
	whole bool
	all   string // the command that shows the whole of it
	texts []askedText
	odd   int // characters that are shown as escapes
}

// An askedText is one text of a question.
type askedText struct {
	name, text string
	lines      bool // it is shown below, line by line
	json       bool // it has the escapes of JSON
}

// add adds a text, if there is one.
func (q *question) add(name, text string) {
	if text != "" {
		q.texts = append(q.texts, askedText{name: name, text: text})
		q.odd += odd(text, false)
	}
}

// addLines adds a text of lines.
func (q *question) addLines(text string) {
	if text = strings.TrimSuffix(text, "\n"); text != "" {
		q.texts = append(q.texts, askedText{text: text, lines: true})
		q.odd += odd(text, true)
	}
}

// noNewline is a line that diffs have of their own: the line above ends the file without a line feed.
const noNewline = `\ No newline at end of file`

// addJSON adds the arguments of a call.
func (q *question) addJSON(name string, raw json.RawMessage) {
	if len(raw) == 0 {
		return
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var all any
	if d.Decode(&all) != nil {
		q.add(name, string(raw))
		return
	}
	if named, ok := all.(map[string]any); ok {
		delete(named, "sessionId") // it is shown above
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(all) != nil {
		q.add(name, string(raw))
		return
	}
	q.texts = append(q.texts, askedText{name: name, text: strings.TrimSuffix(b.String(), "\n"), json: true})
	q.odd += oddIn(all)
}

func odd(text string, lines bool) int {
	_, n := render.Escaped(text, lines, false)
	return n
}

// oddIn counts in the texts of a value. Line feeds and tabs have escapes in JSON that everybody knows.
func oddIn(v any) (n int) {
	switch v := v.(type) {
	case string:
		return odd(strings.NewReplacer("\n", "", "\t", "").Replace(v), false)
	case []any:
		for _, e := range v {
			n += oddIn(e)
		}
	case map[string]any:
		for key, e := range v {
			n += oddIn(key) + oddIn(e)
		}
	}
	return n
}

// String returns the question, without its first line.
func (q *question) String() string {
	var b strings.Builder
	for _, t := range q.texts {
		head, gap, tail := t.text, "", ""
		if !q.whole {
			head, gap, tail = parted(t.text, t.json)
		}
		q.write(&b, t, t.name, head)
		if gap == "" {
			continue
		}
		escapes := ""
		if n := odd(gap, t.lines); n > 0 && !t.json {
			escapes = fmt.Sprintf(", %s of them escapes", counted(n, "character"))
		}
		fmt.Fprintf(&b, "  … %s in %s, from byte %d on%s, not shown here: %s shows all …\n",
			counted(len(gap), "byte"), counted(1+strings.Count(gap, "\n"), "line"), len(head), escapes, q.all)
		q.write(&b, t, "", tail)
	}
	if q.odd > 0 {
		are := map[bool]string{true: "is not shown as it is", false: "are not shown as they are"}[q.odd == 1]
		fmt.Fprintf(&b, "  this has %s that %s: an escape such as \\u202e stands for each, and \\\\ for a backslash\n",
			counted(q.odd, "character"), are)
	}
	return b.String()
}

// write writes a part of a text.
func (q *question) write(b *strings.Builder, t askedText, name, text string) {
	switch {
	case t.lines:
		for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
			mark, rest := "", line
			if line == noNewline {
				mark, rest = line, ""
			} else if line != "" && strings.Contains("+- ", line[:1]) { // of a diff
				mark, rest = line[:1], line[1:]
			}
			shown, _ := render.Escaped(rest, true, q.odd > 0)
			b.WriteString("    " + mark + shown + "\n")
		}
	case t.json:
		fmt.Fprintf(b, "  %-10s %s\n", name, escapedJSON(text))
	default:
		shown, _ := render.Escaped(text, false, q.odd > 0)
		fmt.Fprintf(b, "  %-10s %s\n", name, shown)
	}
}

// escapedJSON returns JSON that means the same, in which every character shows as what it is.
func escapedJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case render.Shown(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xd800+(r-0x10000)>>10, 0xdc00+(r-0x10000)&0x3ff)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// parted cuts a text that is too long to be shown into a beginning, a middle and an end. It does not cut characters or
// escapes of JSON, nor lines that are short.
func parted(s string, escapes bool) (head, gap, tail string) {
	if len(s) <= mostShown {
		return s, "", ""
	}
	from, to := mostShown*2/3, len(s)-mostShown/3
	from, to = whole(s, from, escapes), whole(s, to, escapes)
	if i := strings.LastIndexByte(s[:from], '\n'); i > from/2 {
		from = i + 1
	}
	if i := strings.IndexByte(s[to:], '\n'); i >= 0 && i < (len(s)-to)/2 {
		to += i + 1
	}
	return s[:from], s[from:to], s[to:]
}

// whole returns the first place from at on that is not in the middle of a character or an escape.
func whole(s string, at int, escapes bool) int {
	i := at
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	if !escapes {
		return i
	}
	for i = 0; i < at; i++ {
		switch {
		case s[i] != '\\':
		case strings.HasPrefix(s[i:], `\u`):
			i += 5
		default:
			i++
		}
	}
	return whole(s, min(i, len(s)), false)
}

// oneLine shows a text in one line, with an escape for each invisible or misleading character.
func oneLine(s string) string {
	n := odd(s, false)
	s, _ = render.Escaped(s, false, n > 0)
	return s
}

func counted(n int, of string) string {
	if n == 1 {
		return "1 " + of
	}
	return fmt.Sprintf("%d %ss", n, of)
}
