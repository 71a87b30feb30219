package mdoc

import (
	"fmt"
	"slices"
	"strings"
)

// A FieldValue is a front matter entry to write.
type FieldValue struct {
	Key   string
	Value Scalar
}

// A SectionText is a section of a new document: free text, or list items where Items is not nil.
type SectionText struct {
	Name  string
	Text  string
	Items []string
}

// Compose makes a new document of that form: the fields, then the sections, in their order. A section without text is
// its heading alone. adapted names the changes to the texts, as Patch.Adapted does. The error is an *EditError if the
// document cannot hold a text.
func Compose(
	name string, form *Form, fields []FieldValue, sections []SectionText,
) (d *Doc, adapted []string, err error) {
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range fields {
		if what := checkField(f.Key, f.Value); what != "" {
			return nil, nil, &EditError{File: name, Text: what}
		}
		b.WriteString(keyText(f.Key) + ": " + f.Value.literal(0) + "\n")
	}
	b.WriteString("---\n")
	texts := make([]string, len(sections)) // as they must read back
	items := make([][]string, len(sections))
	for i, s := range sections {
		title := strings.TrimSpace(s.Name)
		if title == "" || strings.ContainsAny(title, "\r\n") {
			return nil, nil, &EditError{File: name, Text: fmt.Sprintf("%q cannot be the heading of a section", s.Name)}
		}
		b.WriteString("\n## " + title + "\n")
		var what []string
		if s.Items != nil {
			for _, item := range s.Items {
				text, closed, err := ItemText(item)
				if err != nil {
					return nil, nil, err
				}
				items[i] = append(items[i], text)
				what = append(what, closed...)
			}
			texts[i] = newListStyle().list(items[i], "\n")
		} else {
			text, own := form.withoutOwnHeading(title, s.Text)
			if texts[i], what, err = Nest(text, 2); err != nil {
				return nil, nil, err
			}
			if own != "" {
				what = append([]string{own}, what...)
			}
		}
		if texts[i] != "" {
			b.WriteString("\n" + texts[i] + "\n")
		}
		for _, w := range what {
			if !slices.Contains(adapted, w) {
				adapted = append(adapted, w)
			}
		}
	}
	d, problems := Parse(name, []byte(b.String()), form)
	if len(problems) > 0 {
		return nil, nil, d.refuse(problems[0].Line, "the new document would be unreadable: %s", problems[0].Text)
	}
	if what := d.checkComposed(fields, sections, texts, items); what != "" {
		return nil, nil, d.refuse(0, "%s", what)
	}
	return d, adapted, nil
}

// checkComposed compares the parsed document with the given fields and sections, and names the first difference, or "".
func (d *Doc) checkComposed(fields []FieldValue, sections []SectionText, texts []string, items [][]string) string {
	sameField := func(f Field, want FieldValue) bool { return f.Key == want.Key && d.Holds(f.Key, want.Value) }
	if !slices.EqualFunc(d.fields, fields, sameField) {
		return "the fields would not read back as given"
	}
	got := d.Sections()
	if len(got) != len(sections) || len(d.Headings()) > 0 && d.Headings()[0].Level == 1 {
		return fmt.Sprintf("the new document would have %d sections instead of %d", len(got), len(sections))
	}
	sameItem := func(p place, want string) bool { return p.item != nil && d.itemText(p) == want }
	for i := range sections {
		s, want := &got[i], sections[i]
		sameName := func(other Section) bool { return strings.EqualFold(other.Name, s.Name) }
		switch {
		case !strings.EqualFold(s.Title, strings.TrimSpace(want.Name)), d.Slice(s.Body) != texts[i]:
			return fmt.Sprintf("section %s would not read back as given", want.Name)
		case slices.ContainsFunc(got[:i], sameName):
			return fmt.Sprintf("section %s is given twice", s.Name)
		case want.Items != nil && !slices.EqualFunc(d.places(s), items[i], sameItem):
			return fmt.Sprintf("the items of section %s would not read back as given", s.Name)
		}
	}
	return ""
}
