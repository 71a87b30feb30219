package engine

import (
	"context"
	"time"

	"arbor/mdstore"
)

// Whoever saves a file may take it away for a moment. What --fix concludes from a file that is missing, it therefore concludes from two looks.

// settle is the time between the two looks.
const settle = 300 * time.Millisecond

// await lets a save end, where a repair would conclude from the snapshot that something is gone. The next snapshot is the second look.
func (e *Engine) await(ctx context.Context, snap *Snapshot) error {
	if !snap.lacks() {
		return nil
	}
	select {
	case <-e.opt.After(settle):
	case <-ctx.Done():
		return ctx.Err()
	}
	e.forget(snap.ws.ID)
	return nil
}

// lacks reports whether something is missing of which repairs may conclude that it is gone.
func (s *Snapshot) lacks() bool {
	for _, f := range s.findings() {
		switch f.Code {
		case CodeFileMissing:
			return true
		case CodeRootMissing, CodeFocusDangling, CodeDangling:
			if f.mend != nil {
				return true
			}
		}
	}
	return false
}

// absent reports whether a node that the plan does not find was not there before either.
func (d *draft) absent(id mdstore.ID) bool {
	if d.before == nil {
		return true
	}
	_, was := d.before.Node(id)
	return !was
}

// missing reports whether a file that the plan finds missing was missing before: its folder may be about to be filled.
func (d *draft) missing(p mdstore.Path) bool {
	if d.before == nil {
		return true
	}
	if p == d.before.ws.Path {
		return d.before.ws.Version.IsZero()
	}
	x, was := d.before.broken.Get(p)
	return was && x.Code == CodeFileMissing
}

// gone returns a repair that is left for another time where the node was there a moment ago.
func (c *checker) gone(id mdstore.ID, r repair) repair {
	if r.mend == nil {
		return r
	}
	return repair{r.text, func(d *draft) (bool, error) {
		if !d.absent(id) {
			return false, nil
		}
		return r.mend(d)
	}}
}

// vacated returns the snapshot without the folders of nodes that hold nothing at all, and what is found of these: nobody can have meant them, and
// what is said of the rest is said as if they were not there.
func (s *Snapshot) vacated(all []mdstore.Stray) (*Snapshot, []finding) {
	var files []mdstore.File
	var out []finding
	for it := s.broken.Iterator(); !it.Done(); {
		if p, d, _ := it.Next(); d.Code == CodeFileMissing && holdsNothing(all, p) {
			files, out = append(files, mdstore.File{Path: p}), append(out, finding{Diagnostic: d})
		}
	}
	if len(files) == 0 {
		return s, nil
	}
	next := s.With(files...)
	for i := range out {
		f := &out[i]
		r := discharge(files[i].Path)
		if _, ok := next.Node(mdstore.Root); !ok && files[i].Path == mdstore.NodePath(s.ws.Dir, mdstore.Root) {
			if root := (&checker{s: next}).newRoot(); root.mend != nil {
				r = root
			}
		}
		f.Fix, f.mend = r.text, r.mend
	}
	return next, out
}

// unmade gives a workspace whose folder holds nothing at all its repair.
func (s *Snapshot) unmade(found []finding, all []mdstore.Stray) {
	for i := range found {
		if f := &found[i]; f.Code == CodeFileMissing && f.File == string(s.ws.Path) && holdsNothing(all, s.ws.Path) {
			r := discharge(s.ws.Path)
			f.Fix, f.mend = r.text, r.mend
		}
	}
}

// holdsNothing reports whether the folder of a missing file holds no file at all, however deep.
func holdsNothing(all []mdstore.Stray, missing mdstore.Path) bool {
	for _, s := range all {
		if s.Kind == mdstore.StrayFolder && missing.Under(s.Path) {
			return true
		}
	}
	return false
}

// discharge is the repair of a file that is missing in a folder that holds nothing.
func discharge(missing mdstore.Path) repair {
	return repair{"move the empty folder to the trash", func(d *draft) (bool, error) {
		if !d.missing(missing) {
			return false, nil
		}
		d.vacate(missing)
		return true, nil
	}}
}
