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

// A cache is what a tree holds, as gob writes it. What is unproven is not in it.
type cache struct {
	Form   string // of the cache, of the facts, and of the kinds that it was made for
	Under  mdstore.Path
	Places []cachedFolder // in the order of the tree's
}

type cachedFolder struct {
	Stamp   mdstore.Stamp
	Entries []cachedEntry
}

type cachedEntry struct {
	Name   string
	Kind   int             // of a file: its number in the table, from 1
	Record *mdstore.Record // without its path
	Folder *cachedFolder
}

// formOf returns a text that is another one for caches that this program does not take.
func formOf(kinds mdstore.Kinds) string {
	empty, _ := mdoc.Parse("", nil, mdstore.NodeForm)
	form := fmt.Sprintf("arbor cache 3, facts %q", mdstore.DigestsOf(empty))
	for _, k := range kinds {
		form += fmt.Sprintf(", %s %v", k.Name, k.Place)
	}
	return form
}

// encode returns the cache file of a tree, and the number of its entries.
func encode(t *tree, kinds mdstore.Kinds) ([]byte, int, error) {
	c := &cache{Form: formOf(kinds), Under: t.under}
	total := 0
	for _, p := range t.places {
		c.Places = append(c.Places, *cachedOf(&p.top, kinds, &total))
	}
	var out bytes.Buffer
	err := gob.NewEncoder(&out).Encode(c)
	return binary.LittleEndian.AppendUint32(out.Bytes(), crc32.ChecksumIEEE(out.Bytes())), total, err
}

// cachedOf returns a folder as a cache holds it, and adds the number of its entries to total.
func cachedOf(f *folder, kinds mdstore.Kinds, total *int) *cachedFolder {
	c := &cachedFolder{Entries: make([]cachedEntry, len(f.entries))}
	if *total++; f.stamp.Proven {
		c.Stamp = f.stamp
	}
	for i, e := range f.entries {
		in := &c.Entries[i]
		in.Name, in.Kind = e.path.Base(), slices.Index(kinds, e.kind)+1
		if e.folder != nil {
			in.Folder = cachedOf(e.folder, kinds, total)
			continue
		}
		if *total++; e.record != nil && e.record.Stamp.Proven {
			r := *e.record
			r.Path, in.Record = "", &r
		}
	}
	return c
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
	t := newTree(kinds, under)
	if err != nil || c.Form != formOf(kinds) || c.Under != under || len(c.Places) != len(t.places) {
		return nil
	}
	for i, p := range t.places {
		p.top = *c.Places[i].folder(p.top.path, kinds, &t.total)
	}
	return t
}

// folder undoes cachedOf.
func (c *cachedFolder) folder(at mdstore.Path, kinds mdstore.Kinds, total *int) *folder {
	f := &folder{path: at, stamp: c.Stamp, entries: make([]entry, len(c.Entries))}
	*total++
	for i, in := range c.Entries {
		e := &f.entries[i]
		e.path, e.record = at.Join(in.Name), in.Record
		switch {
		case in.Folder != nil:
			e.folder = in.Folder.folder(e.path, kinds, total)
			continue
		case in.Kind > 0:
			e.kind = kinds[in.Kind-1]
		}
		if *total++; e.record != nil {
			e.record.Path = e.path
		}
	}
	return f
}
