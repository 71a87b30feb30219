package mdstore

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"path"
	"regexp"
	"strings"
	"time"

	"arbor/mdstore/mdoc"
)

// A Ref is an entry of a Docs or References section.
type Ref struct {
	Target      string    `json:"path" req:"true"` // a node's id, or a document's path or address
	Description string    `json:"description"`
	Expired     Expired   `json:"status,omitempty" listed:"never"`
	Index       int       `json:"-"` // of the item in its section, for edits
	Span        mdoc.Span `json:"-"`
	Line        int       `json:"-"`
}

const expiredMark = "(expired)"

// Expired says that an entry no longer applies. As text it is the entry's status: expired or active.
type Expired bool

// Words returns the statuses.
func (Expired) Words() []string { return []string{"active", "expired"} }

// MarshalText returns the status.
func (e Expired) MarshalText() ([]byte, error) {
	if e {
		return []byte("expired"), nil
	}
	return []byte("active"), nil
}

// UnmarshalText reads a status.
func (e *Expired) UnmarshalText(text []byte) error {
	if string(text) != "expired" && string(text) != "active" {
		return fmt.Errorf("is %q; active or expired is expected", text)
	}
	*e = string(text) == "expired"
	return nil
}

// ParseRef reads the text of a list item in any of its forms: `target: description`, `[description](target)` and
// `[[target|description]]`, each followed by `(expired)` if it is. After a link, `: description` may follow, and words
// may stand before it. A dash with blanks around it counts as a colon, and backquotes around a target are left out. Any
// other text is all target. Further lines of the item belong to the description.
func ParseRef(item string) Ref {
	first, more, _ := strings.Cut(strings.TrimSpace(item), "\n")
	r := parseRefLine(strings.TrimSpace(first))
	if more = strings.Join(strings.Fields(more), " "); more != "" {
		r.Description = strings.TrimSpace(r.Description + " " + more)
	}
	return r
}

func parseRefLine(s string) Ref {
	var r Ref
	if t, ok := strings.CutSuffix(s, expiredMark); ok {
		r.Expired = true
		s = strings.TrimSpace(t)
	}
	if in, ok := between(s, "[[", "]]"); ok {
		target, desc, _ := strings.Cut(in, "|")
		r.Target, r.Description = strings.TrimSpace(target), strings.TrimSpace(desc)
		return r
	}
	if in, ok := between(s, "[", ")"); ok {
		if i := strings.Index(in, "]("); i >= 0 {
			r.Description, r.Target = strings.TrimSpace(in[:i]), strings.TrimSpace(in[i+2:])
			r.Target = strings.TrimSuffix(strings.TrimPrefix(r.Target, "<"), ">")
			return r
		}
	}
	if strings.HasPrefix(s, "[") {
		for _, end := range linkEnds {
			if i := strings.Index(s, end); i >= 0 {
				at := strings.IndexAny(end, ":—–- ") // behind the link
				if l := parseRefLine(s[:i+at]); l.Target != s[:i+at] {
					return Ref{Target: l.Target, Description: strings.TrimSpace(s[i+len(end):]), Expired: r.Expired}
				}
			}
		}
	}
	if l, ok := relation(s); ok {
		l.Expired = r.Expired
		return l
	}
	target, desc := cutDescription(s)
	r.Target, r.Description = strings.TrimSpace(target), strings.TrimSpace(desc)
	if in, ok := between(r.Target, "`", "`"); ok && !strings.Contains(in, "`") {
		r.Target = strings.TrimSpace(in)
	}
	return r
}

// linkEnds are the ends of links with what parts them from a description.
var linkEnds = []string{"]]: ", "): ", "]] — ", ") — ", "]] – ", ") – ", "]] - ", ") - "}

// dashes part a target from its description as a colon does, behind a target without blanks.
var dashes = []string{" — ", " – ", " - ", " -- "}

// cutDescription parts the target from its description.
func cutDescription(s string) (target, desc string) {
	at, width := strings.Index(s, ": "), len(": ")
	for _, dash := range dashes {
		if i := strings.Index(s, dash); i > 0 && (at < 0 || i < at) && parted(s[:i], dash, s[i+len(dash):]) {
			at, width = i, len(dash)
		}
	}
	if at >= 0 {
		return s[:at], s[at+width:]
	}
	if target, desc, ok := strings.Cut(s, "："); ok {
		return target, desc
	}
	return strings.TrimSuffix(s, ":"), ""
}

// parted reports whether a dash parts a target from its description: the target has no blanks or stands in backquotes,
// and a hyphen is no part of the name of a file.
func parted(target, dash, desc string) bool {
	_, quoted := between(target, "`", "`")
	named := strings.Contains(dash, "-") && path.Ext(desc) != "" && !strings.Contains(path.Ext(desc), " ")
	return quoted || !strings.ContainsAny(target, " \t") && !named
}

// relationForm matches words before the only link of a line: "Depends on [[n2]]", "blocks: [text](../n2/Node.md)".
var relationForm = regexp.MustCompile(`^([\pL_][\pL _-]*?):? (\[\[[^\[\]]+\]\]|\[[^\[\]]*\]\([^()]+\))$`)

// relation reads a line of words and a link; ok is false for any other.
func relation(s string) (r Ref, ok bool) {
	m := relationForm.FindStringSubmatch(s)
	if m == nil {
		return Ref{}, false
	}
	r = parseRefLine(m[2])
	r.Description = strings.TrimSpace(m[1] + " " + r.Description)
	return r, true
}

func between(s, open, end string) (string, bool) {
	if len(s) < len(open)+len(end) || !strings.HasPrefix(s, open) || !strings.HasSuffix(s, end) {
		return "", false
	}
	return s[len(open) : len(s)-len(end)], true
}

// Format returns the item's text in the form `target: description`, or as a link where that form would read back as
// something else. ok is false if no form holds the reference: a target or description of several lines, or an empty
// target.
func (r Ref) Format() (item string, ok bool) {
	mark := ""
	if r.Expired {
		mark = " " + expiredMark
	}
	plain := r.Target
	if r.Description != "" {
		plain += ": " + r.Description
	}
	for _, s := range []string{plain + mark, "[" + r.Description + "](" + r.Target + ")" + mark, "[" + r.Description + "](<" + r.Target + ">)" + mark} {
		if got := ParseRef(s); r.Target != "" && !strings.ContainsAny(s, "\r\n") && got.Target == r.Target && got.Description == r.Description && got.Expired == r.Expired {
			return s, true
		}
	}
	return "", false
}

// A LogEntry is one entry of a Log section.
type LogEntry struct {
	Time     string    `json:"timestamp,omitempty"` // "2006-01-02 15:04:05", UTC; "" for a line of another form
	Operator string    `json:"operator,omitempty"`  // "AI" or "Human", or what a person wrote there; "" for a line of another form
	Event    string    `json:"event"`               // may have several lines; for a line of another form, the whole line
	Span     mdoc.Span `json:"-"`
	Line     int       `json:"-"`
}

// The operators of log entries.
const (
	OperatorAI    = "AI"
	OperatorHuman = "Human"
)

// TimeLayout is the form of a log entry's time, for the package time.
const TimeLayout = "2006-01-02 15:04:05"

// LogTime returns the time of a log entry for one in Unix milliseconds.
func LogTime(ms int64) string { return time.UnixMilli(ms).UTC().Format(TimeLayout) }

// MaxEvent is the greatest length of a log event in bytes.
const MaxEvent = 2048

// FormatLog returns the text of a log entry's item. An event that begins with a fence, list or table starts below the
// line with the time, because it would not be one behind that.
func FormatLog(time, operator, event string) string {
	between := " "
	if mdoc.BeginsWithBlock(event) {
		between = "\n\n"
	}
	return "[" + time + "] [" + operator + "]" + between + event
}

// ParseLog reads the text of a log entry's item. Text of another form becomes an entry without time and operator.
func ParseLog(item string) LogEntry {
	if len(item) >= 24 && item[0] == '[' && item[20] == ']' && timeShaped(item[1:20]) {
		if rest, ok := strings.CutPrefix(item[21:], " ["); ok {
			if op, event, ok := strings.Cut(rest, "]"); ok && op != "" && !strings.Contains(op, "\n") {
				return LogEntry{Time: item[1:20], Operator: op, Event: strings.TrimLeft(event, blankBefore)}
			}
		}
	}
	return LogEntry{Event: item}
}

// blankBefore are the characters that do not count at the beginning of an event.
const blankBefore = " \r\n"

func timeShaped(s string) bool {
	for i := range len(TimeLayout) {
		c, want := s[i], TimeLayout[i]
		if want >= '0' && want <= '9' {
			if c < '0' || c > '9' {
				return false
			}
		} else if c != want {
			return false
		}
	}
	return true
}

// RulesHash returns the first 8 hex digits of the MD5 of the rules joined by line feeds, "" for no rules. It shows that
// the rules were read; it protects against nothing.
func RulesHash(rules []string) string {
	if len(rules) == 0 {
		return ""
	}
	sum := md5.Sum([]byte(strings.Join(rules, "\n")))
	return hex.EncodeToString(sum[:4])
}

// Marked returns the text of a reference's item as it is written, with or without the mark of an expired one at the end
// of its first line; nothing else of it changes.
func Marked(item string, expired bool) string {
	first, more, lines := strings.Cut(item, "\n")
	first = strings.TrimRight(first, " \t")
	if t, ok := strings.CutSuffix(first, expiredMark); ok {
		first = strings.TrimRight(t, " \t")
	}
	if expired {
		first += " " + expiredMark
	}
	if lines {
		return first + "\n" + more
	}
	return first
}
