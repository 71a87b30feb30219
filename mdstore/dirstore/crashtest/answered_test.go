package crashtest

import (
	"errors"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/crashfs"
	"arbor/mdstore/dirstore/internal/txn"
)

type dies struct{}

// until calls f and reports whether it was killed.
func until(f func()) (dead bool) {
	defer func() {
		if r := recover(); r != nil {
			if _, dead = r.(dies); !dead {
				panic(r)
			}
		}
	}()
	f()
	return false
}

// told reports whether some file that a person would find has each line of a text.
func told(c *crashfs.FS, text string) bool {
	for p, data := range c.Files() {
		if strings.HasPrefix(p.Base(), txn.TempPrefix) || p.Under(txn.LateDir) || p.Under(txn.JournalDir) {
			continue
		}
		all := true
		for line := range strings.Lines(text) {
			all = all && strings.Contains(data, line)
		}
		if all {
			return true
		}
	}
	return false
}

// Somebody has a file open while a commit replaces it; the process is killed at some moment after it has answered, and then they save. What was answered and what they saved are both
// there.
func TestAnAnsweredCommitOutlivesItsProcess(t *testing.T) {
	const human = "HUMAN\n"
	each(t, func(t *testing.T, changes []mdstore.Change) {
		for _, p := range replaced(changes) {
			for _, opt := range []Options{{}, {NoLeases: true}} {
				x := explore(t, vault, changes, opt)
				if _, stays := x.after[p]; !stays {
					continue // what removes a file gives way to who saves it
				}
				for k, more := 0, true; more; k++ {
					c := x.disk()
					w := c.Open(p)
					calls, answered := 0, false
					c.Fail = func(string) error {
						if answered {
							if calls++; calls > k {
								panic(dies{})
							}
						}
						return nil
					}
					more = until(func() {
						if err := x.commit(c, func() {
							if answered = true; k == 0 {
								panic(dies{})
							}
						}); err != nil {
							t.Fatal(err)
						}
					})
					c.Fail = nil
					w.Write(append([]byte(human), x.files[p]...))
					w.Close()
					if err := x.recover(c); err != nil {
						t.Fatal(err)
					}
					if !told(c, human) || !told(c, x.after[p]) {
						t.Fatalf("no leases %v: %s, killed at call %d after the answer: lost\n%s\n%q", opt.NoLeases, p, k, strings.Join(c.Log, "\n"), c.Files())
					}
				}
			}
		}
	})
}

// Somebody saves a file by rename while a commit changes it; the process is killed, and the file is made what it was before that. What they had saved is there still.
func TestASaveOutlivesWhoTakesTheCommitBack(t *testing.T) {
	const human = "HUMAN\n"
	each(t, func(t *testing.T, changes []mdstore.Change) {
		for _, p := range replaced(changes) {
			x := explore(t, vault, changes, Options{})
			most, states := 0, 0
			d := x.disk()
			d.Fail = func(string) error { most++; return nil }
			if err := x.commit(d, nil); err != nil {
				t.Fatal(err)
			}
			for k := 1; k <= most; k++ {
				for m := k; m < k+3; m++ {
					c := x.disk()
					calls, saved := 0, false
					c.Fail = func(string) error {
						switch calls++; calls {
						case k:
							if _, err := c.Lstat(p); err == nil {
								c.Save(p, append([]byte(human), x.files[p]...))
								saved = true
							}
						case m + 1:
							panic(dies{})
						}
						return nil
					}
					if !until(func() { _ = x.commit(c, nil) }) {
						break // refused, or made
					}
					c.Fail = nil
					if !saved || c.Files()[p] == human+string(x.files[p]) {
						continue // what lies in its place they would see
					}
					if _, err := c.Lstat(p.Dir()); err != nil {
						continue
					}
					c.Save(p, x.files[p])
					states++
					if err := x.recover(c); err != nil {
						t.Fatal(err)
					}
					if !told(c, human) {
						t.Fatalf("%s, saved before call %d, killed before %d: lost\n%s\n%q", p, k, m+1, strings.Join(c.Log, "\n"), c.Files())
					}
				}
			}
			if _, stays := x.after[p]; stays && states == 0 {
				t.Errorf("%s: in no state was anything saved that somebody took back", p)
			}
		}
	})
}

// Whatever keeps a late save from being cleared away, and wherever its process is killed: it is joined with the file once.
func TestALateSaveIsJoinedOnce(t *testing.T) {
	for _, text := range []string{ours, "one\ntwo\nthree\nours\n"} {
		joinedOnce(t, text)
	}
}

func joinedOnce(t *testing.T, text string) {
	typed := func() *waiting {
		v := displacedBy(t, text, false)
		v.w.Write([]byte("one\ntwo\nthree\nfour\n"))
		v.w.Close()
		return v
	}
	once := func(v *waiting, what string) {
		if got := v.c.Files()[shared]; got != text+"four\n" {
			t.Errorf("%s: the file holds %q", what, got)
		}
	}
	for _, place := range []string{mdstore.LocalDir + "/trash", string(txn.LateDir)} {
		v := typed()
		v.c.Fail = func(call string) error {
			if i := strings.LastIndex(call, " "); strings.HasPrefix(call[i+1:], place) && !strings.HasPrefix(call, "read") && !strings.HasPrefix(call, "lstat") {
				return errors.New("refused")
			}
			return nil
		}
		for range 4 {
			_, _ = v.k.Late(func() error { return nil })
		}
		v.c.Fail = nil
		v.look(100, text+"four\n", false)
		once(v, place)
	}
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
			if _, err := v.k.Late(func() error { return nil }); err != nil {
				t.Fatal(err)
			}
		})
		v.c.Fail = nil
		if err := v.x.recover(v.c); err != nil {
			t.Fatal(err)
		}
		once(v, "killed")
	}
}
