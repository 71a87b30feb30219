package engine

import (
	"bytes"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"

	"arbor/mdstore"
)

// An Outcome is what an operation changed, or would have.
type Outcome struct {
	DryRun  bool
	Files   []FileChange
	Adapted []string // how given texts were changed to fit in

	// Collisions are saves by others that the commit met, or an earlier one that was finished before it.
	Collisions []mdstore.Collision
}

// A FileChange is what an operation changed in one file, or in one place for what moved as a whole.
type FileChange struct {
	Path    mdstore.Path
	To      mdstore.Path    // where the file or folder moved; "" where it stays
	Version mdstore.Version // the new one; zero where the file moved or is gone
	What    []string        // "node-… status pending → implementing"
	old     []byte
	new     []byte
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
		if f.old == nil && f.new == nil {
			b.WriteString("remove " + string(f.Path) + "\n")
			continue
		}
		b.WriteString(UnifiedDiff(string(f.Path), f.old, f.new))
	}
	return b.String()
}

// Lines returns how many lines differ: the larger of those added and those removed.
func (f FileChange) Lines() int {
	if f.old == nil || f.new == nil {
		return bytes.Count(f.old, []byte("\n")) + bytes.Count(f.new, []byte("\n"))
	}
	added, removed := 0, 0
	u, err := udiff.ToUnifiedDiff("", "", string(f.old), udiff.Lines(string(f.old), string(f.new)), 0)
	if err != nil {
		return 0
	}
	for _, h := range u.Hunks {
		for _, l := range h.Lines {
			switch l.Kind {
			case udiff.Insert:
				added++
			case udiff.Delete:
				removed++
			}
		}
	}
	return max(added, removed)
}

// outcome returns what the draft changes.
func (d *draft) outcome(dry bool) *Outcome {
	out := &Outcome{DryRun: dry, Adapted: d.adapted}
	for _, e := range d.order {
		if e.after == nil {
			continue
		}
		out.Files = append(out.Files, FileChange{Path: e.path, Version: e.version(), What: e.what, old: e.doc.Bytes(), new: e.after.Bytes()})
		for _, a := range e.adapted {
			if !slices.Contains(out.Adapted, a) {
				out.Adapted = append(out.Adapted, a)
			}
		}
	}
	for _, x := range d.extra {
		f := FileChange{Path: x.change.Path, To: x.change.To, old: x.old, new: x.change.New}
		if f.new != nil {
			f.Version = mdstore.VersionOf(f.new)
		}
		if x.what != "" {
			f.What = []string{x.what}
		}
		out.Files = append(out.Files, f)
	}
	return out
}
