package dirstore

import (
	"bytes"
	"context"
	"fmt"
	"hash/crc32"
	"os"
	"strconv"
	"strings"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// recentPath holds what the last commits changed, so that another process need not read the whole vault again after one. Each line has a checksum, the
// sequence before the commit and after it, and the paths, separated by tabs, which no path can hold. It may be torn, cut or lost at any time: then somebody
// reads more than was needed.
const recentPath = mdstore.Path(mdstore.LocalDir + "/recent")

const (
	recentMost  = 64 << 10 // bytes, beyond which the older half of the lines goes
	recentPaths = 128      // paths of one commit, beyond which it is not noted
)

// noteRecent notes what a commit changed. It is called before the sequence says that the commit is over.
func (s *Store) noteRecent(before, after uint64, changes []mdstore.Change) {
	if len(changes) > recentPaths {
		return
	}
	const sum = 9 // bytes of the checksum and the tab behind it
	line := fmt.Appendf(make([]byte, sum, 256), "%016x\t%016x", before, after)
	for _, c := range changes {
		if c.Keep {
			continue
		}
		line = append(append(line, '\t'), c.Path...)
		if c.To != "" {
			line = append(append(line, '\t'), c.To...)
		}
	}
	copy(line, fmt.Appendf(nil, "%08x\t", crc32.ChecksumIEEE(line[sum:])))
	if err := s.addRecent(append(line, '\n')); err != nil {
		s.log.Debug("what a commit changed cannot be noted", "error", err)
	}
}

func (s *Store) addRecent(line []byte) error {
	return s.recent.Use(true, func(f *os.File, info disk.Info) error {
		end := info.Size
		if end+int64(len(line)) > recentMost {
			kept := make([]byte, recentMost/2)
			n, err := f.ReadAt(kept, max(0, end-recentMost/2))
			if err != nil && n == 0 {
				return err
			}
			_, kept, _ = bytes.Cut(kept[:n], []byte("\n")) // the first may be cut
			if err := f.Truncate(0); err != nil {
				return err
			}
			if _, err := f.WriteAt(kept, 0); err != nil {
				return err
			}
			end = int64(len(kept))
		}
		_, err := f.WriteAt(line, end)
		return err
	})
}

// ChangedSince returns the paths of the commits between two numbers that Sequence returned. ok is false where that is not known.
func (s *Store) ChangedSince(ctx context.Context, before, now uint64) (paths []mdstore.Path, ok bool) {
	if ctx.Err() != nil {
		return nil, false
	}
	data, err := s.disk.ReadFile(recentPath, 2*recentMost)
	if err != nil {
		return nil, false
	}
	type commit struct {
		after uint64
		paths []string
	}
	next := map[uint64]commit{}
	for line := range strings.Lines(string(data)) {
		sum, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(rest))) {
			continue
		}
		words := strings.Split(rest, "\t")
		if len(words) < 2 {
			continue
		}
		from, err := strconv.ParseUint(words[0], 16, 64)
		to, again := strconv.ParseUint(words[1], 16, 64)
		if err == nil && again == nil {
			next[from] = commit{to, words[2:]}
		}
	}
	for at := before; at != now; {
		c, known := next[at]
		if !known || c.after == at {
			return nil, false
		}
		delete(next, at) // numbers do not come again; if they seem to, nothing is known
		for _, p := range c.paths {
			paths = append(paths, mdstore.Path(p))
		}
		at = c.after
	}
	return paths, true
}
