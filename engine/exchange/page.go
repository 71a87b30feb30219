package exchange

import (
	"slices"
	"strings"

	"arbor/engine/plan"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/mdstore/pattern"
)

// A part of a Markdown text is a heading of level 2 with what stands below it; the first part has no heading.
type part struct{ title, text string }

// marker is a comment around a section, as Backlog.md writes it.
var marker = pattern.Of(`^\s*<!-- (?:SECTION:)?([A-Z_]+):(BEGIN|END) -->\s*$`)

// parts splits a text at headings of level 2. Those between two markers belong to the section, and the markers are left
// out.
func parts(text string) (all []part) {
	pieces, _ := mdoc.Pieces(text)
	at := map[int]string{}
	for _, p := range pieces {
		if p.Kind == mdoc.HeadingPiece && p.Level == 2 {
			at[p.Line] = p.Text
		}
	}
	lines := strings.Split(text, "\n")
	ends := func(rest []string, name string) bool {
		return slices.ContainsFunc(rest, func(s string) bool {
			m := marker().FindStringSubmatch(s)
			return m != nil && m[1] == name && m[2] == "END"
		})
	}
	all, within := []part{{}}, ""
	for i, line := range lines {
		in := &all[len(all)-1]
		title, heading := at[i+1]
		m := marker().FindStringSubmatch(line)
		switch {
		case m != nil && within == "" && m[2] == "BEGIN":
			if ends(lines[i:], m[1]) {
				within = m[1]
			}
		case m != nil && within == m[1] && m[2] == "END":
			within = ""
		case heading && within == "" && strings.HasPrefix(line, "##"):
			all = append(all, part{title: title})
		default:
			in.text += line + "\n"
		}
	}
	for i := range all {
		all[i].text = strings.Trim(all[i].text, "\n")
	}
	return all
}

// whole returns a part with its heading.
func (p part) whole() string {
	if p.title == "" {
		return p.text
	}
	return strings.TrimSpace("### " + p.title + "\n\n" + p.text)
}

// under returns a text below a heading, "" for no text.
func under(heading, text string) string {
	if strings.TrimSpace(text) == "" {
		return ""
	}
	return "### " + heading + "\n\n" + text
}

var numbered = pattern.Of(`^#\d+\s+`)

// criteria returns the list items of a text as items of criteria, and what else it has. done is the box of items that
// have none.
func criteria(text string, done bool) (items []string, rest string) {
	pieces, ok := mdoc.Pieces(text)
	if !ok {
		return nil, text
	}
	var other []string
	for _, p := range pieces {
		switch {
		case p.Kind == mdoc.CommentPiece:
		case p.Kind == mdoc.ItemPiece && p.Level == 1:
			if _, known := marks[p.Mark]; !known {
				p.Text = "[" + p.Mark + "] " + p.Text
			}
			ticked := marks[p.Mark] == "completed" || p.Mark == "" && done
			items = append(items, mdstore.Boxed(numbered().ReplaceAllString(p.Text, ""), ticked))
		case p.Level > 0 && len(items) > 0 && p.Kind != mdoc.HeadingPiece:
			if p.Mark != "" {
				p.Text = "[" + p.Mark + "] " + p.Text
			}
			items[len(items)-1] += "\n" + p.Text
		case p.Kind == mdoc.HeadingPiece:
			other = append(other, strings.Repeat("#", p.Level)+" "+p.Text)
		default:
			other = append(other, p.Text)
		}
	}
	return items, joined(other...)
}

// said adds a comment of a person to an item's log, or to its note if it has no time.
func said(it *plan.ImportItem, who, when, text string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	if who != "" {
		text = lead(who, text)
	}
	at, ok := mdstore.ParseTime(when)
	if !ok {
		it.Note = joined(it.Note, text)
		return
	}
	e := mdstore.LogEntry{Time: at.Format(mdstore.TimeLayout), Operator: mdstore.OperatorHuman, Event: text}
	it.Log = append(it.Log, e)
}

// lead returns a text behind a word and a colon; a text that begins with a block stands below them.
func lead(word, text string) string {
	if mdoc.BeginsWithBlock(text) {
		return word + ":\n\n" + text
	}
	return word + ": " + text
}
