package crashtest

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/crashfs"
)

// What people do to the files that a commit has changed.
var deeds = map[string]func(x *explorer, d *crashfs.FS, p mdstore.Path){
	"taken back": takeBack,
	"moved back and taken back": func(x *explorer, d *crashfs.FS, p mdstore.Path) {
		for _, c := range slices.Backward(x.changes) {
			if c.To != "" {
				_ = d.RenameNew(c.To, c.Path)
			}
		}
		takeBack(x, d, p)
	},
	"deleted":   func(_ *explorer, d *crashfs.FS, p mdstore.Path) { _ = d.Remove(p) },
	"made anew": func(_ *explorer, d *crashfs.FS, p mdstore.Path) { d.Save(p, []byte("something else\n")) },
	"edited":    func(x *explorer, d *crashfs.FS, p mdstore.Path) { d.Save(p, []byte(x.after[p]+"theirs\n")) },
	"put back above what they write": func(x *explorer, d *crashfs.FS, p mdstore.Path) {
		d.Save(p, []byte(x.before[p]+"theirs\n"))
	},
}

func takeBack(x *explorer, d *crashfs.FS, p mdstore.Path) {
	if was, ok := x.before[p]; !ok {
		_ = d.Remove(p)
	} else if _, err := d.Lstat(p.Dir()); err == nil {
		d.Save(p, []byte(was))
	}
}

// changed are the files that the commit has made, changed, moved or removed, in folders that are there still.
func (x *explorer) changed(d *crashfs.FS) []mdstore.Path {
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

// A process is killed when its commit was answered and not cleared away after. Before anybody looks at the vault again, people take back what it did, or go on
// from there. What they did stays, whichever call was the last one.
func TestWhatCameAfterAKilledCommitStays(t *testing.T) {
	for deed, do := range deeds {
		t.Run(deed, func(t *testing.T) {
			each(t, func(t *testing.T, changes []mdstore.Change) {
				for _, own := range []bool{false, true} {
					x := explore(t, vault, changes, Options{ownRecords: own})
					c, returned := x.disk(), false
					look := func() {
						if !returned {
							return
						}
						d := c.Clone()
						d.Log = append(d.Log, "KILLED, "+deed)
						for _, p := range x.changed(d) {
							if _, err := d.Lstat(p.Dir()); err == nil {
								do(x, d, p)
							}
						}
						want := visible(d)
						x.States++
						if err := x.recover(d); err != nil || !maps.Equal(visible(d), want) {
							x.fail(d, "error %v, and what was %q", err, want)
						}
					}
					c.AtStep = look
					if err := x.commit(c, func() { returned = true; look() }); err != nil {
						t.Fatal(err)
					}
					if x.States == 0 {
						t.Errorf("%d states", x.States)
					}
					report(t, x.Result)
				}
			})
		})
	}
}

// A process is killed in the middle of a commit that is decided. Somebody takes back what one step has written, or removes the file that it has made; the others are made, and
// that one is not made again.
func TestWhatCameAfterAStepStays(t *testing.T) {
	for _, name := range []string{"one file", "one new node", "three files", "a subtree deleted", "removals"} { // those that write to files
		x := explore(t, vault, commits[name], Options{})
		c, returned := x.disk(), false
		c.AtStep = func() {
			now := visible(c)
			for _, p := range x.changed(c) {
				was, there := x.before[p]
				if _, stays := x.after[p]; returned || !stays || now[p] != x.after[p] || was == now[p] {
					continue
				}
				d := c.Clone()
				d.Log = append(d.Log, "KILLED, and "+string(p)+" is taken back")
				if there {
					d.Save(p, []byte(was))
				} else {
					_ = d.Remove(p)
				}
				x.States++
				err := x.recover(d)
				if is, again := visible(d)[p]; err != nil || is != was || again != there {
					x.fail(d, "error %v", err)
				}
			}
		}
		if err := x.commit(c, func() { returned = true }); err != nil {
			t.Fatal(err)
		}
		report(t, x.Result)
	}
}
