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

	seen  map[string]entry // by the last look, with the root under ""
	first bool             // the next look is the first since start
}

// An entry is what a look finds about a file or folder.
type entry struct {
	ignored bool // then the other fields are zero
	stamp   stamp
	again   time.Time // when to name the file once more; zero is never
}

func (e entry) folder() bool { return e.stamp.mode.IsDir() }

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
	p.seen, p.first = p.look(ctx), true
	for at, e := range p.seen {
		changed := time.Unix(0, e.stamp.modified)
		if !e.ignored && !e.folder() && time.Since(changed) < clockStep { // it may change again within the step
			e.again = time.Now().Add(clockStep)
			p.seen[at] = e
		}
	}
	return ctx.Err()
}

func (p *poller) wake() <-chan struct{} { return nil }

func (p *poller) stop() {}

func (p *poller) collect(ctx context.Context, c *changes) error {
	before, now := p.seen, p.look(ctx)
	if ctx.Err() != nil {
		return nil // ctx ended before the look did
	}
	explained := map[string]bool{} // a difference in the folder explains why it has changed
	for at, was := range before {
		if _, still := now[at]; !still {
			explained[parentOf(at)] = true
			if !was.ignored {
				c.add(at)
			}
		}
	}
	var folders []string // that have changed
	for at, e := range now {
		was, known := before[at]
		switch {
		case known && was.ignored == e.ignored && was.stamp == e.stamp:
			if e.again = was.again; !e.again.IsZero() && !time.Now().Before(e.again) {
				e.again = time.Time{}
				c.add(at)
			}
			now[at] = e
			continue
		case known && was.folder() && e.folder():
			folders = append(folders, at)
		case !e.ignored || known && !was.ignored:
			c.add(at)
			if !e.ignored && !e.folder() {
				e.again = time.Now().Add(clockStep)
				now[at] = e
			}
		}
		if at != "" {
			explained[parentOf(at)] = true
		}
	}
	for _, at := range folders {
		// In the first look a difference does not exclude an earlier change, which a program may have seen that read
		// the files when watching began.
		switch {
		case !p.first && explained[at]:
		case at == "":
			c.rescan = true
		default:
			c.add(at)
		}
	}
	p.seen, p.first = now, false
	return nil
}

// look returns what is below the root now. A folder that cannot be read counts as empty. The result is useless if ctx
// has ended.
func (p *poller) look(ctx context.Context) map[string]entry {
	seen := make(map[string]entry, len(p.seen))
	var visit func(at string)
	visit = func(at string) {
		if ctx.Err() != nil {
			return
		}
		name := native(p.root, at)
		e := entry{stamp: stamp{mode: fs.ModeDir}}
		if info, err := os.Stat(name); err == nil { // before its entries, so that later changes show
			e.stamp = stampOf(info)
		}
		seen[at] = e
		found, _ := os.ReadDir(name)
		for _, f := range found {
			sub := path.Join(at, f.Name())
			if p.opt.Ignore(sub, mayBeFolder(f.Type())) {
				seen[sub] = entry{ignored: true}
			} else if f.IsDir() {
				visit(sub)
			} else if info, err := f.Info(); err == nil { // otherwise it is gone
				seen[sub] = entry{stamp: stampOf(info)}
			}
		}
	}
	visit("")
	return seen
}
