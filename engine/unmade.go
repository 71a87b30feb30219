package engine

import (
	"slices"
	"strings"

	"arbor/mdstore"
)

// A commit of several files cannot be taken back once its first file is changed. Where somebody saves one of the others in that moment, and both versions do not go
// together, theirs stays in its place. The caller must not take that for done.

// unmade returns the error of a caller of whose changes not all were made: of the collisions that concern says are theirs. It is nil where all were.
func unmade(met []mdstore.Collision, concern func(mdstore.Path) bool) error {
	var texts []string
	d := Details{Committed: true}
	for _, m := range met {
		if !m.Unmade || !concern(m.Path) {
			continue
		}
		text := m.Text
		d.Paths = append(d.Paths, string(m.Path))
		if m.Copy != "" {
			text += " (" + string(m.Copy) + ")"
			d.Paths = append(d.Paths, string(m.Copy))
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return nil
	}
	return Fail(Conflicting, "%s; the rest of the change is made: compare both versions, take over what is missing, and then delete the copy", strings.Join(texts, "; ")).with(d)
}

// anyPath is the concern of who commits alone.
func anyPath(mdstore.Path) bool { return true }

// touches reports whether an outcome names a file or folder as changed or moved.
func (o *Outcome) touches(p mdstore.Path) bool {
	return slices.ContainsFunc(o.Files, func(f FileChange) bool { return f.Path == p || f.To != "" && f.To == p })
}
