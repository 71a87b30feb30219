package engine

import (
	"context"
	"errors"
	"io/fs"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A snapshot is brought up to date by reading what may have changed, so that a save costs the change and not the vault. While somebody is still
// at a save, a file may be missing, empty or half there: editors truncate and write, git removes and creates. Such a file is left as the snapshot
// has it, and looked at again, until the save has settled.

// freshen reads the stale files of a snapshot again and publishes what they lead to. It returns nil where only reading the whole workspace tells.
func (e *Engine) freshen(ctx context.Context, st mdstore.Store, at moment) (*Snapshot, error) {
	if len(at.stale) > rereadFew && len(at.stale) > at.snap.Len()/rereadShare {
		return nil, nil
	}
	r := rereader{s: at.snap, st: st, left: map[mdstore.Path]bool{}, whole: true}
	for p, m := range at.stale {
		if err := r.look(ctx, p, m.open); err != nil || !r.whole {
			return nil, err
		}
	}
	r.moved()
	next := at.snap
	if len(r.files) > 0 {
		next = at.snap.With(r.files...)
	}
	if err := r.emptied(ctx, next); err != nil || !r.whole {
		return nil, err
	}
	if next != at.snap {
		next.shelve(r.changes())
	}
	next, seq, err := keepUp(ctx, st, next, at.seq)
	if err != nil || next == nil || next.ws.ID != at.id {
		return nil, err
	}
	at.stale = at.stale.settled(r.left)
	e.publish(at, next, seq)
	return next, nil
}

// catchUp adds to what is stale what was committed since the snapshot was read, up to a number of the sequence. It reports false where that is not known, or
// where it concerns which workspaces there are.
func (m *moment) catchUp(ctx context.Context, st mdstore.Store, seq uint64) bool {
	if m.seq == seq {
		return true
	}
	paths, ok := m.committed(ctx, st, seq)
	if !ok {
		return false
	}
	m.close(paths)
	for _, p := range paths {
		switch {
		case p.Under(mdstore.LocalDir), p == mdstore.SessionsFile:
		case p != m.snap.ws.Dir && p.Under(m.snap.ws.Dir):
			if _, told := m.stale[p]; !told {
				m.add(p, mark{})
			}
		case !strings.Contains(string(p), "/"+mdstore.NodesDir+"/"):
			return false
		}
	}
	m.seq = seq
	return true
}

// committed returns what was committed since the snapshot was read, up to a number of the sequence; ok is false where that is not known.
func (m *moment) committed(ctx context.Context, st mdstore.Store, seq uint64) (paths []mdstore.Path, ok bool) {
	if m.seq == seq {
		return nil, true
	}
	h, ok := mdstore.AsStore[mdstore.History](st)
	if !ok {
		return nil, false
	}
	return h.ChangedSince(ctx, m.seq, seq)
}

// close says of paths that commits have changed them: what is missing there is gone, and not in the middle of a save.
func (m *moment) close(paths []mdstore.Path) {
	for _, p := range paths {
		for q, k := range m.stale {
			if k.open && (q.Under(p) || p.Under(q)) {
				k.open = false
				m.stale[q] = k
			}
		}
	}
}

// Beyond so many stale files, if they are that share of all, reading everything, by several at once, is faster.
const (
	rereadFew   = 64
	rereadShare = 4
)

// A rereader finds out what became of files that may have changed.
type rereader struct {
	s     *Snapshot
	st    mdstore.Store
	files []mdstore.File        // that are not as the snapshot has them; with the zero Version: gone
	left  map[mdstore.Path]bool // that may be in the middle of a save, and stay as the snapshot has them; true: because they are missing
	whole bool                  // false: the snapshot cannot be brought up to date from these files alone
}

// look looks at one path. The error is ctx's, or one that says nothing about the file.
func (r *rereader) look(ctx context.Context, p mdstore.Path, open bool) error {
	nodes := r.s.ws.Dir.Join(mdstore.NodesDir)
	base := p.Base()
	switch {
	case !p.Under(r.s.ws.Dir):
		r.whole = false
		return nil
	case p == r.s.ws.Path, base == mdstore.NodeFile && p.Under(nodes):
		return r.file(ctx, p, p, open)
	case base == mdstore.NodeFile || base == mdstore.WorkspaceFile:
		return nil // of the same name elsewhere: nothing of ours
	}
	switch there, err := r.kind(ctx, p); {
	case err != nil:
		return err
	case there == folder && p.Under(nodes):
		return r.file(ctx, p, p.Join(mdstore.NodeFile), open)
	case there == nothing:
		r.gone(p, open)
	}
	return nil
}

// file looks at the file at p; told is the path that was named for it.
func (r *rereader) file(ctx context.Context, told, p mdstore.Path, open bool) error {
	f, err := r.st.Read(ctx, p)
	switch {
	case err == nil && r.s.holds(f):
	case err == nil && open && r.damaged(f):
		r.left[told] = false
	case err == nil:
		r.files = append(r.files, f)
	case ctx.Err() != nil:
		return ctx.Err()
	case open:
		r.left[told] = errors.Is(err, fs.ErrNotExist)
	case errors.Is(err, fs.ErrNotExist) && p != r.s.ws.Path:
		return r.missing(ctx, p)
	default:
		r.whole = false
	}
	return nil
}

// changes returns what was read as changes that have been made.
func (r *rereader) changes() []mdstore.Change {
	out := make([]mdstore.Change, len(r.files))
	for i, f := range r.files {
		out[i] = mdstore.Change{Path: f.Path, New: f.Data}
	}
	return out
}

// damaged reports whether a file that was sound, or was not there, cannot be read, as one cannot that is only half written.
func (r *rereader) damaged(f mdstore.File) bool {
	form := mdstore.NodeForm
	if f.Path == r.s.ws.Path {
		form = mdstore.WorkspaceForm
		if r.s.ws.Doc.Editable() != nil {
			return false
		}
	} else if n, ok := r.s.file(f.Path); ok && n.Editable() != nil {
		return false
	}
	is, _ := mdoc.Parse(string(f.Path), f.Data, form)
	return is.Editable() != nil
}

// missing looks what became of a node's file that is not there: its folder went as well, or stays without it, which only a listing tells.
func (r *rereader) missing(ctx context.Context, p mdstore.Path) error {
	there, err := r.kind(ctx, p.Dir())
	if err != nil {
		return err
	}
	if d, broken := r.s.broken.Get(p); there != nothing && d.Code != CodeFileMissing || there == nothing && broken {
		r.whole = false
	} else if _, known := r.s.file(p); there == nothing && known {
		r.files = append(r.files, mdstore.File{Path: p})
	}
	return nil
}

// gone takes a file or folder out that is not there any more.
func (r *rereader) gone(p mdstore.Path, open bool) {
	for it := r.s.broken.Iterator(); !it.Done(); {
		if b, _, _ := it.Next(); b.Under(p) {
			r.whole = false // what is broken is listed
			return
		}
	}
	if r.s.ws.Path.Under(p) {
		r.whole = false
		return
	}
	for n := range r.s.under(p) {
		if open {
			r.left[p] = true
			return
		}
		r.files = append(r.files, mdstore.File{Path: n.Path})
	}
}

// moved takes out what was left because it is missing, where its nodes have come elsewhere: a folder that was renamed is not in the middle of a save.
func (r *rereader) moved() {
	if len(r.left) == 0 {
		return
	}
	came := map[mdstore.ID]bool{}
	for _, f := range r.files {
		if f.Path.Base() == mdstore.NodeFile {
			came[mdstore.ParseNode(f).ID] = true
		}
	}
	for left, missing := range r.left {
		if !missing || len(came) == 0 {
			continue
		}
		var gone []mdstore.File
		all := true
		for n := range r.s.under(left) {
			all = all && came[n.ID]
			gone = append(gone, mdstore.File{Path: n.Path})
		}
		if all {
			r.files = append(r.files, gone...)
			delete(r.left, left)
		}
	}
}

// emptied looks at the folders right below nodes/ that have lost a node: one that stays without any is listed, as it misses its file.
func (r *rereader) emptied(ctx context.Context, next *Snapshot) error {
	looked := map[mdstore.Path]bool{}
	for _, f := range r.files {
		if !f.Version.IsZero() {
			continue
		}
		top, ok := next.top(f.Path)
		if !ok || looked[top] {
			continue
		}
		looked[top] = true
		if there, err := r.kind(ctx, top); err != nil {
			return err
		} else if there != nothing && !next.lists(top) {
			r.whole = false
			return nil
		}
	}
	return nil
}

type thing int

const (
	nothing thing = iota
	file
	folder // or something else that cannot be read
)

func (r *rereader) kind(ctx context.Context, p mdstore.Path) (thing, error) {
	var u *mdoc.UnreadableError
	switch _, err := r.st.Read(ctx, p); {
	case err == nil:
		return file, nil
	case errors.Is(err, fs.ErrNotExist):
		return nothing, nil
	case errors.As(err, &u):
		return folder, nil
	default:
		return nothing, err
	}
}

// holds reports whether the snapshot is known to have a file as it is.
func (s *Snapshot) holds(f mdstore.File) bool {
	if f.Path == s.ws.Path {
		return f.Version == s.ws.Version
	}
	n, ok := s.file(f.Path)
	return ok && n.Read(f)
}
