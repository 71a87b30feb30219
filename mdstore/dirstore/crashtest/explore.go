// Package crashtest explores what would be left of a commit if the power
// failed, the process was killed or the disk refused a call, at every step of
// it. It runs the same code as dirstore on a file system in memory that keeps
// no more than POSIX promises.
//
// A test of an operation records the changes that it commits, and calls
//
//	r := crashtest.Explore(t, files, changes, crashtest.Options{})
//	if r.Bad > 0 {
//		t.Error(r.First)
//	}
package crashtest

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/journal"
	"arbor/mdstore/dirstore/internal/osfs"
)

// Options set how much is explored. The zero value explores every single crash.
type Options struct {
	// Limit is the most states that are checked after one step: all if there are no more, otherwise that many random
	// ones. 0 means 1,500. The same state after several steps is checked once.
	Limit int
	// Deep adds a second power failure, at every step of the recovery from the first.
	Deep bool
	// NoExchange is for file systems that cannot exchange two files.
	NoExchange bool
	// NoLeases is for systems that cannot tell whether a file is open.
	NoLeases bool
	// Open are files that a person has open for writing until the commit or the machine ends.
	Open []mdstore.Path

	wrap func(osfs.FS) osfs.FS // breaks the protocol, to test that this is found
}

// A Result has the counts of an exploration.
type Result struct {
	States int    // states of the disk that were recovered and checked
	Bad    int    // states in which a promise was broken
	First  string // the first bad state: what is wrong, and the steps that led there; "" if Bad is 0
}

func (r *Result) fail(c *Model, format string, args ...any) {
	r.Bad++
	if r.First == "" {
		r.First = fmt.Sprintf("%s after\n\t%s\nfiles %q", fmt.Sprintf(format, args...), strings.Join(c.Log, "\n\t"), c.Files())
	}
}

// An explorer has the two allowed states, before and after the commit.
type explorer struct {
	files         map[mdstore.Path][]byte
	changes       []mdstore.Change
	opt           Options
	rng           *rand.Rand
	before, after map[mdstore.Path]string
	seen          map[sighting]bool
	now           int64                                // Unix seconds
	show          func(*Model) map[mdstore.Path]string // the part of a disk that is compared with these states
	Result
}

// A sighting is a checked state after a power failure. All of it is durable, so the same state need not be checked
// again.
type sighting struct {
	key             Key
	first, returned bool // first: the first of two failures; returned: the commit had returned
}

// news reports whether d was not checked before.
func (x *explorer) news(d *Model, first, returned bool) bool {
	s := sighting{d.Key(), first, returned}
	if x.seen[s] {
		return false
	}
	x.seen[s] = true
	return true
}

func explore(t testing.TB, files map[mdstore.Path][]byte, changes []mdstore.Change, opt Options) *explorer {
	t.Helper()
	if opt.Limit == 0 {
		opt.Limit = 1500
	}
	x := explorerOf(opt)
	x.files, x.changes = files, changes
	c := x.disk()
	x.before = visible(c)
	if err := x.commit(c); err != nil {
		t.Fatalf("the commit fails without any crash: %v", err)
	}
	x.after = visible(c)
	if maps.Equal(x.before, x.after) {
		t.Fatal("the commit changes nothing, so no crash can show")
	}
	return x
}

func explorerOf(opt Options) *explorer {
	return &explorer{opt: opt, rng: rand.New(rand.NewPCG(1, 2)), seen: map[sighting]bool{}, show: visible}
}

func (x *explorer) disk() *Model {
	c := newModel(x.files)
	c.NoExchange, c.NoLeases = x.opt.NoExchange, x.opt.NoLeases
	for _, p := range x.opt.Open {
		c.Open(p)
	}
	return c
}

// committer returns the code under test on a disk. It makes the same temporary names each time.
func (x *explorer) committer(c *Model) *journal.Committer {
	n := len(c.Log)
	var d osfs.FS = c
	if x.opt.wrap != nil {
		d = x.opt.wrap(c)
	}
	return &journal.Committer{FS: d, Token: func() string { n++; return fmt.Sprintf("%08d", n) },
		Now: func() int64 { return x.now * 1e9 }, Log: slog.New(slog.DiscardHandler), OnCollision: func(mdstore.Collision) {}, OnMade: func([]journal.Made) {}}
}

func began() error { return nil }

func (x *explorer) commit(c *Model) error { return x.committer(c).Commit(x.changes, began) }

func (x *explorer) recover(c *Model) error {
	k := x.committer(c)
	if err := k.Recover(); err != nil {
		return err
	}
	if err := k.Sweep(); err != nil {
		return err
	}
	x.now += 3600 // by then every program has closed its files
	return k.Displaced(began)
}

// visible returns the files of a vault without the journal and temporary files.
func visible(c *Model) map[mdstore.Path]string {
	files := c.Files()
	maps.DeleteFunc(files, func(p mdstore.Path, _ string) bool {
		return p == mdstore.LocalDir+"/" || p.Under(journal.Dir) || p == journal.Dir+"/" || p.Under(journal.DisplacedDir) || p == journal.DisplacedDir+"/" ||
			strings.HasPrefix(path.Base(string(p)), journal.TempPrefix)
	})
	return files
}

// Explore makes the commit on a vault with files. After each step of the disk, it checks every state that a power
// failure could leave, and the state that a killed process leaves. Each must recover to all of the commit or none of
// it, to all if the commit had returned, and to the same if recovered again.
func Explore(t testing.TB, files map[mdstore.Path][]byte, changes []mdstore.Change, opt Options) Result {
	t.Helper()
	x := explore(t, files, changes, opt)
	c := x.disk()
	returned := false
	look := func() {
		c.Crashes(x.rng, x.opt.Limit, func(d *Model) {
			if x.news(d, true, returned) {
				x.crashed(d, returned)
			}
		})
		x.killed(c, returned)
	}
	c.AtStep = look
	if err := x.commit(c); err != nil {
		t.Fatalf("the commit fails without any crash: %v", err)
	}
	c.AtStep = nil
	returned = true
	look()
	c.Crashes(x.rng, 2*x.opt.Limit, func(d *Model) { x.check(d, true) })
	return x.Result
}

func (x *explorer) crashed(d *Model, committed bool) {
	if !x.opt.Deep {
		x.check(d, committed)
		return
	}
	again := func(e *Model) {
		if x.news(e, false, committed) {
			x.check(e, committed)
		}
	}
	d.AtStep = func() { d.Crashes(x.rng, min(60, x.opt.Limit), again) }
	_ = x.recover(d) // an error is checked without the second crash
	d.AtStep = nil
	d.Crashes(x.rng, min(60, x.opt.Limit), again)
}

// killed checks the state after the process dies while the machine runs on.
func (x *explorer) killed(c *Model, returned bool) {
	decided, err := x.committer(c.Clone()).Pending()
	d := c.Clone()
	d.Log = append(d.Log, "KILLED")
	if x.opt.Deep {
		x.crashed(d.Clone(), returned)
	}
	x.check(d, returned)
	if err == nil && decided && maps.Equal(visible(d), x.after) {
		d.Crashes(x.rng, min(60, x.opt.Limit), func(e *Model) {
			if x.news(e, false, true) {
				x.check(e, true)
			}
		})
	}
}

// check recovers d and checks the state.
func (x *explorer) check(d *Model, committed bool) {
	x.States++
	if err := x.recover(d); err != nil {
		x.fail(d, "recovery: %v", err)
		return
	}
	got := x.show(d)
	switch {
	case maps.Equal(got, x.after):
	case committed:
		x.fail(d, "not durable: the commit had returned, but is not all there")
		return
	case !maps.Equal(got, x.before):
		x.fail(d, "not atomic: neither all of the commit nor none of it")
		return
	}
	if err := x.recover(d); err != nil || !x.shows(d, got) {
		x.fail(d, "recovered twice is not recovered once (error %v)", err)
	}
}

// shows reports whether the compared part of a disk equals want.
func (x *explorer) shows(d *Model, want map[mdstore.Path]string) bool {
	return maps.Equal(x.show(d), want)
}

// Faults makes the commit once for every call that it makes to the disk, and
// lets that call fail with an I/O error, a full disk or a lack of permission. After an
// error nothing may have changed, not even after a crash; after an
// *mdstore.UnfinishedError, everything must be there after recovery.
func Faults(t testing.TB, files map[mdstore.Path][]byte, changes []mdstore.Change, opt Options) Result {
	t.Helper()
	x := explore(t, files, changes, opt)
	start := x.disk()
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC, syscall.EACCES} {
		for k := 1; ; k++ {
			c := start.Clone()
			calls := 0
			c.Fail = func(call string) error {
				if calls++; calls != k {
					return nil
				}
				c.Log = append(c.Log, "FAIL "+call)
				return fault
			}
			err := x.commit(c)
			c.Fail = nil
			if calls < k {
				break
			}
			x.faulted(c, err)
		}
	}
	return x.Result
}

func (x *explorer) faulted(c *Model, err error) {
	x.States++
	var unfinished *mdstore.UnfinishedError
	want := x.after
	if err != nil && !errors.As(err, &unfinished) {
		want = x.before
		if !maps.Equal(visible(c), want) {
			x.fail(c, "the error is %v, but something changed", err)
			return
		}
		c.Crashes(x.rng, 60, func(d *Model) {
			x.States++
			if again := x.recover(d); again != nil || !x.shows(d, want) {
				x.fail(d, "the error is %v, but a crash brings a change (recovery: %v)", err, again)
			}
		})
	}
	if again := x.recover(c); again != nil || !x.shows(c, want) {
		x.fail(c, "the error is %v, and recovery (%v) does not bring what it says", err, again)
		return
	}
	for _, p := range slices.Sorted(maps.Keys(c.Files())) {
		if strings.HasPrefix(p.Base(), journal.TempPrefix) && !p.Under(mdstore.LocalDir) { // one in the trash may stay
			x.fail(c, "the error is %v, and %s stays", err, p)
			return
		}
	}
}
