package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/fsnotify/fsnotify"
)

// events finds changes by the system's events, with one watch for each folder.
//
// It rests on three things. A folder is watched first and listed afterwards, so
// that nothing can be made in it unseen. An event says only where to look: what is there is asked of the disk, so
// that neither the order of events nor their age matters. And a watch belongs to a
// folder, not to its path: see confirm.
type events struct {
	root string
	opt  Options
	open opener
	most int // descriptors that watching may take; 0 is no limit

	was  fs.FileInfo // the folder that is watched; nil while there is none
	base string      // root without symbolic links
	src  *pump       // nil while there is no root
	top  *folder
	leaf func(path string) bool // surely has no folders in it; nil if that is not to be had

	fresh []*folder // watches not yet confirmed
	files int       // how much the folders of the tree hold
}

func (e *events) start(ctx context.Context) error {
	err := e.rebuild(ctx)
	if err != nil {
		e.stop()
	}
	return err
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
	e.src, e.top, e.fresh, e.was, e.files = nil, nil, nil, nil, 0
}

// rebuild watches the tree anew.
func (e *events) rebuild(ctx context.Context) error {
	e.stop()
	info, err := statFolder(e.root)
	if err != nil {
		return err
	}
	if e.base, err = filepath.EvalSymlinks(e.root); err != nil {
		return err
	}
	src, err := e.open()
	if err != nil {
		return fmt.Errorf("events of files: %w", err)
	}
	e.src, e.was, e.top = startPump(src, e.base, e.opt), info, &folder{}
	if e.leaf = leaves(e.base); e.most > 0 {
		e.leaf = nil // files are to be counted
	}
	if err := e.scan(ctx, e.top, "", nil); err != nil {
		return err
	}
	return e.confirm(ctx, nil)
}

// renew rebuilds after something happened to the root, or events were lost. A
// root that is gone, or not for this user, is no error: tick waits for it.
func (e *events) renew(ctx context.Context, n *news) error {
	had := e.was != nil
	err := e.rebuild(ctx)
	if missing := err != nil && (gone(err) || errors.Is(err, fs.ErrPermission)); missing {
		e.stop()
		n.rescan, n.away = n.rescan || had, true
		return nil
	}
	n.rescan = true
	return err
}

// tick looks whether the root is the folder that is watched: that a folder above it
// was moved, or something mounted over it, brings no event.
func (e *events) tick(ctx context.Context, n *news) (time.Duration, error) {
	now, err := statFolder(e.root)
	if err == nil && e.was != nil && os.SameFile(e.was, now) || err != nil && e.was == nil {
		return e.pause(), nil
	}
	err = e.renew(ctx, n)
	return e.pause(), err
}

// comeback is the time between two looks for a root that is gone: until it is seen, its reader takes what it knows for what there is.
const comeback = 100 * time.Millisecond

func (e *events) pause() time.Duration {
	if e.was == nil {
		return min(comeback, e.opt.Poll)
	}
	return e.opt.Poll
}

const (
	placed = fsnotify.Create | fsnotify.Remove | fsnotify.Rename // something else may be at the path now
	shaped = placed | fsnotify.Chmod                             // or it can be looked into now
)

func (e *events) look(ctx context.Context, n *news) error {
	got := e.src.take()
	switch {
	case got.err != nil:
		return fmt.Errorf("events of files: %w", got.err)
	case got.lost || got.ops[""]&placed != 0:
		return e.renew(ctx, n)
	case got.ops[""] != 0: // permissions of the root
		n.rescan = true
	}
	delete(got.ops, "")

	// What is known of a path to which something happened is forgotten before
	// anything is looked at: a folder that was renamed is watched under its old path until then.
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
		if err := e.lookAt(ctx, p, got.ops[p], known[p], scanned, n); err != nil {
			return err
		}
	}
	if dropped {
		return e.confirm(ctx, n)
	}
	return nil
}

// lookAt names path, and if it is a folder watches it and names all that it
// holds. scanned has the folders for which this look has done so already.
func (e *events) lookAt(ctx context.Context, path string, op fsnotify.Op, known bool, scanned map[string]bool, n *news) error {
	if op&shaped == 0 && known {
		return nil // a write that is about a folder
	}
	if op&(fsnotify.Create|fsnotify.Chmod) == 0 && !known { // a file was written, or what never was watched went
		n.add(path)
		return nil
	}
	info, err := os.Lstat(native(e.base, path))
	dir := err == nil && info.IsDir()
	if err == nil && e.opt.Ignore(path, leads(info.Mode())) {
		return nil
	}
	n.add(path)
	for p := path; dir && p != ""; p = parentOf(p) {
		if scanned[p] {
			return nil
		}
	}
	parent := e.top.find(parentOf(path))
	if !dir || parent == nil { // without a parent: news of the parent are to come, and will lead here
		return nil
	}
	scanned[path] = true
	return e.scan(ctx, parent.add(path), path, n)
}

// drop forgets f and all below it.
func (e *events) drop(f *folder) {
	f.detach(func(sub *folder, path string) {
		e.files -= sub.files
		_ = e.src.Remove(native(e.base, path)) // what was deleted is watched no more
	})
}

// scan watches f, which is at path, and all below it, and names what is in it if n is not nil.
func (e *events) scan(ctx context.Context, f *folder, path string, n *news) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	name := native(e.base, path)
	if err := e.src.Add(name); err != nil {
		return e.unseen(f, err)
	}
	e.fresh = append(e.fresh, f)
	if n == nil && e.leaf != nil && e.leaf(name) {
		return nil
	}
	list, err := os.ReadDir(name)
	if err != nil {
		return e.unseen(f, err)
	}
	f.files = len(list)
	if e.files += len(list); e.most > 0 && e.files > e.most {
		return fmt.Errorf("events of files: each of more than %d files would take a descriptor", e.most)
	}
	for _, entry := range list {
		sub := join(path, entry.Name())
		if e.opt.Ignore(sub, leads(entry.Type())) {
			continue
		}
		n.add(sub)
		if entry.IsDir() {
			if err := e.scan(ctx, f.add(sub), sub, n); err != nil {
				return err
			}
		}
	}
	return nil
}

// unseen forgets f, which cannot be looked into. If that is so because it is
// gone, or not for this user, an event will tell when this changes; else the error is for polling to deal with.
func (e *events) unseen(f *folder, err error) error {
	if f == e.top || !gone(err) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("events of files: %w", err)
	}
	e.drop(f)
	return nil
}

// confirm makes sure of the watches that were added since the last time.
//
// The system watches folders, whatever their path. A folder that was watched, then moved into one that was
// not, is found there before the event of its move has been seen, and adding it changes
// nothing: its events still come under its old path, and with the event of the move that watch ends. So
// each new watch counts only when the source lists it under its path, and a folder that is not listed is looked at anew.
// One that is listed later only, as that event has yet to come, is looked at when it comes.
func (e *events) confirm(ctx context.Context, n *news) error {
	for range 2 {
		if len(e.fresh) == 0 {
			return nil
		}
		for _, name := range e.src.WatchList() {
			if rel, ok := relative(e.base, name); ok {
				if f := e.top.find(rel); f != nil {
					f.listed = true
				}
			}
		}
		fresh := e.fresh
		e.fresh = nil
		for _, f := range fresh {
			if f.gone || f.listed {
				continue
			}
			path := f.path()
			if f == e.top {
				continue // an event of the root is to come
			}
			parent := f.parent
			e.drop(f)
			n.add(path)
			if err := e.scan(ctx, parent.add(path), path, n); err != nil {
				return err
			}
		}
	}
	return nil
}
