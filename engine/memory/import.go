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
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"arbor/mdstore"
)

// An Incoming is a slot that a file gives.
type Incoming struct {
	mdstore.Slot
	Adapted []string // what was put right of it, from what to what
}

const (
	maxText = 10 << 20  // bytes of one entry
	maxFile = 256 << 20 // bytes of all entries of a file
)

// Import returns the slots that a file gives. as is "text", which makes one entry of the whole file, "memcord", which reads
// slots in JSON as memcord and exports have them, or "auto", which looks what the file is.
func Import(file string, data []byte, as string) ([]Incoming, error) {
	f := importFile{file: file, base: strings.TrimSuffix(path.Base(file), path.Ext(file))}
	start := bytes.TrimLeft(data, "\ufeff \t\r\n")
	looks := len(start) > 0 && (start[0] == '{' || start[0] == '[') && bytes.Contains(data, []byte(`"entries"`))
	if as == "text" || as == "auto" && !looks {
		in := f.incoming(f.base)
		in.Entries = []mdstore.SlotEntry{{Type: mdstore.EntryImport, Text: string(data), Meta: map[string]any{"source": path.Base(file)}}}
		if err := holds(in.Entries[0].Text); err != nil {
			return nil, fmt.Errorf("%s: %w; nothing was imported", file, err)
		}
		return []Incoming{in}, nil
	}
	dec := json.NewDecoder(bytes.NewReader(start))
	dec.UseNumber()
	for err := error(nil); err == nil; {
		var v any
		if err = dec.Decode(&v); err == nil {
			err = f.read(v, "")
		}
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("%s: %w; nothing was imported; correct it, or import it as text (--as text)", file, err)
		}
	}
	if f.found == nil {
		return nil, fmt.Errorf("%s: it has no slot, an object with slot_name and entries; as text (--as text) it becomes one entry", file)
	}
	return f.found, nil
}

// holds returns an error for what cannot be the text of an entry.
func holds(text string) error {
	switch {
	case len(text) > maxText:
		return fmt.Errorf("its text has more than %d MiB; divide it", maxText>>20)
	case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
		return errors.New("it is no text: it has a NUL character or is not UTF-8; save it as UTF-8 first")
	}
	return nil
}

// An importFile reads slots from JSON.
type importFile struct {
	file, base string
	size       int // of the texts so far
	found      []Incoming
}

// read finds slots in a value: a slot, or a list or object of them. A slot without a name is called key.
func (f *importFile) read(v any, key string) (err error) {
	switch v := v.(type) {
	case []any:
		for i := 0; i < len(v) && err == nil; i++ {
			err = f.read(v[i], "")
		}
	case map[string]any:
		if v["entries"] != nil {
			return f.slot(v, key)
		}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			err = cmp.Or(err, f.read(v[key], key))
		}
	}
	return err
}

// incoming returns a slot of that name, put right.
func (f *importFile) incoming(name string) (in Incoming) {
	in.Name = in.right("name", name, cmp.Or(Name(name), "imported"))
	return in
}

// right returns now, and notes where it is not what it was.
func (in *Incoming) right(what, was, now string) string {
	if was != now {
		in.Adapted = append(in.Adapted, fmt.Sprintf("%s %q → %q", what, was, now))
	}
	return now
}

// Name returns the name of a slot that is nearest to s, "" where nothing of s can stand in a name.
func Name(s string) string {
	other := func(r rune) bool { return !unicode.In(r, unicode.L, unicode.N) && !strings.ContainsRune("_-.", r) }
	name := []rune(strings.TrimLeft(strings.Join(strings.FieldsFunc(s, other), "_"), "."))
	return string(name[:min(len(name), 100)])
}

// slot adds the slot that an object is.
func (f *importFile) slot(object map[string]any, key string) error {
	var s struct {
		slotJSON
		Other string `json:"name"`
	}
	raw, _ := json.Marshal(object)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if err := dec.Decode(&s); err != nil {
		return fmt.Errorf("it is no slot of memcord: %w", err)
	}
	in := f.incoming(cmp.Or(s.Name, s.Other, key, f.base))
	in.Description = in.right("description", str(s.Description), strings.Join(strings.Fields(str(s.Description)), " "))
	var group []string
	for part := range strings.FieldsFuncSeq(str(s.Group), func(r rune) bool { return r == '/' || r == '\\' }) {
		if part = Name(strings.TrimSpace(part)); part != "" {
			group = append(group, part)
		}
	}
	in.Group = in.right("group", str(s.Group), strings.Join(group, "/"))
	for _, tag := range s.Tags {
		tag = in.right("tag", tag, strings.ToLower(strings.Join(strings.Fields(tag), "-")))
		if tag != "" && !slices.Contains(in.Tags, tag) {
			in.Tags = append(in.Tags, tag)
		}
	}
	if s.Priority != nil && *s.Priority >= 1 && *s.Priority <= 5 { // memcord has 0 where nothing was said
		in.Priority = *s.Priority
	}
	if at, err := timeOf(str(s.Created)); err == nil && !at.IsZero() {
		in.Created = at.UnixMilli()
	}
	in.Contributors, in.ProjectPhase = s.Meta.Contributors, str(s.Meta.ProjectPhase)
	in.Format = str(s.Meta.Custom[keyFormat])
	delete(s.Meta.Custom, keyFormat)
	for _, k := range slices.Sorted(maps.Keys(s.Meta.Custom)) {
		list, many := s.Meta.Custom[k].([]any)
		if !many {
			list = []any{s.Meta.Custom[k]}
		}
		c := mdstore.CustomField{Key: k}
		for _, v := range list {
			c.Items = append(c.Items, str(v))
		}
		in.Custom = append(in.Custom, c)
	}
	characters := 0
	for _, e := range s.Entries {
		characters += utf8.RuneCountInString(e.Content)
	}
	own := s.Meta.Entries == len(s.Entries) && s.Meta.Characters == characters // an export, whose contents are texts
	for i, e := range s.Entries {
		out, err := e.entry(own)
		if f.size += len(out.Text); err == nil && f.size > maxFile {
			err = fmt.Errorf("the texts up to here have more than %d MiB; divide the file", maxFile>>20)
		}
		if err != nil {
			return fmt.Errorf("slot %s: entry %d: %w", in.Name, i+1, err)
		}
		in.Entries = append(in.Entries, out)
	}
	f.found = append(f.found, in)
	return nil
}

// entry returns the entry. The content of one that is not own may be compressed.
func (e entryJSON) entry(own bool) (out mdstore.SlotEntry, err error) {
	out = mdstore.SlotEntry{ID: mdstore.ID(str(e.ID)), Type: cmp.Or(Name(e.Type), mdstore.EntryManual), Text: e.Content, Meta: e.Meta}
	if !own {
		var mark struct {
			Compressed bool `json:"is_compressed"`
		}
		_ = json.Unmarshal(e.Compression, &mark) // it counts only where the bytes do not tell
		if out.Text, err = unpacked(e.Content, mark.Compressed); err != nil {
			return out, err
		}
	}
	out.Time, err = timeOf(str(e.Time))
	if err = cmp.Or(err, holds(out.Text)); err != nil {
		return out, err
	}
	if !out.ID.Valid() {
		out.ID = idOf(out, 0)
	}
	if title, ok := e.Meta[keyTitle].(string); ok && title == strings.Join(strings.Fields(title), " ") {
		out.Title = title
		delete(e.Meta, keyTitle)
	}
	from, to := str(e.OriginalLength), str(e.SummaryLength)
	if from != "" && to != "" && e.Meta[mdstore.MetaSummary] == nil {
		if out.Meta == nil {
			out.Meta = map[string]any{}
		}
		out.Meta[mdstore.MetaSummary] = from + " → " + to + " characters"
	}
	return out, nil
}

// timeOf reads a time as JSON has it, the zero time from "". One without a zone is in UTC.
func timeOf(s string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	at, err := time.Parse(time.RFC3339, strings.Replace(s, " ", "T", 1))
	if err != nil {
		at, err = time.Parse(time.RFC3339, strings.Replace(s, " ", "T", 1)+"Z")
	}
	if err != nil {
		return at, fmt.Errorf("%q is no time; write it as 2024-01-01T12:00:00Z", s)
	}
	return at.UTC().Truncate(time.Second), nil
}
