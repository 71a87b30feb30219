package dirstore

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A cache is what a tree holds, as gob writes it: by columns, which gob reads in one go. The rows are the folders of the places
// in their order, each before its entries. What is unproven is not in it.
type cache struct {
	Form  string // of the cache, of the facts, and of the kinds that it was made for
	Under mdstore.Path

	Names    string  // of the entries, a slash after each
	Kinds    []byte  // of the entries: the number of a file's kind in the table, from 1; for others linkRow or folderRow
	Entries  []int   // of the folders: how many entries each has
	Stamps   []int64 // of the folders and files, four numbers each; zero for what is not proven
	Versions string  // of the proven files
	Facts    string  // of the proven files, one behind the other
	Lengths  []int   // of the facts
}

const (
	linkRow   = 0
	folderRow = 255
)

// formOf returns a text that is another one for caches that this program does not take.
func formOf(kinds mdstore.Kinds) string {
	empty, _ := mdoc.Parse("", nil, mdstore.NodeForm)
	form := fmt.Sprintf("arbor cache 3, facts %q", mdstore.DigestsOf(empty))
	for _, k := range kinds {
		form += fmt.Sprintf(", %s %v", k.Name, k.Place)
	}
	return form
}

// encode returns the cache file of a tree, and the number of its folders and files.
func encode(t *tree, kinds mdstore.Kinds) (data []byte, total int, err error) {
	c := &cache{Form: formOf(kinds), Under: t.under}
	var names, versions, facts strings.Builder
	stamp := func(s mdstore.Stamp) {
		if !s.Proven {
			s = mdstore.Stamp{}
		}
		c.Stamps = append(c.Stamps, s.Size, s.Mtime, s.Ctime, int64(s.Inode))
		total++
	}
	var put func(f *folder)
	put = func(f *folder) {
		c.Entries = append(c.Entries, len(f.entries))
		stamp(f.stamp)
		for _, e := range f.entries {
			names.WriteString(e.path.Base() + "/")
			switch r := e.record; {
			case e.folder != nil:
				c.Kinds = append(c.Kinds, folderRow)
				put(e.folder)
				continue
			case e.kind == nil: // a link
			case r != nil && r.Stamp.Proven:
				stamp(r.Stamp)
				versions.Write(r.Version[:])
				facts.WriteString(string(r.Facts))
				c.Lengths = append(c.Lengths, len(r.Facts))
			default:
				stamp(mdstore.Stamp{})
			}
			c.Kinds = append(c.Kinds, byte(slices.Index(kinds, e.kind)+1))
		}
	}
	for _, p := range t.places {
		put(&p.top)
	}
	c.Names, c.Versions, c.Facts = names.String(), versions.String(), facts.String()
	data, err = c.bytes()
	return data, total, err
}

// bytes returns the cache file: the cache and its checksum.
func (c *cache) bytes() ([]byte, error) {
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(c)
	return binary.LittleEndian.AppendUint32(out.Bytes(), crc32.ChecksumIEEE(out.Bytes())), err
}

// decode returns the tree of a workspace that a cache file holds, nil where the file is damaged, or is not of this
// workspace or form.
func decode(data []byte, kinds mdstore.Kinds, under mdstore.Path) (t *tree) {
	c, err := columns(data)
	if err != nil || c.Form != formOf(kinds) || c.Under != under {
		return nil
	}
	defer func() {
		if recover() != nil { // the columns contradict each other
			t = nil
		}
	}()
	t = newTree(kinds, under)
	for _, p := range t.places {
		c.folder(&p.top, kinds, &t.total)
	}
	return t
}

// columns undoes bytes.
func columns(data []byte) (*cache, error) {
	n := len(data) - crc32.Size
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return nil, errors.New("the checksum differs")
	}
	c := &cache{}
	return c, gob.NewDecoder(bytes.NewReader(data[:n])).Decode(c)
}

// folder takes a folder with its entries off the columns.
func (c *cache) folder(f *folder, kinds mdstore.Kinds, total *int) {
	f.stamp = c.stamp()
	f.entries = make([]entry, len(c.Kinds[:c.Entries[0]]))
	c.Entries = c.Entries[1:]
	*total++
	for i := range f.entries {
		e := &f.entries[i]
		var name string
		name, c.Names, _ = strings.Cut(c.Names, "/")
		e.path = f.path.Join(name)
		kind := c.Kinds[0]
		c.Kinds = c.Kinds[1:]
		switch kind {
		case linkRow:
			continue
		case folderRow:
			e.folder = &folder{path: e.path}
			c.folder(e.folder, kinds, total)
			continue
		}
		e.kind = kinds[kind-1]
		*total++
		if s := c.stamp(); s.Proven {
			e.record = &mdstore.Record{Path: e.path, Stamp: s, Facts: mdstore.Facts(c.Facts[:c.Lengths[0]])}
			copy(e.record.Version[:], c.Versions)
			c.Facts, c.Lengths, c.Versions = c.Facts[c.Lengths[0]:], c.Lengths[1:], c.Versions[len(e.record.Version):]
		}
	}
}

func (c *cache) stamp() mdstore.Stamp {
	v := c.Stamps[:4]
	c.Stamps = c.Stamps[4:]
	s := mdstore.Stamp{Size: v[0], Mtime: v[1], Ctime: v[2], Inode: uint64(v[3])}
	s.Proven = s != mdstore.Stamp{}
	return s
}
