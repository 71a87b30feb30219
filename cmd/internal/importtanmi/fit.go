package importtanmi

import (
	"fmt"
	"strings"
	"unicode"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// maxSection is how many bytes of text a section is given. All sections together leave room below mdstore.MaxFileSize.
const maxSection = 96 << 10

// fit returns a text for a section. If no section can hold it, or it is too long, the text is "" and the files are
// attached.
func (w *workspace) fit(text string, files ...string) string {
	if _, _, err := mdoc.Nest(text, 3); err == nil && len(text) <= maxSection {
		return text
	}
	for _, file := range files {
		w.src.keep(file, "it has a text that is too long for a section, or that no section can hold")
	}
	return ""
}

// fitList returns the last entries of a list, as many as a section is given room for. If that is not all of them,
// the file is attached.
func fitList[T any](w *workspace, file string, list []T) []T {
	room := maxSection
	for i := len(list) - 1; i >= 0; i-- {
		if room -= len(fmt.Sprint(list[i])) + len("- \n"); room < 0 { // with all fields, so not less than its text
			w.src.keep(file, "it has a list that is too long: the last %d entries are taken", len(list)-1-i)
			return list[i+1:]
		}
	}
	return list
}

// holdsRef reports whether a list can hold the reference.
func holdsRef(r mdstore.Ref) bool {
	const maxTarget = 4096 // bytes
	item, ok := r.Format()
	return ok && holdsItem(item) && len(r.Target) <= maxTarget && len(r.Description) <= mdstore.MaxEvent &&
		!strings.ContainsFunc(item, unicode.IsControl)
}

// holdsItem reports whether a list can hold the text as an item.
func holdsItem(text string) bool {
	_, _, err := mdoc.ItemText(text)
	return err == nil
}
