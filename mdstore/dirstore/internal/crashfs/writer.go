package crashfs

import (
	"fmt"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// A Writer is somebody who has a file open for writing. What they write lands in that file, wherever its name is by then, and
// nowhere if it has none any more.
type Writer struct {
	c  *FS
	id int
}

// Open opens the file at p, which must exist.
func (c *FS) Open(p mdstore.Path) *Writer {
	id := c.find(p)
	if n := c.nodes[id]; n == nil || n.dir {
		panic(fmt.Sprintf("crashfs: %s: no file to open", p))
	}
	c.nodes[id].writers++
	return &Writer{c, id}
}

// Write makes the file hold data.
func (w *Writer) Write(data []byte) {
	n := w.c.nodes[w.id]
	n.data, n.dirty = slices.Clone(data), true
}

// Close ends the writing. It must be called once.
func (w *Writer) Close() { w.c.nodes[w.id].writers-- }

// In returns the same writer on a Clone.
func (w *Writer) In(c *FS) *Writer { return &Writer{c, w.id} }

// Writers counts those that have the file open.
func (c *FS) Writers(p mdstore.Path) disk.Writers {
	n := c.nodes[c.find(p)]
	switch {
	case c.NoLeases || n == nil || c.call("writers %s", p) != nil:
		return disk.Unknown
	case n.writers > 0:
		return disk.Somebody
	}
	return disk.Nobody
}

// Read returns what the file holds.
func (w *Writer) Read() []byte { return slices.Clone(w.c.nodes[w.id].data) }
