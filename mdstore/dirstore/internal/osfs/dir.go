package osfs

import (
	"os"

	"arbor/mdstore"
)

// A Dir is the open folder of a vault, for taking the stamps of many files: Stat takes one system call. It must be
// closed.
type Dir struct {
	root *os.Root
	top  *os.File // the folder itself; Stat asks below its descriptor
}

// OpenDir opens the folder of a root.
func OpenDir(r *os.Root) (*Dir, error) {
	top, err := r.Open(".")
	if err != nil {
		return nil, err
	}
	return &Dir{root: r, top: top}, nil
}

// Close closes what OpenDir has opened.
func (d *Dir) Close() error { return d.top.Close() }

// Read reads a file that Stat has just called a regular one, as Root.ReadStamped does.
func (d *Dir) Read(p mdstore.Path, limit int64) ([]byte, mdstore.Stamp, error) {
	data, info, err := Root{R: d.root}.readRegular(p, limit)
	return data, info.Stamp, err
}
