package crashtest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

// replaced returns the existing files that the changes write or remove.
func replaced(changes []mdstore.Change) (out []mdstore.Path) {
	for _, ch := range changes {
		if _, there := vault[ch.Path]; there && !ch.Keep {
			out = append(out, ch.Path)
		}
	}
	return out
}

// For files that a program has open, a base is kept beside them. These are more steps at which the power may fail.
func TestPowerFailsWhileFilesAreOpen(t *testing.T) {
	limit := 100
	if heavy {
		limit = 3000
	}
	each(t, func(t *testing.T, changes []mdstore.Change) {
		open := replaced(changes)
		if len(open) == 0 {
			return
		}
		report(t, Explore(t, vault, changes, Options{Open: open, Limit: limit}))
		report(t, Explore(t, vault, changes, Options{Open: open, Limit: 3, Deep: true}))
		report(t, Faults(t, vault, changes, Options{Open: open}))
	})
}

// typing has a person open p before a commit, write to it before its call k and close it before its call m. With die,
// the process is killed right after the write. It returns the disk after recovery, the number of calls, and whether the
// person's text, and that of the commit if it returned, is anywhere.
func typing(t *testing.T, x *explorer, p mdstore.Path, k, m int, die bool) (c *Model, calls int, found bool) {
	t.Helper()
	const human = "HUMAN\n"
	c = x.disk()
	w := c.Open(p)
	text := append([]byte(human), x.files[p]...)
	closed := false
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
			panic(dies{})
		}
		return nil
	}
	var err error
	dead := until(func() { err = x.commit(c) }) // refused or made
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
	after, stays := x.after[p]
	return c, calls, told(c, human) && (dead || err != nil || !stays || told(c, after))
}

// A person opens a file before a commit replaces it, and writes and closes it at any later moment, also after the
// commit.
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

// everyMoment has a person write to p and close it at every moment of a commit. It returns the number of moments, and
// the first at which their bytes were lost.
func everyMoment(t *testing.T, changes []mdstore.Change, p mdstore.Path, opt Options) (cases int, lost string) {
	x := explore(t, vault, changes, opt)
	step := 5
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

// A careless disk reports that no program has any file open.
type careless struct{ osfs.FS }

func (careless) Writers(mdstore.Path) osfs.Writers { return osfs.Closed }

func TestCarelessnessAboutOpenFilesIsNoticed(t *testing.T) {
	for _, name := range []string{"one file", "three files"} {
		p := replaced(commits[name])[0]
		cases, lost := everyMoment(t, commits[name], p, Options{wrap: func(d osfs.FS) osfs.FS { return careless{d} }})
		if lost == "" {
			t.Errorf("%s: nothing was lost in %d cases", name, cases)
		}
	}
}

// A late is a file that a commit has displaced while a person had it open.
type late struct {
	*testing.T
	x *explorer
	c *Model
	w *Writer
	k *journal.Committer
}

const (
	shared = "ws/Workspace.md"
	ours   = "ours\none\ntwo\nthree\n"
)

func displaced(t *testing.T, noLeases bool) *late { return displacedBy(t, ours, noLeases) }

func displacedBy(t *testing.T, text string, noLeases bool) *late {
	files := map[mdstore.Path][]byte{shared: []byte("one\ntwo\nthree\n")}
	changes := []mdstore.Change{{Path: shared, Base: mdstore.VersionOf(files[shared]), New: []byte(text)}}
	x := explore(t, files, changes, Options{NoLeases: noLeases})
	x.now = 1000
	v := &late{T: t, x: x, c: x.disk()}
	v.w = v.c.Open(shared)
	if err := x.commit(v.c); err != nil {
		t.Fatal(err)
	}
	v.k = x.committer(v.c)
	return v
}

// kept returns the displaced files.
func (v *late) kept() (out []string) {
	for p := range v.c.Files() {
		if p.Under(journal.DisplacedDir) && !strings.HasSuffix(string(p), "/") {
			out = append(out, p.Base())
		}
	}
	return out
}

// look lets seconds pass and merges displaced files. Then the file must hold text, and there must be the given number
// of displaced files.
func (v *late) look(seconds int64, text string, files int) {
	v.Helper()
	v.x.now += seconds
	changed := v.c.Files()[shared] != text
	if saved, err := v.k.Saved(); saved != changed || err != nil {
		v.Errorf("a save is to be merged: %v, error %v, want %v", saved, err, changed)
	}
	begun := 0
	if err := v.k.Displaced(func() error { begun++; return nil }); err != nil {
		v.Fatal(err)
	}
	if got := v.c.Files()[shared]; got != text || len(v.kept()) != files {
		v.Errorf("after %d s: %q, and %q\nwant %q, and %d files", v.x.now, got, v.kept(), text, files)
	}
	if changed != (begun > 0) {
		v.Errorf("changed %v, and begin was called %d times", changed, begun)
	}
}

// A person has a file open for long. Each of their saves is merged at the next look. The displaced file stays until
// they have closed it, and a day longer if it holds a save.
func TestASaveIntoADisplacedFileIsMergedAtOnce(t *testing.T) {
	v := displaced(t, false)
	v.look(0, ours, 2) // the file and its base
	v.look(1000, ours, 2)
	v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
	v.look(0, ours+"four\n", 2)
	v.look(0, ours+"four\n", 2)
	v.w.Write([]byte("one\ntwo\nthree\nfour\nfive\n"))
	v.w.Close()
	v.look(0, ours+"four\nfive\n", 2)
	v.look(60, ours+"four\nfive\n", 2)
	v.look(3600, ours+"four\nfive\n", 2)
	v.look(24*3600, ours+"four\nfive\n", 0)
}

// If the system cannot tell whether a file is open, the displaced file stays for a minute.
func TestADisplacedFileStaysForAMinute(t *testing.T) {
	v := displaced(t, true)
	v.look(59, ours, 2)
	v.look(1, ours, 0) // the minute is over

	v = displaced(t, false)
	v.w.Close()
	v.look(0, ours, 0)
}

// If a power failure has damaged the base of a merge, or the folder of the file is gone, the save becomes a copy,
// beside the file or in the trash.
func TestASaveThatCannotBeMergedIsKept(t *testing.T) {
	for what, harm := range map[string]func(v *late){
		".conflict-": func(v *late) {
			for _, name := range v.kept() {
				if strings.HasPrefix(name, "base-") {
					v.c.Save(journal.DisplacedDir.Join(name), []byte("one\n"))
				}
			}
		},
		".local/trash/late-": func(v *late) {
			if err := errors.Join(v.c.Remove(shared), v.c.Remove("ws")); err != nil {
				t.Fatal(err)
			}
		},
	} {
		v := displaced(t, false)
		v.w.Write([]byte("theirs\n"))
		v.w.Close()
		harm(v)
		var told []mdstore.Collision
		v.k.OnCollision = func(k mdstore.Collision) { told = append(told, k) }
		if err := v.k.Displaced(began); err != nil {
			t.Error(err)
		}
		if len(told) != 1 || !strings.Contains(string(told[0].Copy), what) || v.c.Files()[told[0].Copy] != "theirs\n" {
			t.Errorf("%s: told of %v in %q", what, told, v.c.Files())
		}
	}
}

// Of the files that commits replaced, only those that a program has open are kept.
func TestDisplacedFilesAreFew(t *testing.T) {
	v := displaced(t, false)
	text := ours
	for i := range 80 {
		v.x.changes = []mdstore.Change{{Path: shared, Base: mdstore.VersionOf([]byte(text)), New: fmt.Appendf(nil, "%d\n", i)}}
		if err := v.x.commit(v.c); err != nil {
			t.Fatal(err)
		}
		text = fmt.Sprintf("%d\n", i)
	}
	v.look(0, text, 2)
	v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
	if err := v.k.Displaced(began); err != nil || !told(v.c, "four\n") {
		t.Errorf("lost, error %v", err)
	}
}

// A late save is merged once, whatever error prevents its removal, and wherever the process is killed.
func TestALateSaveIsMergedOnce(t *testing.T) {
	for _, text := range []string{ours, "one\ntwo\nthree\nours\n"} {
		typed := func() *late {
			v := displacedBy(t, text, false)
			v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
			v.w.Close()
			return v
		}
		once := func(v *late, what string) {
			t.Helper()
			if got := v.c.Files()[shared]; got != text+"four\n" {
				t.Errorf("%s: the file holds %q", what, got)
			}
		}
		v := typed()
		v.c.Fail = func(call string) error {
			if i := strings.LastIndex(call, " "); strings.HasPrefix(call[i+1:], string(journal.DisplacedDir)) && !strings.HasPrefix(call, "read") && !strings.HasPrefix(call, "lstat") {
				return errors.New("refused")
			}
			return nil
		}
		for range 4 {
			_ = v.k.Displaced(began)
		}
		v.c.Fail = nil
		if err := v.k.Displaced(began); err != nil {
			t.Error(err)
		}
		once(v, "refused")
		for k, more := 1, true; more; k++ {
			v := typed()
			calls := 0
			v.c.Fail = func(string) error {
				if calls++; calls == k {
					panic(dies{})
				}
				return nil
			}
			more = until(func() {
				if err := v.k.Displaced(began); err != nil {
					t.Fatal(err)
				}
			})
			v.c.Fail = nil
			if err := v.x.recover(v.c); err != nil {
				t.Fatal(err)
			}
			once(v, fmt.Sprint("killed before call ", k))
		}
	}
}
