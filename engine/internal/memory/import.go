package memory

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arbor/mdstore"
)

// An Incoming is a slot that a file gives, with its name, group and tags as the file has them.
type Incoming struct {
	mdstore.Slot
	Fields   map[string]any // further keys of its front matter
	Archived *Archived      // nil for a slot that is in use
	Adapted  []string       // what the file says and no slot can say: "priority 9 → none"
}

// A NothingError says that a file holds no slot or text.
type NothingError struct{ Text string }

func (e *NothingError) Error() string { return e.Text }

const maxFile = 4 * mdstore.MaxSlot // bytes of all texts of a file

// Import returns the slots in a file. as is "text", which makes one entry of the whole file; "memcord", which reads the
// JSON of memcord or of an export; or "auto", which detects the format. With "auto" the file may also be a slot's own
// file, or a note, whose tags and time of creation are those of the slot.
func Import(file string, data []byte, as string) ([]Incoming, error) {
	base := strings.TrimSuffix(path.Base(file), path.Ext(file))
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	looks := len(start) > 0 && (start[0] == '{' || start[0] == '[') &&
		(bytes.Contains(data, []byte(`"entries"`)) || bytes.Contains(data, []byte(`"slot_name"`)))
	if as == "text" || as == "auto" && !looks {
		p := mdstore.ParsePage(mdstore.SlotKind, mdstore.File{Path: mdstore.Path(path.Base(file)), Data: data})
		note := mdstore.Slot{Name: base}
		if as == "auto" && p.Editable() == nil {
			s := mdstore.SlotOf(p)
			note.Tags = noteTags(p)
			if s.Group = ""; slices.ContainsFunc(s.Entries, func(e mdstore.SlotEntry) bool { return e.ID != "" }) {
				return []Incoming{ofFile(s, p)}, nil
			}
		}
		text := mdstore.SlotEntry{Type: mdstore.EntryImport, Text: string(data), Meta: map[string]any{"source": path.Base(file)}}
		if len(start) == 0 {
			return nil, &NothingError{file + ": it is empty; nothing was imported"}
		}
		if err := holds(text.Text); err != nil {
			return nil, fmt.Errorf("%s: %w; nothing was imported", file, err)
		}
		text.ID = idOf(text, 0) // a second import finds it
		for _, key := range []string{mdstore.KeyCreated, "created", "date"} {
			if at, ok := mdstore.ParseTime(p.Field(key)); ok && text.Time.IsZero() {
				text.Time, note.Created = at, at.UnixMilli()
			}
		}
		note.Entries = []mdstore.SlotEntry{text}
		return []Incoming{{Slot: note}}, nil
	}
	r := reader{base: base}
	dec := json.NewDecoder(bytes.NewReader(start))
	for err := error(nil); err == nil; {
		var v any
		if err = dec.Decode(&v); err == nil {
			err = r.read(v, "")
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w; nothing was imported; correct it, or import it as text ({.as: text})", file, err)
		}
	}
	if r.found == nil {
		return nil, &NothingError{file + ": it contains no slot (an object with slot_name and entries); as text " +
			"({.as: text}) it becomes one entry"}
	}
	return r.found, nil
}

// noteTags returns the tags of a note as people write them: a list, or one text with commas or
// blanks, with or without #.
func noteTags(p *mdstore.Page) (tags []string) {
	given := slices.Concat(p.List(mdstore.KeyTags), p.List("tag"))
	if len(given) == 1 {
		given = strings.FieldsFunc(given[0], func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	}
	for _, tag := range given {
		tags = append(tags, strings.TrimPrefix(tag, "#"))
	}
	return tags
}

// ofFile returns what a slot's own file says.
func ofFile(s mdstore.Slot, p *mdstore.Page) Incoming {
	in := Incoming{Slot: s, Fields: map[string]any{}}
	for _, f := range p.Doc().Fields() {
		key := mdstore.SlotKind.Key(f.Key)
		if v, ok := p.Doc().Value(f.Key); ok && (key == nil || key.Free) {
			in.Fields[f.Key] = v
		}
	}
	return in
}

// holds returns an error for a text that no entry can have.
func holds(text string) error {
	switch {
	case len(text) > mdstore.MaxEntry:
		return fmt.Errorf("its text has more than %d MiB; divide it", mdstore.MaxEntry>>20)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return errors.New("it is not text: it has a NUL character or is not UTF-8; save it as UTF-8 first")
	}
	return nil
}

// A reader reads slots from JSON.
type reader struct {
	base  string // the name of a slot that has none
	size  int    // of the texts so far
	found []Incoming
}

// read finds slots in a value: a slot, or a list or object of them. A slot without a name is called key.
func (r *reader) read(v any, key string) (err error) {
	switch v := v.(type) {
	case []any:
		for i := 0; i < len(v) && err == nil; i++ {
			err = r.read(v[i], "")
		}
	case map[string]any:
		if _, list := v["entries"].([]any); list {
			return r.slot(v, key)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			err = cmp.Or(err, r.read(v[key], key))
		}
	}
	return err
}

// slot adds the slot of a JSON object.
func (r *reader) slot(object map[string]any, key string) error {
	var s struct {
		slotJSON
		Other   string `json:"name"`
		Current any    `json:"current_slot"` // says which slot a run of memcord used
	}
	raw, _ := json.Marshal(object)
	if err := json.Unmarshal(raw, &s); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			expected := map[reflect.Kind]string{reflect.String: "a text", reflect.Int: "a whole number", reflect.Slice: "a list",
				reflect.Map: "an object", reflect.Struct: "an object", reflect.Bool: "true or false"}[wrong.Type.Kind()]
			return fmt.Errorf("it is not a memcord slot: %s is a %s; %s is expected",
				strings.TrimPrefix(wrong.Field, "slotJSON."), wrong.Value, cmp.Or(expected, "another value"))
		}
		return fmt.Errorf("it is not a memcord slot: %w", err)
	}
	in := Incoming{Slot: mdstore.Slot{Name: cmp.Or(s.Name, s.Other, key, r.base), Description: str(s.Description), Group: str(s.Group), Tags: s.Tags},
		Fields: map[string]any{}}
	switch p := s.Priority; {
	case p == nil || *p == 0: // memcord writes 0 for no value
	case *p < 1 || *p > 5:
		in.Adapted = append(in.Adapted, fmt.Sprintf("priority %d → none", *p))
	default:
		in.Priority = *p
	}
	meta, _ := object["metadata"].(map[string]any)
	for _, more := range []map[string]any{unknown(object, s), unknown(meta, s.Meta), s.Meta.Custom} {
		maps.Copy(in.Fields, more)
	}
	if len(s.Meta.Contributors) > 0 {
		in.Fields[mdstore.KeyContributors] = s.Meta.Contributors
	}
	if s.Meta.ProjectPhase != nil {
		in.Fields[mdstore.KeyPhase] = s.Meta.ProjectPhase
	}
	if err := in.times(s.slotJSON); err != nil {
		return fmt.Errorf("slot %s: %w", in.Name, err)
	}
	characters := 0
	for _, e := range s.Entries {
		characters += utf8.RuneCountInString(e.Content)
	}
	own := s.Meta.Entries == len(s.Entries) && s.Meta.Characters == characters // an export: texts are not compressed
	rows, _ := object["entries"].([]any)
	for i, e := range s.Entries {
		out, err := e.entry(own)
		if r.size += len(out.Text); err == nil && r.size > maxFile {
			err = fmt.Errorf("the texts up to here have more than %d MiB; divide the file", maxFile>>20)
		}
		if err != nil {
			return fmt.Errorf("slot %s: entry %d: %w", in.Name, i+1, err)
		}
		row, _ := rows[i].(map[string]any)
		for k, v := range unknown(row, e) {
			if k = cmp.Or(word(k), "_"); out.Meta[k] == nil {
				out.Meta[k] = v
			}
		}
		in.Entries = append(in.Entries, out)
	}
	// an export counts the keywords of a slot that has no chosen ones
	if chosen := s.Meta.Keywords; len(chosen) > 0 && !slices.Equal(chosen, keywords(in.Entries)) {
		in.Fields[mdstore.KeyKeywords] = chosen
	}
	r.found = append(r.found, in)
	return nil
}

// times reads when the slot was made, changed and archived.
func (in *Incoming) times(s slotJSON) error {
	var at [3]time.Time
	for i, v := range []any{s.Created, s.Updated, s.ArchivedAt} {
		var err error
		if at[i], err = timeOf(str(v)); err != nil {
			return err
		}
	}
	if !at[0].IsZero() {
		in.Created = at[0].UnixMilli()
	}
	if !at[1].IsZero() {
		in.Updated = at[1].UnixMilli()
	}
	if s.IsArchived {
		in.Archived = &Archived{At: at[2], Reason: str(s.ArchiveReason)}
	}
	return nil
}

// unknown returns the members of an object that the fields of a struct do not read, without those that are null.
func unknown(object map[string]any, fields any) map[string]any {
	out := map[string]any{}
	known := jsonNames(reflect.TypeOf(fields))
	for key, v := range object {
		if v != nil && !slices.ContainsFunc(known, func(k string) bool { return strings.EqualFold(k, key) }) {
			out[key] = v
		}
	}
	return out
}

// jsonNames returns the names that the fields of a struct have in JSON, with those of embedded structs.
func jsonNames(t reflect.Type) (names []string) {
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous {
			names = append(names, jsonNames(f.Type)...)
		} else {
			names = append(names, f.Tag.Get("json"))
		}
	}
	return names
}

// entry returns the entry. Unless own is set, the content may be compressed.
func (e entryJSON) entry(own bool) (out mdstore.SlotEntry, err error) {
	out = mdstore.SlotEntry{ID: mdstore.ID(str(e.ID)), Type: cmp.Or(word(e.Type), mdstore.EntryManual), Text: e.Content, Meta: map[string]any{}}
	if !own {
		var mark struct {
			Compressed bool `json:"is_compressed"`
		}
		_ = json.Unmarshal(e.Compression, &mark) // this mark counts only if the bytes themselves do not show it
		out.Text, err = unpacked(e.Content, mark.Compressed)
	}
	at, wrong := timeOf(str(e.Time))
	if err = cmp.Or(err, wrong, holds(out.Text)); err != nil {
		return out, err
	}
	if out.Time = at; !out.ID.Valid() {
		out.ID = idOf(out, 0)
	}
	from, to := str(e.OriginalLength), str(e.SummaryLength)
	if from != "" && to != "" {
		out.Meta[mdstore.MetaSummary] = from + " → " + to + " characters"
	}
	for k, v := range e.Meta {
		out.Meta[cmp.Or(word(k), "_")] = v
	}
	if title, is := out.Meta[keyTitle].(string); own && is && title != "" && readsBack(out, title) {
		out.Title = title
		delete(out.Meta, keyTitle)
	}
	return out, nil
}

// readsBack reports whether a title reads back from the heading of an entry.
func readsBack(e mdstore.SlotEntry, title string) bool {
	e.Title, e.Meta, e.Text = title, nil, "text"
	p := mdstore.ParsePage(mdstore.SlotKind, mdstore.File{Path: "a.md", Data: []byte("---\n---\n")})
	text, err := mdstore.ChangeSlot(p.Doc(), mdstore.SlotChange{Add: []mdstore.SlotEntry{e}})
	return err == nil && len(text) > 0 && !strings.ContainsAny(title, "\r\n")
}

// word returns what can be a type or a key of metadata and is nearest to s.
func word(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 0x80 && r != '.' && mdstore.IDByte(byte(r)) {
			return r
		}
		return '_'
	}, strings.ReplaceAll(s, "--", "__"))
	return s[:min(len(s), mdstore.MaxID)]
}

// timeOf reads a time as JSON has it, the zero time from "".
func timeOf(s string) (at time.Time, err error) {
	at, ok := mdstore.ParseTime(s)
	if !ok && s != "" {
		return at, fmt.Errorf("%q is not a time; write it as 2024-01-01T12:00:00Z", s)
	}
	return at.Truncate(time.Second), nil
}
