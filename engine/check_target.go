package engine

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"arbor/mdstore"
)

// References name nodes, documents, addresses, issues, packages: whatever people write. Only what cannot be anything else is looked for.

// isNodeRef reports whether a target is a generated id of a node.
func isNodeRef(target string) bool { return mdstore.ID(target).Generated("node") }

var (
	lineOf    = regexp.MustCompile(`:\d+(?:[:-]\d+)*$`)                                // a.md:12, a.md:12:5, a.md:12-20
	scheme    = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:`)                        // https:, mailto:, and the C: of a path elsewhere
	host      = regexp.MustCompile(`^(?i:www\.|[a-z0-9.-]+\.(?:com|org|net|io|dev)/)`) // addresses without a scheme
	extension = regexp.MustCompile(`^\.[A-Za-z][A-Za-z0-9]{0,7}$`)
)

// docPath returns the path of the document that a target names, without backticks, line and heading; ok is false where it does not look like a path
// in the project.
func docPath(target string) (p string, ok bool) {
	p = strings.TrimSpace(strings.Trim(target, "`"))
	p, _, _ = strings.Cut(p, "#")
	p = lineOf.ReplaceAllString(p, "")
	switch {
	case p == "", p[0] == '~', scheme.MatchString(p), host.MatchString(p):
		return p, false
	}
	return p, strings.Contains(p, "/") || extension.MatchString(path.Ext(p))
}

// lacksDoc reports whether a target names a document that the project does not have.
func lacksDoc(ctx context.Context, r mdstore.DocReader, target string) bool {
	p, ok := docPath(target)
	if !ok {
		return false
	}
	for _, t := range []string{target, p} {
		if _, err := readDoc(ctx, r, t); !errors.Is(err, fs.ErrNotExist) {
			return false
		}
	}
	return true
}
