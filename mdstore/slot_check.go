package mdstore

import (
	"fmt"
	"strings"
	"unicode"

	"arbor/mdstore/mdoc"
)

// The codes of what only slots can have.
const (
	CodeEntryTwice = "ENTRY_TWICE" // two entries have one id
	CodeBlockOpen  = "BLOCK_OPEN"  // a block that never ends, so that headings behind it are no entries
)

const (
	maxSlotName = 100 // characters
	maxSlotFile = 220 // bytes: file systems take 255, with an id and .md.gz behind
)

// SlotNameTooLong reports whether a name is too long for a slot, or for a part of its group.
func SlotNameTooLong(name string) bool {
	return len(name) > maxSlotFile || len([]rune(name)) > maxSlotName
}

// WrongSlotName says why a text cannot be the name of a slot, and what would do; "" if it can be.
func WrongSlotName(name string) string {
	n := len([]rune(name))
	switch {
	case n == 0 || n > maxSlotName:
		return fmt.Sprintf("%q has %d characters; a slot's name has 1 to %d", name, n, maxSlotName)
	case len(name) > maxSlotFile:
		return fmt.Sprintf("%q has %d bytes; a slot's name has at most %d; shorten it", name, len(name), maxSlotFile)
	case strings.HasPrefix(name, "."):
		return fmt.Sprintf("%q begins with a dot; no file may: leave it out", name)
	case strings.ContainsFunc(name, func(r rune) bool { return !slotNameRune(r) }):
		return fmt.Sprintf("%q: letters, digits, _, - and . are a slot's name; %q would do", name, SlotNameFor(name))
	case !strings.ContainsFunc(name, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }):
		return fmt.Sprintf("%q has no letter or digit; a slot's name has one", name)
	}
	return ""
}

func slotNameRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || strings.ContainsRune("_-.", r)
}

// SlotNameFor returns a valid slot name that resembles an invalid one.
func SlotNameFor(name string) string {
	out := strings.Map(func(r rune) rune {
		if slotNameRune(r) {
			return r
		}
		return '_'
	}, strings.TrimLeft(strings.TrimSpace(name), "."))
	all := []rune(strings.Trim(out, "_"))
	all = all[:min(len(all), maxSlotName)]
	for len(string(all)) > maxSlotFile {
		all = all[:len(all)-1]
	}
	if len(all) == 0 {
		return "slot"
	}
	return string(all)
}

// WrongSlotTag says why a text cannot be a tag of a slot, and what would do; "" if it can be.
func WrongSlotTag(tag string) string {
	if right := SlotTagFor(tag); tag == "" || right != tag {
		return fmt.Sprintf("%q is no tag; lower case without blanks and commas is one: %q", tag, right)
	}
	return ""
}

// SlotTagFor returns a tag that is like a text that cannot be one.
func SlotTagFor(s string) string {
	between := func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) || r == ',' }
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), between), "-")
}

// checkSlot returns what is wrong with a slot's document by itself, besides the values that the rules of its keys
// refuse: its name, its tags, entries of one id, and a block that is still open at its end.
func checkSlot(p Path, d *mdoc.Doc) (out []mdoc.Diagnostic) {
	at := func(key, code, text string) {
		line, col := d.FieldPosition(key)
		out = append(out, mdoc.Diagnostic{File: d.Name(), Line: line, Col: col, Code: code, Text: text})
	}
	page := &Page{Path: p, doc: d}
	for _, f := range d.Fields() {
		page.front = append(page.front, pageField{f.Key, d.List(f.Key)})
	}
	if wrong := WrongSlotName(SlotName(page)); wrong != "" {
		at(KeyName, CodeFieldInvalid, "the name "+wrong)
	}
	for _, tag := range page.List(KeyTags) {
		if wrong := WrongSlotTag(tag); wrong != "" {
			at(KeyTags, CodeFieldInvalid, wrong)
		}
	}
	first, lines := map[ID]int{}, EntryAt(d)
	for i, e := range EntriesOf(d) {
		switch met, twice := first[e.ID]; {
		case e.ID == "":
		case twice:
			out = append(out, mdoc.Diagnostic{File: d.Name(), Line: lines[i], Col: 1, Code: CodeEntryTwice, Text: fmt.Sprintf(
				"the entry of line %d has the id %s too; the next save to the slot gives this one another id", met, e.ID)})
		default:
			first[e.ID] = lines[i]
		}
	}
	if line, what := d.OpenAtEnd(); what != "" {
		out = append(out, mdoc.Diagnostic{File: d.Name(), Line: line, Col: 1, Code: CodeBlockOpen, Text: what +
			" that begins here never ends: headings behind it are no entries, and nothing can be added; close it"})
	}
	return out
}
