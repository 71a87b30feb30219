package mdstore

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore/mdoc"
	"arbor/statemachine"
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
	return recordOf(k, f.Path, f.Stamp, f.Version, doc), true
}

func recordOf(k *Kind, p Path, s Stamp, v Version, doc *mdoc.Doc) Record {
	r := Record{Path: p, Stamp: s, Version: v, Front: string(doc.Front())}
	if k.Facts == nil {
		r.Facts = DigestsOf(doc)
	} else {
		r.Facts = k.Facts(p, doc)
	}
	return r
}

// Node returns the node that the record's file states, without its document.
func (r *Record) Node() *Node {
	if n, ok := r.plainNode(); ok {
		return n
	}
	doc, problems := mdoc.Parse(string(r.Path), []byte(r.Front), NodeForm)
	n := NodeOf(r.Path, r.Version, doc, problems)
	n.doc, n.facts, n.Stamp = nil, r.Facts, r.Stamp
	return n
}

// plainNode reads front matter of the usual form that has no fault; ok is false for any other.
func (r *Record) plainNode() (n *Node, ok bool) {
	fields, ok := mdoc.ReadFields([]byte(r.Front))
	if !ok {
		return nil, false
	}
	n = &Node{Path: r.Path, Stamp: r.Stamp, version: r.Version, facts: r.Facts, Order: math.NaN()}
	for i := range fields {
		f := &fields[i]
		switch f.Key {
		case KeyID:
			n.ID = ID(f.Value)
		case KeyTitle:
			n.Title = f.Value
		case KeyType:
			n.Type = typeNamed(f.Value)
		case KeyStatus:
			n.Status = statusNamed(f.Value)
		case KeyRole:
			n.Role = Role(f.Value)
			ok = n.Role == RoleNone || slices.Contains(Roles(), n.Role)
		case KeyParent:
			n.Parent = ID(f.Value)
		case KeyIsolated:
			n.Isolated = f.Kind == mdoc.Bool && strings.EqualFold(f.Value, "true")
			ok = f.Kind == mdoc.Bool || f.Kind == mdoc.Null
		case KeyCreated:
			n.CreatedAt, ok = milliseconds(f)
		case KeyUpdated:
			n.UpdatedAt, ok = milliseconds(f)
		case KeyOrder:
			if f.Kind != mdoc.Null {
				var err error
				n.Order, err = strconv.ParseFloat(f.Value, 64)
				ok = err == nil && !math.IsNaN(n.Order)
			}
		default:
			continue
		}
		if !ok || f.Kind == mdoc.Nested { // NodeOf says what is wrong with it
			return nil, false
		}
	}
	if n.Title == "" {
		n.Title = string(n.ID)
	}
	return n, n.ID.Valid() && n.Type != "" && statemachine.Valid(n.Type, n.Status)
}

func milliseconds(f *mdoc.Field) (int64, bool) {
	if f.Kind == mdoc.Null {
		return 0, true
	}
	v, err := strconv.ParseInt(f.Value, 10, 64)
	return v, err == nil
}

// typeNamed returns the type of that name, "" for none, without holding on to the text that names it.
func typeNamed(name string) statemachine.Type {
	for _, t := range statemachine.Types() {
		if string(t) == name {
			return t
		}
	}
	return ""
}

// statusNamed is typeNamed for a status of any type.
func statusNamed(name string) statemachine.Status {
	for _, t := range statemachine.Types() {
		for _, s := range statemachine.Statuses(t) {
			if string(s) == name {
				return s
			}
		}
	}
	return statemachine.Status(name)
}
