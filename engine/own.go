package engine

import (
	"context"
	"slices"

	"arbor/mdstore"
)

// NoteOwn tells a session's note that the session itself made these changes, so that they are not reported to it as those of others. What
// others changed in the same files since it last looked stays to be reported. It costs the change, however much the session has seen, unless a folder has moved.
func (e *Engine) NoteOwn(ctx context.Context, ws mdstore.ID, session string, o *Outcome) error {
	if session == "" || o.DryRun || !o.Changed() || e.ownAttended(ws, session, o.Files) {
		return nil
	}
	if !slices.ContainsFunc(o.Files, func(f FileChange) bool { return f.To != "" }) {
		return e.ownParts(ctx, ws, session, o.Files)
	}
	seen, err := e.readLook(ctx, session, ws)
	if err != nil || !seen.known() {
		return err
	}
	seen.ownAll(o.Files)
	return e.saveLook(ctx, session, seen, seen)
}

// ownAll takes the session's own changes over into what it has seen.
func (l look) ownAll(files []FileChange) {
	for _, f := range files {
		switch {
		case f.To != "":
			l.moved(f.Path, f.To)
		case f.Path.Base() == mdstore.NodeFile || f.Path.Base() == mdstore.WorkspaceFile:
			l.own(f)
		}
	}
}

// ownAttended is NoteOwn for a session that is attended; it reports false for any other.
func (e *Engine) ownAttended(ws mdstore.ID, session string, files []FileChange) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	seen, ok := e.looks[session]
	if l := seen[ws]; l.known() {
		l.all = nil
		l.ownAll(files)
		seen[ws] = l
	}
	return ok
}

// ownParts is NoteOwn for files that stay where they are: only the parts of the note that they belong to are read and written. The first part says how many
// there are. One that is missing or damaged makes the whole note none, and then there is nothing to be noted.
func (e *Engine) ownParts(ctx context.Context, ws mdstore.ID, session string, files []FileChange) error {
	first, version, err := e.readPart(ctx, session, ws, 0)
	if err != nil || !first.known() {
		return err
	}
	in := map[int][]FileChange{}
	for _, f := range files {
		i := first.partOf(f.Path)
		in[i] = append(in[i], f)
	}
	var changes []mdstore.Change
	for i, fs := range in {
		part, v := first, version
		if i > 0 {
			if part, v, err = e.readPart(ctx, session, ws, i); err != nil || part.Parts != first.Parts {
				return err
			}
		}
		part.ownAll(fs)
		data := part.encode()
		if mdstore.VersionOf(data) != v {
			changes = append(changes, mdstore.Change{Path: lookPath(session, ws, i), Base: v, New: data})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	return e.exclusively(ctx, func(st mdstore.Store) error {
		before, err := sequence(ctx, st)
		if err != nil {
			return err
		}
		if err := e.aside(ctx, st, changes); err != nil {
			return err
		}
		if after, err := sequence(ctx, st); err == nil {
			e.ownNoted(ctx, session, ws, files, before, after)
		}
		return nil
	})
}
