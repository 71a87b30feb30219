package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// findings adds what only the store can tell to the findings of a snapshot.
func (e *Engine) findings(ctx context.Context, snap *Snapshot) ([]finding, error) {
	_, out, err := e.inspect(ctx, snap)
	return out, err
}

// inspect is findings, and returns the snapshot as they see it: without the folders that hold nothing.
func (e *Engine) inspect(ctx context.Context, snap *Snapshot) (*Snapshot, []finding, error) {
	all, err := e.settled(ctx, snap.ws.Dir)
	if err != nil {
		return nil, nil, err
	}
	snap, vacant := snap.vacated(all)
	out := slices.Concat(snap.findings(), vacant)
	snap.unmade(out, all)
	if r, ok := mdstore.AsStore[mdstore.Docs](e.st); ok {
		out = append(out, snap.missingDocs(ctx, r)...)
	}
	if w, ok := mdstore.AsStore[mdstore.Writable](e.st); ok {
		files := []mdstore.Path{snap.ws.Path}
		for n := range snap.All() {
			files = append(files, n.Path)
		}
		for _, p := range files {
			var u *mdoc.UnreadableError
			if err := w.Writable(ctx, p); errors.As(err, &u) {
				out = append(out, finding{Diagnostic: u.Problem})
			}
		}
	}
	out = append(out, e.strayFindings(ctx, all)...)
	sortFindings(out)
	if snap.ws.Newer() {
		out = leftAlone(out)
	}
	return snap, out, nil
}

// missingDocs looks for active documents that the project does not have. What does not look like a path, and what lies outside of the project, is not looked for.
func (s *Snapshot) missingDocs(ctx context.Context, r mdstore.Docs) []finding {
	c := checker{s: s}
	met := map[string]bool{}
	look := func(d *mdoc.Doc, refs []mdstore.Ref) {
		for _, ref := range refs {
			if ref.Expired {
				continue
			}
			if _, ok := s.Node(mdstore.ID(ref.Target)); ok {
				continue
			}
			missing, known := met[ref.Target]
			if !known {
				missing = lacksDoc(ctx, r, ref.Target)
				met[ref.Target] = missing
			}
			if missing {
				c.at(d, itemAt(d, ref.Span), CodeDocMissing, repair{}, "document %s is not in the project; correct its path, expire it, or remove it", ref.Target)
			}
		}
	}
	look(s.ws.Doc, s.ws.Docs())
	for n := range s.All() {
		look(n.Doc(), n.Docs())
		look(n.Doc(), n.References())
	}
	return c.out
}

// clearAway is the repair of leftovers.
const clearAway = "clear it away"

// strays returns what lies between the files of a vault, below a folder.
func (e *Engine) strays(ctx context.Context, under mdstore.Path) ([]finding, error) {
	all, err := e.settled(ctx, under)
	return e.strayFindings(ctx, all), err
}

func (e *Engine) strayFindings(ctx context.Context, all []mdstore.Stray) []finding {
	var out []finding
	for _, s := range all {
		if s.Kind == mdstore.StrayFolder {
			continue // of no interest by itself
		}
		f := finding{Diagnostic: mdoc.Diagnostic{File: string(s.Path), Code: CodeStray}}
		switch s.Kind {
		case mdstore.StrayConflictCopy:
			f.Text = fmt.Sprintf("a conflict copy: compare it with %s (git diff --no-index), take over what is missing there, and delete it", orBeside(s.Of))
			if base, ok := e.equal(ctx, s); ok {
				f.Text = fmt.Sprintf("a conflict copy that equals %s", s.Of.Base())
				f.Fix, f.mend = "move it to the trash", func(d *draft) (bool, error) { return true, d.discard(s, base) }
			}
		case mdstore.StrayBackup:
			f.Text = "a backup or swap file of an editor or a merge: delete it when that has ended"
		case mdstore.StrayTemporary:
			f.Text = "a temporary file of another program: delete it when that has ended"
		case mdstore.StrayLeftover:
			f.Text = "a temporary file that a commit which was cut short has left"
			if _, ok := mdstore.AsStore[mdstore.Strays](e.st); ok {
				f.Fix = clearAway // not by a commit: see sweep
			}
		default:
			f.Text = string(s.Kind)
		}
		out = append(out, f)
	}
	return out
}

func orBeside(p mdstore.Path) string {
	if p == "" {
		return "the file beside it"
	}
	return p.Base()
}

// settled returns the strays below a folder without those of a commit that is being made at this moment.
func (e *Engine) settled(ctx context.Context, under mdstore.Path) ([]mdstore.Stray, error) {
	in, ok := mdstore.AsStore[mdstore.Strays](e.st)
	if !ok {
		return nil, nil
	}
	all, err := in.Strays(ctx, under)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.Kind != mdstore.StrayLeftover {
			continue
		}
		if _, err := sequence(ctx, e.st); err != nil { // waits for it
			return nil, err
		}
		again, err := in.Strays(ctx, under)
		if err != nil {
			return nil, err
		}
		met := map[mdstore.Path]bool{}
		for _, a := range all {
			met[a.Path] = true
		}
		var out []mdstore.Stray
		for _, a := range again {
			if met[a.Path] {
				out = append(out, a)
			}
		}
		return out, nil
	}
	return all, nil
}

// equal reports whether a conflict copy holds what the file beside it holds, and returns the version of both.
func (e *Engine) equal(ctx context.Context, s mdstore.Stray) (mdstore.Version, bool) {
	if s.Of == "" {
		return mdstore.Version{}, false
	}
	copied, err := e.st.Read(ctx, s.Path)
	if err != nil {
		return mdstore.Version{}, false
	}
	file, err := e.st.Read(ctx, s.Of)
	return file.Version, err == nil && file.Version == copied.Version
}
