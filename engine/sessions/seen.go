package sessions

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"io/fs"
	"maps"
	"slices"
	"sync"
	"time"

	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Seen keeps what the sessions of this machine have seen of the workspaces. Each session has one file in .local/seen/,
// which is written as a whole when the session looks for the first time, sees changes, or changes files itself, and one
// in .local/texts/ with digests of the texts that it has read or written. The files may be lost: a session without them
// looks for the first time, and has read nothing. It is safe for concurrent use.
type Seen struct {
	st  mdstore.Store // if it is not an mdstore.Local, nothing is kept
	now func() time.Time

	mu       sync.Mutex
	attended map[string]*seen                     // guarded by mu: of connections, in memory only
	focus    map[string]map[mdstore.ID]mdstore.ID // guarded by mu: by session, those of sessions that are bound to nothing
}

// A seen is what one session has seen. A file in .local/seen/ has the states, one in .local/texts/ the texts.
type seen struct {
	Form   string
	States map[mdstore.ID]view.State
	Texts  map[uint64]uint64      // by place: the digest of the text that was last read or written there
	Told   map[mdstore.Path]int64 // text removed from files and not restored: when the removal was found
	last   map[mdstore.ID]look    // for connections: each of their calls asks for the number of changes
}

// A look is the state of a view that was last reported to a session.
type look struct {
	view        *view.View
	differences []view.Difference
}

const (
	seenDir  = mdstore.Path("seen")
	seenForm = "1"                 // it changes with the form of the file
	seenMost = 64                  // sessions whose files are kept, those that looked last
	seenLife = 14 * 24 * time.Hour // after which the file of a session goes

	mostFocused = 10000 // sessions whose focus is kept in memory; beyond that, all are dropped
)

// NewSeen returns what sessions have seen as the store keeps it.
func NewSeen(st mdstore.Store, now func() time.Time) *Seen {
	return &Seen{st: st, now: now, attended: map[string]*seen{}, focus: map[string]map[mdstore.ID]mdstore.ID{}}
}

func newMemory() *seen {
	return &seen{States: map[mdstore.ID]view.State{}, Texts: map[uint64]uint64{}}
}

// local returns the store of the files. Call it at each use, because the vault of a server may be replaced.
func (s *Seen) local() (mdstore.Local, bool) { return mdstore.AsStore[mdstore.Local](s.st) }

// Attend keeps what a session has seen in memory only, for as long as it lasts: the session of a connection that ends
// with it. leave forgets it.
func (s *Seen) Attend(session string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.attended[session] = newMemory()
	s.attended[session].last = map[mdstore.ID]look{}
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.attended, session)
		delete(s.focus, session)
	}
}

// Focus returns the node on which an unbound session works in a workspace, "" for none, and SetFocus sets it. Such
// sessions are those of connections, and of helpers behind them. The focus is only in memory.
func (s *Seen) Focus(session string, ws mdstore.ID) mdstore.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.focus[session][ws]
}

// SetFocus sets what Focus returns.
func (s *Seen) SetFocus(session string, ws, id mdstore.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if session == "" {
		return
	}
	if s.focus[session] == nil {
		if len(s.focus) >= mostFocused {
			clear(s.focus)
		}
		s.focus[session] = map[mdstore.ID]mdstore.ID{}
	}
	s.focus[session][ws] = id
}

// Changes returns how a workspace differs from what the session has seen of it, in the order of paths. first says that
// the session looks for the first time: from then on it has seen the view. take returns how many of the differences,
// from the first one on, the session sees now; nil: none. If this could not be stored, there is an error, but the
// differences are valid.
func (s *Seen) Changes(ctx context.Context, session string, v *view.View, take func([]view.Difference) int) (ds []view.Difference, first bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.read(ctx, seenDir, session)
	if err != nil {
		return nil, false, err
	}
	id := v.Workspace().ID
	old, known := m.States[id]
	if !known {
		m.States[id] = v.State(false)
		s.prune(ctx, seenDir)
		return []view.Difference{}, true, s.write(ctx, seenDir, session, m)
	}
	if last := m.last[id]; last.view == v {
		ds = last.differences
	} else if ds = view.Diff(old, v.State(false)); ds == nil {
		ds = []view.Difference{}
	}
	if m.last != nil {
		m.last[id] = look{v, ds}
	}
	if take == nil {
		return ds, false, nil
	}
	n := take(ds)
	if n == 0 {
		return ds, false, nil
	}
	now := v.State(false)
	if n < len(ds) {
		now = taken(old, now, ds[:n])
	}
	m.States[id] = now
	delete(m.last, id)
	return ds, false, s.write(ctx, seenDir, session, m)
}

// Untold returns those of all, texts removed from files, that were not yet reported to the session. With note they
// count as reported; if that cannot be stored, they are reported again.
func (s *Seen) Untold(ctx context.Context, session string, all []mdstore.Collision, note bool) (out []mdstore.Collision) {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.read(ctx, seenDir, session)
	if err != nil {
		return all
	}
	told := map[mdstore.Path]int64{}
	for _, c := range all {
		if told[c.Path] = c.Time; m.Told[c.Path] != c.Time {
			out = append(out, c)
		}
	}
	if note && !maps.Equal(told, m.Told) {
		m.Told = told
		_ = s.write(ctx, seenDir, session, m)
	}
	return out
}

// taken returns the old state with only these differences to now taken over.
func taken(old, now view.State, ds []view.Difference) view.State {
	next := maps.Clone(old)
	for _, d := range ds {
		delete(next, d.From)
		delete(next, d.Path)
	}
	for _, d := range ds { // after all removals, as files may have swapped paths
		if f, ok := now[d.Path]; ok {
			next[d.Path] = f
		}
	}
	return next
}

// Own notes that the session itself made these changes, so that they are not reported to it as those of others. What
// others changed in the same files since it last looked stays to be reported.
func (s *Seen) Own(ctx context.Context, session string, ws mdstore.ID, files []plan.FileChange) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	m, err := s.read(ctx, seenDir, session)
	if err != nil {
		return err
	}
	state, known := m.States[ws]
	if !known || len(files) == 0 {
		return nil
	}
	for _, f := range files {
		if f.To != "" {
			state = state.Moved(f.Path, f.To)
			maps.DeleteFunc(state, func(p mdstore.Path, _ view.Digest) bool { return p.Under(mdstore.LocalDir) })
			continue
		}
		own(state, f)
	}
	m.States[ws] = state
	delete(m.last, ws)
	return s.write(ctx, seenDir, session, m)
}

// own adds the session's own change of a file to the state that it has seen.
func own(state view.State, f plan.FileChange) {
	seen, known := state[f.Path]
	kind := mdstore.AllKinds().Of(f.Path)
	switch {
	case kind == nil || kind.Quiet || f.New == nil:
	case f.Old == nil, known && seen.Version == mdstore.VersionOf(f.Old):
		state[f.Path] = view.DigestOf(f.Is())
	case known:
		seen.Parts = seen.Parts.TakeDigests(view.DigestOf(f.Was()).Parts, view.DigestOf(f.Is()).Parts)
		state[f.Path] = seen
	} // a file that others made or moved here is still to be reported
}

// Forget removes what a session has seen.
func (s *Seen) Forget(ctx context.Context, session string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	local, ok := s.local()
	if !ok {
		return nil
	}
	return errors.Join(local.RemoveLocal(ctx, fileOf(seenDir, session)), local.RemoveLocal(ctx, fileOf(textsDir, session)))
}

func fileOf(dir mdstore.Path, session string) mdstore.Path {
	sum := sha256.Sum256([]byte(session))
	return dir.Join(hex.EncodeToString(sum[:8]))
}

// read returns what a session has seen: nothing if the file has another form or is damaged. s.mu must be held.
func (s *Seen) read(ctx context.Context, dir mdstore.Path, session string) (*seen, error) {
	if m := s.attended[session]; m != nil {
		return m, nil
	}
	none := newMemory()
	local, ok := s.local()
	if !ok {
		return none, nil
	}
	data, err := local.ReadLocal(ctx, fileOf(dir, session))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return none, nil
	case err != nil:
		return nil, err
	}
	sum := sha256.Size
	if len(data) < sum || sha256.Sum256(data[sum:]) != [sha256.Size]byte(data[:sum]) {
		return none, nil
	}
	m := newMemory()
	if err := gob.NewDecoder(bytes.NewReader(data[sum:])).Decode(m); err != nil || m.Form != seenForm {
		return none, nil
	}
	return m, nil
}

// write writes what a session has seen to its file. s.mu must be held.
func (s *Seen) write(ctx context.Context, dir mdstore.Path, session string, m *seen) error {
	local, ok := s.local()
	if s.attended[session] != nil || !ok {
		return nil
	}
	m.Form = seenForm
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(m); err != nil {
		return err
	}
	sum := sha256.Sum256(b.Bytes())
	return local.WriteLocal(ctx, fileOf(dir, session), append(sum[:], b.Bytes()...))
}

// prune removes the files of sessions that have not looked for a long time. If it fails, the next call tries again.
// s.mu must be held.
func (s *Seen) prune(ctx context.Context, dir mdstore.Path) {
	local, ok := s.local()
	if !ok {
		return
	}
	files, err := local.ListLocal(ctx, dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return
	}
	slices.SortFunc(files, func(a, b mdstore.LocalFile) int { return cmp.Compare(b.Stamp.Mtime, a.Stamp.Mtime) })
	for i, f := range files {
		if old := s.now().Sub(time.Unix(0, f.Stamp.Mtime)) > seenLife; i >= seenMost-1 || old && f.Stamp.Mtime != 0 {
			_ = local.RemoveLocal(ctx, dir.Join(f.Name))
		}
	}
}
