// Package memory has what slots become and come from: exports, imports, summaries, and the union of slots. It computes
// and nothing else.
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

// Export returns a slot as md (Markdown), txt or json. Texts stand in it byte for byte; what has no value is left out of md
// and txt and is null in JSON. archived is nil for a slot that is in use.
func Export(s mdstore.Slot, archived *Archived, format string) []byte {
	if format == "json" {
		return exportJSON(s, archived)
	}
	return exportText(s, format == "md")
}

func exportText(s mdstore.Slot, md bool) []byte {
	title, line, about, entries := "MEMORY SLOT: "+s.Name+"\n"+strings.Repeat("=", 32), "%s: %s", "Description: ", "ENTRIES\n-------"
	if md { // two blanks are a line break
		title, line, about, entries = "# Memory Slot: "+s.Name, "**%s:** %s  ", "## Description\n", "## Entries"
	}
	var head []string
	add := func(name, value string) {
		if value != "" {
			head = append(head, fmt.Sprintf(line, name, value))
		}
	}
	add("Created", milli(s.Created))
	add("Updated", milli(s.Updated))
	add("Tags", strings.Join(s.Tags, ", "))
	add("Group", s.Group)
	if s.Description == "" {
		about = ""
	}
	blocks := []string{title, strings.Join(head, "\n"), about + s.Description, entries}
	blocks = slices.DeleteFunc(blocks, func(b string) bool { return b == "" })
	for i, e := range s.Entries {
		at, from, to := stamp(e.Time), 0, 0
		summary := lengths(e, &from, &to)
		var block string
		if md {
			block = fmt.Sprintf("### Entry %d - %s%s\n", i+1, typeTitle(e.Type), around(" (", at, ")"))
			if summary {
				block += fmt.Sprintf("*Summary (%d%% compression: "+lengthForm+")*\n\n", percent(from, to), from, to)
			}
			block += around("", e.Title, "\n\n")
		} else {
			block = around("[", at, "] ") + typeTitle(e.Type)
			if summary {
				block += fmt.Sprintf(" (%d%% compression)", percent(from, to))
			}
			block += ":\n" + around("", e.Title, "\n")
		}
		blocks = append(blocks, block+e.Text)
	}
	return []byte(strings.Join(blocks, "\n\n") + "\n")
}

// A slotJSON is a slot as exports and files of memcord have it.
type slotJSON struct {
	Name          *string      `json:"slot_name"`
	Created       *string      `json:"created_at"`
	Updated       *string      `json:"updated_at"`
	Tags          []string     `json:"tags"`
	Group         *string      `json:"group_path"`
	Description   *string      `json:"description"`
	Priority      *int         `json:"priority"`
	IsArchived    bool         `json:"is_archived"`
	ArchivedAt    *string      `json:"archived_at"`
	ArchiveReason *string      `json:"archive_reason"`
	Meta          slotMetaJSON `json:"metadata"`
	Entries       []entryJSON  `json:"entries"`
}

type slotMetaJSON struct {
	Entries      int            `json:"total_entries"`
	Characters   int            `json:"total_characters"` // Unicode code points
	LastSummary  *string        `json:"last_summary_at"`
	Keywords     []string       `json:"search_keywords"`
	Contributors []string       `json:"contributors"`
	ProjectPhase *string        `json:"project_phase"`
	Custom       map[string]any `json:"custom_fields"`
}

type entryJSON struct {
	ID             *string         `json:"id"`
	Type           string          `json:"type"`
	Content        string          `json:"content"`
	Time           *string         `json:"timestamp"`
	Meta           map[string]any  `json:"metadata"`
	OriginalLength *int            `json:"original_length"` // of a summary, characters
	SummaryLength  *int            `json:"summary_length"`
	Ratio          *float64        `json:"compression_ratio"`
	Compression    json.RawMessage `json:"compression_info"`
}

const (
	notCompressed = `{"is_compressed":false,"algorithm":"none","original_size":null,"compressed_size":null,` +
		`"compression_ratio":null,"compressed_at":null}`
	keyFormat = "format" // the custom field of exports that holds a slot's Format
	keyTitle  = "title"  // the metadata of exports that holds an entry's Title
)

func exportJSON(s mdstore.Slot, archived *Archived) []byte {
	out := slotJSON{
		Name: &s.Name, Created: some(milli(s.Created)), Updated: some(milli(s.Updated)), Tags: orEmpty(s.Tags),
		Group: some(s.Group), Description: some(s.Description), Entries: []entryJSON{},
		Meta: slotMetaJSON{Entries: len(s.Entries), Contributors: orEmpty(s.Contributors), ProjectPhase: some(s.ProjectPhase),
			Custom: map[string]any{}},
	}
	if s.Priority != 0 {
		out.Priority = &s.Priority
	}
	if archived != nil {
		out.IsArchived, out.ArchivedAt, out.ArchiveReason = true, some(stamp(archived.At)), some(archived.Reason)
	}
	if s.Format != "" {
		out.Meta.Custom[keyFormat] = s.Format
	}
	for _, f := range s.Custom {
		if out.Meta.Custom[f.Key] = f.Items; len(f.Items) == 1 {
			out.Meta.Custom[f.Key] = f.Items[0]
		}
	}
	var last time.Time
	for _, e := range s.Entries {
		j := entryJSON{ID: some(string(e.ID)), Type: e.Type, Content: e.Text, Time: some(stamp(e.Time)), Meta: map[string]any{},
			Compression: json.RawMessage(notCompressed)}
		if maps.Copy(j.Meta, e.Meta); e.Title != "" {
			j.Meta[keyTitle] = e.Title
		}
		if from, to := 0, 0; lengths(e, &from, &to) {
			ratio := float64(to) / float64(from)
			j.OriginalLength, j.SummaryLength, j.Ratio = &from, &to, &ratio
		}
		if e.Type == mdstore.EntrySummary && e.Time.After(last) {
			last = e.Time
		}
		out.Meta.Characters += utf8.RuneCountInString(e.Text)
		out.Entries = append(out.Entries, j)
	}
	out.Meta.LastSummary, out.Meta.Keywords = some(stamp(last)), orEmpty(keywords(s.Entries))
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

// lengths tells how long a text was and how long its summary is, in characters, of an entry that says so.
func lengths(e mdstore.SlotEntry, from, to *int) bool {
	said, _ := e.Meta[mdstore.MetaSummary].(string)
	n, _ := fmt.Sscanf(said, lengthForm, from, to)
	return n == 2 && *from > 0 && *to >= 0
}

func percent(from, to int) int { return int(math.Round(100 * float64(to) / float64(from))) }

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

// around returns text between two others, and "" for none.
func around(before, text, behind string) string {
	if text == "" {
		return ""
	}
	return before + text + behind
}

func some(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}
