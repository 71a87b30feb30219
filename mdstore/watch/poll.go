package watch

import (
	"context"
	"io/fs"
	"os"
	"path"
	"time"
)

// clockStep is the coarsest step of a file system's clock: FAT counts in two seconds.
const clockStep = 2 * time.Second

// A poller finds changes by comparing what it sees of each file with what it saw before.
//
// Two changes within one step of the clock look like one. So it names a changed file once more after the step. A file
// may be made, read by another program and removed between two looks, so that only its folder has changed. So it names
// a changed folder if it sees no change in it.
type poller struct {
	root string
	opt  Options

	top   *listing
	first bool      // the next look is the first since the tree was listed
	epoch time.Time // entry.again counts from here
}

// A listing is the content of a folder.
type listing struct {
	stamp   stamp
	entries []entry // sorted by name
}

type entry struct {
	name    string
	ignored bool // nothing else of it is known
	stamp   stamp
	again   time.Duration // when to name it once more; 0 is never
	sub     *listing      // of a folder
}

// A stamp is what can be known of a file without reading it. Each write and each replacement changes it, within the
// step of the clock.
type stamp struct {
	mode     fs.FileMode
	size     int64
	modified int64 // Unix nanoseconds
	changed  int64 // Unix nanoseconds; programs cannot set it
	inode    uint64
}

func stampOf(info fs.FileInfo) stamp {
	changed, inode := changeOf(info)
	return stamp{info.Mode(), info.Size(), info.ModTime().UnixNano(), changed, inode}
}

func (p *poller) start(ctx context.Context) error {
	if _, err := os.ReadDir(p.root); err != nil {
		return err
	}
	p.epoch = time.Now()
	p.top, p.first = p.list(ctx, nil, "", nil), true
	return ctx.Err()
}

func (p *poller) wake() <-chan struct{} { return nil }

func (p *poller) collect(ctx context.Context, c *changes) error {
	p.top, p.first = p.list(ctx, p.top, "", c), false
	return nil
}

func (p *poller) stop() {}

// list returns the content of the folder at a path, and names its differences from old. A folder that cannot be read
// counts as empty. The result is useless if ctx has ended.
func (p *poller) list(ctx context.Context, old *listing, at string, c *changes) *listing {
	if ctx.Err() != nil {
		return old
	}
	var before []entry
	if old != nil {
		before = old.entries
	}
	now := &listing{}
	name := native(p.root, at)
	if info, err := os.Stat(name); err == nil { // before its entries, so that later changes show
		now.stamp = stampOf(info)
	}
	found, _ := os.ReadDir(name)
	now.entries = make([]entry, 0, len(found))
	explained := false // a difference explains why the folder has changed
	for _, f := range found {
		for len(before) > 0 && before[0].name < f.Name() {
			before[0].nameAll(at, c)
			before, explained = before[1:], true
		}
		var was *entry
		if len(before) > 0 && before[0].name == f.Name() {
			was, before = &before[0], before[1:]
		}
		e, same := p.compare(ctx, was, f, path.Join(at, f.Name()), c)
		explained = explained || !same
		if e.name != "" {
			now.entries = append(now.entries, e)
		}
	}
	for i := range before {
		before[i].nameAll(at, c)
		explained = true
	}
	// In the first look a difference does not exclude an earlier change, which a program may have seen that read the
	// files when watching began.
	if old != nil && old.stamp != now.stamp && (p.first || !explained) {
		if at == "" {
			c.rescan = true
		} else {
			c.add(at)
		}
	}
	return now
}

// compare returns what is at a path, where was is what it was, and names it if it differs. An entry without a name is
// gone.
func (p *poller) compare(
	ctx context.Context, was *entry, found fs.DirEntry, at string, c *changes,
) (e entry, same bool) {
	e = entry{name: found.Name(), ignored: p.opt.Ignore(at, mayBeFolder(found.Type()))}
	if was != nil && was.ignored != e.ignored { // a file in place of a folder, or the reverse
		was.nameAll(parentOf(at), c)
		was = nil
	}
	switch {
	case e.ignored:
		return e, was != nil
	case found.IsDir():
		var old *listing
		if was != nil {
			old = was.sub
		}
		if old == nil { // it is new, or was a file
			c.add(at)
		}
		e.sub = p.list(ctx, old, at, c)
		return e, old != nil && e.sub.stamp == old.stamp
	}
	info, err := found.Info()
	if err != nil {
		if was != nil {
			was.nameAll(parentOf(at), c)
		}
		return entry{}, false
	}
	e.stamp = stampOf(info)
	return e, p.compareFile(was, &e, info, at, c)
}

// compareFile names e, a file, if it is not what it was, and reports whether it is the same.
func (p *poller) compareFile(was, e *entry, info fs.FileInfo, at string, c *changes) (same bool) {
	now := time.Since(p.epoch)
	switch {
	case was == nil && c == nil:
		if time.Since(info.ModTime()) < clockStep { // it may change again within the step
			e.again = now + clockStep
		}
		return true
	case was == nil || was.stamp != e.stamp:
		if was != nil && was.sub != nil {
			was.sub.nameAll(at, c)
		}
		c.add(at)
		e.again = now + clockStep
		return false
	case was.again != 0 && was.again <= now:
		c.add(at)
	default:
		e.again = was.again
	}
	return true
}

// nameAll names e, which was in dir and is gone, and all that was below it.
func (e *entry) nameAll(dir string, c *changes) {
	if e.ignored {
		return
	}
	at := path.Join(dir, e.name)
	c.add(at)
	if e.sub != nil {
		e.sub.nameAll(at, c)
	}
}

func (l *listing) nameAll(at string, c *changes) {
	for i := range l.entries {
		l.entries[i].nameAll(at, c)
	}
}
