package mdstore

import (
	"context"
	"errors"
	"io/fs"

	"arbor/mdstore/mdoc"
)

// Scanner is the capability of stores that can say what the files of a workspace state without holding their bodies.
type Scanner interface {
	// Scan looks at every file of a workspace: at its stamp where an earlier scan, of this or another process, proves what it holds,
	// and at its bytes where nothing does. The error is ctx's, or a *BusyError.
	Scan(ctx context.Context, workspace Path) (*Scan, error)
}

// A Scan is what the files of a workspace state. It must not be modified.
type Scan struct {
	Records []Record // of the files that could be read, in the order of paths
	Damaged []File   // those whose bytes could be read, and whose document is closed to edits, in the order of paths
	Broken  []Broken // those that could not be read, in the order of paths; a missing file that its kind asks for is an fs.ErrNotExist
	Work    Work
}

// Broken is a file that could not be read.
type Broken struct {
	Path Path
	Err  error
}

// Missing reports whether the file is not there.
func (b Broken) Missing() bool {
	return errors.Is(b.Err, fs.ErrNotExist)
}

// Work counts what a scan has done: for tests of how its cost grows.
type Work struct {
	Stamped int // files and folders whose stamps were taken
	Listed  int // folders whose names were read
	Read    int // files that were read
	Written int // bytes of the cache that were written
}

// A Record is what is known of a sound file without its body.
type Record struct {
	Path    Path
	Stamp   Stamp
	Version Version
	Front   string // the bytes of the front matter, with the lines that begin and end it
	Facts   Facts
}

// RecordOf reads a file of a kind. ok is false for a damaged one, whose document is closed to edits.
func RecordOf(k *Kind, f File) (r Record, ok bool) {
	doc, _ := mdoc.Parse(string(f.Path), f.Data, k.Form)
	if doc.Editable() != nil {
		return Record{}, false
	}
	r = Record{Path: f.Path, Stamp: f.Stamp, Version: f.Version, Front: string(doc.Front())}
	if k.Facts == nil {
		r.Facts = DigestsOf(doc)
	} else {
		r.Facts = k.Facts(f.Path, doc)
	}
	return r, true
}

// Node returns the node that the record's file states, without its document.
func (r *Record) Node() *Node {
	doc, problems := mdoc.Parse(string(r.Path), []byte(r.Front), NodeForm)
	n := NodeOf(r.Path, r.Version, doc, problems)
	n.doc, n.facts, n.Stamp = nil, r.Facts, r.Stamp
	return n
}
