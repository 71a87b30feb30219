package watch

import (
	"context"
	"io/fs"
	"os"
	"time"
)

// racy is how long after a change the next one may leave a file's times as they are: FAT counts in
// steps of two seconds.
const racy = 2 * time.Second

// A poller finds changes by comparing what it sees of each file with what it saw the last time.
//
// Two changes within one step of the file system's clock look like one. So a file that has changed is named once more
// when the step is certainly over.
type poller struct {
	root string
	opt  Options

	was   fs.FileInfo // the folder that was looked at last; nil while there is none
	top   *listing
	epoch time.Time // entry.again counts from here
}

// A listing is what a folder held.
type listing struct{ entries []entry } // sorted by name

type entry struct {
	name  string
	stamp stamp
	again time.Duration // when to name it once more; 0 is never
	sub   *listing      // of a folder
}

// A stamp is what can be told of a file without reading it: each write and each replacement changes it, within what
// the clock of the file system tells apart.
type stamp struct {
	mode     fs.FileMode
	size     int64
	modified int64  // Unix nanoseconds
	changed  int64  // the same of its metadata, which nobody can set back; 0 where it is not to be had
	inode    uint64 // 0 where it is not to be had
}

func (p *poller) start(ctx context.Context) error {
	p.epoch = time.Now()
	info, err := statFolder(p.root)
	if err != nil {
		return err
	}
	if _, err := os.ReadDir(p.root); err != nil {
		return err
	}
	return p.begin(ctx, info)
}

// begin takes the tree as it is for what changes are compared with.
func (p *poller) begin(ctx context.Context, info fs.FileInfo) error {
	p.was, p.top = info, p.list(ctx, nil, "", nil)
	return ctx.Err()
}

func (p *poller) wake() <-chan struct{} { return nil }

func (p *poller) look(context.Context, *news) error { return nil }

func (p *poller) stop() {}

func (p *poller) tick(ctx context.Context, n *news) (time.Duration, error) {
	began := time.Now()
	info, err := statFolder(p.root)
	switch {
	case err != nil:
		n.rescan = p.was != nil
		p.was, p.top = nil, nil
	case p.was == nil || !os.SameFile(p.was, info):
		n.rescan = true
		_ = p.begin(ctx, info) // the loop sees that ctx has ended
	default:
		p.top = p.list(ctx, p.top, "", n)
	}
	return max(p.opt.Poll, 9*time.Since(began)), nil
}

// list returns what the folder at path holds, and names what differs from old.
// A folder that cannot be read counts as empty. It is of no use when ctx has ended.
func (p *poller) list(ctx context.Context, old *listing, path string, n *news) *listing {
	if ctx.Err() != nil {
		return old
	}
	var before []entry
	if old != nil {
		before = old.entries
	}
	list, _ := os.ReadDir(native(p.root, path))
	now := &listing{make([]entry, 0, len(list))}
	for _, found := range list {
		sub := join(path, found.Name())
		if p.opt.Ignore(sub, found.IsDir()) {
			continue
		}
		for len(before) > 0 && before[0].name < found.Name() {
			before[0].nameAll(path, n)
			before = before[1:]
		}
		var was *entry
		if len(before) > 0 && before[0].name == found.Name() {
			was, before = &before[0], before[1:]
		}
		if e, ok := p.compare(ctx, was, found, sub, n); ok {
			now.entries = append(now.entries, e)
		} else if was != nil {
			was.nameAll(path, n)
		}
	}
	for i := range before {
		before[i].nameAll(path, n)
	}
	return now
}

// compare returns what is at path, where was had been, and names it if it differs. ok is false if it is gone.
func (p *poller) compare(ctx context.Context, was *entry, found fs.DirEntry, path string, n *news) (e entry, ok bool) {
	e = entry{name: found.Name()}
	if found.IsDir() {
		var old *listing
		switch {
		case was == nil:
			n.add(path)
		case was.sub == nil: // it was a file
			n.add(path)
		default:
			old = was.sub
		}
		e.sub = p.list(ctx, old, path, n)
		return e, true
	}
	info, err := found.Info()
	if err != nil {
		return entry{}, false
	}
	e.stamp = stampOf(info)
	now := time.Since(p.epoch)
	switch {
	case was == nil && n == nil:
		if time.Since(info.ModTime()) < racy { // it may be in the middle of a change
			e.again = now + racy
		}
	case was == nil || was.stamp != e.stamp:
		if was != nil && was.sub != nil {
			was.sub.nameAll(path, n)
		}
		n.add(path)
		e.again = now + racy
	case was.again != 0 && was.again <= now:
		n.add(path)
	default:
		e.again = was.again
	}
	return e, true
}

// nameAll names e, which was in dir and is gone, and all that was below it.
func (e *entry) nameAll(dir string, n *news) {
	path := join(dir, e.name)
	n.add(path)
	if e.sub != nil {
		e.sub.nameAll(path, n)
	}
}

func (l *listing) nameAll(path string, n *news) {
	for i := range l.entries {
		l.entries[i].nameAll(path, n)
	}
}

// plainStamp is what every system tells.
func plainStamp(info fs.FileInfo) stamp {
	return stamp{mode: info.Mode(), size: info.Size(), modified: info.ModTime().UnixNano()}
}
