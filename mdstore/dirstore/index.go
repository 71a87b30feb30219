package dirstore

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math"
	"sync"

	"arbor/mdstore"
)

// An index is what a skim has found, for the next process: a head, a record of each node and of each folder, and the texts that they are parts of, all
// of it in little-endian numbers, and behind them a checksum of each block. Nothing in it is believed but for the same stamps, and nothing at all
// where one bit is not as it was written. Nodes with problems are not in it: they are read each time.
const (
	indexMagic  = "arborix2" // another one for another layout
	indexHead   = 64
	indexNode   = 104
	indexFolder = 48
	indexBlock  = 64 << 10 // bytes, of which one checksum finds any damage of a few bytes, and nearly any other
)

var little = binary.LittleEndian

// castagnoli is made when it is asked for first: most runs of the program that ask for a version or for help read no index.
var castagnoli = sync.OnceValue(func() *crc32.Table { return crc32.MakeTable(crc32.Castagnoli) })

// errNoIndex says that there is no index, or one that is damaged, or none of what is asked for.
var errNoIndex = errors.New("no index")

// indexer puts an index together.
type indexer struct {
	records []byte
	text    []byte
	ids     map[string]uint32 // where texts that come again lie: ids, types, statuses
	long    bool              // a text is too long for its record
}

// encodeIndex returns the index of what was found; nil where it cannot hold it.
func encodeIndex(g *ground) []byte {
	x := &indexer{ids: make(map[string]uint32, len(g.nodes))}
	x.records = make([]byte, indexHead, indexHead+len(g.nodes)*indexNode+len(g.tree)*indexFolder)
	x.text = make([]byte, 0, 128*len(g.nodes)+1024)
	under := x.add(string(g.under))
	nodes := 0
	for i := range g.nodes {
		if n := &g.nodes[i]; len(n.Problems) == 0 {
			x.node(n)
			nodes++
		}
	}
	for i := range g.tree {
		x.folder(&g.tree[i])
	}
	if x.long || len(g.under) > math.MaxUint16 || len(x.text) > math.MaxUint32 {
		return nil
	}
	size := len(x.records) + len(x.text)
	head := x.records
	copy(head, indexMagic)
	little.PutUint64(head[8:], uint64(size+4*sums(size)+4))
	little.PutUint64(head[16:], g.seq)
	little.PutUint32(head[24:], uint32(nodes))
	little.PutUint32(head[28:], uint32(len(g.tree)))
	little.PutUint32(head[32:], uint32(len(x.text)))
	little.PutUint32(head[36:], under)
	little.PutUint16(head[40:], uint16(len(g.under)))
	little.PutUint64(head[48:], g.era)
	return seal(append(x.records, x.text...))
}

// sums returns how many blocks have a checksum.
func sums(size int) int { return (size + indexBlock - 1) / indexBlock }

// seal adds the checksums of all blocks, and one of these.
func seal(data []byte) []byte {
	size := len(data)
	for at := 0; at < size; at += indexBlock {
		data = little.AppendUint32(data, crc32.Checksum(data[at:min(at+indexBlock, size)], castagnoli()))
	}
	return little.AppendUint32(data, crc32.Checksum(data[size:], castagnoli()))
}

// unseal returns the bytes in front of the checksums.
func unseal(data []byte) ([]byte, bool) {
	if len(data) < indexHead+4 || string(data[:8]) != indexMagic || little.Uint64(data[8:]) != uint64(len(data)) {
		return nil, false
	}
	// The number of blocks follows from the length: each takes its bytes and four for its sum.
	size := len(data) - 4
	size -= 4 * ((size + indexBlock + 3) / (indexBlock + 4))
	last := len(data) - 4
	if size < indexHead || size+4*sums(size) != last || crc32.Checksum(data[size:last], castagnoli()) != little.Uint32(data[last:]) {
		return nil, false
	}
	for i := range sums(size) {
		if crc32.Checksum(data[i*indexBlock:min((i+1)*indexBlock, size)], castagnoli()) != little.Uint32(data[size+4*i:]) {
			return nil, false
		}
	}
	return data[:size], true
}

// add returns where a text lies.
func (x *indexer) add(text string) uint32 {
	x.long = x.long || len(text) > math.MaxUint16
	at := len(x.text)
	x.text = append(x.text, text...)
	return uint32(at)
}

// again returns where a text lies that may be there already.
func (x *indexer) again(text string) uint32 {
	at, ok := x.ids[text]
	if !ok {
		at = x.add(text)
		x.ids[text] = at
	}
	return at
}

const (
	indexIsolated = 1 << iota
	indexFirm
	indexLink
	indexFile
	indexOdd
)

func (x *indexer) node(n *mdstore.Node) {
	var b [indexNode]byte
	path := x.add(string(n.Path))
	little.PutUint32(b[0:], path)
	little.PutUint16(b[4:], uint16(len(n.Path)))
	if folder := n.Path.Dir().Base(); folder == string(n.ID) { // as a rule
		x.ids[folder] = path + uint32(len(n.Path)-len(slashFile)-len(folder))
	}
	text := func(at int, s string, once bool) {
		where := uint32(0)
		if once {
			where = x.add(s)
		} else {
			where = x.again(s)
		}
		little.PutUint32(b[at:], where)
		little.PutUint16(b[at+4:], uint16(len(s)))
	}
	text(6, string(n.ID), false)
	text(12, string(n.Parent), false)
	text(18, n.Title, true)
	gist := n.Gist
	if len(gist) > math.MaxUint16 {
		gist = ""
	}
	text(24, gist, false)
	text(30, string(n.Type), false)
	text(36, string(n.Status), false)
	text(42, string(n.Role), false)
	little.PutUint64(b[48:], math.Float64bits(n.Order))
	little.PutUint64(b[56:], uint64(n.CreatedAt))
	little.PutUint64(b[64:], uint64(n.UpdatedAt))
	flags := putStamp(b[72:], n.Stamp)
	if n.Isolated {
		flags |= indexIsolated
	}
	// Files are smaller than 4 GB: the upper half of the size has room for what else there is.
	b[79] = flags
	x.records = append(x.records, b[:]...)
}

func (x *indexer) folder(f *folder) {
	var b [indexFolder]byte
	little.PutUint32(b[0:], x.again(f.name))
	little.PutUint16(b[4:], uint16(len(f.name)))
	little.PutUint32(b[8:], uint32(f.span))
	flags := putStamp(b[16:], f.stamp)
	if f.link {
		flags |= indexLink
	}
	if f.file {
		flags |= indexFile
	}
	if f.odd {
		flags |= indexOdd
	}
	b[6] = flags
	x.records = append(x.records, b[:]...)
}

func putStamp(b []byte, s mdstore.Stamp) (flags byte) {
	little.PutUint64(b[0:], uint64(s.Size))
	little.PutUint64(b[8:], uint64(s.Mtime))
	little.PutUint64(b[16:], uint64(s.Ctime))
	little.PutUint64(b[24:], s.Inode)
	if s.Firm {
		return indexFirm
	}
	return 0
}

func stampFrom(b []byte, flags byte) mdstore.Stamp {
	return mdstore.Stamp{Size: int64(little.Uint64(b[0:]) &^ (0xff << 56)), Mtime: int64(little.Uint64(b[8:])), Ctime: int64(little.Uint64(b[16:])), Inode: little.Uint64(b[24:]), Firm: flags&indexFirm != 0}
}

// decodeIndex returns what an index of a workspace holds. The texts of all nodes share one piece of memory.
func decodeIndex(data []byte, under mdstore.Path) (*ground, error) {
	data, ok := unseal(data)
	if !ok {
		return nil, errNoIndex
	}
	nodes, folders, texts := int(little.Uint32(data[24:])), int(little.Uint32(data[28:])), int(little.Uint32(data[32:]))
	if folders == 0 || indexHead+nodes*indexNode+folders*indexFolder+texts != len(data) {
		return nil, errNoIndex
	}
	all := texted(data[len(data)-texts:])
	if name, ok := all.text(data[36:]); !ok || name != string(under) {
		return nil, errNoIndex
	}
	g := &ground{under: under, ours: true, seq: little.Uint64(data[16:]), era: little.Uint64(data[48:]), nodes: make([]mdstore.Node, nodes), tree: make([]folder, folders)}
	b := data[indexHead:]
	half := nodes / 2
	var first, second, third bool
	var others sync.WaitGroup
	others.Go(func() { first = g.read(b[:half*indexNode], all, 0) })
	second = g.read(b[half*indexNode:nodes*indexNode], all, half)
	third = g.plant(b[nodes*indexNode:], all)
	others.Wait()
	if !first || !second || !third || half > 0 && half < nodes && g.nodes[half].Path <= g.nodes[half-1].Path {
		return nil, errNoIndex
	}
	return g, nil
}

// texted are the texts of an index.
type texted string

// text returns the text of a place and a length.
func (all texted) text(b []byte) (string, bool) {
	from, n := int(little.Uint32(b)), int(little.Uint16(b[4:]))
	if from+n > len(all) {
		return "", false
	}
	return string(all[from : from+n]), true
}

// read reads the records of nodes, the first of which is the one of that number.
func (g *ground) read(b []byte, all texted, number int) bool {
	prefix := string(g.under.Join(mdstore.NodesDir)) + "/"
	sound := true
	text := func(b []byte) string {
		t, ok := all.text(b)
		sound = sound && ok
		return t
	}
	last := mdstore.Path("")
	for ; len(b) > 0; b = b[indexNode:] {
		n := &g.nodes[number]
		number++
		n.Path = mdstore.Path(text(b))
		if len(n.Path) <= len(prefix) || string(n.Path)[:len(prefix)] != prefix || n.Path <= last {
			return false
		}
		last = n.Path
		n.ID, n.Parent, n.Title, n.Gist = mdstore.ID(text(b[6:])), mdstore.ID(text(b[12:])), text(b[18:]), text(b[24:])
		if !n.Stand(text(b[30:]), text(b[36:]), text(b[42:])) {
			return false
		}
		n.Order, n.CreatedAt, n.UpdatedAt = math.Float64frombits(little.Uint64(b[48:])), int64(little.Uint64(b[56:])), int64(little.Uint64(b[64:]))
		n.Stamp, n.Isolated = stampFrom(b[72:], b[79]), b[79]&indexIsolated != 0
	}
	return sound
}

// plant reads the records of folders.
func (g *ground) plant(b []byte, all texted) (ok bool) {
	for i := range g.tree {
		f := &g.tree[i]
		f.span = int32(little.Uint32(b[8:]))
		if f.name, ok = all.text(b); !ok || f.span < 1 || i+int(f.span) > len(g.tree) {
			return false
		}
		f.stamp, f.link, f.file, f.odd = stampFrom(b[16:], b[6]), b[6]&indexLink != 0, b[6]&indexFile != 0, b[6]&indexOdd != 0
		b = b[indexFolder:]
	}
	return true
}
