package dirstore

import (
	"fmt"
	"hash/fnv"
	"os"
	"path/filepath"

	"arbor/mdstore/dirstore/internal/osfs"
)

// gitIndex returns a number that is another one when git has written its index since, as it does with every checkout, merge or pull; 0 where there is none.
func (s *Store) gitIndex() uint64 {
	_, git := findGit(s.real)
	if git == "" {
		return 0
	}
	info, err := os.Stat(filepath.Join(git, "index"))
	if err != nil {
		return 0
	}
	st := osfs.StampOf(info)
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, st.Size, st.Mtime, st.Ctime, st.Inode) // never fails
	return h.Sum64() | 1
}

// era returns a number that is another one when git has written its index, or the system has begun to run anew, since: what was found before is looked at again then,
// whoever trusts. Of commits before a power failure nobody knows which the number of the last commit, which is not made durable, tells of.
func (s *Store) era() uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, s.gitIndex(), s.boot) // never fails
	return h.Sum64()
}
