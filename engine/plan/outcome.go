package plan

import (
	"slices"
	"strings"

	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// An Outcome is what an operation changed, or would have.
type Outcome struct {
	DryRun  bool
	Files   []FileChange
	Adapted []string // how given texts were changed to fit
	Warned  []string // warnings about what was done

	Replaced []Text // the beginnings of the texts that the operation replaced and its caller had not read

	// Collisions are saves by others that the commit met, or an earlier one that was finished before it.
	Collisions []mdstore.Collision
}

// A FileChange is the change of one file, or of a file or folder that moved as a whole.
type FileChange struct {
	Path    mdstore.Path
	To      mdstore.Path    // the new path after a move; "" if it stays
	Version mdstore.Version // the new one; zero if the file moved or is gone
	What    []view.Change
	Old     []byte // nil for a file that was not there
	New     []byte // nil for one that moves or goes

	was, is *mdoc.Doc // the documents of Old and New; nil if they were not parsed
}

// Was returns the file as it was, and Is as it is now.
func (f FileChange) Was() mdstore.File {
	return mdstore.File{Path: f.Path, Version: mdstore.VersionOf(f.Old), Data: f.Old, Doc: f.was}
}

// Is: see Was.
func (f FileChange) Is() mdstore.File {
	return mdstore.File{Path: f.Path, Version: f.Version, Data: f.New, Doc: f.is}
}

// Changed reports whether anything changed.
func (o *Outcome) Changed() bool { return len(o.Files) > 0 }

// Diff returns the whole change as a unified diff; what moves is a line of its own.
func (o *Outcome) Diff() string {
	var b strings.Builder
	for _, f := range o.Files {
		if f.To != "" {
			b.WriteString("rename " + string(f.Path) + " => " + string(f.To) + "\n")
			continue
		}
		if f.Old == nil && f.New == nil {
			b.WriteString("remove " + string(f.Path) + "\n")
			continue
		}
		b.WriteString(f.unified())
	}
	return b.String()
}

// unified returns the change of the file's text as a unified diff.
func (f FileChange) unified() string {
	was, _ := mdstore.TextOf(f.Path, f.Old) // a file without a sound text has none to show
	now, _ := mdstore.TextOf(f.Path, f.New)
	return UnifiedDiff(string(f.Path), was, now)
}

// Lines returns how many lines differ: the larger of those added and those removed.
func (f FileChange) Lines() int {
	added, removed := -1, -1 // without the two lines of the diff's head
	for line := range strings.Lines(f.unified()) {
		switch line[0] {
		case '+':
			added++
		case '-':
			removed++
		}
	}
	return max(added, removed, 0)
}

// Outcome returns what the draft changes.
func (d *Draft) Outcome() *Outcome {
	out := &Outcome{DryRun: d.act.DryRun, Adapted: d.adapted, Warned: d.warnings}
	for _, e := range d.order {
		if e.after == nil || e.spare {
			continue
		}
		now := mdstore.Stored(e.path, e.after.Bytes())
		out.Files = append(out.Files, FileChange{Path: e.path, Version: mdstore.VersionOf(now), What: e.what,
			Old: mdstore.Stored(e.path, e.doc.Bytes()), New: now, was: e.doc, is: e.after})
		out.adapt(e.adapted)
	}
	for _, x := range d.extra {
		if x.quiet {
			continue
		}
		out.Add(x.change, x.what...)
		out.Files[len(out.Files)-1].Old = x.old
	}
	return out
}

// adapt adds how texts were changed, each way once.
func (o *Outcome) adapt(how []string) {
	for _, a := range how {
		if !slices.Contains(o.Adapted, a) {
			o.Adapted = append(o.Adapted, a)
		}
	}
}

// Add adds a change of a whole file or folder.
func (o *Outcome) Add(c mdstore.Change, what ...view.Change) {
	f := FileChange{Path: c.Path, To: c.To, New: c.New, What: what}
	if c.New != nil {
		f.Version = mdstore.VersionOf(c.New)
	}
	o.Files = append(o.Files, f)
}
