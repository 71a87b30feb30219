package dirstore

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"io/fs"
	"os"
	"strconv"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/disk"
)

// sequencePath holds the number of the last commit as 16 hex digits. It is odd while a commit is being made,
// and stays so if that dies. It need not survive a power failure: whoever asks has died as well.
const sequencePath = mdstore.Path(mdstore.LocalDir + "/sequence")

// Sequence returns a number that is another one after each commit. It waits
// while a commit is being made, so that what was read between two calls that
// return the same number is of one state of the vault; where that takes too long and who makes it does not get on, the error is an
// *mdstore.BusyError. In a vault without any commit it is 0.
func (s *Store) Generation(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	done := s.done.Load()
	n, ok := s.readSequence()
	if !ok || n%2 == 0 {
		return n, nil
	}
	if following(n) == done {
		return done, nil // by this store, which only clears away now
	}
	over := func() bool {
		n, ok = s.readSequence()
		return !ok || n%2 == 0
	}
	release, err := s.acquireUnless(ctx, readPatience, over)
	if _, stuck := errors.AsType[*stuckError](err); stuck { // unlike after another error, they may go on with it at any time
		return 0, err
	}
	if release != nil {
		n, _ = s.readSequence()
		release()
	}
	return n, ctx.Err() // after another error nobody can finish it now, and the number is as good as any
}

// readSequence returns the number, 0 where there is none. If what the file holds is no number, ok is
// false and n differs with what it holds.
func (s *Store) readSequence() (n uint64, ok bool) {
	var buf [100]byte
	data := buf[:0]
	began, known, stamp := s.now(), s.rested.Load(), mdstore.Stamp{}
	err := s.sequence.Use(false, func(f *os.File, info disk.Info) error {
		if stamp = firm(info.Stamp, began); known != nil && known.stamp == stamp {
			return nil
		}
		n, err := f.ReadAt(buf[:min(info.Size, int64(len(buf)))], 0)
		data = buf[:n]
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // it may be read and not written
		data, err = s.disk.ReadFile(sequencePath, int64(len(buf)))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return 0, true
	}
	if err == nil && known != nil && known.stamp == stamp {
		return known.n, true
	}
	if len(data) > 0 && data[len(data)-1] == '\n' {
		data = data[:len(data)-1]
	}
	if n, err := strconv.ParseUint(string(data), 16, 64); err == nil && len(data) == 16 {
		if proof(stamp) {
			s.rested.Store(&numbered{stamp, n})
		}
		return n, true
	}
	h := fnv.New64a()
	_, _ = h.Write(data)
	return h.Sum64(), false
}

// A numbered is the number of the last commit in a file that has been left alone for long enough for its stamp to tell each later change.
type numbered struct {
	stamp mdstore.Stamp
	n     uint64
}

// beginSequence makes the number odd: a commit is being made. It returns the number before that.
func (s *Store) beginSequence() (before uint64, err error) {
	n, ok := s.heldSequence()
	if !ok || n == 0 {
		// It must not be a number that was used before .local/ was deleted or the file damaged.
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		n = binary.LittleEndian.Uint64(b[:]) >> 2
	}
	s.last = 0
	return n, s.writeSequence(n | 1)
}

// endSequence makes the number even again, and another one than before the commit.
func (s *Store) endSequence() error {
	n, _ := s.heldSequence()
	if err := s.writeSequence(following(n)); err != nil {
		return err
	}
	s.last = following(n)
	return nil
}

// following returns the number after a commit that began with n, or that made it odd.
func following(n uint64) uint64 { return (n | 1) + 1 }

// heldSequence is readSequence for who holds the lock: nobody else writes the number meanwhile, so it is read once.
func (s *Store) heldSequence() (n uint64, ok bool) {
	if !s.numbered {
		s.number, s.numberOK = s.readSequence()
		s.numbered = true
	}
	return s.number, s.numberOK
}

func (s *Store) writeSequence(n uint64) error {
	const size = 17
	err := s.sequence.Use(true, func(f *os.File, info disk.Info) error {
		// In place and in one call, so that nobody finds the file empty.
		_, err := f.WriteAt(fmt.Appendf(nil, "%016x\n", n), 0)
		if err == nil && info.Size > size {
			err = f.Truncate(size)
		}
		return err
	})
	s.number, s.numberOK, s.numbered = n, true, err == nil
	return err
}
