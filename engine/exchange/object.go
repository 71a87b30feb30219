package exchange

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// A jsonSource is a file of another program's JSON, whose parts are found again for the lines of messages.
type jsonSource struct {
	*reader
	file string
	data []byte
	here spot
}

// A spot is a place in a file: behind it the next part is looked for.
type spot struct{ offset, line int }

func (r *reader) json(file string) (*jsonSource, error) {
	data, err := r.Read(file)
	return &jsonSource{r, file, bytes.TrimPrefix(data, []byte("\uFEFF")), spot{line: 1}}, err
}

// wrong returns the error of a file that is not what is expected.
func (f *jsonSource) wrong(err error, want string) error {
	return refused("%s: %v; %s is expected", f.at(f.file, lineOf(f.data, err)), err, want)
}

// lineOf returns the line of an error of JSON, 0 if it is unknown.
func lineOf(data []byte, err error) int {
	if e := (*json.SyntaxError)(nil); errors.As(err, &e) {
		return 1 + bytes.Count(data[:min(int(e.Offset), len(data))], []byte("\n"))
	}
	return 0
}

// line returns the place of a part of the file that stands behind those asked for before.
func (f *jsonSource) line(part []byte) string {
	i := bytes.Index(f.data[f.here.offset:], part)
	if i < 0 {
		return f.at(f.file, 0)
	}
	f.here.line += bytes.Count(f.data[f.here.offset:f.here.offset+i], []byte("\n"))
	f.here.offset += i
	return f.at(f.file, f.here.line)
}

// objects returns the objects of a list; what is none, or lacks a member that it needs, is named and left out.
func (f *jsonSource) objects(list json.RawMessage, what string, needs ...string) (all []*object) {
	var raws []json.RawMessage
	if len(list) == 0 || string(list) == "null" {
		return nil
	}
	if err := json.Unmarshal(list, &raws); err != nil {
		f.left(f.at(f.file, 0), "%s are left out: they are no list", what)
		return nil
	}
	for _, raw := range raws {
		x := &object{at: f.line(raw)}
		x.here = f.here
		err := json.Unmarshal(raw, &x.members)
		if err != nil {
			err = errors.New("it is no object")
		}
		lacks := func(key string) bool { return scalarText(x.members[key]) == "" }
		if err == nil && slices.ContainsFunc(needs, lacks) {
			err = fmt.Errorf("it needs %s", strings.Join(needs, " and "))
		}
		if err != nil {
			f.left(x.at, "an item is left out: %v", err)
			continue
		}
		all = append(all, x)
	}
	return all
}

// An object is an object of JSON, or the front matter of a page, whose members are taken one by one.
type object struct {
	members map[string]json.RawMessage
	at      string
	here    spot
}

func (x *object) take(key string) json.RawMessage {
	raw := x.members[key]
	delete(x.members, key)
	return raw
}

// text takes a member as text.
func (x *object) text(key string) string { return scalarText(x.take(key)) }

// texts takes a member that is a list of texts or numbers, or one of these.
func (x *object) texts(key string) (all []string) {
	raw := x.take(key)
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		list = []json.RawMessage{raw}
	}
	for _, r := range list {
		if s := strings.TrimSpace(scalarText(r)); s != "" {
			all = append(all, s)
		}
	}
	return all
}

// time takes a member that is a time, in Unix milliseconds; one of another form stays.
func (x *object) time(key string) int64 {
	at, ok := mdstore.ParseTime(scalarText(x.members[key]))
	if !ok {
		return 0
	}
	delete(x.members, key)
	return at.UnixMilli()
}

// rest returns an item with all members that are left as keys of its own.
func (x *object) rest(r *reader, it plan.ImportItem) plan.ImportItem {
	for _, key := range slices.Sorted(maps.Keys(x.members)) {
		text := scalarText(x.members[key])
		if text == "" || text == "null" || text == "[]" || text == "{}" {
			continue
		}
		taken := func(k mdstore.Key) bool { return k.Name == key }
		if key == plan.ImportedKey || mdstore.FieldNamed(key) != nil || slices.ContainsFunc(mdstore.NodeKind.Keys, taken) {
			key = r.out.Kind + "-" + key
		}
		it.Own = append(it.Own, mdoc.FieldValue{Key: key, Value: mdoc.Text(text)})
	}
	return it
}

// quoted returns a text as JSON.
func quoted(s string) json.RawMessage {
	data, _ := json.Marshal(s) // a text always can be
	return data
}

// unquoted are values of front matter that YAML cannot read: @name without quotes.
var (
	unquoted   = pattern.Of(`(?m)^(\s*-\s+|[\w-]+:\s+)(@[^\s'"]*)\s*$`)
	unquotedIn = pattern.Of(`([\[,]\s*)(@[^\s,'"\]]+)`)
)

// page returns the front matter of a Markdown file as an object, and the text below it with the number of its first
// line. The error names the place.
func (r *reader) page(file string) (x *object, text string, line int, err error) {
	data, err := r.Read(file)
	if err != nil {
		return nil, "", 0, err
	}
	s := r.utf8Text(data)
	s = strings.ReplaceAll(s, "\r\n", "\n")
	if front, _, ok := strings.Cut(strings.TrimPrefix(s, "---\n"), "\n---"); ok && strings.HasPrefix(s, "---\n") {
		with := unquotedIn().ReplaceAllString(unquoted().ReplaceAllString(front, `$1"$2"`), `$1"$2"`)
		s = "---\n" + with + s[len("---\n")+len(front):]
	}
	d, problems := mdoc.Parse(file, []byte(s), nil)
	if len(problems) > 0 {
		return nil, "", 0, fmt.Errorf("%s: %s", r.at(file, problems[0].Line), problems[0].Text)
	}
	x = &object{members: map[string]json.RawMessage{}, at: r.at(file, 1)}
	for _, f := range d.Fields() {
		var value any = f.Value // as it stands there: "007" is no number
		switch f.Kind {
		case mdoc.Null:
			continue
		case mdoc.Nested:
			texts, plain := d.Texts(f.Key)
			if value = texts; !plain {
				value, _ = d.Value(f.Key)
			}
		}
		if x.members[f.Key], err = json.Marshal(value); err != nil {
			return nil, "", 0, err
		}
	}
	return x, s[len(d.Front()):], 1 + strings.Count(string(d.Front()), "\n"), nil
}

// scalarText returns a text without its quotes, null as "", and any other value as JSON in one line.
func scalarText(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s // null is "" too
	}
	var b bytes.Buffer
	if json.Compact(&b, raw) != nil {
		return string(raw)
	}
	return b.String()
}
