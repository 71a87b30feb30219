// Package crashtest explores what would be left of a commit if the power
// failed, the process was killed or the disk refused a call, at every step of
// it. It runs the same code as dirstore on a file system in memory that keeps
// no more than POSIX promises.
//
// A test of an operation records the changes that it commits, and asks
//
//	r := crashtest.Explore(t, files, changes, crashtest.Options{})
//	if r.Bad > 0 {
//		t.Error(r.First)
//	}
package crashtest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"syscall"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/crashfs"
	"arbor/mdstore/dirstore/internal/disk"
	"arbor/mdstore/dirstore/internal/txn"
)

// Options say how far to look. The zero value looks at every single crash.
type Options struct {
	// Limit is the number of states after one step up to which all are looked at; beyond it, that many random ones. 0 means 1,500.
	// States that a different step left as well are looked at once.
	Limit int
	// Deep lets the power fail a second time, at every step of the recovery from the first.
	Deep bool
	// NoExchange is for file systems that cannot exchange two files.
	NoExchange bool
	// NoLeases is for systems that do not tell who has a file open.
	NoLeases bool
	// Open are files that somebody has open for writing until the commit is over, or the machine is.
	Open []mdstore.Path

	wrap       func(disk.FS) disk.FS // breaks the protocol, to see that it is noticed
	ownRecords bool                  // each record gets a file of its own, as large ones do
}

// A Result counts what was found.
type Result struct {
	States int    // states of the disk that were recovered and looked at
	Bad    int    // those in which a promise was broken
	First  string // the first of them: what is wrong, and the steps that led there; empty when Bad is 0
}

func (r *Result) fail(c *crashfs.FS, format string, args ...any) {
	r.Bad++
	if r.First == "" {
		r.First = fmt.Sprintf("%s after\n\t%s\nfiles %q", fmt.Sprintf(format, args...), strings.Join(c.Log, "\n\t"), c.Files())
	}
}

// noRecord begins a file of the journal that holds no record.
const noRecord = "arbor-journal none\n"

// An explorer knows the two states that are allowed.
type explorer struct {
	files         map[mdstore.Path][]byte
	changes       []mdstore.Change
	opt           Options
	rng           *rand.Rand
	before, after map[mdstore.Path]string
	seen          map[sighting]bool
	now           int64                                     // Unix seconds
	show          func(*crashfs.FS) map[mdstore.Path]string // what of a disk has to be before or after
	Result
}

// A sighting is a state after a power failure that was looked at. What is durable is all of it, so it need not be looked at again.
type sighting struct {
	key             crashfs.Key
	first, returned bool // the first of two failures; the commit had returned
}

// news reports whether d was not looked at before.
func (x *explorer) news(d *crashfs.FS, first, returned bool) bool {
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
	if err := x.commit(c, nil); err != nil {
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

func (x *explorer) disk() *crashfs.FS {
	c := crashfs.New(x.files)
	c.NoExchange, c.NoLeases = x.opt.NoExchange, x.opt.NoLeases
	for _, p := range x.opt.Open {
		c.Open(p)
	}
	return c
}

// committer returns the code under test on a disk; its names are the same each time.
func (x *explorer) committer(c *crashfs.FS) *txn.Committer {
	n := len(c.Log)
	var d disk.FS = c
	if x.opt.wrap != nil {
		d = x.opt.wrap(c)
	}
	k := &txn.Committer{FS: d, Token: func() string { n++; return fmt.Sprintf("%08d", n) }, Now: func() int64 { return x.now }}
	if x.opt.ownRecords {
		k.SlotMost = 1
	}
	return k
}

// commit makes the changes and clears away what is left of the making. returned, if it is not nil, is called in between, when the commit is done for
// whoever waits for it.
func (x *explorer) commit(c *crashfs.FS, returned func()) error {
	k := x.committer(c)
	p, err := k.Prepare(x.changes)
	if err != nil {
		return err
	}
	if err := p.Do(); err != nil {
		return err
	}
	if returned != nil {
		returned()
	}
	if _, err := k.Finish(); err != nil {
		return &mdstore.UnfinishedError{Err: err}
	}
	return nil
}

func (x *explorer) recover(c *crashfs.FS) error {
	k := x.committer(c)
	if err := k.Recover(); err != nil {
		return err
	}
	if err := k.Sweep(); err != nil {
		return err
	}
	x.now += 3600 // by when everybody has closed what they had open
	_, err := k.Late(func() error { return nil })
	return err
}

// visible leaves out what a vault does not show: the journal and temporary files.
func visible(c *crashfs.FS) map[mdstore.Path]string {
	files := c.Files()
	maps.DeleteFunc(files, func(p mdstore.Path, _ string) bool {
		return p == mdstore.LocalDir+"/" || p.Under(txn.JournalDir) || p == txn.JournalDir+"/" || p.Under(txn.LateDir) || p == txn.LateDir+"/" ||
			strings.HasPrefix(path.Base(string(p)), txn.TempPrefix)
	})
	return files
}

// Explore makes the commit on a vault that holds files and, after each step of
// the disk, looks at every state that a power failure could leave, and at the
// one that a killed process leaves. Each must recover to all of the commit or
// none of it, to all once the commit had returned, and to the same when recovered again.
func Explore(t testing.TB, files map[mdstore.Path][]byte, changes []mdstore.Change, opt Options) Result {
	t.Helper()
	x := explore(t, files, changes, opt)
	c := x.disk()
	returned := false
	look := func() {
		c.Crashes(x.rng, x.opt.Limit, func(d *crashfs.FS) {
			if x.news(d, true, returned) {
				x.crashed(d, returned)
			}
		})
		x.killed(c, returned)
	}
	c.AtStep = look
	if err := x.commit(c, func() { returned = true; look() }); err != nil {
		t.Fatalf("the commit fails without any crash: %v", err)
	}
	c.AtStep = nil
	c.Crashes(x.rng, 2*x.opt.Limit, func(d *crashfs.FS) { x.check(d, true) })
	return x.Result
}

func (x *explorer) crashed(d *crashfs.FS, committed bool) {
	if !x.opt.Deep {
		x.check(d, committed)
		return
	}
	again := func(e *crashfs.FS) {
		if x.news(e, false, committed) {
			x.check(e, committed)
		}
	}
	d.AtStep = func() { d.Crashes(x.rng, min(60, x.opt.Limit), again) }
	_ = x.recover(d) // whether it works is looked at without the second crash
	d.AtStep = nil
	d.Crashes(x.rng, min(60, x.opt.Limit), again)
}

// killed looks at the state of a process that dies while the machine goes on.
func (x *explorer) killed(c *crashfs.FS, returned bool) {
	decided := false
	for p, text := range c.Files() {
		decided = decided || p.Dir() == txn.JournalDir && strings.HasSuffix(string(p), ".json") && !strings.HasPrefix(p.Base(), txn.TempPrefix) && !strings.HasSuffix(string(p), "/") && !strings.HasPrefix(text, noRecord)
	}
	d := c.Clone()
	d.Log = append(d.Log, "KILLED")
	if x.opt.Deep {
		x.crashed(d.Clone(), returned)
	}
	x.check(d, returned)
	if decided && maps.Equal(visible(d), x.after) {
		d.Crashes(x.rng, min(60, x.opt.Limit), func(e *crashfs.FS) {
			if x.news(e, false, true) {
				x.check(e, true)
			}
		})
	}
}

// check recovers d and looks at what is there then.
func (x *explorer) check(d *crashfs.FS, committed bool) {
	x.States++
	if err := x.recover(d); err != nil {
		x.fail(d, "recovery: %v", err)
		return
	}
	for p := range d.Files() {
		if txn.Probe(p.Base()) {
			x.fail(d, "%s stays", p)
			return
		}
	}
	got := x.show(d)
	switch isAfter := x.shows(d, x.after); {
	case isAfter:
	case committed:
		x.fail(d, "not durable: the commit had returned, but is not all there")
		return
	case !x.shows(d, x.before):
		x.fail(d, "not atomic: neither all of the commit nor none of it")
		return
	}
	if err := x.recover(d); err != nil || !x.shows(d, got) {
		x.fail(d, "recovered twice is not recovered once (error %v)", err)
	}
}

// shows reports whether a disk shows what is wanted, and nothing else but what recovery has put into the trash: of bytes that may be torn, or somebody's save, nobody can tell which.
func (x *explorer) shows(d *crashfs.FS, want map[mdstore.Path]string) bool {
	const trash = mdstore.LocalDir + "/trash/"
	files := x.show(d)
	maps.DeleteFunc(files, func(p mdstore.Path, _ string) bool {
		_, wanted := want[p]
		return !wanted && (p == trash || strings.HasPrefix(string(p), trash+"late-"))
	})
	return maps.Equal(files, want)
}

// Faults makes the commit once for every call that it makes to the disk, and
// lets that call fail with an I/O error, a full disk or a lack of permission. After an
// error nothing may have changed, not even after a crash; after an
// *mdstore.UnfinishedError, everything must be there after recovery.
func Faults(t testing.TB, files map[mdstore.Path][]byte, changes []mdstore.Change, opt Options) Result {
	t.Helper()
	x := explore(t, files, changes, opt)
	for _, fault := range []error{syscall.EIO, syscall.ENOSPC, syscall.EACCES} {
		for k := 1; ; k++ {
			c := x.disk()
			calls := 0
			c.Fail = func(call string) error {
				if calls++; calls != k {
					return nil
				}
				c.Log = append(c.Log, "FAIL "+call)
				return fault
			}
			err := x.commit(c, nil)
			c.Fail = nil
			if calls < k {
				break
			}
			x.faulted(c, err)
		}
	}
	return x.Result
}

func (x *explorer) faulted(c *crashfs.FS, err error) {
	x.States++
	var unfinished *mdstore.UnfinishedError
	want := x.after
	if err != nil && !errors.As(err, &unfinished) {
		want = x.before
		if !maps.Equal(visible(c), want) {
			x.fail(c, "the error is %v, but something changed", err)
			return
		}
		c.Crashes(x.rng, 60, func(d *crashfs.FS) {
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
		if strings.HasPrefix(p.Base(), txn.TempPrefix) && !p.Under(mdstore.LocalDir) { // one in the trash is where it belongs
			x.fail(c, "the error is %v, and %s stays", err, p)
			return
		}
	}
}
