// Package crashfs is a file system in memory that knows what would be left of
// it if the power failed now.
//
// The bytes of a file are durable after Sync; before, a crash leaves none of
// those written since the last Sync, half of them, or all. A name is durable
// after SyncDir of its folder; before, a crash keeps any subset of the changes
// of names. A rename or exchange is kept whole or not at all, and is durable
// when both folders are synced. That is less than any journalling file system
// gives, and all that POSIX leaves to be relied on.
package crashfs

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// FS is such a file system. Make one with New. It is not safe for concurrent use.
type FS struct {
	nodes   map[int]*node
	next    int
	pending []*change // changes of names that are not durable, in order
	boots   int       // how often the power has failed

	// NoExchange makes Exchange fail with errors.ErrUnsupported, as on a network's file system.
	NoExchange bool
	// NoLeases makes Writers answer disk.Unknown.
	NoLeases bool
	// AtStep, if set, is called after each step that changes something.
	AtStep func()
	// Fail, if set, is asked before each call; the error that it returns is the call's.
	Fail func(call string) error
	// Log names the calls that changed something.
	Log []string
}

var _ disk.FS = (*FS)(nil)

type node struct {
	dir          bool
	data, synced []byte // of a file: what it holds, and what of that is durable
	dirty        bool
	names, kept  map[string]int // of a folder: its entries, and those that are durable
	writers      int            // how many have a file open for writing
	inPlace      bool           // what is not durable was written over what is
}

// A change is what one step does to names: all its edits survive or none.
type change struct {
	edits []edit
	open  map[int]bool // the folders that it waits for
}

type edit struct {
	dir  int
	name string
	to   int // 0: the name goes
}

const top = 1

// New returns a file system that holds files, all durable, and the folders that they need.
func New(files map[mdstore.Path][]byte) *FS {
	c := &FS{nodes: map[int]*node{top: folder()}, next: top}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		dir := top
		if p.Dir() != "" {
			for name := range strings.SplitSeq(string(p.Dir()), "/") {
				n, ok := c.nodes[dir].names[name]
				if !ok {
					n = c.add(folder())
					c.nodes[dir].names[name], c.nodes[dir].kept[name] = n, n
				}
				dir = n
			}
		}
		n := c.add(&node{data: slices.Clone(files[p]), synced: slices.Clone(files[p])})
		c.nodes[dir].names[p.Base()], c.nodes[dir].kept[p.Base()] = n, n
	}
	return c
}

func folder() *node { return &node{dir: true, names: map[string]int{}, kept: map[string]int{}} }

func (c *FS) add(n *node) int {
	c.next++
	c.nodes[c.next] = n
	return c.next
}

// find returns the number of what is at p, 0 where there is nothing.
func (c *FS) find(p mdstore.Path) int {
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

func failed(op string, p mdstore.Path, err error) error {
	return &fs.PathError{Op: op, Path: string(p), Err: err}
}

func (c *FS) call(format string, args ...any) error {
	if c.Fail == nil {
		return nil
	}
	return c.Fail(fmt.Sprintf(format, args...))
}

func (c *FS) did(format string, args ...any) {
	c.Log = append(c.Log, fmt.Sprintf(format, args...))
	if c.AtStep != nil {
		c.AtStep()
	}
}

// edit records and makes one step of names.
func (c *FS) edit(edits ...edit) {
	ch := &change{edits: edits, open: map[int]bool{}}
	for _, e := range edits {
		ch.open[e.dir] = true
		apply(c.nodes[e.dir].names, e)
	}
	c.pending = append(c.pending, ch)
}

func apply(names map[string]int, e edit) {
	if e.to == 0 {
		delete(names, e.name)
	} else {
		names[e.name] = e.to
	}
}

// Lstat, and the other calls, are those of disk.FS.
func (c *FS) Lstat(p mdstore.Path) (disk.Info, error) {
	if err := c.call("lstat %s", p); err != nil {
		return disk.Info{}, err
	}
	n := c.nodes[c.find(p)]
	switch {
	case n == nil:
		return disk.Info{}, failed("lstat", p, fs.ErrNotExist)
	case n.dir:
		return disk.Info{Mode: fs.ModeDir | 0o755}, nil
	}
	return disk.Info{Mode: 0o644, Size: int64(len(n.data)), Links: 1}, nil
}

func (c *FS) ReadFile(p mdstore.Path, limit int64) ([]byte, error) {
	if err := c.call("read %s", p); err != nil {
		return nil, err
	}
	n := c.nodes[c.find(p)]
	if n == nil {
		return nil, failed("read", p, fs.ErrNotExist)
	}
	mode := fs.FileMode(0)
	if n.dir {
		mode = fs.ModeDir
	}
	if err := disk.CheckRegular(p, mode, int64(len(n.data)), limit); err != nil {
		return nil, err
	}
	return slices.Clone(n.data), nil
}

func (c *FS) ReadDir(p mdstore.Path) ([]disk.Entry, error) {
	if err := c.call("readdir %s", p); err != nil {
		return nil, err
	}
	n := c.nodes[c.find(p)]
	if n == nil || !n.dir {
		return nil, failed("readdir", p, fs.ErrNotExist)
	}
	var out []disk.Entry
	for _, name := range slices.Sorted(maps.Keys(n.names)) {
		e := disk.Entry{Name: name}
		if c.nodes[n.names[name]].dir {
			e.Type = fs.ModeDir
		}
		out = append(out, e)
	}
	return out, nil
}

// parent returns the folder of p, in which p does not exist if free is set.
func (c *FS) parent(op string, p mdstore.Path, free bool) (int, error) {
	dir := c.find(p.Dir())
	if dir == 0 || !c.nodes[dir].dir {
		return 0, failed(op, p, fs.ErrNotExist)
	}
	if _, taken := c.nodes[dir].names[p.Base()]; taken && free {
		return 0, failed(op, p, fs.ErrExist)
	}
	return dir, nil
}

func (c *FS) Mkdir(p mdstore.Path) error {
	if err := c.call("mkdir %s", p); err != nil {
		return err
	}
	dir, err := c.parent("mkdir", p, true)
	if err != nil {
		return err
	}
	c.edit(edit{dir, p.Base(), c.add(folder())})
	c.did("mkdir %s", p)
	return nil
}

func (c *FS) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	if err := c.call("create %s", p); err != nil {
		return err
	}
	dir, err := c.parent("create", p, true)
	if err != nil {
		return err
	}
	n := &node{data: []byte{}, dirty: true}
	c.edit(edit{dir, p.Base(), c.add(n)})
	c.did("create %s", p)
	if err := c.call("write %s", p); err != nil {
		n.data = slices.Clone(data[:len(data)/2]) // the disk was full in the middle
		return err
	}
	n.data = slices.Clone(data)
	c.did("write %s", p)
	return nil
}

// Overwrite writes into the file that is there.
func (c *FS) Overwrite(p mdstore.Path, data []byte) error {
	if err := c.call("overwrite %s", p); err != nil {
		return err
	}
	n := c.nodes[c.find(p)]
	if n == nil || n.dir {
		return failed("overwrite", p, fs.ErrNotExist)
	}
	n.data = append(slices.Clone(data), n.data[min(len(data), len(n.data)):]...)
	n.dirty, n.inPlace = true, true
	c.did("overwrite %s", p)
	return nil
}

// Boot tells what was before a power failure from what came after it.
func (c *FS) Boot() string { return fmt.Sprint("boot ", c.boots) }

func (c *FS) Exchange(a, b mdstore.Path) error {
	if err := c.call("exchange %s %s", a, b); err != nil {
		return err
	}
	if c.NoExchange {
		return errors.ErrUnsupported
	}
	x, y := c.find(a), c.find(b)
	if x == 0 || y == 0 {
		return failed("exchange", a, fs.ErrNotExist)
	}
	c.edit(edit{c.find(a.Dir()), a.Base(), y}, edit{c.find(b.Dir()), b.Base(), x})
	c.did("exchange %s %s", a, b)
	return nil
}

func (c *FS) RenameNew(from, to mdstore.Path) error { return c.rename(from, to, true) }

func (c *FS) Rename(from, to mdstore.Path) error { return c.rename(from, to, false) }

func (c *FS) rename(from, to mdstore.Path, free bool) error {
	if err := c.call("rename %s %s", from, to); err != nil {
		return err
	}
	n := c.find(from)
	if n == 0 {
		return failed("rename", from, fs.ErrNotExist)
	}
	dir, err := c.parent("rename", to, free)
	if err != nil {
		return err
	}
	c.edit(edit{c.find(from.Dir()), from.Base(), 0}, edit{dir, to.Base(), n})
	c.did("rename %s %s", from, to)
	return nil
}

func (c *FS) Remove(p mdstore.Path) error {
	if err := c.call("remove %s", p); err != nil {
		return err
	}
	n := c.nodes[c.find(p)]
	if n == nil || p == "" {
		return failed("remove", p, fs.ErrNotExist)
	}
	if n.dir && len(n.names) > 0 {
		return failed("remove", p, errors.New("folder is not empty"))
	}
	c.edit(edit{c.find(p.Dir()), p.Base(), 0})
	c.did("remove %s", p)
	return nil
}

// Save makes the file at p hold data as an editor does that knows nothing of
// durability. An existing file keeps its identity.
func (c *FS) Save(p mdstore.Path, data []byte) {
	if n := c.nodes[c.find(p)]; n != nil {
		n.data, n.dirty = slices.Clone(data), true
		return
	}
	dir, err := c.parent("save", p, true)
	if err != nil {
		panic(fmt.Sprintf("crashfs: %v", err))
	}
	c.edit(edit{dir, p.Base(), c.add(&node{data: slices.Clone(data), dirty: true})})
}

// Files returns the bytes of every file, and every folder under its path with a "/" at the end.
func (c *FS) Files() map[mdstore.Path]string {
	out := map[mdstore.Path]string{}
	c.walk(top, "", out)
	return out
}

func (c *FS) walk(dir int, p mdstore.Path, out map[mdstore.Path]string) {
	for name, n := range c.nodes[dir].names {
		q := p.Join(name)
		if c.nodes[n].dir {
			out[q+"/"] = ""
			c.walk(n, q, out)
		} else {
			out[q] = string(c.nodes[n].data)
		}
	}
}

// Clone returns a copy that goes its own way, without the hooks.
func (c *FS) Clone() *FS {
	d := &FS{nodes: make(map[int]*node, len(c.nodes)), next: c.next, boots: c.boots, NoExchange: c.NoExchange, NoLeases: c.NoLeases, Log: slices.Clone(c.Log)}
	for id, n := range c.nodes {
		d.nodes[id] = &node{n.dir, n.data, n.synced, n.dirty, maps.Clone(n.names), maps.Clone(n.kept), n.writers, n.inPlace}
	}
	for _, ch := range c.pending {
		d.pending = append(d.pending, &change{ch.edits, maps.Clone(ch.open)})
	}
	return d
}
