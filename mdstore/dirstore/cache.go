package dirstore

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"

	"arbor/mdstore"
)

// A cache is the content of a cache file: the tree of one workspace, stored by columns. The rows are the folders of the
// places in their order; each folder comes before its entries. An unproven folder or file has a zero stamp, and an
// unproven file has no version and facts. A decoder takes values from the front of each column. Decoded paths and facts
// share the memory of the columns.
type cache struct {
	form  string // see formOf
	under string

	paths    string // of the entries, each followed by a NUL
	kinds    string // a byte for each entry: linkRow, folderRow, or the number of the file's kind, counted from 1
	entries  string // number of entries of each folder, as varints
	stamps   string // of the folders and files, four 8-byte numbers each; zeros for an unproven one
	versions string // of the proven files
	facts    string // of the proven files
	lengths  string // number of bytes of the facts of each proven file, as varints
}

const (
	linkRow   = 0
	folderRow = 255

	stampBytes = 4 * 8
)

// columns returns the columns in the order in which the file holds them.
func (c *cache) columns() []*string {
	return []*string{&c.form, &c.under, &c.paths, &c.kinds, &c.entries, &c.stamps, &c.versions, &c.facts, &c.lengths}
}

// formOf returns a text that identifies the format of the cache, the format of the facts, and the kinds with their
// places. decode refuses a cache file of another form.
func formOf(kinds mdstore.Kinds) string { return "arbor cache 4, " + kinds.FormOfFacts() }

// encode returns the cache file of a tree, and the number of its folders and files.
func encode(t *tree, kinds mdstore.Kinds) (data []byte, total int) {
	var paths, rows, entries, stamps, versions, facts, lengths []byte
	stamp := func(s mdstore.Stamp) {
		if !s.Proven {
			s = mdstore.Stamp{}
		}
		for _, n := range []int64{s.Size, s.Mtime, s.Ctime, int64(s.Inode)} {
			stamps = binary.LittleEndian.AppendUint64(stamps, uint64(n))
		}
		total++
	}
	var put func(f *folder)
	put = func(f *folder) {
		entries = binary.AppendUvarint(entries, uint64(len(f.entries)))
		stamp(f.stamp)
		for _, e := range f.entries {
			paths = append(append(paths, e.path...), 0)
			switch r := e.record; {
			case e.folder != nil:
				rows = append(rows, folderRow)
				put(e.folder)
				continue
			case e.kind == nil: // a link
			case r != nil && r.Stamp.Proven:
				stamp(r.Stamp)
				versions = append(versions, r.Version[:]...)
				facts = append(facts, r.Facts...)
				lengths = binary.AppendUvarint(lengths, uint64(len(r.Facts)))
			default:
				stamp(mdstore.Stamp{})
			}
			rows = append(rows, byte(slices.Index(kinds, e.kind)+1))
		}
	}
	for _, p := range t.places {
		put(&p.top)
	}
	c := cache{formOf(kinds), string(t.under), string(paths), string(rows), string(entries), string(stamps),
		string(versions), string(facts), string(lengths)}
	return c.bytes(), total
}

// bytes returns the cache file: a checksum of the rest, then each column preceded by its length.
func (c *cache) bytes() []byte {
	out := make([]byte, crc32.Size)
	for _, col := range c.columns() {
		out = append(binary.AppendUvarint(out, uint64(len(*col))), *col...)
	}
	binary.LittleEndian.PutUint32(out, crc32.ChecksumIEEE(out[crc32.Size:]))
	return out
}

// parse reads the columns that bytes wrote. text is the file without its checksum. parse panics if text is shorter than
// the columns.
func parse(text string) (c *cache) {
	c = &cache{}
	for _, col := range c.columns() {
		n := varint(&text)
		*col, text = text[:n], text[n:]
	}
	return c
}

// decode returns the tree that the text of a cache file holds, or nil if the text is damaged or belongs to another
// workspace or form.
func decode(text string, kinds mdstore.Kinds, under mdstore.Path) (t *tree) {
	defer func() {
		if recover() != nil { // the columns contradict each other
			t = nil
		}
	}()
	c := parse(text)
	if c.form != formOf(kinds) || c.under != string(under) {
		return nil
	}
	t = newTree(kinds, under)
	d := decoder{cache: c, kinds: kinds, entries: make([]entry, len(c.kinds)),
		records: make([]mdstore.Scanned, len(c.versions)/len(mdstore.Version{})),
		folders: make([]folder, strings.Count(c.kinds, string([]byte{folderRow})))}
	for _, p := range t.places {
		d.folder(&p.top, &t.total)
	}
	return t
}

// A decoder builds a tree from the columns. It allocates all values of one type at once.
type decoder struct {
	*cache
	kinds   mdstore.Kinds
	records []mdstore.Scanned
	entries []entry
	folders []folder
}

func (d *decoder) folder(f *folder, total *int) {
	n := varint(&d.cache.entries)
	f.stamp = d.stamp()
	f.entries, d.entries = d.entries[:n:n], d.entries[n:]
	*total++
	for i := range f.entries {
		e := &f.entries[i]
		var path string
		path, d.paths, _ = strings.Cut(d.paths, "\x00")
		e.path = mdstore.Path(path)
		kind := d.cache.kinds[0]
		d.cache.kinds = d.cache.kinds[1:]
		switch kind {
		case linkRow:
			continue
		case folderRow:
			e.folder, d.folders = &d.folders[0], d.folders[1:]
			e.folder.path = e.path
			d.folder(e.folder, total)
			continue
		}
		e.kind = d.kinds[kind-1]
		*total++
		if s := d.stamp(); s.Proven {
			e.record, d.records = &d.records[0], d.records[1:]
			n := varint(&d.lengths)
			*e.record = mdstore.Scanned{Path: e.path, Stamp: s, Facts: mdstore.Facts(d.facts[:n])}
			d.versions = d.versions[copy(e.record.Version[:], d.versions):]
			d.facts = d.facts[n:]
		}
	}
}

func (c *cache) stamp() mdstore.Stamp {
	n := func(i int) int64 {
		var b [8]byte
		copy(b[:], c.stamps[8*i:8*i+8])
		return int64(binary.LittleEndian.Uint64(b[:]))
	}
	s := mdstore.Stamp{Size: n(0), Mtime: n(1), Ctime: n(2), Inode: uint64(n(3))}
	c.stamps = c.stamps[stampBytes:]
	s.Proven = s != mdstore.Stamp{}
	return s
}

// varint takes a number, written by binary.AppendUvarint, off the front of a text. It panics if there is none.
func varint(text *string) int {
	var n uint64
	for shift := 0; ; shift += 7 {
		b := (*text)[0]
		*text = (*text)[1:]
		n |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return int(n)
		}
	}
}
