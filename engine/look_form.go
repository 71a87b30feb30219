package engine

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// The form of a part of a look: lookMagic, the workspace, the number of parts, when the session looked, the lists of names that the files' marks are of, and the
// files; behind them a checksum. Texts are preceded by their length. Nothing of it is believed where one bit is not as it was written.
const lookMagic = "arborlk1" // another one for another form

// A fingerprint is what a look has of one file. It never changes once it is in a look.
type fingerprint struct {
	Version string
	Stamp   mdstore.Stamp // of the file then: one that has it still is the same; zero where it is not firm
	Node    mdstore.ID
	Title   string

	names string // of what is marked, behind knownNames; "" where it is not known what the file holds
	sums  string // of the same things, sumLen bytes each
}

// marks are checksums of what a file holds, by the names of its fields and sections behind aField or aSection.
type marks map[string]uint32

const (
	aField     = 'f'
	aSection   = 's'
	knownNames = "="    // in front of all names
	nameEnd    = "\x00" // behind each name
	sumLen     = 4
)

const (
	lookFirm   = 1 << iota // there is a stamp
	lookFolder             // the node's id is the name of its folder
)

var little = binary.LittleEndian

// castagnoli is made when a look is first read or written.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// printOf returns the fingerprint of a file, without its node.
func printOf(v mdstore.Version, d *mdoc.Doc) *fingerprint {
	f := &fingerprint{Version: v.String()}
	if fields, sections := d.Fields(), d.Sections(); len(fields)+len(sections) <= namedMost {
		m := marker{names: []byte(knownNames)}
		for _, x := range fields {
			m.add(aField, x.Key, sumOf(x.Value, nameEnd, d.Slice(x.Span)))
		}
		for _, x := range sections {
			m.add(aSection, x.Name, sumOf(d.Slice(x.Body)))
		}
		m.mark(f)
	}
	return f
}

func sumOf(texts ...string) (sum uint32) {
	for _, t := range texts {
		sum = crc32.Update(sum, castagnoli(), []byte(t))
	}
	return sum
}

// of returns the fingerprint as that of a node's file.
func (f *fingerprint) of(id mdstore.ID, title string) *fingerprint {
	if f.Node == id && f.Title == title {
		return f
	}
	is := *f
	is.Node, is.Title = id, title
	return &is
}

// A marker puts the names and sums of a file together.
type marker struct {
	names, sums []byte
	odd         bool // the form has no room for a name
}

func (m *marker) add(kind byte, name string, sum uint32) {
	m.odd = m.odd || strings.Contains(name, nameEnd)
	m.names = append(append(append(m.names, kind), name...), nameEnd...)
	m.sums = little.AppendUint32(m.sums, sum)
}

// mark takes over what was added. With an odd name it is not known what the file holds.
func (m *marker) mark(f *fingerprint) {
	if f.names, f.sums = "", ""; !m.odd {
		f.names, f.sums = string(m.names), string(m.sums)
	}
}

// remark makes these what the file holds; nil: that is not known.
func (f *fingerprint) remark(all marks) {
	m := marker{names: []byte(knownNames), odd: all == nil}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		m.add(name[0], name[1:], all[name])
	}
	m.mark(f)
}

// marks returns what the file holds; nil where that is not known. What has one name is marked together.
func (f *fingerprint) marks() marks {
	if f.names == "" {
		return nil
	}
	m := marks{}
	sums := []byte(f.sums)
	for rest := f.names[len(knownNames):]; len(sums) >= sumLen; sums = sums[sumLen:] {
		var name string
		name, rest, _ = strings.Cut(rest, nameEnd)
		m[name] = m[name]*31 + little.Uint32(sums)
	}
	return m
}

// encode returns the form of a part.
func (l look) encode() []byte {
	paths := slices.Sorted(maps.Keys(l.Files))
	lists := map[string]int{"": 0}
	var names []string
	for _, p := range paths {
		if n := l.Files[p].names; lists[n] == 0 && n != "" {
			names = append(names, n)
			lists[n] = len(names)
		}
	}
	b := append(make([]byte, 0, 256*len(paths)+1024), lookMagic...)
	b = appendText(b, string(l.Workspace))
	b = binary.AppendUvarint(b, uint64(l.Parts))
	b = binary.AppendVarint(b, l.Looked)
	b = binary.AppendUvarint(b, uint64(len(names)))
	for _, n := range names {
		b = appendText(b, n)
	}
	b = binary.AppendUvarint(b, uint64(len(paths)))
	for _, p := range paths {
		b = l.Files[p].encode(b, p, lists)
	}
	return little.AppendUint32(b, crc32.Checksum(b, castagnoli()))
}

func (f *fingerprint) encode(b []byte, p mdstore.Path, lists map[string]int) []byte {
	flags := byte(0)
	if f.Stamp.Firm {
		flags |= lookFirm
	}
	if string(f.Node) == p.Dir().Base() {
		flags |= lookFolder
	}
	b = appendText(append(b, flags), string(p))
	b = appendText(b, f.Version)
	if flags&lookFirm != 0 {
		b = binary.AppendVarint(b, f.Stamp.Size)
		b = binary.AppendVarint(b, f.Stamp.Mtime)
		b = binary.AppendVarint(b, f.Stamp.Ctime)
		b = binary.AppendUvarint(b, f.Stamp.Inode)
	}
	if flags&lookFolder == 0 {
		b = appendText(b, string(f.Node))
	}
	b = appendText(b, f.Title)
	b = binary.AppendUvarint(b, uint64(lists[f.names]))
	return append(b, f.sums...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// decodeLook returns a part; ok is false for what is none, damaged or of another form. All its texts share one piece of memory.
func decodeLook(data []byte) (l look, ok bool) {
	end := len(data) - sumLen
	if end < len(lookMagic) || string(data[:len(lookMagic)]) != lookMagic || crc32.Checksum(data[:end], castagnoli()) != little.Uint32(data[end:]) {
		return look{}, false
	}
	r := lookReader{bytes: data[len(lookMagic):end]}
	r.all = string(r.bytes)
	l.Workspace, l.Parts, l.Looked = mdstore.ID(r.text()), int(r.number()), r.signed()
	lists := make([]string, 1, 8)
	for range r.count() {
		lists = append(lists, r.text())
	}
	prints := make([]fingerprint, r.count())
	l.Files = make(map[mdstore.Path]*fingerprint, len(prints))
	for i := range prints {
		l.Files[r.file(&prints[i], lists)] = &prints[i]
	}
	return l, !r.bad && len(r.bytes) == 0 && l.Parts > 0 && l.Parts <= partsMost
}

// A lookReader reads what encode writes. After something that is none of it, bad is true and all it returns is zero.
type lookReader struct {
	all   string // of which bytes is what is left
	bytes []byte
	bad   bool
}

func (r *lookReader) file(f *fingerprint, lists []string) mdstore.Path {
	flags := r.take(1)
	p := mdstore.Path(r.text())
	f.Version = r.text()
	if flags != "" && flags[0]&lookFirm != 0 {
		f.Stamp = mdstore.Stamp{Size: r.signed(), Mtime: r.signed(), Ctime: r.signed(), Inode: r.number(), Firm: true}
	}
	if flags != "" && flags[0]&lookFolder != 0 {
		f.Node = mdstore.ID(p.Dir().Base())
	} else {
		f.Node = mdstore.ID(r.text())
	}
	f.Title = r.text()
	if i := r.number(); i < uint64(len(lists)) {
		f.names = lists[i]
	} else {
		r.bad = true
	}
	f.sums = r.take(sumLen * strings.Count(f.names, nameEnd))
	return p
}

func (r *lookReader) take(n int) string {
	if r.bad = r.bad || n < 0 || n > len(r.bytes); r.bad {
		return ""
	}
	at := len(r.all) - len(r.bytes)
	r.bytes = r.bytes[n:]
	return r.all[at : at+n]
}

func (r *lookReader) text() string { return r.take(r.count()) }

// count returns how many of something follow: never more than there are bytes.
func (r *lookReader) count() int {
	n := r.number()
	if r.bad = r.bad || n > uint64(len(r.bytes)); r.bad {
		return 0
	}
	return int(n)
}

func (r *lookReader) number() uint64 {
	v, n := binary.Uvarint(r.bytes)
	return r.past(v, n)
}

func (r *lookReader) signed() int64 {
	v, n := binary.Varint(r.bytes)
	return int64(r.past(uint64(v), n))
}

func (r *lookReader) past(v uint64, n int) uint64 {
	if r.bad = r.bad || n <= 0; r.bad {
		return 0
	}
	r.bytes = r.bytes[n:]
	return v
}
