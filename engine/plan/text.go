package plan

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/mdstore"
)

// maxTitle is the greatest length of a title or name in characters.
const maxTitle = 200

// title returns an error unless s can be a title or name: 1 to 200 characters in one line, without control or invisible
// characters. It is never used as a path.
func title(code errs.Code, what, s string) error {
	n := utf8.RuneCountInString(s)
	switch {
	case !utf8.ValidString(s):
		return errs.New(code, "%s is no valid UTF-8", what)
	case strings.TrimSpace(s) == "":
		return errs.New(code, "%s is empty; 1 to %d characters are a %s", what, maxTitle, what)
	case n > maxTitle:
		return errs.New(code, "%s has %d characters; at most %d are allowed; put the rest into the text", what, n, maxTitle)
	}
	all := []rune(s)
	for i, r := range all {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return errs.New(code, "%s has the control character %U; one line of text is a %s", what, r, what)
		}
		if unicode.Is(unicode.Cf, r) && !unicode.Is(unicode.Prepended_Concatenation_Mark, r) && !joins(all, i) {
			return errs.New(code, "%s has the character %U, which does not show; leave it out", what, r)
		}
	}
	return nil
}

// joins reports whether a character is a joiner or non-joiner between two that show, as in Persian, in the scripts of
// India and in emoji.
func joins(s []rune, i int) bool {
	shows := func(r rune) bool { return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.S) }
	return (s[i] == '\u200c' || s[i] == '\u200d') && i > 0 && i+1 < len(s) && shows(s[i-1]) && shows(s[i+1])
}

// oneLine returns an error unless s, which may be empty, is one line of valid text of at most that many bytes.
func oneLine(what, s string, most int) error {
	switch {
	case !utf8.ValidString(s):
		return errs.New(errs.InvalidContent, "%s is no valid UTF-8", what)
	case len(s) > most:
		return errs.New(errs.InvalidContent, "%s has %d bytes; at most %d are allowed", what, len(s), most)
	case strings.ContainsFunc(s, func(r rune) bool { return unicode.IsControl(r) && r != '\t' }):
		return errs.New(errs.InvalidContent, "%s has a line break or another control character: %s; one line is expected", what, strconv.QuoteToASCII(s[:min(len(s), 60)]))
	}
	return nil
}

// formatRef returns the item of a document or reference, or why there can be none.
func formatRef(what string, r mdstore.Ref) (string, error) {
	if err := oneLine(what, r.Target, 4096); err != nil {
		return "", errs.Recoded(err, errs.InvalidPath)
	}
	if err := oneLine("description", r.Description, mdstore.MaxEvent); err != nil {
		return "", err
	}
	if strings.TrimSpace(r.Target) == "" {
		return "", errs.New(errs.InvalidPath, "%s is empty; name a node, a file or an address", what)
	}
	item, ok := r.Format()
	if !ok {
		return "", errs.New(errs.InvalidPath, "%s %q with description %q cannot be written so that it reads back the same; leave out blanks at the ends, ': ' and brackets", what, r.Target, r.Description)
	}
	return item, nil
}

// distinct returns an error if a document is given twice.
func distinct(what string, docs []mdstore.Ref) error {
	met := map[string]bool{}
	for _, r := range docs {
		if met[strings.TrimSpace(r.Target)] {
			return errs.New(errs.InvalidParams, "%s %q is given twice; give it once", what, r.Target).With(errs.Details{Param: "docs"})
		}
		met[strings.TrimSpace(r.Target)] = true
	}
	return nil
}
