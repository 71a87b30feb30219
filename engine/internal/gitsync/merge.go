package gitsync

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/mdstore/gitrepo"
	"arbor/mdstore/merge"
)

// integrate brings in the upstream's commits and returns the commit that is checked out afterwards.
func (s *syncing) integrate(ctx context.Context, h gitrepo.Head, theirs string) (string, error) {
	ours := h.Commit
	if theirs == "" || theirs == ours {
		return ours, nil
	}
	base, err := s.r.MergeBase(ctx, ours, theirs)
	switch {
	case err != nil || base == theirs:
		return ours, err
	case base == "" && len(s.r.Shallow()) > 0:
		return "", stopped("this clone is shallow, and holds no commit that both sides have: git fetch --unshallow, then sync; what is here is committed")
	case base == "":
		return "", stopped("the branch and its upstream have no commit in common: git pull --allow-unrelated-histories joins them; what is here is committed")
	}
	if err := s.tell(ctx, base, ours, theirs); err != nil {
		return "", err
	}
	m := &merging{syncing: s, base: base, ours: ours, theirs: theirs, tree: theirs}
	if base != ours {
		if err := m.merge(ctx); err != nil {
			return "", err
		}
	}
	next := theirs
	if base != ours && len(m.open) == 0 {
		if m.tree, err = s.mend(ctx, base, ours, theirs, m.tree); err != nil {
			return "", err
		}
		if next, err = s.record(ctx, m.tree, m.message(h), ours, theirs); err != nil {
			return "", err
		}
	}
	return next, s.exclusively(ctx, func() error { return m.bringIn(ctx, h, next) })
}

func (m *merging) message(h gitrepo.Head) string {
	return "merge " + strings.TrimPrefix(h.Tracking, "refs/remotes/") + ": " + m.out.CameIn + "\n"
}

// bringIn checks out the result of a merge, or stops it if people must decide. The caller holds the store's lock.
func (m *merging) bringIn(ctx context.Context, h gitrepo.Head, next string) error {
	if _, changed, err := m.r.Snapshot(ctx, m.ours); err != nil {
		return err
	} else if now, err := m.r.Head(ctx); err != nil {
		return err
	} else if len(changed) > 0 || now.Commit != m.ours || now.Branch != h.Branch {
		return errMoved
	}
	if err := m.to(ctx, m.ours, m.tree); err != nil {
		return err
	}
	if len(m.open) > 0 {
		w := gitrepo.Waiting{Ours: m.ours, Theirs: m.theirs, Tree: m.tree}
		if err := m.r.Wait(ctx, w, m.message(h), m.open); err != nil {
			return err
		}
		var where, paths []string
		for _, c := range m.open {
			where, paths = append(where, m.titles[c.Name]), append(paths, c.Name)
		}
		return errs.New(errs.SyncStopped, "%s, %s in %s: %s", m.out.CameIn, plural(len(m.open), "conflict"), named(where), syncAsk).
			With(errs.Details{Paths: paths})
	}
	if err := m.r.Advance(ctx, m.ours, next, syncReflog+": "+m.out.CameIn); err != nil {
		return errors.Join(err, m.r.Switch(ctx, m.tree, m.ours))
	}
	m.out.Changed = true
	return nil
}

// to changes the working tree from one tree to another.
func (s *syncing) to(ctx context.Context, from, to string) error {
	all, err := s.r.Deltas(ctx, from, to)
	if err != nil {
		return err
	}
	var names []string
	for _, d := range all {
		names = append(names, d.Name)
	}
	if err := s.unfiltered(ctx, names, "git pull"); err != nil {
		return err
	}
	err = s.r.Switch(ctx, from, to)
	if failed, ok := errors.AsType[*gitrepo.Error](err); ok {
		return stopped("a file that is to be written is changed or staged here, so nothing was written: commit or stash it, then sync; what is here of the vault is committed (%s)",
			strings.Join(strings.Fields(failed.Stderr), " "))
	}
	return err
}

// A merging is the merge of two commits that were made from a third.
type merging struct {
	*syncing
	base, ours, theirs string
	tree               string          // the merge; with marks in the files that are open
	open               []gitrepo.Clash // files that a person must decide on
	titles             map[string]string
	puts               []gitrepo.Put // files that the merged tree gets besides
	texts              [][]byte      // the texts of puts, by index; nil if the put has its blob
}

// merge merges file by file.
func (m *merging) merge(ctx context.Context) error {
	tree, clashes, err := m.r.MergeTrees(ctx, m.ours, m.theirs)
	if err != nil {
		return err
	}
	var outside []string
	for _, c := range clashes {
		if _, ok := m.r.InFolder(c.Name); !ok || !c.Base.Plain() || !c.Ours.Plain() || !c.Theirs.Plain() || c.Base.ID == "" && (c.Ours.ID == "" || c.Theirs.ID == "") {
			outside = append(outside, c.Name)
		}
	}
	if len(outside) > 0 {
		return stopped("both sides changed %s, which sync does not merge: git pull by yourself, then sync; the vault is committed, and nothing else was changed", named(outside))
	}
	if clashes, err = m.follow(ctx, clashes); err != nil {
		return err
	}
	var blobs []gitrepo.Blob
	for _, c := range clashes {
		blobs = append(blobs, c.Base, c.Ours, c.Theirs)
	}
	texts, err := readBlobs(ctx, m.r, blobs)
	if err != nil {
		return err
	}
	m.titles = map[string]string{}
	loop := mdstore.LoopOf(ctx, "files merged", len(clashes))
	defer loop.End()
	for i, c := range clashes {
		if err := m.file(ctx, c, texts[3*i], texts[3*i+1], texts[3*i+2]); err != nil {
			return err
		}
		loop.Done(1)
	}
	var write [][]byte
	var at []int
	for i, text := range m.texts {
		if text != nil {
			write, at = append(write, text), append(at, i)
		}
	}
	ids, err := m.r.Keep(ctx, write)
	if err != nil {
		return err
	}
	for i, id := range ids {
		m.puts[at[i]].ID = id
	}
	m.tree, err = m.r.Graft(ctx, tree, m.puts)
	return err
}

// put puts a file in the merged tree: text, or the blob if text is nil. Without both, it removes the file.
func (m *merging) put(name string, b gitrepo.Blob, text []byte) {
	m.puts, m.texts = append(m.puts, gitrepo.Put{Name: name, Blob: b}), append(m.texts, text)
}

// file merges one file that both sides changed.
func (m *merging) file(ctx context.Context, c gitrepo.Clash, base, ours, theirs []byte) error {
	p, _ := m.r.InFolder(c.Name)
	left := ours
	if ours == nil {
		left = theirs
	}
	title := cmp.Or(mdstore.ParseNode(mdstore.File{Path: p, Data: left}).Title, string(p))
	if c.Ours.ID == "" || c.Theirs.ID == "" {
		m.put(c.Name, cmp.Or(c.Ours, c.Theirs), kept(p, left))
		m.out.Notes = append(m.out.Notes, "DELETED_AND_CHANGED: "+title+" was deleted on one side and changed on the other; it lives as changed")
		return nil
	}
	res, err := merge.Merge(p, base, ours, theirs, merge.Options{Ours: "ours", Theirs: "theirs"})
	clean := len(res.Conflicts) == 0
	if errors.Is(err, merge.ErrText) {
		res.Bytes, clean, err = gitrepo.Lines(ctx, base, ours, theirs)
	}
	if err != nil {
		return err
	}
	for _, n := range res.Notes {
		m.out.Notes = append(m.out.Notes, title+": "+n)
	}
	if !clean {
		m.open = append(m.open, c)
		for _, x := range res.Conflicts {
			title += " (" + x.What + ")"
		}
		m.titles[c.Name] = title
	}
	m.put(c.Name, c.Ours, res.Bytes)
	return nil
}

// kept returns a file that stays although one side has deleted it. The log of a node says so, at the time of its last
// change, so that every machine writes the same.
func kept(p mdstore.Path, data []byte) []byte {
	n := mdstore.ParseNode(mdstore.File{Path: p, Data: data})
	if mdstore.AllKinds().Of(p) != mdstore.NodeKind || n.Editable() != nil {
		return data
	}
	at := time.UnixMilli(n.UpdatedAt).UTC().Format(mdstore.TimeLayout)
	patch, err := n.Doc().AppendItem(mdstore.SecLog, mdstore.FormatLog(at, mdstore.OperatorAI, "deleted on one side of a merge and changed on the other"))
	if err != nil {
		return data
	}
	doc, err := n.Doc().Apply(patch)
	if err != nil {
		return data
	}
	return doc.Bytes()
}

// moves are the folders that one side has moved, by the ids of the nodes and workspaces in them: old to new.
type moves map[mdstore.Path]mdstore.Path

// of returns the path of a file after the moves.
func (ms moves) of(p mdstore.Path) mdstore.Path {
	for dir := p.Dir(); dir != ""; dir = dir.Dir() {
		if to, ok := ms[dir]; ok {
			return to + p[len(dir):]
		}
	}
	return p
}

// moved returns the folders that a side has moved since the base, and the files that it has added.
func (m *merging) moved(ctx context.Context, side string) (moves, []gitrepo.Delta, error) {
	all, err := m.r.Deltas(ctx, m.base, side)
	if err != nil {
		return nil, nil, err
	}
	var added []gitrepo.Delta
	var blobs []gitrepo.Blob
	var paths []mdstore.Path
	var fresh []bool // by index of paths: the side has added the file
	gone := 0
	for _, d := range all {
		p, ok := m.r.InFolder(d.Name)
		if !ok || d.Old.ID != "" && d.New.ID != "" || !d.Old.Plain() || !d.New.Plain() {
			continue
		}
		if d.Old.ID == "" {
			added = append(added, d)
		}
		if k := mdstore.AllKinds().Of(p); k == mdstore.NodeKind || k == mdstore.WorkspaceKind {
			blobs, paths, fresh = append(blobs, cmp.Or(d.Old, d.New)), append(paths, p), append(fresh, d.Old.ID == "")
			if d.New.ID == "" {
				gone++
			}
		}
	}
	if gone == 0 || gone == len(blobs) {
		return nil, added, nil
	}
	texts, err := readBlobs(ctx, m.r, blobs)
	old, ms := map[string]mdstore.Path{}, moves{}
	for _, pass := range []bool{false, true} {
		for i, p := range paths {
			id := identity(p, texts[i])
			if was, ok := old[id]; pass && fresh[i] && ok {
				ms[was.Dir()] = p.Dir()
			} else if !pass && !fresh[i] {
				old[id] = p
			}
		}
	}
	return ms, added, err
}

// follow applies changes of one side to the files that the other has moved. It returns the clashes that are left.
func (m *merging) follow(ctx context.Context, clashes []gitrepo.Clash) ([]gitrepo.Clash, error) {
	byOurs, ourNew, err := m.moved(ctx, m.ours)
	if err != nil {
		return nil, err
	}
	byTheirs, theirNew, err := m.moved(ctx, m.theirs)
	if err != nil || len(byOurs)+len(byTheirs) == 0 {
		return clashes, err
	}
	ours, err := m.r.Tree(ctx, m.ours)
	if err != nil {
		return nil, err
	}
	theirs, err := m.r.Tree(ctx, m.theirs)
	if err != nil {
		return nil, err
	}
	for i, c := range clashes {
		p, _ := m.r.InFolder(c.Name)
		to := p
		switch {
		case c.Ours.ID == "" && c.Base.ID != "":
			to = byOurs.of(p)
			c.Ours = ours[to]
		case c.Theirs.ID == "" && c.Base.ID != "":
			to = byTheirs.of(p)
			c.Theirs = theirs[to]
		}
		if to != p {
			m.put(c.Name, gitrepo.Blob{}, nil)
			c.Name = m.r.InRepo(to)
			clashes[i] = c
		}
	}
	for _, side := range []struct {
		added []gitrepo.Delta
		ms    moves
		taken map[mdstore.Path]gitrepo.Blob
	}{{ourNew, byTheirs, theirs}, {theirNew, byOurs, ours}} {
		for _, d := range side.added {
			p, _ := m.r.InFolder(d.Name)
			if to := side.ms.of(p); to != p && side.taken[to].ID == "" {
				m.put(d.Name, gitrepo.Blob{}, nil)
				m.put(m.r.InRepo(to), d.New, nil)
			}
		}
	}
	return clashes, nil
}
