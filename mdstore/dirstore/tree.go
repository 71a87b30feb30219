package dirstore

import (
	"io/fs"
	"sync"

	"arbor/mdstore"
)

// A tree is what the last walk over a workspace found. The next walk lists only the folders, and reads only the files,
// whose stamps have changed.
type tree struct {
	mu     sync.Mutex // held during a walk, which updates the entries in place, one by one
	under  mdstore.Path
	asks   bool // a workspace: report its Workspace.md if it is missing
	places []*kindFolder

	stale int // entries that the cache file does not prove
	total int // entries of the cache file; 0 if there is no such file
}

// A kindFolder is a folder of a workspace in which files of some kinds lie.
type kindFolder struct {
	kinds []*mdstore.Kind
	fixed bool          // each kind has one file, directly in the folder, so the folder need not be listed
	deep  bool          // files lie at any depth
	named *mdstore.Kind // the first kind at any depth whose files have one name; nil for none
	top   folder
}

// A folder is what was found in a folder.
type folder struct {
	path    mdstore.Path
	stamp   mdstore.Stamp // taken before the names were listed: while it is the same, so are they
	entries []entry       // the names that concern a kind, in their order
}

// An entry is a file of a kind, a folder to look into, or a link that may lead to one.
type entry struct {
	path   mdstore.Path
	kind   *mdstore.Kind    // of a file, or of anything that has the name of one
	record *mdstore.Scanned // of a sound file, with the stamp under which it was read; nil where nothing is known
	folder *folder          // of a folder
}

// newTree returns the tree of a workspace that was never scanned.
func newTree(kinds mdstore.Kinds, under mdstore.Path) *tree {
	t := &tree{under: under}
	for _, k := range kinds.In(under) {
		t.asks = t.asks || k == mdstore.WorkspaceKind
		dir := k.Folder(under)
		p := t.at(dir)
		if p == nil {
			p = &kindFolder{fixed: true, top: folder{path: dir}}
			t.places = append(t.places, p)
		}
		p.kinds = append(p.kinds, k)
		p.deep = p.deep || k.Place.Deep
		p.fixed = p.fixed && !k.Place.Deep && !k.Place.Each && !k.Place.Many()
		p.top.entries = append(p.top.entries, entry{path: dir.Join(k.Place.Name), kind: k})
		if p.named == nil && k.Place.Deep && !k.Place.Many() {
			p.named = k
		}
	}
	for _, p := range t.places {
		if !p.fixed {
			p.top.entries = nil
		}
	}
	return t
}

// at returns the place whose folder is dir, or nil.
func (t *tree) at(dir mdstore.Path) *kindFolder {
	for _, p := range t.places {
		if p.top.path == dir {
			return p
		}
	}
	return nil
}

// kindOf returns the kind of a file with this name in the place, or nil. top says that it is directly in the place's
// folder.
func (p *kindFolder) kindOf(name string, mode fs.FileMode, top bool) *mdstore.Kind {
	for _, k := range p.kinds {
		asFolder := mode.IsDir() && (k.Place.Many() || top && k.Place.Each)
		if k.Place.Names(name) && (top || k.Place.Deep) && !asFolder {
			return k
		}
	}
	return nil
}

// fileIn returns the path under which a walk reports that it cannot look into dir: that of the file expected there, if
// its name is known, or else dir.
func (p *kindFolder) fileIn(dir mdstore.Path) mdstore.Path {
	if p.named == nil {
		return dir
	}
	return dir.Join(p.named.Place.Name)
}
