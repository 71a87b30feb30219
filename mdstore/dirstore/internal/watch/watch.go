// Package watch tells which files below a folder may have changed, by any program: an editor, git, a sync program,
// another process.
//
// It gives hints. A name of a file that did not change costs the reader one comparison; a change that is never named is
// a defect. So readers compare versions, and this package reads no file: it takes the system's events, or without them
// the sizes and times of the files, waits until the changes have settled, and gives the names.
//
// There are events on Linux (inotify) and macOS (kqueue). It polls on Windows, because a watch on a folder keeps people
// from renaming the folders above it; on file systems that another machine may write to; when the system's limit of
// watches is reached.
//
// Polling sees the state at each look. If a file comes and goes between two looks, it names the folder, unless another
// change in the folder explains that the folder changed.
//
// Symbolic links below the root are named when they come and go, and not followed. Writes through a memory mapping
// cause no event on any system.
package watch

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// A Batch names files that may have changed.
type Batch struct {
	// Paths are relative to the root, with slashes, sorted, without duplicates and without the root.
	//
	// They name files, and folders that came or went. Every file of a folder that came is named too. The files of a
	// folder that went need not be.
	Paths []string
	// Rescan says that anything may have changed: events were lost, or the root itself went or came. Paths is empty
	// then.
	Rescan bool
}

// Options say how to watch. The zero value is good.
type Options struct {
	// Ignore reports whether a path, relative to the root and with slashes, is ignored; an ignored folder is not
	// scanned. It is called from several goroutines. nil ignores nothing.
	//
	// dir says that it is a folder, or a link, which may lead to one. For a path that is gone this is not known: it is
	// named unless Ignore says true for both.
	Ignore func(path string, dir bool) bool
	// Early is called at once, before anything has settled, with what may have changed: a file; or a folder, with any
	// file in it; "" is the root or an unknown path. It may be called often and from several goroutines, and must
	// return quickly. nil is for none.
	Early func(path string)
	// Ready is called once when every later change will be seen, before f is called. polling says whether it polls, and
	// why the reason if events were wanted. It is called a second time, with polling true, if events stop working; a
	// Rescan follows. nil is for none.
	Ready func(polling bool, why error)

	// Tests choose these.
	settling
	poll    time.Duration // between two looks at all files without events, and at the root itself; 0 is 2 s
	polling bool          // although there are events
	open    opener        // nil is the system's
}

// Watch gives batches of changes below root to f, one at a time and in the calling goroutine, until ctx ends. While f
// runs, it collects changes for the next batch. Changes that were not given when ctx ends are lost. It returns ctx's
// error, or the error because of which it could not begin: root is no folder or cannot be read. Later it goes on
// whatever happens to root, with a Rescan when the root goes, comes back, or is replaced by another folder.
//
// When it returns it has left nothing behind: no goroutine, descriptor or watch.
func Watch(ctx context.Context, root string, opt Options, f func(Batch)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	abs, err := filepath.Abs(root)
	if err == nil {
		l := &loop{root: abs, opt: opt.withDefaults(), held: settler{settling: opt.settling}}
		err = l.run(ctx, f)
	}
	if err != nil && ctx.Err() == nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	return ctx.Err()
}

func (o Options) withDefaults() Options {
	o.poll = cmp.Or(o.poll, 2*time.Second)
	if o.Ignore == nil {
		o.Ignore = func(string, bool) bool { return false }
	}
	if o.Early == nil {
		o.Early = func(string) {}
	}
	if o.Ready == nil {
		o.Ready = func(bool, error) {}
	}
	if o.open == nil {
		o.open = openSystem
	}
	return o
}

// mayBeFolder reports whether a file of that mode is a folder or may lead to one.
func mayBeFolder(mode fs.FileMode) bool { return mode&(fs.ModeDir|fs.ModeSymlink) != 0 }
