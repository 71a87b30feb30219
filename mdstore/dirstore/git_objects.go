package dirstore

import (
	"bytes"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/guard"
)

// A blob is the id of a text among git's objects.
type blob [sha1.Size]byte

func blobOf(data []byte) blob { return sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)) }

// An indexEntry is what git's index says of a path.
type indexEntry struct {
	blob     blob
	modified int64 // the time of the file when git wrote it or looked at it, Unix nanoseconds
	stage    int   // 0 unless the path is in the middle of a merge
}

// named returns how git names a file of the vault.
func (g git) named(top string, p mdstore.Path) string {
	rel, _ := filepath.Rel(top, filepath.Join(g.vault, filepath.FromSlash(string(p))))
	return filepath.ToSlash(rel)
}

// entriesOf returns the entries of a path in an index below version 4. An entry has ten numbers of four bytes, of which
// the third and fourth are the time; the id of the blob; flags of two or four bytes; and the path, with a NUL behind it.
func entriesOf(index []byte, path string) iter.Seq[indexEntry] {
	const numbers = 40
	return func(yield func(indexEntry) bool) {
		name := []byte(path + "\x00")
		for at := 0; ; at += len(name) {
			i := bytes.Index(index[at:], name)
			if i < 0 {
				return
			}
			if at += i; at < numbers+sha1.Size+2 {
				continue
			}
			// The flags have the stage in two bits, and the length of the path in twelve.
			flags, from := binary.BigEndian.Uint16(index[at-2:]), at-2-sha1.Size-numbers
			if extended := binary.BigEndian.Uint16(index[at-4:]); at >= 4 && extended&0x4fff == 0x4000|uint16(min(len(path), 0xfff)) && index[7] == 3 {
				flags, from = extended, from-2
			}
			if int(flags&0xfff) != min(len(path), 0xfff) || from < 0 {
				continue
			}
			seconds, nanos := binary.BigEndian.Uint32(index[from+8:]), binary.BigEndian.Uint32(index[from+12:])
			e := indexEntry{blob(index[from+numbers:]), int64(seconds)*1e9 + int64(nanos), int(flags >> 12 & 3)}
			if !yield(e) {
				return
			}
		}
	}
}

// stagesIn reports whether an index below version 4 has, or may have, several versions of a file. The entries follow a
// head of twelve bytes, each filled up with NULs to a multiple of eight. One that cannot be followed, as that of a
// repository with SHA-256, may have them.
func stagesIn(index []byte) bool {
	const numbers = 40
	at := 12
	if len(index) < at {
		return true
	}
	for range binary.BigEndian.Uint32(index[8:]) {
		path := at + numbers + sha1.Size + 2
		if len(index) < path {
			return true
		}
		flags := binary.BigEndian.Uint16(index[path-2:])
		if flags&0x4000 != 0 {
			path += 2
		}
		n := bytes.IndexByte(index[min(path, len(index)):], 0)
		if n < 1 || int(flags&0xfff) != min(n, 0xfff) || flags>>12&3 != 0 {
			return true
		}
		at += (path - at + n + 8) &^ 7
	}
	return false
}

// checkedOut reports whether git has put a text into the file at p that a save may be made from, after the time from
// which mayBeBase says that this version stood there no more. Of an index that cannot be read that is taken for so
// where git has the newest version: a switch of branches may have taken it out.
func (g git) checkedOut(p mdstore.Path, newest []byte, mayBeBase func(blob) (may bool, since int64)) bool {
	top, dir := findGit(g.vault)
	if dir == "" {
		return false
	}
	index, err := guard.ReadFile(dir, "index", 1<<30)
	if err != nil || len(index) < 8 || index[7] > 3 {
		return g.has(newest)
	}
	for e := range entriesOf(index, g.named(top, p)) {
		if may, since := mayBeBase(e.blob); may && e.modified > since {
			return true
		}
	}
	return false
}

// has reports whether a text is among git's objects: somebody has added, committed or stashed it.
func (g git) has(data []byte) bool {
	_, dir := findGit(g.vault)
	if dir == "" {
		return false
	}
	id, objects := blobOf(data), filepath.Join(commonDir(dir), "objects")
	others, _ := guard.ReadFile(objects, "info/alternates", 1<<16)
	for _, in := range append([]string{objects}, strings.Fields(string(others))...) {
		if !filepath.IsAbs(in) {
			in = filepath.Join(objects, in)
		}
		if exists(filepath.Join(in, fmt.Sprintf("%x", id[:1]), fmt.Sprintf("%x", id[1:]))) {
			return true
		}
		packs, _ := filepath.Glob(filepath.Join(in, "pack", "*.idx"))
		for _, pack := range packs {
			if packed(pack, id) {
				return true
			}
		}
	}
	return false
}

// packed reports whether the index of a pack names an object. Behind eight bytes stand 256 numbers, of which each says how many ids begin
// with this byte or a lower one; then the ids in their order.
func packed(pack string, id blob) bool {
	const head = "\xfftOc\x00\x00\x00\x02"
	index, err := guard.ReadFile(filepath.Dir(pack), filepath.Base(pack), 1<<30)
	if err != nil || len(index) < len(head)+4*256 || string(index[:len(head)]) != head {
		return false
	}
	counts, ids := index[len(head):], index[len(head)+4*256:]
	upTo := func(i int) int { return int(binary.BigEndian.Uint32(counts[4*i:])) }
	n := upTo(255)
	if len(ids) < n*len(id) {
		return false
	}
	at := func(i int) []byte { return ids[i*len(id) : (i+1)*len(id)] }
	i := sort.Search(n, func(i int) bool { return bytes.Compare(at(i), id[:]) >= 0 })
	return i < n && bytes.Equal(at(i), id[:])
}

// stashed reports whether git has stashed something since a time, in Unix nanoseconds, so that the file at p holds data: the newest stash was
// logged since; or, where it was popped, git's log of HEAD is, and has the reset that each stash begins with, and data is among git's objects while the
// index does not name it. The times that git itself writes may be those of a test or of a rebase.
func (g git) stashed(p mdstore.Path, data []byte, since int64) bool {
	top, dir := findGit(g.vault)
	if dir == "" {
		return false
	}
	if made, logged := lastStash(dir); logged >= since && logged-made <= 10*int64(stashGap) { // else another stash was dropped
		return true
	}
	log, err := os.Stat(filepath.Join(dir, headLog))
	if err != nil || log.ModTime().UnixNano() < since {
		return false
	}
	lines, err := guard.ReadFile(dir, headLog, 1<<28)
	if err != nil || !bytes.Contains(lines[max(0, len(lines)-64<<10):], []byte("\treset: moving to HEAD\n")) {
		return false
	}
	index, err := guard.ReadFile(dir, "index", 1<<30)
	if err != nil || len(index) < 8 {
		return false
	}
	for e := range entriesOf(index, g.named(top, p)) {
		if e.blob == blobOf(data) {
			return false
		}
	}
	return g.has(data)
}

// The logs of stashes and of HEAD, the first in the folder of the repository.
var (
	stashLog = filepath.Join("logs", "refs", "stash")
	headLog  = filepath.Join("logs", "HEAD")
)

// lastStash returns when the newest stash was made, and when it was logged, in Unix nanoseconds; 0 if there is none, or
// its object was packed. A line of the log begins with two ids, of which the second is the stash.
func lastStash(dir string) (made, logged int64) {
	common := commonDir(dir)
	info, err := os.Stat(filepath.Join(common, stashLog))
	if err != nil {
		return 0, 0
	}
	log, err := guard.ReadFile(common, stashLog, 1<<26)
	if err != nil {
		return 0, 0
	}
	lines := strings.Split(strings.TrimSuffix(string(log), "\n"), "\n")
	words := strings.Fields(lines[len(lines)-1])
	if len(words) < 2 || commitID(words[1]) == "" {
		return 0, 0
	}
	object, err := os.Stat(filepath.Join(common, "objects", words[1][:2], words[1][2:]))
	if err != nil {
		return 0, 0
	}
	return object.ModTime().UnixNano(), info.ModTime().UnixNano()
}
