package crashtest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// Model is a file system in memory that can compute what a power failure would leave of it.
//
// The bytes of a file are durable after Sync; before, a crash leaves none of those written since the last Sync, half
// of them, or all. A name is durable after SyncDir of its folder; before, a crash keeps any subset of the changes of
// names. A rename or exchange is kept whole or not at all, and is durable when both folders are synced. That is less
// than any journalling file system gives, and all that POSIX promises. Make one with NewModel. It is not safe for
// concurrent use.
type Model struct {
	nodes   []*node   // by their number; there is none with the number 0
	owner   *owner    // of the nodes that are no other model's too
	pending []*change // changes of names that are not durable, in order; each is as it was when it was put there

	NoExchange bool                    // Exchange fails with errors.ErrUnsupported, as on a network's file system
	NoLeases   bool                    // Writers answers osfs.Unknown
	AtStep     func()                  // called after each change; may be nil
	Fail       func(call string) error // called before each call; its error becomes the call's; may be nil
	Log        []string                // the calls that changed something, in order
}

var _ osfs.FS = (*Model)(nil)

// An owner is the one model that may change a node.
type owner struct{ _ byte }

type node struct {
	owner        *owner // nobody changes the node of another owner
	dir          bool
	data, synced string // of a file: its bytes, and the durable ones; the same if it is not dirty
	dirty        bool
	names, kept  map[string]int // of a folder: its entries, and the durable ones
	writers      int            // the number of programs that have the file open for writing
}

// A change has the edits of names in one step: all of them survive a crash, or none.
type change struct {
	edits []edit
	open  []int // the folders that must be synced before it is durable
}

type edit struct {
	dir  int
	name string
	to   int // 0: the name is removed
}

const top = 1

// newModel returns a file system that holds files, all durable, and the folders that they need.
func newModel(files map[mdstore.Path][]byte) *Model {
	c := &Model{nodes: make([]*node, top, top+2*len(files)), owner: new(owner)}
	c.add(folder())
	for _, p := range slices.Sorted(maps.Keys(files)) {
		dir := top
		for name := range strings.SplitSeq(string(p.Dir()), "/") {
			n, ok := c.nodes[dir].names[name]
			if !ok && name != "" {
				n = c.add(folder())
				c.nodes[dir].names[name], c.nodes[dir].kept[name] = n, n
			}
			if name != "" {
				dir = n
			}
		}
		n := c.add(&node{data: string(files[p]), synced: string(files[p])})
		c.nodes[dir].names[p.Base()], c.nodes[dir].kept[p.Base()] = n, n
	}
	return c
}

func folder() *node { return &node{dir: true, names: map[string]int{}, kept: map[string]int{}} }

func (c *Model) add(n *node) int {
	n.owner = c.owner
	c.nodes = append(c.nodes, n)
	return len(c.nodes) - 1
}

// own returns a node that c may change: the node with that number, or a copy in its place if other models have it too.
func (c *Model) own(id int) *node {
	n := c.nodes[id]
	if n.owner != c.owner {
		m := *n
		m.owner, m.names, m.kept = c.owner, maps.Clone(n.names), maps.Clone(n.kept)
		n, c.nodes[id] = &m, &m
	}
	return n
}

// find returns the number of the file or folder at p, 0 if there is none.
func (c *Model) find(p mdstore.Path) int {
	at := top
	if p == "" {
		return at
	}
	for name := range strings.SplitSeq(string(p), "/") {
		if at = c.nodes[at].names[name]; at == 0 {
			return 0
		}
	}
	return at
}

// file returns the file or folder at p. The error is that of the hook Fail, or an fs.ErrNotExist.
func (c *Model) file(op string, p mdstore.Path) (*node, error) {
	if err := c.call("%s %s", op, p); err != nil {
		return nil, err
	}
	n := c.nodes[c.find(p)]
	if n == nil {
		return nil, failed(op, p, fs.ErrNotExist)
	}
	return n, nil
}

func failed(op string, p mdstore.Path, err error) error {
	return &fs.PathError{Op: op, Path: string(p), Err: err}
}

func (c *Model) call(format string, args ...any) error {
	if c.Fail == nil {
		return nil
	}
	return c.Fail(fmt.Sprintf(format, args...))
}

// edit makes one change of names.
func (c *Model) edit(what string, edits ...edit) {
	ch := &change{edits: edits}
	for _, e := range edits {
		if !slices.Contains(ch.open, e.dir) {
			ch.open = append(ch.open, e.dir)
		}
		apply(c.own(e.dir).names, e)
	}
	c.pending = append(c.pending, ch)
	c.did(what)
}

func (c *Model) did(what string) {
	c.Log = append(c.Log, what)
	if c.AtStep != nil {
		c.AtStep()
	}
}

func apply(names map[string]int, e edit) {
	if e.to == 0 {
		delete(names, e.name)
	} else {
		names[e.name] = e.to
	}
}

// Lstat, and the other calls, are those of osfs.FS.
func (c *Model) Lstat(p mdstore.Path) (osfs.Info, error) {
	n, err := c.file("lstat", p)
	switch {
	case err != nil:
		return osfs.Info{}, err
	case n.dir:
		return osfs.Info{Mode: fs.ModeDir | 0o755}, nil
	}
	return osfs.Info{Mode: 0o644, Size: int64(len(n.data)), Links: 1}, nil
}

func (c *Model) ReadFile(p mdstore.Path, limit int64) ([]byte, osfs.Info, error) {
	n, err := c.file("read", p)
	if err != nil {
		return nil, osfs.Info{}, err
	}
	info := osfs.Info{Mode: 0o644, Size: int64(len(n.data)), Links: 1}
	if n.dir {
		info.Mode = fs.ModeDir
	}
	return []byte(n.data), info, osfs.CheckRegular(p, info.Mode, info.Size, limit)
}

func (c *Model) Names(p mdstore.Path) ([]string, error) {
	n, err := c.file("readdir", p)
	if err == nil && !n.dir {
		err = failed("readdir", p, fs.ErrNotExist)
	}
	if err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(n.names)), nil
}

func (c *Model) ReadDir(p mdstore.Path) ([]osfs.Entry, error) {
	names, err := c.Names(p)
	var out []osfs.Entry
	for _, name := range names {
		e := osfs.Entry{Name: name}
		if c.nodes[c.find(p.Join(name))].dir {
			e.Type = fs.ModeDir
		}
		out = append(out, e)
	}
	return out, err
}

// parent returns the folder of p, in which p does not exist if free is set.
func (c *Model) parent(op string, p mdstore.Path, free bool) (int, error) {
	dir := c.find(p.Dir())
	if dir == 0 || !c.nodes[dir].dir {
		return 0, failed(op, p, fs.ErrNotExist)
	}
	if _, taken := c.nodes[dir].names[p.Base()]; taken && free {
		return 0, failed(op, p, fs.ErrExist)
	}
	return dir, nil
}

func (c *Model) Mkdir(p mdstore.Path) error {
	if err := c.call("mkdir %s", p); err != nil {
		return err
	}
	dir, err := c.parent("mkdir", p, true)
	if err == nil {
		c.edit("mkdir "+string(p), edit{dir, p.Base(), c.add(folder())})
	}
	return err
}

func (c *Model) Create(p mdstore.Path, data []byte, _ mdstore.Path) error {
	if err := c.call("create %s", p); err != nil {
		return err
	}
	dir, err := c.parent("create", p, true)
	if err != nil {
		return err
	}
	n := c.add(&node{dirty: true})
	c.edit("create "+string(p), edit{dir, p.Base(), n})
	if err := c.call("write %s", p); err != nil {
		c.own(n).data = string(data[:len(data)/2]) // the disk became full in the middle
		return err
	}
	c.own(n).data = string(data)
	c.did("write " + string(p))
	return nil
}

func (c *Model) Sync(p mdstore.Path) error {
	if _, err := c.file("fsync", p); err != nil {
		return err
	}
	n := c.own(c.find(p))
	n.synced, n.dirty = n.data, false
	c.did("fsync " + string(p))
	return nil
}

func (c *Model) SyncDir(p mdstore.Path) error {
	n, err := c.file("fsyncdir", p)
	if err == nil && !n.dir {
		err = failed("fsyncdir", p, fs.ErrNotExist)
	}
	if err != nil {
		return err
	}
	for i, ch := range c.pending {
		if at := slices.Index(ch.open, c.find(p)); at >= 0 {
			c.pending[i] = &change{ch.edits, slices.Concat(ch.open[:at], ch.open[at+1:])}
		}
	}
	// Durable changes at the front are done; one after a pending change must stay after it.
	for len(c.pending) > 0 && len(c.pending[0].open) == 0 {
		for _, e := range c.pending[0].edits {
			apply(c.own(e.dir).kept, e)
		}
		c.pending = c.pending[1:]
	}
	c.did("fsyncdir " + string(p))
	return nil
}

func (c *Model) Exchange(a, b mdstore.Path) error {
	what := fmt.Sprintf("exchange %s %s", a, b)
	if err := c.call("%s", what); err != nil {
		return err
	}
	if c.NoExchange {
		return errors.ErrUnsupported
	}
	x, y := c.find(a), c.find(b)
	if x == 0 || y == 0 {
		return failed("exchange", a, fs.ErrNotExist)
	}
	c.edit(what, edit{c.find(a.Dir()), a.Base(), y}, edit{c.find(b.Dir()), b.Base(), x})
	return nil
}

func (c *Model) RenameNew(from, to mdstore.Path) error { return c.rename(from, to, true) }
func (c *Model) Rename(from, to mdstore.Path) error    { return c.rename(from, to, false) }

func (c *Model) rename(from, to mdstore.Path, free bool) error {
	what := fmt.Sprintf("rename %s %s", from, to)
	if err := c.call("%s", what); err != nil {
		return err
	}
	n := c.find(from)
	if n == 0 {
		return failed("rename", from, fs.ErrNotExist)
	}
	dir, err := c.parent("rename", to, free)
	if err == nil {
		c.edit(what, edit{c.find(from.Dir()), from.Base(), 0}, edit{dir, to.Base(), n})
	}
	return err
}

func (c *Model) Remove(p mdstore.Path) error {
	n, err := c.file("remove", p)
	if err != nil {
		return err
	}
	if n.dir && len(n.names) > 0 || p == "" {
		return failed("remove", p, errors.New("folder is not empty"))
	}
	c.edit("remove "+string(p), edit{c.find(p.Dir()), p.Base(), 0})
	return nil
}

func (c *Model) Writers(p mdstore.Path) osfs.Writers {
	switch n, err := c.file("writers", p); {
	case c.NoLeases || err != nil:
		return osfs.Unknown
	case n.writers > 0:
		return osfs.Open
	}
	return osfs.Closed
}

// Files returns the bytes of every file, and every folder under its path with a "/" at the end.
func (c *Model) Files() map[mdstore.Path]string {
	out := map[mdstore.Path]string{}
	c.walk(top, "", out)
	return out
}

func (c *Model) walk(dir int, p mdstore.Path, out map[mdstore.Path]string) {
	for name, n := range c.nodes[dir].names {
		q := p.Join(name)
		if c.nodes[n].dir {
			out[q+"/"] = ""
			c.walk(n, q, out)
		} else {
			out[q] = c.nodes[n].data
		}
	}
}

// Clone returns an independent copy, without the hooks.
func (c *Model) Clone() *Model {
	d := c.share()
	d.pending, d.Log = slices.Clone(c.pending), slices.Clone(c.Log)
	return d
}

// share returns a model with the same nodes, each of which is copied when one of both changes it.
func (c *Model) share() *Model {
	c.owner = new(owner)
	return &Model{nodes: slices.Clone(c.nodes), owner: new(owner), NoExchange: c.NoExchange, NoLeases: c.NoLeases}
}
