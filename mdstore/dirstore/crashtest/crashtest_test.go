package crashtest

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

var vault = map[mdstore.Path][]byte{
	".gitignore":               []byte(".local/\n"),
	"ws/Workspace.md":          []byte("ws status=active\n"),
	"ws/nodes/root/Node.md":    []byte("root status=planning\nlog\n"),
	"ws/nodes/a/Node.md":       []byte("a\n"),
	"ws/nodes/a/notes.txt":     []byte("somebody's\n"),
	"ws/nodes/a/deep/Node.md":  []byte("deep\n"),
	"ws/nodes/leaf/Node.md":    []byte("leaf\n"),
	"ws/nodes/kept/Node.md":    []byte("kept\n"),
	"ws/nodes/kept/sketch.svg": []byte("<svg/>\n"),
	".local/trash/0/old.txt":   []byte("deleted before\n"),
}

func base(p mdstore.Path) mdstore.Version {
	data, ok := vault[p]
	if !ok {
		panic("no such file: " + p)
	}
	return mdstore.VersionOf(data)
}

func set(p mdstore.Path, text string) mdstore.Change {
	return mdstore.Change{Path: p, Base: base(p), New: []byte(text)}
}

var commits = map[string][]mdstore.Change{
	"one file":         {set("ws/Workspace.md", "ws status=archived\n")},
	"one file emptied": {set("ws/Workspace.md", "")},
	"one new file":     {{Path: "ws/extra.txt", New: []byte("extra\n")}},
	"one new node":     {{Path: "ws/nodes/n/Node.md", New: []byte("n\n")}},
	"one removal":      {{Path: "ws/nodes/kept/sketch.svg", Base: base("ws/nodes/kept/sketch.svg")}},
	"one folder gone":  {{Path: "ws/nodes/leaf/Node.md", Base: base("ws/nodes/leaf/Node.md")}},
	"one move":         {{Path: "ws/nodes/a", To: "ws/nodes/b"}},
	"to the trash":     {{Path: "ws/nodes/a", To: ".local/trash/1/ws/nodes/a"}},
	"three files": {
		{Path: "ws/nodes/n/Node.md", New: []byte("child status=pending parent=root\n")},
		set("ws/nodes/root/Node.md", "root status=monitoring\nlog\n- child created\n"),
		set("ws/Workspace.md", "ws status=active\n- child created\n"),
	},
	"a subtree deleted": {
		set("ws/nodes/root/Node.md", "root status=planning\nlog\n- a deleted\n"),
		{Path: "ws/nodes/a/Node.md", Base: base("ws/nodes/a/Node.md"), New: []byte("a, last words\n")},
		{Path: "ws/nodes/a", To: ".local/trash/1/ws/nodes/a"},
		{Path: "ws/nodes/leaf", To: ".local/trash/1/ws/nodes/leaf"},
	},
	"two appends": { // half of each file is the old bytes
		set("ws/nodes/root/Node.md", "root status=planning\nlog\nlog\nstatus=planning root\n"),
		set("ws/Workspace.md", "ws status=active\nactive ws status\n"),
	},
	"moves in moves": {
		{Path: "ws/nodes/a/deep/Node.md", Base: base("ws/nodes/a/deep/Node.md"), New: []byte("deeper\n")},
		{Path: "ws/nodes/a/deep", To: "ws2/nodes/deep"},
		{Path: "ws/nodes/a/new.txt", New: []byte("new\n")},
		{Path: "ws", To: "archive/ws"},
	},
	"removals": {
		{Path: "ws/nodes/leaf/Node.md", Base: base("ws/nodes/leaf/Node.md")},
		{Path: "ws/nodes/kept/Node.md", Base: base("ws/nodes/kept/Node.md")},
		set("ws/Workspace.md", "ws status=active\n- gone\n"),
		{Path: "ws/nodes/a/Node.md", Base: base("ws/nodes/a/Node.md"), Keep: true},
	},
}

// each runs test for every commit of commits, as a subtest.
func each(t *testing.T, test func(t *testing.T, changes []mdstore.Change)) {
	for name, changes := range commits {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, changes)
		})
	}
}

func report(t *testing.T, r Result) {
	t.Helper()
	t.Logf("states %d bad %d", r.States, r.Bad)
	if r.States == 0 {
		t.Error("nothing was looked at")
	}
	if r.Bad > 0 {
		t.Errorf("%d of %d states are bad: %s", r.Bad, r.States, r.First)
	}
}

// heavy selects the loads of the nightly run.
var heavy = os.Getenv("ARBOR_HEAVY") != ""

// enough is the number of states after one step that are enough to find a broken protocol. It is 0, which means all
// that Options allow, if heavy.
func enough() int {
	if heavy {
		return 0
	}
	return 60
}

func TestPowerFailsAtEveryStep(t *testing.T) {
	limit := 50
	if heavy {
		limit = 5000
	}
	each(t, func(t *testing.T, changes []mdstore.Change) {
		report(t, Explore(t, vault, changes, Options{Limit: limit}))
		report(t, Explore(t, vault, changes, Options{Limit: limit / 5, NoExchange: true}))
	})
}

func TestPowerFailsInRecovery(t *testing.T) {
	limit := 1
	if heavy {
		limit = 1500
	}
	each(t, func(t *testing.T, changes []mdstore.Change) {
		if !heavy && len(changes) > 3 {
			return // it takes seconds: the states are the square of the steps
		}
		report(t, Explore(t, vault, changes, Options{Deep: true, Limit: limit}))
	})
}

func TestEveryCallFailsOnce(t *testing.T) {
	each(t, func(t *testing.T, changes []mdstore.Change) {
		report(t, Faults(t, vault, changes, Options{}))
		report(t, Faults(t, vault, changes, Options{NoExchange: true}))
	})
}

// A flawed disk omits or delays calls of the protocol.
type flawed struct {
	*Model
	skipSync   func(p mdstore.Path) bool
	skipDir    func(c *Model, p mdstore.Path) bool
	noJournal  bool
	noChecksum bool
	early      bool // the record is removed before the folders are durable
	held       []mdstore.Path
}

// record reports whether p is the record of a commit.
func record(p mdstore.Path) bool {
	return p.Dir() == journal.Dir && strings.HasSuffix(string(p), ".json")
}

func hasRecord(c *Model) bool {
	for p := range c.Files() {
		if record(p) {
			return true
		}
	}
	return false
}

func (f *flawed) Create(p mdstore.Path, data []byte, like mdstore.Path) error {
	if f.noJournal && record(p) {
		return nil
	}
	return f.Model.Create(p, data, like)
}

// ReadFile gives a record a correct checksum for any content.
func (f *flawed) ReadFile(p mdstore.Path, limit int64) ([]byte, osfs.Info, error) {
	data, info, err := f.Model.ReadFile(p, limit)
	if head, body, ok := bytes.Cut(data, []byte("\n")); err == nil && f.noChecksum && record(p) && ok {
		words := strings.Fields(string(head))
		data = fmt.Appendf(nil, "%s %s %x\n%s", words[0], words[1], sha256.Sum256(body), body)
	}
	return data, info, err
}

func (f *flawed) Remove(p mdstore.Path) error {
	err := f.Model.Remove(p)
	if f.early && record(p) && err == nil {
		err = f.Model.SyncDir(journal.Dir)
		for _, d := range f.held {
			err = errors.Join(err, f.Model.SyncDir(d))
		}
		f.held = nil
	}
	return err
}

func (f *flawed) Sync(p mdstore.Path) error {
	if f.noJournal && record(p) || f.skipSync != nil && f.skipSync(p) {
		return nil
	}
	return f.Model.Sync(p)
}

func (f *flawed) SyncDir(p mdstore.Path) error {
	if f.skipDir != nil && f.skipDir(f.Model, p) {
		return nil
	}
	if f.early && hasRecord(f.Model) && p != journal.Dir {
		f.held = append(f.held, p)
		return nil
	}
	return f.Model.SyncDir(p)
}

func TestBrokenProtocolsAreNoticed(t *testing.T) {
	for name, flaw := range map[string]flawed{
		"no fsync of temporaries":                       {skipSync: func(p mdstore.Path) bool { return !record(p) }},
		"no fsync of any folder":                        {skipDir: func(*Model, mdstore.Path) bool { return true }},
		"no journal":                                    {noJournal: true},
		"journal folder not synced":                     {skipDir: func(_ *Model, p mdstore.Path) bool { return p == journal.Dir }},
		"journal file not synced":                       {skipSync: record},
		"journal file not synced, checksum not checked": {skipSync: record, noChecksum: true},
		"record removed before the folders are durable": {early: true},
		"new folders of the journal not synced": {skipDir: func(_ *Model, p mdstore.Path) bool {
			return p == "" || p == mdstore.LocalDir
		}},
	} {
		r := Explore(t, vault, commits["three files"], Options{Limit: enough(), wrap: func(d osfs.FS) osfs.FS {
			f := flaw
			f.Model = d.(*Model)
			return &f
		}})
		t.Logf("%-46s states %6d bad %6d", name, r.States, r.Bad)
		if r.Bad == 0 {
			t.Errorf("%s: nothing bad was found in %d states; the model does not look where it should", name, r.States)
		}
	}
}

// A move whose parent folders are not durable can lose a whole folder.
func TestMoveBeforeItsWayIsDurableIsNoticed(t *testing.T) {
	r := Explore(t, vault, commits["to the trash"], Options{Limit: enough(), wrap: func(d osfs.FS) osfs.FS {
		return &flawed{Model: d.(*Model), skipDir: func(c *Model, p mdstore.Path) bool {
			_, there := c.Files()[".local/trash/1/ws/nodes/a/"]
			return !there && (p == mdstore.LocalDir || strings.HasPrefix(string(p), ".local/trash"))
		}}
	}})
	t.Logf("states %d bad %d", r.States, r.Bad)
	if r.Bad == 0 {
		t.Errorf("nothing bad was found in %d states", r.States)
	}
}

// A record whose removal is not durable may come back after later commits, and must not undo them.
func TestRecordsDieOnce(t *testing.T) {
	for _, lazy := range []bool{false, true} {
		x := explore(t, vault, commits["three files"], Options{})
		if lazy {
			x.opt.wrap = func(d osfs.FS) osfs.FS {
				return &flawed{Model: d.(*Model), skipDir: func(c *Model, p mdstore.Path) bool { return p == journal.Dir && !hasRecord(c) }}
			}
		}
		c := x.disk()
		if err := x.commit(c); err != nil {
			t.Fatal(err)
		}
		// A second commit restores the first file.
		x.changes = []mdstore.Change{{Path: "ws/nodes/root/Node.md",
			Base: mdstore.VersionOf(commits["three files"][1].New), New: vault["ws/nodes/root/Node.md"]}}
		if err := x.commit(c); err != nil {
			t.Fatal(err)
		}
		want := visible(c)
		states, bad := 0, 0
		c.Crashes(rand.New(rand.NewPCG(5, 6)), 2000, func(d *Model) {
			states++
			if err := x.recover(d); err != nil || !maps.Equal(visible(d), want) {
				bad++
			}
		})
		t.Logf("removal of the record durable: %v; states %d bad %d", !lazy, states, bad)
		if (bad > 0) != lazy {
			t.Errorf("removal of the record durable: %v; %d of %d states are bad", !lazy, bad, states)
		}
	}
}

// If a person saves a file between the crash and the recovery, their bytes stay.
func TestSavesBetweenCrashAndRecoverySurvive(t *testing.T) {
	for name, changes := range commits {
		states := 0
		x := explore(t, vault, changes, Options{})
		c := x.disk()
		limit := 15
		if heavy {
			limit = 100
		}
		c.AtStep = func() {
			c.Crashes(x.rng, limit, func(d *Model) {
				for _, p := range []mdstore.Path{"ws/nodes/root/Node.md", "ws/Workspace.md", "ws/nodes/leaf/Node.md"} {
					if _, ok := d.Files()[p]; !ok {
						continue
					}
					e := d.Clone()
					e.Save(p, []byte("HUMAN "+string(p)))
					if err := x.recover(e); err != nil {
						t.Fatalf("%s: recovery: %v\n%s", name, err, strings.Join(e.Log, "\n"))
					}
					found := false
					for _, data := range e.Files() {
						found = found || strings.Contains(data, "HUMAN "+string(p))
					}
					if !found {
						t.Fatalf("%s: what was saved in %s is lost after\n%s\n%q", name, p, strings.Join(e.Log, "\n"), e.Files())
					}
					states++
				}
			})
		}
		if err := x.commit(c); err != nil {
			t.Fatal(err)
		}
		t.Logf("%-20s %d states", name, states)
	}
}

// A person saves a file between two steps of a commit.
func TestSavesDuringACommitSurvive(t *testing.T) {
	for name, changes := range commits {
		for _, p := range []mdstore.Path{"ws/nodes/root/Node.md", "ws/Workspace.md", "ws/nodes/leaf/Node.md", "ws/nodes/kept/sketch.svg"} {
			for k := 1; ; k++ {
				x := explore(t, vault, changes, Options{})
				c := x.disk()
				calls, saved := 0, false
				c.Fail = func(string) error {
					if calls++; calls == k {
						if _, ok := c.Files()[p]; ok {
							c.Save(p, []byte("HUMAN"))
							c.Log = append(c.Log, "SAVE "+string(p))
							saved = true
						}
					}
					return nil
				}
				err := x.commit(c)
				c.Fail = nil
				if calls < k {
					break
				}
				if !saved {
					continue
				}
				found := false
				for q, data := range c.Files() {
					found = found || data == "HUMAN" && !strings.HasPrefix(q.Base(), journal.TempPrefix)
				}
				if !found {
					t.Fatalf("%s: saved %s at call %d: lost; error %v\n%s\n%q", name, p, k, err, strings.Join(c.Log, "\n"), c.Files())
				}
				if err := x.recover(c); err != nil {
					t.Fatalf("%s: saved %s at call %d: recovery: %v", name, p, k, err)
				}
			}
		}
	}
}

func ExampleExplore() {
	files := map[mdstore.Path][]byte{"ws/Workspace.md": []byte("old")}
	changes := []mdstore.Change{{Path: "ws/Workspace.md", Base: mdstore.VersionOf([]byte("old")), New: []byte("new")}}
	r := Explore(new(testing.T), files, changes, Options{})
	fmt.Println(r.States > 0, r.Bad)
	// Output: true 0
}
