package crashfs

import (
	"io/fs"
	"slices"

	"arbor/mdstore"
)

// SyncData is Sync: of a file's attributes nothing is known here.
func (c *FS) SyncData(p mdstore.Path) error { return c.Sync(p) }

func (c *FS) Sync(p mdstore.Path) error {
	if err := c.call("fsync %s", p); err != nil {
		return err
	}
	n := c.nodes[c.find(p)]
	if n == nil {
		return failed("fsync", p, fs.ErrNotExist)
	}
	n.synced, n.dirty, n.inPlace = slices.Clone(n.data), false, false
	c.did("fsync %s", p)
	return nil
}

func (c *FS) SyncDir(p mdstore.Path) error {
	if err := c.call("fsyncdir %s", p); err != nil {
		return err
	}
	dir := c.find(p)
	if dir == 0 || !c.nodes[dir].dir {
		return failed("fsyncdir", p, fs.ErrNotExist)
	}
	for _, ch := range c.pending {
		delete(ch.open, dir)
	}
	// Those at the front can be settled; one behind an undecided one must stay behind it.
	for len(c.pending) > 0 && len(c.pending[0].open) == 0 {
		for _, e := range c.pending[0].edits {
			apply(c.nodes[e.dir].kept, e)
		}
		c.pending = c.pending[1:]
	}
	c.did("fsyncdir %s", p)
	return nil
}

// SyncFS makes all that there is durable, at once.
func (c *FS) SyncFS() {
	for _, n := range c.nodes {
		if !n.dir {
			n.synced, n.dirty, n.inPlace = slices.Clone(n.data), false, false
		}
	}
	for _, ch := range c.pending {
		for _, e := range ch.edits {
			apply(c.nodes[e.dir].kept, e)
		}
	}
	c.pending = nil
	c.did("syncfs")
}
