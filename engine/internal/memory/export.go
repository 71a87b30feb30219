// Package memory has what slots become and come from: exports, imports, summaries, and unions of slots. It computes and
// nothing else.
package memory

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/mdstore"
)

// An Archived says when and why a slot was put into the archive.
type Archived struct {
	At     time.Time
	Reason string
}

// Export returns a slot as md (Markdown), txt or json. Texts are in it byte for byte. A value that is missing is left
// out of md and txt, and is null in JSON. archived is nil for a slot that is in use.
func Export(s mdstore.Slot, archived *Archived, format string) []byte {
	if format == "json" {
		return exportJSON(s, archived)
	}
	md := format == "md"
	title, line, about, entries := "MEMORY SLOT: "+s.Name+"\n"+strings.Repeat("=", 32), "%s: %s", "Description: ", "ENTRIES\n-------"
	if md { // two blanks are a line break
		title, line, about, entries = "# Memory Slot: "+s.Name, "**%s:** %s", "## Description\n", "## Entries"
	}
	var head []string
	for _, f := range [][2]string{{"Created", milli(s.Created)}, {"Updated", milli(s.Updated)}, {"Tags", strings.Join(s.Tags, ", ")}, {"Group", s.Group}} {
		if f[1] != "" {
			head = append(head, fmt.Sprintf(line, f[0], f[1]))
		}
	}
	blocks := []string{title, strings.Join(head, "\n"), around(about, s.Description, ""), entries}
	blocks = slices.DeleteFunc(blocks, func(b string) bool { return b == "" })
	for i, e := range s.Entries {
		from, to := lengths(e)
		percent := math.Round(100 * float64(to) / float64(max(from, 1)))
		block := around("[", stamp(e.Time), "] ") + typeTitle(e.Type)
		if from > 0 {
			block += fmt.Sprintf(" (%v%% compression)", percent)
		}
		block += ":\n" + around("", e.Title, "\n")
		if md {
			block = fmt.Sprintf("### Entry %d - %s%s\n", i+1, typeTitle(e.Type), around(" (", stamp(e.Time), ")"))
			if from > 0 {
				block += fmt.Sprintf("*Summary (%v%% compression: "+lengthForm+")*\n\n", percent, from, to)
			}
			block += around("", e.Title, "\n\n")
		}
		blocks = append(blocks, block+e.Text)
	}
	return []byte(strings.Join(blocks, "\n\n") + "\n")
}

// A slotJSON is a slot in the JSON of exports and of memcord. A member of type any may be null.
type slotJSON struct {
	Name          string       `json:"slot_name"`
	Created       any          `json:"created_at"`
	Updated       any          `json:"updated_at"`
	Tags          []string     `json:"tags"`
	Group         any          `json:"group_path"`
	Description   any          `json:"description"`
	Priority      *int         `json:"priority"`
	IsArchived    bool         `json:"is_archived"`
	ArchivedAt    any          `json:"archived_at"`
	ArchiveReason any          `json:"archive_reason"`
	Meta          slotMetaJSON `json:"metadata"`
	Entries       []entryJSON  `json:"entries"`
}

type slotMetaJSON struct {
	Entries      int            `json:"total_entries"`
	Characters   int            `json:"total_characters"` // Unicode code points
	LastSummary  any            `json:"last_summary_at"`
	Keywords     []string       `json:"search_keywords"`
	Contributors []string       `json:"contributors"`
	ProjectPhase any            `json:"project_phase"`
	Custom       map[string]any `json:"custom_fields"`
}

type entryJSON struct {
	ID             any             `json:"id"`
	Type           string          `json:"type"`
	Content        string          `json:"content"`
	Time           any             `json:"timestamp"`
	Meta           map[string]any  `json:"metadata"`
	OriginalLength any             `json:"original_length"` // of a summary, characters
	SummaryLength  any             `json:"summary_length"`
	Ratio          any             `json:"compression_ratio"`
	Compression    json.RawMessage `json:"compression_info"`
}

const (
	notCompressed = `{"is_compressed":false,"algorithm":"none","original_size":null,"compressed_size":null,` +
		`"compression_ratio":null,"compressed_at":null}`
	keyTitle = "title" // the metadata of exports that holds an entry's Title
)

func exportJSON(s mdstore.Slot, archived *Archived) []byte {
	out := slotJSON{
		Name: s.Name, Created: null(milli(s.Created)), Updated: null(milli(s.Updated)), Tags: some(s.Tags),
		Group: null(s.Group), Description: null(s.Description), Entries: []entryJSON{},
		Meta: slotMetaJSON{Entries: len(s.Entries), Keywords: some(keywords(s.Entries)), Contributors: some(s.Contributors),
			ProjectPhase: null(s.ProjectPhase), Custom: map[string]any{}},
	}
	if s.Priority != 0 {
		out.Priority = &s.Priority
	}
	if archived != nil {
		out.IsArchived, out.ArchivedAt, out.ArchiveReason = true, null(stamp(archived.At)), null(archived.Reason)
	}
	if s.Format != "" {
		out.Meta.Custom[mdstore.KeyFormat] = s.Format
	}
	for _, f := range s.Custom {
		out.Meta.Custom[f.Key] = f.Value
	}
	if s.Keywords != nil {
		out.Meta.Keywords = s.Keywords
	}
	var last time.Time
	for _, e := range s.Entries {
		j := entryJSON{ID: null(string(e.ID)), Type: e.Type, Content: e.Text, Time: null(stamp(e.Time)), Meta: map[string]any{},
			Compression: json.RawMessage(notCompressed)}
		if maps.Copy(j.Meta, e.Meta); e.Title != "" {
			j.Meta[keyTitle] = e.Title
		}
		if from, to := lengths(e); from > 0 {
			j.OriginalLength, j.SummaryLength, j.Ratio = from, to, float64(to)/float64(from)
		}
		if e.Type == mdstore.EntrySummary && e.Time.After(last) {
			last = e.Time
		}
		out.Meta.Characters += utf8.RuneCountInString(e.Text)
		out.Entries = append(out.Entries, j)
	}
	out.Meta.LastSummary = null(stamp(last))
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(out); err != nil {
		panic("memory: the metadata of slot " + s.Name + " was not read from JSON: " + err.Error())
	}
	return b.Bytes()
}

const lengthForm = "%d → %d characters" // of mdstore.MetaSummary

// lengths returns the lengths of a text and of its summary in characters; 0 if the entry does not have them.
func lengths(e mdstore.SlotEntry) (from, to int) {
	if n, _ := fmt.Sscanf(str(e.Meta[mdstore.MetaSummary]), lengthForm, &from, &to); n < 2 || from < 0 || to < 0 {
		return 0, 0
	}
	return from, to
}

// typeTitle returns the title of a type of entries, as "Manual Save".
func typeTitle(kind string) string {
	parts := strings.FieldsFunc(kind, func(r rune) bool { return r == '_' })
	for i, p := range parts {
		_, n := utf8.DecodeRuneInString(p)
		parts[i] = strings.ToUpper(p[:n]) + p[n:]
	}
	return strings.Join(parts, " ")
}

// stamp returns a time as exports have it, "" for the zero time.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

func milli(ms int64) string {
	if ms == 0 {
		return ""
	}
	return stamp(time.UnixMilli(ms))
}

// around returns text between two others; "" if text is "".
func around(before, text, behind string) string {
	if text == "" {
		return ""
	}
	return before + text + behind
}

// null returns nil for "", which is null in JSON. str is its inverse.
func null(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func str(v any) string {
	if v == nil {
		return ""
	}
	return fmt.Sprint(v)
}

// some returns a list that is not nil.
func some(list []string) []string { return append([]string{}, list...) }
