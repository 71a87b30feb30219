package dirstore

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A cache is what a tree holds, in columns, which are decoded in a few calls, however many files there are. A folder stands in front of
// what it holds.
type cache struct {
	Form     string // of the cache, of the facts, and of the kinds that it was made for
	Under    string
	Counts   []int32 // entries of each folder; the first is that of the files at one path
	Types    []byte  // of each entry
	Stamps   []int64 // four for each folder and for each record
	Versions []byte  // of each record
	Sizes    []int32 // bytes of the path of each entry; for a record, of its front matter and facts as well
	Text     string
}

// The types of entries. A file of the kind n has the type typeFile+2n, and one with a record the next higher.
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

// An encoder fills a cache. What is unproven is left out.
type encoder struct {
	c     cache
	kinds mdstore.Kinds
	text  strings.Builder
}

// encode returns the cache file of a tree.
func encode(t *tree, kinds mdstore.Kinds) ([]byte, error) {
	e := &encoder{c: cache{Form: formOf(kinds), Under: string(t.under)}, kinds: kinds}
	e.entries(t.single)
	for _, p := range t.places {
		e.folder(&p.top)
	}
	e.c.Text = e.text.String()
	var out bytes.Buffer
	if err := gob.NewEncoder(&out).Encode(&e.c); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(out.Bytes(), crc32.ChecksumIEEE(out.Bytes())), nil
}

func (e *encoder) folder(f *folder) {
	e.stamp(f.stamp)
	e.entries(f.entries)
}

func (e *encoder) entries(all []entry) {
	e.c.Counts = append(e.c.Counts, int32(len(all)))
	for i := range all {
		in := &all[i]
		e.put(string(in.path))
		switch r := in.record; {
		case in.folder != nil:
			e.c.Types = append(e.c.Types, typeFolder)
			e.folder(in.folder)
		case in.kind == nil:
			e.c.Types = append(e.c.Types, typeLink)
		case r != nil && r.Stamp.Firm:
			e.c.Types = append(e.c.Types, byte(typeFile+2*slices.Index(e.kinds, in.kind)+1))
			e.stamp(r.Stamp)
			e.c.Versions = append(e.c.Versions, r.Version[:]...)
			e.put(r.Front)
			e.put(string(r.Facts))
		default:
			e.c.Types = append(e.c.Types, byte(typeFile+2*slices.Index(e.kinds, in.kind)))
		}
	}
}

func (e *encoder) stamp(s mdstore.Stamp) {
	if !s.Firm {
		s = mdstore.Stamp{}
	}
	e.c.Stamps = append(e.c.Stamps, s.Size, s.Mtime, s.Ctime, int64(s.Inode))
}

func (e *encoder) put(text string) {
	e.c.Sizes = append(e.c.Sizes, int32(len(text)))
	e.text.WriteString(text)
}

// A decoder takes the columns of a cache apart. It is bad where one of them ends too early.
type decoder struct {
	c     cache
	kinds mdstore.Kinds
	bad   bool

	room    []entry // for all entries, all folders and all records
	folders []folder
	records []mdstore.Record
}

// decode returns the tree of a workspace that a cache file holds, nil where the file is damaged, or is not of this workspace or form.
func decode(data []byte, kinds mdstore.Kinds, under mdstore.Path) *tree {
	n := len(data) - crc32.Size
	if n < 0 || crc32.ChecksumIEEE(data[:n]) != binary.LittleEndian.Uint32(data[n:]) {
		return nil
	}
	d := &decoder{kinds: kinds}
	if err := gob.NewDecoder(bytes.NewReader(data[:n])).Decode(&d.c); err != nil {
		return nil
	}
	if d.c.Form != formOf(kinds) || d.c.Under != string(under) {
		return nil
	}
	t := newTree(kinds, under)
	d.room = make([]entry, len(d.c.Types))
	d.folders = make([]folder, bytes.Count(d.c.Types, []byte{typeFolder}))
	d.records = make([]mdstore.Record, len(d.c.Versions)/len(mdstore.Version{}))
	t.total = len(d.room)
	if single := d.entries(); len(single) == len(t.single) {
		t.single = single
	} else {
		d.bad = true
	}
	for _, p := range t.places {
		d.folder(&p.top)
	}
	if d.bad || len(d.c.Types)+len(d.c.Counts)+len(d.c.Text)+len(d.c.Sizes)+len(d.c.Stamps) > 0 {
		return nil
	}
	return t
}

// take cuts n values from the beginning of a column.
func take[T any](d *decoder, column *[]T, n int) []T {
	if n < 0 || n > len(*column) {
		d.bad = true
		return make([]T, min(max(n, 0), 4))
	}
	out := (*column)[:n:n]
	*column = (*column)[n:]
	return out
}

func (d *decoder) folder(f *folder) {
	f.stamp = d.stamp()
	f.entries = d.entries()
}

func (d *decoder) entries() []entry {
	n := int(take(d, &d.c.Counts, 1)[0])
	out := take(d, &d.room, n)
	for i := range out {
		if d.bad {
			return nil
		}
		e := &out[i]
		e.path = mdstore.Path(d.text())
		switch kind := int(take(d, &d.c.Types, 1)[0]); {
		case kind == typeFolder:
			e.folder = &take(d, &d.folders, 1)[0]
			e.folder.path = e.path
			d.folder(e.folder)
		case kind == typeLink:
		case (kind-typeFile)/2 >= len(d.kinds):
			d.bad = true
		default:
			e.kind = d.kinds[(kind-typeFile)/2]
			if (kind-typeFile)%2 == 1 {
				e.record = &take(d, &d.records, 1)[0]
				*e.record = mdstore.Record{Path: e.path, Stamp: d.stamp()}
				copy(e.record.Version[:], take(d, &d.c.Versions, len(e.record.Version)))
				e.record.Front, e.record.Facts = d.text(), mdstore.Facts(d.text())
			}
		}
	}
	return out
}

func (d *decoder) stamp() mdstore.Stamp {
	s := take(d, &d.c.Stamps, 4)
	out := mdstore.Stamp{Size: s[0], Mtime: s[1], Ctime: s[2], Inode: uint64(s[3])}
	out.Firm = out != mdstore.Stamp{}
	return out
}

func (d *decoder) text() string {
	n := int(take(d, &d.c.Sizes, 1)[0])
	if n < 0 || n > len(d.c.Text) {
		d.bad = true
		return ""
	}
	text := d.c.Text[:n]
	d.c.Text = d.c.Text[n:]
	return text
}
