package crashtest

import (
	"fmt"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/crashfs"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/dirstore/internal/txn"
)

// replaced returns the files that are there and that some changes write or remove.
func replaced(changes []mdstore.Change) (out []mdstore.Path) {
	for _, ch := range changes {
		if _, there := vault[ch.Path]; there && !ch.Keep {
			out = append(out, ch.Path)
		}
	}
	return out
}

// Files that somebody has open are moved out of the way and not removed: more steps, each of which the power may fail at.
func TestPowerFailsWhileFilesAreOpen(t *testing.T) {
	limit, deep := 20, 1
	if heavy {
		limit, deep = 3000, 3
	}
	each(t, func(t *testing.T, changes []mdstore.Change) {
		open := replaced(changes)
		if len(open) == 0 {
			return
		}
		report(t, Explore(t, vault, changes, Options{Open: open, Limit: limit}))
		if heavy || len(changes) == 1 {
			report(t, Explore(t, vault, changes, Options{Open: open, Limit: deep, Deep: true}))
		}
		report(t, Faults(t, vault, changes, Options{Open: open}))
	})
}

// typing has somebody open p before a commit, write to it before call k of it and close it before call m. It returns the disk after the commit, how many
// calls there were, and whether what was written is anywhere; with die, the process is killed right after the writing.
func typing(t *testing.T, x *explorer, p mdstore.Path, k, m int, die bool) (c *crashfs.FS, calls int, found bool) {
	t.Helper()
	const human = "HUMAN\n"
	c = x.disk()
	w := c.Open(p)
	text := append([]byte(human), x.files[p]...)
	closed := false
	type killed struct{}
	c.Fail = func(string) error {
		calls++
		if calls == k {
			w.Write(text)
			c.Log = append(c.Log, "WRITE "+string(p))
		}
		if calls == m {
			w.Close()
			closed = true
			c.Log = append(c.Log, "CLOSE")
		}
		if die && calls == max(k, m) {
			panic(killed{})
		}
		return nil
	}
	func() {
		defer func() {
			if r := recover(); r != nil {
				if _, ok := r.(killed); !ok {
					panic(r)
				}
			}
		}()
		_ = x.commit(c, nil) // refused or made
	}()
	c.Fail = nil
	if calls < k {
		w.Write(text)
	}
	if !closed {
		w.Close()
	}
	if err := x.recover(c); err != nil {
		t.Fatalf("recovery: %v\n%s", err, strings.Join(c.Log, "\n"))
	}
	for q, data := range c.Files() {
		found = found || strings.Contains(data, human) && !strings.HasPrefix(q.Base(), txn.TempPrefix) && !q.Under(txn.LateDir)
	}
	return c, calls, found
}

// Somebody opens a file before a commit replaces it, and writes to it and closes it at any later moment, after the commit too.
func TestSavesThroughOpenFilesAreNeverLost(t *testing.T) {
	each(t, func(t *testing.T, changes []mdstore.Change) {
		for _, p := range replaced(changes) {
			cases := 0
			for _, opt := range []Options{{}, {NoLeases: true}} {
				n, lost := everyMoment(t, changes, p, opt)
				cases += n
				if lost != "" {
					t.Errorf("no leases %v: lost: %s", opt.NoLeases, lost)
				}
			}
			t.Logf("%s: %d cases", p, cases)
		}
	})
}

// everyMoment has somebody write to p and close it at every moment of a commit, and returns how many there were and the first at which their bytes were lost.
func everyMoment(t *testing.T, changes []mdstore.Change, p mdstore.Path, opt Options) (cases int, lost string) {
	x := explore(t, vault, changes, opt)
	step := 13
	if heavy {
		step = 1
	}
	for _, die := range []bool{false, true} {
		for k, more := 1, true; more; k += step {
			more = false
			for m := k; ; m += 1 + m%3 {
				c, calls, found := typing(t, x, p, k, m, die)
				if cases++; !found && lost == "" {
					lost = fmt.Sprintf("%s, written before call %d, closed before %d, killed then %v\n%s\n%q", p, k, m, die, strings.Join(c.Log, "\n"), c.Files())
				}
				more = more || calls >= k
				if calls < m {
					break
				}
			}
		}
	}
	return cases, lost
}

// A careless disk says that nobody has any file open.
type careless struct{ disk.FS }

func (careless) Writers(mdstore.Path) disk.Writers { return disk.Nobody }

func TestCarelessnessAboutOpenFilesIsNoticed(t *testing.T) {
	for _, name := range []string{"one file", "three files"} {
		p := replaced(commits[name])[0]
		cases, lost := everyMoment(t, commits[name], p, Options{wrap: func(d disk.FS) disk.FS { return careless{d} }})
		if lost == "" {
			t.Errorf("%s: nothing was lost in %d cases", name, cases)
		}
	}
}

// A waiting is a file that a commit has displaced while somebody had it open.
type waiting struct {
	*testing.T
	x *explorer
	c *crashfs.FS
	w *crashfs.Writer
	k *txn.Committer
}

const (
	shared = "ws/Workspace.md"
	ours   = "ours\none\ntwo\nthree\n"
)

func displaced(t *testing.T, noLeases bool) *waiting { return displacedBy(t, ours, noLeases) }

func displacedBy(t *testing.T, text string, noLeases bool) *waiting {
	files := map[mdstore.Path][]byte{shared: []byte("one\ntwo\nthree\n")}
	changes := []mdstore.Change{{Path: shared, Base: mdstore.VersionOf(files[shared]), New: []byte(text)}}
	x := explore(t, files, changes, Options{NoLeases: noLeases})
	v := &waiting{T: t, x: x, c: x.disk()}
	v.w = v.c.Open(shared)
	if err := x.commit(v.c, nil); err != nil {
		t.Fatal(err)
	}
	v.k = x.committer(v.c)
	return v
}

// look lets some seconds pass and looks; the file must hold text then, and something wait on or not.
func (v *waiting) look(seconds int64, text string, left bool) {
	v.Helper()
	v.x.now += seconds
	changed := v.c.Files()[shared] != text
	began := 0
	waits, err := v.k.Late(func() error { began++; return nil })
	if err != nil {
		v.Fatal(err)
	}
	if got := v.c.Files()[shared]; got != text || waits != left {
		v.Errorf("after %d s: %q, waits %v\nwant %q, %v\n%q", v.x.now, got, waits, text, left, v.c.Files())
	}
	if changed && began == 0 {
		v.Error("changed, and nobody was told before")
	}
	if there, err := v.k.Waiting(); err != nil || there != left {
		v.Errorf("after %d s: waiting %v, error %v", v.x.now, there, err)
	}
}

// Somebody has a file open for long: what they save shows once it stays as it is, and what they save later as well.
func TestLateSavesShowWhileTheFileIsOpen(t *testing.T) {
	v := displaced(t, false)
	v.look(0, ours, true)
	v.look(1000, ours, true) // however long
	v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
	v.look(0, ours, true)
	v.look(1, ours, true)
	v.w.Write([]byte("one\ntwo\nthree\nfour\nfive\n")) // they were not done
	v.look(1, ours, true)
	v.look(2, ours+"four\nfive\n", true)
	v.look(5, ours+"four\nfive\n", true)
	v.w.Write([]byte("one\ntwo\nthree\nfour\nfive\nsix\n"))
	v.w.Close()
	v.look(0, ours+"four\nfive\nsix\n", false)
}

// Where the system does not tell who has a file open, it waits for a minute.
func TestDisplacedFilesWaitByTheClock(t *testing.T) {
	v := displaced(t, true)
	v.look(0, ours, true)
	v.look(59, ours, true)
	v.look(1, ours, false)

	v = displaced(t, true)
	v.look(30, ours, true)
	v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
	v.look(1, ours, true)
	v.look(2, ours+"four\n", true) // what was replaced now waits in its turn
	v.look(60, ours+"four\n", false)
}

// A note that a power failure has torn: what the file held is not known, so it is kept and named.
func TestDisplacedFileWithoutANoteIsKept(t *testing.T) {
	v := displaced(t, false)
	v.w.Write([]byte("theirs\n"))
	v.w.Close()
	for p := range v.c.Files() {
		if p.Under(txn.LateDir) && strings.HasSuffix(string(p), ".json") {
			v.c.Save(p, []byte(`{"pa`))
		}
	}
	told := ""
	v.k.OnConflict = func(k txn.Conflict) { told = string(k.Copy) }
	if left, err := v.k.Late(func() error { return nil }); left || err != nil {
		t.Errorf("left %v, error %v", left, err)
	}
	if got := v.c.Files()[mdstore.Path(told)]; got != "theirs\n" {
		t.Errorf("told of %q, which holds %q: %q", told, got, v.c.Files())
	}
}
