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

// A blob is the id of a git object that holds a file's content (SHA-1).
type blob [sha1.Size]byte

func blobOf(data []byte) blob { return sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(data), data)) }

// An indexEntry is what git's index says about a path.
type indexEntry struct {
	blob     blob
	modified int64 // the file's modification time when git last wrote or checked it, Unix nanoseconds
	stage    int   // 0, or 1 to 3 for the versions of an unmerged path
}

// named returns the path of a vault's file relative to top, the working tree's folder, with slashes.
func (g git) named(top string, p mdstore.Path) string {
	rel, _ := filepath.Rel(top, filepath.Join(g.vault, filepath.FromSlash(string(p))))
	return filepath.ToSlash(rel)
}

// entriesOf returns the entries of a path in an index below version 4. An entry has ten numbers of four bytes, of which
// the third and fourth are the time; the id of the blob; flags of two or four bytes; and the path, followed by a NUL.
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

// stagesIn reports whether an index below version 4 has, or may have, an unmerged file. The entries follow a header of
// twelve bytes; each is padded with NULs to a multiple of eight bytes. If the index cannot be parsed, as in a
// repository with SHA-256, stagesIn returns true.
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

// checkedOut reports whether git has written to the file at p a version that a save may be made from, after a commit
// had replaced that version. mayBeBase says whether a save may be made from a blob, and when that version was replaced,
// in Unix nanoseconds. If the index cannot be read, checkedOut reports whether git has the newest version, which a
// switch of branches may then have taken out.
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

// has reports whether data is among git's objects, because it was added, committed or stashed.
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

// packed reports whether the index file of a pack names an object. After eight bytes the file has 256 counts: the count
// at i is the number of ids whose first byte is at most i. The sorted ids follow.
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

// stashed reports whether a git stash made after since, in Unix nanoseconds, may have put data into the file at p. This
// is so if the newest stash was logged since then. A stash that was popped is no longer logged; for it, git's log of
// HEAD must have been written since and contain the reset that a stash leaves there, and data must be among git's
// objects but not in the index. stashed uses the times of files, because a test or a rebase can set the times inside of
// git's logs.
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

// The logs of stashes, in the commonDir, and of HEAD.
var (
	stashLog = filepath.Join("logs", "refs", "stash")
	headLog  = filepath.Join("logs", "HEAD")
)

// lastStash returns when the newest stash was made and when it was logged, in Unix nanoseconds; both are 0 if there is
// none, or its object was packed. A line of the log begins with two ids; the second is the stash.
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
