package crashtest

import (
	"fmt"

	"arbor/mdstore"
)

// Save writes data to the file at p, as an editor does, without a sync. An existing file keeps its identity.
func (c *Model) Save(p mdstore.Path, data []byte) {
	if id := c.find(p); id != 0 {
		n := c.own(id)
		n.data, n.dirty = string(data), true
		return
	}
	dir, err := c.parent("save", p, true)
	if err != nil {
		panic(fmt.Sprintf("crashtest: %v", err))
	}
	e := edit{dir, p.Base(), c.add(&node{data: string(data), dirty: true})}
	c.pending = append(c.pending, &change{[]edit{e}, []int{dir}})
	apply(c.own(dir).names, e)
}

// A Writer is a program that has a file open for writing. It writes to that file under whatever name it then has; if
// the file has been removed, the bytes are lost.
type Writer struct {
	c  *Model
	id int
}

// Open opens the file at p, which must exist.
func (c *Model) Open(p mdstore.Path) *Writer {
	id := c.find(p)
	c.own(id).writers++
	return &Writer{c, id}
}

// Write replaces the content of the file by data.
func (w *Writer) Write(data []byte) {
	n := w.c.own(w.id)
	n.data, n.dirty = string(data), true
}

// Read returns the content of the file.
func (w *Writer) Read() []byte { return []byte(w.c.nodes[w.id].data) }

// Close closes the file. It must be called once.
func (w *Writer) Close() { w.c.own(w.id).writers-- }
