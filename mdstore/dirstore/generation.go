package dirstore

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/osfs"
)

// generationPath is the file of the generation and of the history of the last commits. Its first line is the generation
// as 16 hex digits. The number is odd while a commit is being made, and stays odd if the process dies during it. Each
// further line describes a commit, in fields separated by tabs, which no path contains: a checksum, the generations
// before and after the commit, its time in Unix nanoseconds, and pairs of a path and the version that the commit gave
// it, empty for none. If a crash ended the commit, or it has many paths, its lines have the generation after it in both
// places; then ChangedSince finds no chain of commits across it. The file is written in place and not made durable:
// after a power failure no process remembers an earlier number. If the file is torn, cut or lost, programs read more
// files than necessary.
const generationPath = mdstore.Path(mdstore.LocalDir + "/generation")

const (
	generationHead = 17       // bytes of the first line
	historyMost    = 32 << 10 // bytes; a longer file loses the older half of its lines
	historyPaths   = 128      // paths in one line
)

// A generation reads and writes the generation file of a vault.
type generation struct {
	*vault
	number uint64 // the present number; valid while the lock is held
	before uint64 // the number before the commit that is being made
}

// Generation returns a number that changes with each commit of any process. It waits while a commit is being made, so
// everything read between two calls that return the same number belongs to one state of the vault. If waiting takes too
// long, the error is a *mdstore.BusyError. In a vault without any commit the number is 0.
func (s *Store) Generation(ctx context.Context) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	for began, pause := time.Now(), poll/16; ; pause = min(2*pause, poll) {
		n, ok := s.gen.read()
		if !ok || n%2 == 0 {
			return n, ctx.Err()
		}
		if time.Since(began) < 10*poll { // few commits take longer
			time.Sleep(pause)
			continue
		}
		release, err := s.acquire(ctx, 10*poll) // acquire finishes the commit, if its process died
		if err == nil {
			release()
			continue
		}
		if _, stuck := errors.AsType[*stuckError](err); !stuck {
			n, _ = s.gen.read()
			return n, ctx.Err() // nobody can finish it now, so its odd number stands for the present state
		}
		if time.Since(began) > readWait {
			return 0, s.gaveUp(ctx, readWait)
		}
	}
}

// read returns the number, or 0 if the file is missing. If the file holds no number, ok is false, and n is a digest of
// its bytes.
func (g *generation) read() (n uint64, ok bool) {
	head, err := g.disk.ReadHead(generationPath, generationHead)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, true
	}
	number, ended := bytes.CutSuffix(head, []byte("\n"))
	if n, err := strconv.ParseUint(string(number), 16, 64); err == nil && ended && len(head) == generationHead {
		return n, true
	}
	return uint64(crc32.ChecksumIEEE(head)), false
}

// begun reports whether the number is odd: a commit is being made, or is unfinished. The lock is held.
func (g *generation) begun() bool { return g.number%2 == 1 }

// begin makes the number odd. The lock is held.
func (g *generation) begin() error {
	if g.begun() {
		return nil
	}
	if err := osfs.InTheWay(g.disk, generationPath, false); err != nil {
		return err
	}
	n := g.number
	if n == 0 {
		// A random start: a number from before .local/ was deleted or the file damaged must not come back.
		var b [8]byte
		_, _ = rand.Read(b[:]) // never fails
		n = binary.LittleEndian.Uint64(b[:]) >> 2
	}
	g.before = n
	return g.write(n|1, nil)
}

// A versioned is a path that a commit changed, and the first 16 hex digits of the version that it gave it; "" if the
// file is gone or the version unknown.
type versioned struct {
	path    mdstore.Path
	version string
}

// versionedBy returns the files that a step changed: two for a move.
func versionedBy(p, to mdstore.Path, data []byte) (all []versioned) {
	all = append(all, versioned{path: p})
	if data != nil {
		all[0].version = mdstore.VersionOf(data).String()
	}
	if to != "" {
		all = append(all, versioned{path: to})
	}
	return all
}

// end makes the number even again and higher than before the commit, and adds the commit to the history with the files
// that it changed and the time now, in Unix nanoseconds. whole says that changed is complete. The lock is held.
func (g *generation) end(now int64, changed []versioned, whole bool) error {
	after := (g.number | 1) + 1
	before := g.before
	if !whole || len(changed) > historyPaths {
		before = after
	}
	var lines []byte
	for first := true; first || len(changed) > 0 && len(lines) < historyMost; first = false {
		some := changed[:min(len(changed), historyPaths)]
		changed = changed[len(some):]
		line := fmt.Appendf(nil, "%016x\t%016x\t%d", before, after, now)
		for _, c := range some {
			line = fmt.Appendf(line, "\t%s\t%s", c.path, c.version)
		}
		lines = fmt.Appendf(lines, "%08x\t%s\n", crc32.ChecksumIEEE(line), line)
	}
	return g.write(after, lines)
}

// write adds lines to the history, if not nil, and then writes the number, each in place and in one call, so that no
// reader finds the file empty.
func (g *generation) write(n uint64, lines []byte) error {
	f, err := g.disk.R.OpenFile(string(generationPath), os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	if lines != nil {
		if err := addLines(f, lines); err != nil {
			g.log.Debug("what a commit changed cannot be noted", "error", err)
		}
	}
	if _, err = f.WriteAt(fmt.Appendf(nil, "%016x\n", n), 0); err == nil {
		g.number = n
	}
	return err
}

// addLines adds lines to the history. If the history is full, only its newer half stays.
func addLines(f *os.File, lines []byte) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	end := max(info.Size(), generationHead)
	if end+int64(len(lines)) > historyMost {
		newer := make([]byte, historyMost/2)
		n, _ := f.ReadAt(newer, max(generationHead, end-historyMost/2))
		_, newer, _ = bytes.Cut(newer[:n], []byte("\n"))
		if err := f.Truncate(generationHead); err != nil {
			return err
		}
		lines, end = append(newer, lines...), generationHead
	}
	_, err = f.WriteAt(lines, end)
	return err
}

// A noted is a commit of the history.
type noted struct {
	before, after uint64
	time          int64 // Unix nanoseconds
	changed       []versioned
}

// history returns the last commits, the oldest first, as far as they are known.
func (g *generation) history() (all []noted) {
	data, _, err := g.disk.ReadFile(generationPath, mdstore.MaxFileSize)
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(data)) {
		sum, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		words := strings.Split(rest, "\t")
		if len(words) < 3 || len(words)%2 == 0 || sum != fmt.Sprintf("%08x", crc32.ChecksumIEEE([]byte(rest))) {
			continue
		}
		var n noted
		var errs [3]error
		n.before, errs[0] = strconv.ParseUint(words[0], 16, 64)
		n.after, errs[1] = strconv.ParseUint(words[1], 16, 64)
		n.time, errs[2] = strconv.ParseInt(words[2], 10, 64)
		if errors.Join(errs[:]...) != nil {
			continue
		}
		for pair := range slices.Chunk(words[3:], 2) {
			n.changed = append(n.changed, versioned{mdstore.Path(pair[0]), pair[1]})
		}
		all = append(all, n)
	}
	return all
}

// wrote reports whether the history says that a commit gave a file that version.
func (g *generation) wrote(p mdstore.Path, v mdstore.Version) bool {
	data, _, err := g.disk.ReadFile(generationPath, mdstore.MaxFileSize)
	return err == nil && !v.IsZero() && bytes.Contains(data, fmt.Appendf(nil, "\t%s\t%s", p, v))
}

// A last is the last commit of a file.
type last struct {
	version string // the version that it gave the file; "" if unknown
	time    int64  // Unix nanoseconds; for an unknown commit, the time of the oldest known one
}

// lasts returns a function that finds the last commit of a file in a history.
func lasts(history []noted) func(mdstore.Path) last {
	all := map[mdstore.Path]last{}
	var earlier last
	for i, n := range history {
		if i == 0 {
			earlier.time = n.time
		}
		for _, c := range n.changed {
			all[c.path] = last{c.version, n.time}
		}
	}
	return func(p mdstore.Path) last {
		if l, known := all[p]; known {
			return l
		}
		return earlier
	}
}

// ChangedSince returns the paths that commits changed between two numbers that Generation returned. ok is false if the
// history does not reach back that far.
func (s *Store) ChangedSince(ctx context.Context, before, now uint64) (paths []mdstore.Path, ok bool) {
	paths, ok = s.gen.changed(before, now)
	return paths, ok && ctx.Err() == nil
}

// changed implements ChangedSince.
func (g *generation) changed(before, now uint64) (paths []mdstore.Path, ok bool) {
	for _, n := range g.history() {
		if n.before != before || n.before == now {
			continue
		}
		for _, c := range n.changed {
			paths = append(paths, c.path)
		}
		before = n.after
	}
	return paths, before == now
}
