package watch

import (
	"context"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
)

// racy is how long after a change the next one may leave a file's times as they are: FAT counts in
// steps of two seconds.
const racy = 2 * time.Second

// A poller finds changes by comparing what it sees of each file with what it saw the last time.
//
// Two changes within one step of the file system's clock look like one. So a file that has changed is named once more
// when the step is certainly over. And a file may come, be read by somebody, and go between two looks, of which
// nothing remains but that its folder has changed. So a folder that has changed is named if no change in it is seen.
type poller struct {
	root string
	opt  Options

	was   fs.FileInfo // the folder that was looked at last; nil while there is none
	top   *listing
	first bool      // this look is the first since the tree was taken as it is
	epoch time.Time // entry.again counts from here
}

// A listing is what a folder held.
type listing struct {
	stamp   stamp
	entries []entry // sorted by name
}

type entry struct {
	name    string
	ignored bool // nothing more is known of it
	stamp   stamp
	again   time.Duration // when to name it once more; 0 is never
	sub     *listing      // of a folder
}

// A stamp is what can be told of a file without reading it: each write and each replacement changes it, within what
// the clock of the file system tells apart.
type stamp struct {
	mode     fs.FileMode
	size     int64
	modified int64 // Unix nanoseconds
	sys      sysStamp
}

func stampOf(info fs.FileInfo) stamp {
	return stamp{mode: info.Mode(), size: info.Size(), modified: info.ModTime().UnixNano(), sys: sysStampOf(info)}
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
	p.was, p.top, p.first = info, p.list(ctx, nil, "", nil), true
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
		p.first = false
	}
	return max(p.opt.Poll, 9*time.Since(began)), nil
}

// list returns what the folder at path holds, and names what differs from old. A folder that cannot be read counts as
// empty. What it returns is of no use when ctx has ended.
func (p *poller) list(ctx context.Context, old *listing, path string, n *news) *listing {
	if ctx.Err() != nil {
		return old
	}
	var before []entry
	if old != nil {
		before = old.entries
	}
	now, found := readFolder(native(p.root, path))
	now.entries = make([]entry, 0, len(found))
	differs := false // in a way that tells why the folder has changed
	for _, f := range found {
		for len(before) > 0 && before[0].name < f.Name() {
			before[0].nameAll(path, n)
			before, differs = before[1:], true
		}
		var was *entry
		if len(before) > 0 && before[0].name == f.Name() {
			was, before = &before[0], before[1:]
		}
		e, same := p.compare(ctx, was, f, join(path, f.Name()), n)
		if differs = differs || !same; e.name != "" {
			now.entries = append(now.entries, e)
		}
	}
	for i := range before {
		before[i].nameAll(path, n)
		differs = true
	}
	// In the first look a change is no proof that there was not another one before it, which those may have seen who read the
	// files as they were when watching began.
	if old != nil && old.stamp != now.stamp && (p.first || !differs) {
		if path == "" {
			n.rescan = true
		} else {
			n.add(path)
		}
	}
	return now
}

// readFolder returns the stamp of a folder, taken before it was read, and what is in it, sorted by name.
func readFolder(name string) (*listing, []fs.DirEntry) {
	l := &listing{}
	f, err := os.Open(name)
	if err != nil {
		return l, nil
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil {
		l.stamp = stampOf(info)
	}
	found, _ := f.ReadDir(-1)
	slices.SortFunc(found, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return l, found
}

// compare returns what is at path, where was had been, and names it if it differs. If it is gone the entry has no name.
func (p *poller) compare(ctx context.Context, was *entry, found fs.DirEntry, path string, n *news) (e entry, same bool) {
	e = entry{name: found.Name(), ignored: p.opt.Ignore(path, leads(found.Type()))}
	if was != nil && was.ignored != e.ignored { // a file in the place of a folder, or the other way round
		was.nameAll(parentOf(path), n)
		was = nil
	}
	switch {
	case e.ignored:
		return e, was != nil
	case found.IsDir():
		same = p.folder(ctx, was, &e, path, n)
		return e, same
	}
	info, err := found.Info()
	if err != nil {
		if was != nil {
			was.nameAll(parentOf(path), n)
		}
		return entry{}, false
	}
	e.stamp = stampOf(info)
	return e, p.file(was, &e, info, path, n)
}

// folder fills in what there is to tell of e, a folder, and reports whether it is as it was.
func (p *poller) folder(ctx context.Context, was, e *entry, path string, n *news) (same bool) {
	var old *listing
	if was != nil {
		old = was.sub
	}
	if old == nil { // it is new, or was a file
		n.add(path)
	}
	e.sub = p.list(ctx, old, path, n)
	return old != nil && e.sub.stamp == old.stamp
}

// file names e, a file, if it is not as it was, and reports whether it is.
func (p *poller) file(was, e *entry, info fs.FileInfo, path string, n *news) (same bool) {
	now := time.Since(p.epoch)
	switch {
	case was == nil && n == nil:
		if time.Since(info.ModTime()) < racy { // it may be in the middle of a change
			e.again = now + racy
		}
		return true
	case was == nil || was.stamp != e.stamp:
		if was != nil && was.sub != nil {
			was.sub.nameAll(path, n)
		}
		n.add(path)
		e.again = now + racy
		return false
	case was.again != 0 && was.again <= now:
		n.add(path)
	default:
		e.again = was.again
	}
	return true
}

// nameAll names e, which was in dir and is gone, and all that was below it.
func (e *entry) nameAll(dir string, n *news) {
	if e.ignored {
		return
	}
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
