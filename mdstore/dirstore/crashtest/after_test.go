package crashtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
)

// What people do with the files that a commit has changed.
var deeds = map[string]func(x *explorer, d *Model, p mdstore.Path){
	"taken back": takeBack,
	"moved back and taken back": func(x *explorer, d *Model, p mdstore.Path) {
		for _, c := range slices.Backward(x.changes) {
			if c.To != "" {
				_ = d.RenameNew(c.To, c.Path)
			}
		}
		takeBack(x, d, p)
	},
	"deleted":   func(_ *explorer, d *Model, p mdstore.Path) { _ = d.Remove(p) },
	"made anew": func(_ *explorer, d *Model, p mdstore.Path) { d.Save(p, []byte("something else\n")) },
	"edited":    func(x *explorer, d *Model, p mdstore.Path) { d.Save(p, []byte(x.after[p]+"theirs\n")) },
	"put back above what they write": func(x *explorer, d *Model, p mdstore.Path) {
		d.Save(p, []byte(x.before[p]+"theirs\n"))
	},
}

func takeBack(x *explorer, d *Model, p mdstore.Path) {
	if was, ok := x.before[p]; !ok {
		_ = d.Remove(p)
	} else if _, err := d.Lstat(p.Dir()); err == nil {
		d.Save(p, []byte(was))
	}
}

// changed returns the files that the commit has made, changed, moved or removed, in folders that still exist.
func (x *explorer) changed(d *Model) []mdstore.Path {
	all := maps.Clone(x.before)
	maps.Copy(all, x.after)
	var out []mdstore.Path
	for _, p := range slices.Sorted(maps.Keys(all)) {
		was, before := x.before[p]
		is, after := x.after[p]
		if _, err := d.Lstat(p.Dir()); err == nil && !strings.HasSuffix(string(p), "/") && (was != is || before != after) {
			out = append(out, p)
		}
	}
	return out
}

// After a commit has returned, people revert or edit its files. Recovery changes none of that, as nothing of the commit
// is left to do.
func TestWhatCameAfterACommitStays(t *testing.T) {
	for deed, do := range deeds {
		t.Run(deed, func(t *testing.T) {
			each(t, func(t *testing.T, changes []mdstore.Change) {
				x := explore(t, vault, changes, Options{})
				c := x.disk()
				if err := x.commit(c); err != nil {
					t.Fatal(err)
				}
				for _, p := range x.changed(c) {
					if _, err := c.Lstat(p.Dir()); err == nil {
						do(x, c, p)
					}
				}
				want := visible(c)
				if err := x.recover(c); err != nil || !maps.Equal(visible(c), want) {
					t.Errorf("error %v, and %q is %q", err, want, visible(c))
				}
			})
		})
	}
}

// A process is killed in a decided commit, and a person reverts the file of a step that was made. Recovery makes the
// other steps, but not that one again. Only a new file that the person removed is made again, as it is unknown whether
// it had been made.
func TestWhatCameAfterAStepStays(t *testing.T) {
	for _, name := range []string{"one file", "three files", "two appends", "a subtree deleted", "removals"} { // they write files
		x := explore(t, vault, commits[name], Options{})
		c := x.disk()
		c.AtStep = func() {
			now := visible(c)
			for _, p := range x.changed(c) {
				was, there := x.before[p]
				if _, stays := x.after[p]; !there || !stays || now[p] != x.after[p] || was == now[p] {
					continue
				}
				d := c.Clone()
				d.Log = append(d.Log, "KILLED, and "+string(p)+" is taken back")
				d.Save(p, []byte(was))
				x.States++
				err := x.recover(d)
				if is, again := visible(d)[p]; err != nil || is != was || !again {
					x.fail(d, "error %v", err)
				}
			}
		}
		if err := x.commit(c); err != nil {
			t.Fatal(err)
		}
		report(t, x.Result)
	}
}

// A person saves a file by rename while a commit changes it; the process is killed, and the file gets the bytes from
// before. The person's save still exists somewhere.
func TestASaveOutlivesWhoTakesTheFileBack(t *testing.T) {
	const human = "HUMAN\n"
	each(t, func(t *testing.T, changes []mdstore.Change) {
		for _, p := range replaced(changes) {
			x := explore(t, vault, changes, Options{})
			most, states := 0, 0
			d := x.disk()
			d.Fail = func(string) error { most++; return nil }
			if err := x.commit(d); err != nil {
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
					if !until(func() { _ = x.commit(c) }) {
						break // the commit is refused or made
					}
					c.Fail = nil
					if !saved || c.Files()[p] == human+string(x.files[p]) {
						continue // a person would see another file at that path
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

type dies struct{}

// until calls f and reports whether it was killed meanwhile.
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

// told reports whether each line of a text is in some file: in the vault, a copy, a displaced file or the trash.
func told(c *Model, text string) bool {
	for p, data := range c.Files() {
		if strings.HasPrefix(p.Base(), journal.TempPrefix) && !p.Under(mdstore.LocalDir+"/trash") || p.Under(journal.Dir) {
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
