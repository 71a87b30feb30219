package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/fsnotify/fsnotify"
)

// events finds changes by the system's events, with one watch for each folder.
//
// It relies on three rules. A folder is watched first and listed afterwards, so that nothing is made in it unseen. An
// event says only where to look: the disk says what is there, so that neither the order nor the age of events matters.
// A watch belongs to a folder, not to its path: see confirm.
type events struct {
	root     string
	opt      Options
	maxFiles int // descriptors that watching may take; 0 is no limit

	base string // root without symbolic links
	src  *pump  // nil before start
	top  *folder

	unconfirmed []*folder
	files       int // entries of all folders
}

func (e *events) start(ctx context.Context) (err error) {
	if e.base, err = filepath.EvalSymlinks(e.root); err != nil {
		return err
	}
	src, err := e.opt.open()
	if err != nil {
		return fmt.Errorf("events of files: %w", err)
	}
	e.src, e.top = startPump(src, e.base, e.opt), &folder{}
	if err := e.scan(ctx, e.top, "", nil); err != nil {
		return err
	}
	return e.confirm(ctx, nil)
}

func (e *events) wake() <-chan struct{} {
	if e.src == nil {
		return nil
	}
	return e.src.ready
}

func (e *events) stop() {
	if e.src != nil {
		e.src.stop()
	}
	e.src, e.top, e.unconfirmed, e.files = nil, nil, nil, 0
}

const (
	placed = fsnotify.Create | fsnotify.Remove | fsnotify.Rename // the path may be another file now
	shaped = placed | fsnotify.Chmod                             // or the folder is readable now
)

func (e *events) collect(ctx context.Context, c *changes) error {
	got := e.src.take()
	switch {
	case got.err != nil:
		return fmt.Errorf("events of files: %w", got.err)
	case got.lost || got.ops[""]&placed != 0:
		c.restart = true
		return nil
	case got.ops[""] != 0: // permissions of the root
		c.rescan = true
	}
	delete(got.ops, "")

	// Folders with events are forgotten before any look at the disk: a folder that was renamed is watched under its old
	// path until then.
	paths := slices.Sorted(maps.Keys(got.ops))
	known, dropped := map[string]bool{}, false
	for _, p := range paths {
		if f := e.top.find(p); f != nil {
			known[p] = true
			if got.ops[p]&shaped != 0 {
				e.drop(f)
				dropped = true
			}
		}
	}
	scanned := map[string]bool{}
	for _, p := range paths {
		if err := e.look(ctx, p, got.ops[p], known[p], scanned, c); err != nil {
			return err
		}
	}
	if dropped {
		return e.confirm(ctx, c)
	}
	return nil
}

// look adds the file or folder at p, and watches a folder and adds all that it holds. known says that a folder was
// watched at p; scanned are the folders that were scanned already.
func (e *events) look(
	ctx context.Context, p string, op fsnotify.Op, known bool, scanned map[string]bool, c *changes,
) error {
	if op&shaped == 0 && known {
		return nil // a write to a folder
	}
	if op&(fsnotify.Create|fsnotify.Chmod) == 0 && !known { // a file was written, or a file or ignored folder is gone
		c.add(p)
		return nil
	}
	info, err := os.Lstat(native(e.base, p))
	dir := err == nil && info.IsDir()
	if err == nil && e.opt.Ignore(p, mayBeFolder(info.Mode())) {
		return nil
	}
	c.add(p)
	for up := p; dir && up != ""; up = parentOf(up) {
		if scanned[up] {
			return nil
		}
	}
	parent := e.top.find(parentOf(p))
	if !dir || parent == nil { // without a parent: an event of the parent will come and lead here
		return nil
	}
	scanned[p] = true
	return e.scan(ctx, parent.add(p), p, c)
}

// drop forgets f and all below it.
func (e *events) drop(f *folder) {
	f.detach(func(sub *folder, at string) {
		e.files -= sub.files
		_ = e.src.Remove(native(e.base, at)) // it fails for a folder that was deleted
	})
}

// scan watches f, which is at the path at, and all below it. With c it adds all that is in it.
func (e *events) scan(ctx context.Context, f *folder, at string, c *changes) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := native(e.base, at)
	if err := e.src.Add(name); err != nil {
		return e.skip(f, err)
	}
	e.unconfirmed = append(e.unconfirmed, f)
	list, err := os.ReadDir(name)
	if err != nil {
		return e.skip(f, err)
	}
	f.files = len(list)
	if e.files += len(list); e.maxFiles > 0 && e.files > e.maxFiles {
		return fmt.Errorf("events of files: each of more than %d files would take a descriptor", e.maxFiles)
	}
	for _, entry := range list {
		sub := path.Join(at, entry.Name())
		if e.opt.Ignore(sub, mayBeFolder(entry.Type())) {
			continue
		}
		c.add(sub)
		if entry.IsDir() {
			if err := e.scan(ctx, f.add(sub), sub, c); err != nil {
				return err
			}
		}
	}
	return nil
}

// skip forgets f, which cannot be watched or listed. If it is missing or not readable, an event comes when this
// changes. Any other error, or one about the root, ends events.
func (e *events) skip(f *folder, err error) error {
	if f == e.top || !notFound(err) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("events of files: %w", err)
	}
	e.drop(f)
	return nil
}

// confirm checks the watches that were added since the last call.
//
// The system watches folders, whatever their path. A watched folder that was moved into a new one is found there before
// the event of its move is seen, and adding it changes nothing: its events still come under its old path, and the event
// of the move ends that watch. So a new watch counts only if the source lists it under its path; a folder that is not
// listed is scanned again. If the event is still to come then, collect handles it.
func (e *events) confirm(ctx context.Context, c *changes) error {
	for range 2 {
		if len(e.unconfirmed) == 0 {
			return nil
		}
		for _, name := range e.src.WatchList() {
			if rel, ok := relative(e.base, name); ok {
				if f := e.top.find(rel); f != nil {
					f.listed = true
				}
			}
		}
		unconfirmed := e.unconfirmed
		e.unconfirmed = nil
		for _, f := range unconfirmed {
			if f.gone || f.listed || f == e.top { // of the root an event will come
				continue
			}
			at, parent := f.path(), f.parent
			e.drop(f)
			c.add(at)
			if err := e.scan(ctx, parent.add(at), at, c); err != nil {
				return err
			}
		}
	}
	return nil
}
