package dirstore

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

var _ mdstore.Skimming = (*Store)(nil)

// Skim returns what List yields under a workspace's folder, without the documents. Of what is known it takes the files whose stamps are the same; so it does of what an
// earlier process has kept, where nothing is known. Only files that were left alone for a while are told apart by their stamps; the others are read.
func (s *Store) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	return s.skim(ctx, under, known, trusting, s.Generation, skimRounds)
}

func (x *exclusive) Skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool) (*mdstore.Skimmed, error) {
	return x.skim(ctx, under, known, trusting, x.Generation, skimRounds)
}

// skimRounds is how often a workspace is skimmed anew when folders come and go meanwhile.
const skimRounds = 3

func (s *Store) skim(ctx context.Context, under mdstore.Path, known *mdstore.Skimmed, trusting bool, sequence func(context.Context) (uint64, error), rounds int) (*mdstore.Skimmed, error) {
	seq, err := sequence(ctx)
	if err != nil {
		return nil, err
	}
	out := &mdstore.Skimmed{Sequence: seq}
	broken := func(p mdstore.Path, err error) { out.Broken = append(out.Broken, mdstore.Broken{Path: p, Err: err}) }
	if !under.Valid() {
		broken(under, &fs.PathError{Op: "list", Path: string(under), Err: fs.ErrInvalid})
		return out, nil
	}
	if err := s.linked(under); err != nil {
		broken(mdstore.WorkspacePath(under), err)
		return out, nil
	}
	if in := s.reading(mdstore.WorkspacePath(under)); in.err != nil {
		broken(in.file.Path, in.err)
	}
	dir := under.Join(mdstore.NodesDir)
	k := &skimmer{s: s, ctx: ctx, dir: dir, prefix: string(dir) + "/", began: s.now(), old: s.ground(under, known), era: s.era()}
	if err := s.linked(dir); err != nil {
		broken(dir, err)
		return out, nil
	}
	top, err := s.disk.Folder(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	if err == nil {
		defer top.Close()
		k.top, k.leaves = top, s.leavesOf(top, mdstore.NodeFile)
		if trusting {
			k.trust(ctx, s, seq)
		}
		err = k.list()
	}
	if err != nil {
		broken(dir, folderError(dir, err))
		return out, nil
	}
	if err := k.reap(out); err != nil {
		return nil, err
	}
	if now, err := k.top.Self(); rounds > 0 && (err != nil || now.Stamp != k.self) {
		// A folder came, went or got another name while they were looked at: one may have been missed at both of its places.
		return s.skim(ctx, under, out, false, sequence, rounds-1)
	}
	out.Unproven = k.look != nil
	// Who has looked at everything leaves to those who trust what he has found: they would not find it themselves.
	if g := s.held(under, out); k.look == nil && (k.renewed > 0 || !sameShape(k.old.tree, out.Private.(*ground).tree) || trusting && k.old.seq != seq || k.era != k.old.era) || g.drifted(k.root.stamp.Firm && k.listed.Listed > 0) {
		out.Private.(*ground).drift = 0
		s.keep(g)
	}
	return out, nil
}

// A ground is what a skim has found where, for the next one.
type ground struct {
	under mdstore.Path
	tree  []folder // nodes/ and all below it
	nodes []mdstore.Node
	seq   uint64 // before they were looked at
	era   uint64 // as Store.era has it, then
	count int    // of the nodes, to know them again
	drift int    // how many files were read since it was written
	ours  bool   // nobody else has the nodes: they may be handed on as they are
}

// drifted reports whether what is known is worth writing again: several files have to be read by whoever takes what was written last, or all names. Where many files
// are known, more of them may be read, but no more than the notes of the last commits have room for.
func (g *ground) drifted(listed bool) bool {
	return listed || g.drift > min(max(8, len(g.nodes)/64), 128)
}

// A folder is what was found in one.
type folder struct {
	name  string
	stamp mdstore.Stamp // before its names were listed: while it is the same, so are they; zero for a link
	span  int32         // itself and the folders below it, which follow it in the order of the paths below them
	link  bool          // a link, which may lead to a folder now, or later
	file  bool          // something in it has the name Node.md
	odd   bool          // of those right below nodes/: something there could not be read, or has a problem
}

// held returns what a Skim has returned, nil where it is not of this workspace.
func (s *Store) held(under mdstore.Path, known *mdstore.Skimmed) *ground {
	if known == nil {
		return nil
	}
	g, ok := known.Private.(*ground)
	if !ok || g.under != under || g.count != len(known.Nodes) {
		return nil
	}
	now := *g
	now.nodes, now.seq = known.Nodes, known.Sequence
	return &now
}

// ground returns what is known of a workspace: by this process, or by an earlier one. Its tree is empty where that is nothing.
func (s *Store) ground(under mdstore.Path, known *mdstore.Skimmed) *ground {
	if g := s.held(under, known); g != nil {
		return g
	}
	if g, err := s.readIndex(under); err == nil {
		return g
	}
	return &ground{under: under}
}

// A skimmer looks at the nodes of a workspace.
type skimmer struct {
	s       *Store
	ctx     context.Context
	dir     mdstore.Path // nodes/
	prefix  string       // of the paths below it
	began   time.Time
	old     *ground
	era     uint64
	look    map[string]bool // when trusting: what is to be looked at right below nodes/; nil: everything
	top     osfs.Folder
	leaves  *osfs.Leaves // nil where there is no faster way than through Folders
	root    folder
	self    mdstore.Stamp // of nodes/, before its names were listed
	tops    []top
	listed  mdstore.Work
	renewed int // files that are not as they were known
}

// A top is a name right below nodes/.
type top struct {
	name string
	kind fs.FileMode // a folder, a link; anything else for Node.md itself
	was  int32       // in the old tree; 0 where it was not there, or was something else
	look bool        // even when trusting
}

// list finds the names right below nodes/: those that are known, if its stamp is the same.
func (k *skimmer) list() error {
	self, err := k.top.Self()
	if err != nil {
		return err
	}
	k.listed.Stamped++
	k.self, k.root = self.Stamp, folder{stamp: firm(self.Stamp, k.began)}
	old := k.old.tree
	if len(old) > 0 && old[0].stamp.Same(k.root.stamp) {
		k.root.file = old[0].file
		k.tops = make([]top, 0, len(old))
		placed := !old[0].file
		for i := int32(1); i < old[0].span; i += old[i].span {
			if f := &old[i]; !placed && byPaths(mdstore.NodeFile, f.name, true, false) < 0 {
				placed = true
				k.tops = append(k.tops, top{name: mdstore.NodeFile, look: true})
			}
			t := top{name: old[i].name, kind: fs.ModeDir, was: i}
			if old[i].link {
				t.kind = fs.ModeSymlink
			}
			k.tops = append(k.tops, t)
		}
		if !placed {
			k.tops = append(k.tops, top{name: mdstore.NodeFile, look: true})
		}
		return nil
	}
	entries, err := folders(k.top, true)
	if err != nil {
		return err
	}
	k.listed.Listed++
	if k.look != nil && k.went(entries) {
		k.look = nil
	}
	k.tops = make([]top, 0, len(entries))
	was := kids{old, 1}
	for _, e := range entries {
		t := top{name: e.Name, kind: e.Type}
		if isFile(e, true) {
			t.kind, t.look, k.root.file = 0, true, true
		} else {
			t.was = was.find(e.Name, t.kind&fs.ModeSymlink != 0)
			t.look = t.was == 0 || e.Inode == 0 || old[t.was].stamp.Inode != e.Inode
		}
		k.tops = append(k.tops, t)
	}
	return nil
}

// went reports whether a folder went that nobody has committed, and has not got another name only: it may have gone into another folder, which then shows in
// nothing else.
func (k *skimmer) went(entries []osfs.Entry) bool {
	old := k.old.tree
	met, came := make([]bool, len(old)), map[uint64]bool{}
	was := kids{old, 1}
	for _, e := range entries {
		if isFile(e, true) {
			continue
		}
		if i := was.find(e.Name, e.Type&fs.ModeSymlink != 0); i != 0 && (e.Inode == 0 || old[i].stamp.Inode == e.Inode) {
			met[i] = true
		} else if e.Inode != 0 {
			came[e.Inode] = true
		}
	}
	for i := int32(1); i < old[0].span; i += old[i].span {
		if !met[i] && !k.look[old[i].name] && !came[old[i].stamp.Inode] {
			return true
		}
	}
	return false
}

// kids finds folders among those of an old tree, asked in the order of their paths.
type kids struct {
	tree []folder
	at   int32
}

func (k *kids) find(name string, link bool) int32 {
	for ; int(k.at) < len(k.tree); k.at += k.tree[k.at].span {
		f := &k.tree[k.at]
		if c := byPaths(f.name, name, false, false); c > 0 {
			break
		} else if c == 0 {
			if f.link != link {
				break
			}
			return k.at
		}
	}
	return 0
}

// trust decides what is to be looked at of what is known: what was committed since. It leaves look nil where all is.
func (k *skimmer) trust(ctx context.Context, s *Store, seq uint64) {
	old := k.old
	if len(old.tree) == 0 || old.seq%2 != 0 || seq%2 != 0 || k.era != old.era { // a checkout may have changed any file, and no folder
		return
	}
	if self, err := k.top.Self(); err != nil || self.Stamp.Inode == 0 || self.Stamp.Inode != old.tree[0].stamp.Inode {
		return // another folder has come in its place
	}
	look := map[string]bool{}
	if seq != old.seq {
		paths, ok := s.ChangedSince(ctx, old.seq, seq)
		if !ok {
			return
		}
		for _, p := range paths {
			if k.dir.Under(p) {
				return
			}
			if rest, ok := strings.CutPrefix(string(p), k.prefix); ok {
				name, _, _ := strings.Cut(rest, "/")
				look[name] = true
			}
		}
	}
	k.look = look
}

// trusted reports whether what is known of a folder is taken without a look at it.
func (k *skimmer) trusted(t *top) bool {
	return k.look != nil && t.was > 0 && !t.look && !k.look[t.name] && !k.old.tree[t.was].odd && !k.old.tree[t.was].link
}

// sameShape reports whether two trees have the same folders, and the same of them are to be looked at each time.
func sameShape(a, b []folder) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		x, y := a[i], b[i]
		x.stamp, y.stamp = mdstore.Stamp{}, mdstore.Stamp{}
		if x != y {
			return false
		}
	}
	return true
}
