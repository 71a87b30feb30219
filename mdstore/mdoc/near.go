package mdoc

import (
	"strings"
	"unicode"
)

// near returns the index in the form of the section whose name a heading has but for emphasis, a colon, emoji, tags and
// number; -1 if there is none.
func (f *Form) near(title string) int {
	words := strings.Fields(title)
	for len(words) > 1 && strings.ContainsRune("#^", rune(words[len(words)-1][0])) {
		words = words[:len(words)-1]
	}
	title = strings.TrimFunc(strings.Join(words, " "), func(r rune) bool {
		return strings.ContainsRune("*_`~:：", r) || unicode.In(r, unicode.So, unicode.Sk, unicode.Mn, unicode.Cf, unicode.Zs)
	})
	for _, name := range []string{title, title + "s", strings.TrimSuffix(strings.ToLower(title), "s")} {
		if i := f.index(name); i >= 0 && name != "" {
			return i
		}
	}
	return -1
}

// NearMiss returns the name of the section that the heading of s resembles. It is "" if s is read as a section that the
// form knows, or resembles none.
func (d *Doc) NearMiss(s Section) string {
	if s.Name != s.Title || d.form.index(s.Title) >= 0 {
		return ""
	}
	if i := d.form.near(s.Title); i >= 0 {
		return d.form.Sections[i].Name
	}
	return ""
}

// nameNear names the sections whose headings resemble a section of the form that the document does not have.
func (o *outline) nameNear(form *Form) {
	if form == nil || len(form.Sections) == 0 {
		return
	}
	has := map[string]bool{}
	for i := range o.sections {
		has[o.sections[i].Name] = true
	}
	for i := range o.sections {
		s := &o.sections[i]
		if form.index(s.Title) >= 0 {
			continue
		}
		if k := form.near(s.Title); k >= 0 && (!has[form.Sections[k].Name] || form.Sections[k].Several) {
			s.Name = form.Sections[k].Name
			has[s.Name] = true
		}
	}
}

// withoutOwnHeading returns a text for a section without the section's own heading, which it may begin with, and what
// was changed; "" if it does not begin with that.
func (f *Form) withoutOwnHeading(name, text string) (rest, adapted string) {
	blocks := parseBlocks([]byte(text), 0)
	if len(blocks) < 2 || blocks[0].kind != headingBlock {
		return text, ""
	}
	title := blocks[0].title
	own := strings.EqualFold(strings.TrimSpace(title), strings.TrimSpace(name))
	if i := f.index(name); i >= 0 && !own {
		own = f.near(title) == i
	}
	if !own {
		return text, ""
	}
	rest, _ = f.withoutOwnHeading(name, text[blocks[0].lines.End:])
	return rest, "the heading " + strings.TrimSpace(title) + ", which is the section's own, was left out"
}
