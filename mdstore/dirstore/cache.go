package dirstore

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A cache is what a tree holds, in columns, which gob decodes in a few calls. Each column has one value for each
// entry, and Stamps and Versions have several; a folder stands directly in front of what it holds.
type cache struct {
	Form     string // of the cache, of the facts, and of the kinds that it was made for
	Under    string
	Paths    []string
	Types    []byte
	Stamps   []int64
	Versions []byte
	Fronts   []string
	Facts    []string
}

// The types of entries. A file of the kind n has the type typeFile+2n, and one whose record is in the cache the next
// higher.
const (
	typeLink = iota
	typeFolder
	typeFile
)

// formOf returns a text that is another one for caches that this program does not take.
func formOf(kinds mdstore.Kinds) string {
	empty, _ := mdoc.Parse("", nil, mdstore.NodeForm)
	form := fmt.Sprintf("arbor cache 1, facts %q", mdstore.DigestsOf(empty))
	for _, k := range kinds {
		form += fmt.Sprintf(", %s %v", k.Name, k.Place)
	}
	return form
}

// encode returns the cache file of a tree, and the number of its entries. What is unproven is not in it.
func encode(t *tree, kinds mdstore.Kinds) ([]byte, int, error) {
	c := &cache{Form: formOf(kinds), Under: string(t.under)}
	for _, p := range t.places {
		c.add(entry{path: p.top.path, folder: &p.top}, kinds)
	}
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(c)
	return binary.LittleEndian.AppendUint32(out.Bytes(), crc32.ChecksumIEEE(out.Bytes())), len(c.Paths), err
}

func (c *cache) add(e entry, kinds mdstore.Kinds) {
	var r mdstore.Record
	kind := typeLink
	switch {
	case e.folder != nil:
		kind, r.Stamp = typeFolder, e.folder.stamp
	case e.kind != nil:
		kind = typeFile + 2*slices.Index(kinds, e.kind)
		if e.record != nil && e.record.Stamp.Proven {
			kind, r = kind+1, *e.record
		}
	}
	if !r.Stamp.Proven {
		r.Stamp = mdstore.Stamp{}
	}
	c.Paths, c.Types = append(c.Paths, string(e.path)), append(c.Types, byte(kind))
	c.Stamps = append(c.Stamps, r.Stamp.Size, r.Stamp.Mtime, r.Stamp.Ctime, int64(r.Stamp.Inode))
	c.Versions = append(c.Versions, r.Version[:]...)
	c.Fronts, c.Facts = append(c.Fronts, r.Front), append(c.Facts, string(r.Facts))
	if e.folder != nil {
		for _, in := range e.folder.entries {
			c.add(in, kinds)
		}
	}
}

// decode returns the tree of a workspace that a cache file holds, nil where the file is damaged, or is not of this
// workspace or form.
func decode(data []byte, kinds mdstore.Kinds, under mdstore.Path) *tree {
	n := len(data) - crc32.Size
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return nil
	}
	c := &cache{}
	err := gob.NewDecoder(bytes.NewReader(data[:n])).Decode(c)
	if err != nil || c.Form != formOf(kinds) || c.Under != string(under) {
		return nil
	}
	n = len(c.Paths)
	if len(c.Types) != n || len(c.Stamps) != 4*n || len(c.Versions) != len(mdstore.Version{})*n ||
		len(c.Fronts) != n || len(c.Facts) != n {
		return nil
	}
	t := newTree(kinds, under)
	t.total = n
	var above []*folder // the last one holds what comes next
	for i := range n {
		e, ok := c.entry(i, kinds)
		for len(above) > 0 && e.path.Dir() != above[len(above)-1].path {
			above = above[:len(above)-1]
		}
		switch p := t.at(e.path); {
		case ok && p != nil && e.folder != nil:
			p.top = *e.folder
			above = []*folder{&p.top}
		case !ok || len(above) == 0:
			return nil
		default:
			in := above[len(above)-1]
			if in.entries = append(in.entries, e); e.folder != nil {
				above = append(above, e.folder)
			}
		}
	}
	return t
}

// entry returns one entry; ok is false where it cannot be one.
func (c *cache) entry(i int, kinds mdstore.Kinds) (e entry, ok bool) {
	s := c.Stamps[4*i:]
	stamp := mdstore.Stamp{Size: s[0], Mtime: s[1], Ctime: s[2], Inode: uint64(s[3])}
	stamp.Proven = stamp != mdstore.Stamp{}
	e.path = mdstore.Path(c.Paths[i])
	switch kind := int(c.Types[i]); {
	case kind == typeLink:
	case kind == typeFolder:
		e.folder = &folder{path: e.path, stamp: stamp}
	case (kind-typeFile)/2 >= len(kinds):
		return e, false
	default:
		e.kind = kinds[(kind-typeFile)/2]
		if (kind-typeFile)%2 == 1 {
			e.record = &mdstore.Record{Path: e.path, Stamp: stamp, Front: c.Fronts[i], Facts: mdstore.Facts(c.Facts[i])}
			copy(e.record.Version[:], c.Versions[len(e.record.Version)*i:])
		}
	}
	return e, true
}
