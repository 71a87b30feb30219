package importtanmi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// A member is one name and value of a JSON object.
type member struct {
	key  string
	raw  json.RawMessage
	said bool // a warning names it already
}

// members returns the members of a JSON object in their order; of a name that stands twice the last value counts, and the others get
// names of their own. Of damaged data
// it returns what stands before the damage and the error; the last raw value then is the unread rest.
func members(data []byte) ([]member, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	if t, err := dec.Token(); err != nil {
		return nil, early(err)
	} else if t != json.Delim('{') {
		return nil, fmt.Errorf("an object is expected, not %.20s", strings.TrimSpace(string(data)))
	}
	var list []member
	at := map[string]int{}
	add := func(key string, raw json.RawMessage) {
		if i, twice := at[key]; twice {
			if !bytes.Equal(list[i].raw, raw) {
				list = append(list, member{key: fmt.Sprintf("%s (overwritten, %d)", key, len(list)), raw: list[i].raw})
				list[i].raw = raw
			}
			return
		}
		at[key] = len(list)
		list = append(list, member{key: key, raw: raw})
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return list, early(err)
		}
		key, start := fmt.Sprint(t), dec.InputOffset()
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			add(key, bytes.TrimLeft(data[start:], ": \t\r\n"))
			return list, early(err)
		}
		add(key, raw)
	}
	if _, err := dec.Token(); err != nil {
		return list, early(err)
	}
	if rest := bytes.TrimSpace(data[dec.InputOffset():]); len(rest) > 0 {
		return list, fmt.Errorf("%d bytes stand after its end", len(rest))
	}
	return list, nil
}

func early(err error) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("it ends too early")
	}
	return err
}

// An object reads the members of a JSON object by name and kind. A value of another kind is a warning and stays in the rest.
type object struct {
	path    string // of the file
	name    string // what is read, for warnings: a node's id, or ""
	members []member
	at      map[string]int
	taken   map[string]bool
	rep     *report
}

func newObject(path, name string, list []member, rep *report) *object {
	o := &object{path: path, name: name, members: list, at: map[string]int{}, taken: map[string]bool{}, rep: rep}
	for i, m := range list {
		o.at[m.key] = i
	}
	return o
}

// raw returns a value that is there and not null.
func (o *object) raw(key string) (json.RawMessage, bool) {
	i, ok := o.at[key]
	if !ok || string(o.members[i].raw) == "null" {
		o.taken[key] = true
		return nil, false
	}
	return o.members[i].raw, true
}

func (o *object) decode(key, want string, into any) bool {
	raw, ok := o.raw(key)
	if !ok {
		return false
	}
	if json.Unmarshal(raw, into) != nil {
		if json.Valid(raw) { // else it is where the file's damage begins, which is said already
			o.mismatch(key, want)
		}
		return false
	}
	o.taken[key] = true
	return true
}

func (o *object) mismatch(key, want string) {
	label := key
	if o.name != "" {
		label = key + " of " + oneLine(o.name, 80)
	}
	o.members[o.at[key]].said = true
	o.rep.warn(o.path, "%s is not %s: kept as it is among the imported fields", label, want)
}

// text returns a string, "" where there is none.
func (o *object) text(key string) string {
	var s string
	o.decode(key, "a text", &s)
	return cleanText(s)
}

// line returns a string that names something: without spaces around it.
func (o *object) line(key string) string { return strings.TrimSpace(o.text(key)) }

func (o *object) flag(key string) bool {
	var b bool
	o.decode(key, "true or false", &b)
	return b
}

// list returns the strings of an array; nil where it is none or holds anything else.
func (o *object) list(key string) []string {
	var all []string
	if !o.decode(key, "a list of texts", &all) {
		return nil
	}
	return all
}

// millis returns a time in Unix milliseconds, 0 where there is none.
func (o *object) millis(key string) int64 {
	raw, ok := o.raw(key)
	if !ok {
		return 0
	}
	var s string
	var n float64
	if json.Unmarshal(raw, &s) == nil {
		if ms, ok := parseTime(s); ok {
			o.taken[key] = true
			return ms
		}
	} else if json.Unmarshal(raw, &n) == nil && n >= 0 && n <= maxMillis {
		o.taken[key] = true
		return int64(math.Round(n))
	}
	o.mismatch(key, "a time")
	return 0
}

// rest returns the members that nobody could take, without empty ones.
func (o *object) rest() []member {
	var all []member
	for _, m := range o.members {
		if o.taken[m.key] || !json.Valid(m.raw) {
			continue
		}
		switch string(bytes.Join(bytes.Fields(m.raw), nil)) {
		case "null", "[]", "{}", `""`:
		default:
			all = append(all, m)
		}
	}
	return all
}

// maxMillis is the end of the year 9999 in Unix milliseconds.
const maxMillis = 253402300799999

// parseTime reads an ISO 8601 time; one without a zone is UTC.
func parseTime(s string) (ms int64, ok bool) {
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999", time.DateOnly} {
		if t, err := time.Parse(layout, strings.TrimSpace(s)); err == nil {
			ms := t.UnixMilli()
			return ms, ms >= 0 && ms <= maxMillis
		}
	}
	return 0, false
}
