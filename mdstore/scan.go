package mdstore

import (
	"context"
	"errors"
	"io/fs"
	"strconv"
	"strings"

	"arbor/statemachine"
)

// Scanner is the capability of stores that can say what the files of a workspace state without holding their texts.
type Scanner interface {
	// Scan looks at every file of a workspace. If an earlier scan, of any process, proves the content for the file's
	// stamp, it looks only at the stamp, and otherwise at the bytes. With kinds it may skip folders that hold no file
	// of these kinds. The error is ctx's, or a *BusyError.
	Scan(ctx context.Context, workspace Path, kinds ...*Kind) (*Scan, error)
}

// A Scan is what the files of a workspace state. It must not be modified.
type Scan struct {
	Records []*Scanned // files whose facts are complete, in the order of paths
	Others  []File     // the other files that could be read, in the order of paths
	// those that could not be read, in the order of paths; a missing file that its kind asks for is an fs.ErrNotExist
	Broken []Broken
	Work   Work
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

// A Scanned is what is known of a sound file without its text.
type Scanned struct {
	Path    Path
	Stamp   Stamp
	Version Version
	Facts   Facts
}

// ScannedOf reads a file of a kind. ok is false if facts cannot stand for the file: it is closed to edits, or it is a
// node whose front matter has a problem.
func ScannedOf(k *Kind, f File) (r Scanned, ok bool) {
	doc, _ := ParseFile(f.Path, f.Data, k.Form)
	if doc.Editable() != nil {
		return Scanned{}, false
	}
	r = Scanned{Path: f.Path, Stamp: f.Stamp, Version: f.Version}
	if k.Facts == nil {
		r.Facts = DigestsOf(doc)
	} else {
		r.Facts = k.Facts(k, f.Path, doc)
	}
	return r, !r.Facts.has(factFront)
}

// Node returns the node that the scanned file states, without its document.
func (r *Scanned) Node() *Node {
	n := &Node{Path: r.Path, Stamp: r.Stamp, version: r.Version, facts: r.Facts}
	n.setFront(r.Facts.part(partFront))
	return n
}

// frontBetween separates the values that front returns.
const frontBetween = "\x1f"

// front returns the values of the node's front matter in one text; ok is false if it cannot hold them.
func (n *Node) front() (text string, ok bool) {
	values := []string{string(n.ID), n.Title, string(n.Type), string(n.Status), n.stated,
		n.gaps.letters(), n.Ticked, strconv.Itoa(n.open[0]), strconv.Itoa(n.open[1]),
		strconv.FormatInt(n.CreatedAt, 10), strconv.FormatInt(n.UpdatedAt, 10)}
	for _, f := range AllFields() {
		values = append(values, n.Text(f))
	}
	text = strings.Join(values, frontBetween)
	return text, strings.Count(text, frontBetween) == len(values)-1 && !strings.Contains(text, factsBetween)
}

// setFront undoes front.
func (n *Node) setFront(text string) {
	next := func() string {
		value, rest, _ := strings.Cut(text, frontBetween)
		text = rest
		return value
	}
	n.ID, n.Title = ID(next()), next()
	n.Type, n.Status = statemachine.Type(next()), statemachine.Status(next())
	n.setParent(next())
	n.gaps.set(next())
	n.Ticked = next()
	n.open[0], _ = strconv.Atoi(next())
	n.open[1], _ = strconv.Atoi(next())
	n.CreatedAt, _ = strconv.ParseInt(next(), 10, 64)
	n.UpdatedAt, _ = strconv.ParseInt(next(), 10, 64)
	for _, f := range AllFields() {
		n.set(f, next())
	}
}
