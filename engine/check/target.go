package check

import (
	"path"
	"regexp"
	"strings"
	"sync"
)

// References name nodes, documents, addresses, issues, packages: whatever people write. Only what cannot be anything
// else is looked for.

// forms are the expressions that classify targets. They are compiled at the first use.
var forms = sync.OnceValue(func() (f struct{ lineOf, scheme, host, extension *regexp.Regexp }) {
	f.lineOf = regexp.MustCompile(`:\d+(?:[:-]\d+)*$`)                              // a.md:12, a.md:12:5, a.md:12-20
	f.scheme = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)                      // https:, mailto:, and the C: of a path elsewhere
	f.host = regexp.MustCompile(`^(?i:www\.|[a-z0-9.-]+\.(?:com|org|net|io|dev)/)`) // addresses without a scheme
	f.extension = regexp.MustCompile(`^\.[A-Za-z][A-Za-z0-9]{0,7}$`)
	return f
})

// docPath returns the path of the document that a target names, without backticks, line and heading; ok is false if it
// does not look like a path in the project.
func docPath(target string) (p string, ok bool) {
	f := forms()
	p = strings.TrimSpace(strings.Trim(target, "`"))
	p, _, _ = strings.Cut(p, "#")
	p = f.lineOf.ReplaceAllString(p, "")
	switch {
	case p == "", p[0] == '~', f.scheme.MatchString(p), f.host.MatchString(p):
		return p, false
	}
	return p, strings.Contains(p, "/") || f.extension.MatchString(path.Ext(p))
}

// Tries returns the targets under which the document of a reference may be found; none if it cannot be a document of
// the project.
func Tries(target string) []string {
	p, ok := docPath(target)
	if !ok {
		return nil
	}
	return []string{target, p}
}
