// Package watch tells which files below a folder may have changed, whoever
// changed them: a person's editor, git, a sync program, another process.
//
// What it tells are hints. A name that is given although nothing changed costs its
// reader one comparison; a change that is not named at all is a defect. So
// readers compare versions, and this package reads no file: it takes the
// system's events, or where there are none the sizes and times of the files, waits until things
// have settled, and gives the names.
//
// Events are had on Linux, from inotify, and on macOS and the BSDs, from kqueue. It polls
// instead on Windows, where a watch on a folder keeps people from renaming the
// folders above it; on file systems that another machine may write to; when the system's limit of
// watches is reached; and when it is asked to.
//
// Polling sees what there is at each look. Of a file that comes and goes between two looks it sees that its
// folder has changed, and names that, unless something else in the folder came or went as well.
//
// Symbolic links below the root are named when they come and go and are not followed. What is
// written through a memory mapping brings no event on any system.
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
	// Paths are relative to the root and separated by slashes; they are sorted, each is there once, and none is the root.
	//
	// They name files, and folders that came or went. Every file of a folder that
	// came is named too. The files of one that went need not be: what lay below a
	// named folder may be gone.
	Paths []string
	// Rescan says that anything may have changed: events were lost, or the root
	// itself went or came. Paths is empty then.
	Rescan bool
}

// Options say how to watch. The zero value is good.
type Options struct {
	// Settle is the quiet time after which a batch is given; 0 is 100 ms.
	Settle time.Duration
	// Most is how long the first change of a batch is held back at most while others follow; 0 is 1 s. A batch
	// waits longer only for f to return, or for a new folder to be looked through.
	Most time.Duration
	// Poll is the time between two looks at all files where the system's events cannot be had, and between two looks
	// for the root itself in any case; 0 is 2 s. On a tree where a look takes long it is stretched, so that
	// looking takes a tenth of the time at most.
	Poll time.Duration
	// Polling asks for polling also where events can be had.
	Polling bool
	// Ignore reports whether a path, relative to the root and separated by slashes, is not looked at; a folder is not
	// descended into then. It is called from several goroutines. nil ignores nothing.
	//
	// dir says that it is a folder, or a link, which may lead to one. Of what has just gone nobody knows whether it was: it is named unless Ignore says so of either.
	Ignore func(path string, dir bool) bool
	// Early is called at once, before anything has settled, with what may have changed: a file, or a folder of which the files may
	// have, too; "" is the root, or where it is not known what. It may be called often and from several goroutines, and must return quickly. nil is for none.
	Early func(path string)
	// Ready is called once when every change from then on will be seen, before f is called: polling tells whether by
	// polling, and why not by events where they were wanted. It is called a second time, with polling true,
	// if events are had at first and cannot be had any longer; a Rescan follows. nil is for none.
	Ready func(polling bool, why error)
}

// Watch gives batches of changes below root to f, one at a time and in the
// calling goroutine, until ctx ends. While f runs, changes are collected for the next batch; those that
// were not given when ctx ends are forgotten. It returns ctx's error, or the error
// that kept it from watching at all: root is no folder, or cannot be read. Whatever happens to root
// later, it goes on: it tells that the root went with a Rescan, and that it
// came back, or that another folder came in its place, with a Rescan as well.
//
// When it returns it has left nothing behind: no goroutine, descriptor or watch.
func Watch(ctx context.Context, root string, opt Options, f func(Batch)) error {
	return watch(ctx, root, opt, openSystem, f)
}

// watch is Watch with events from what open opens.
func watch(ctx context.Context, root string, opt Options, open opener, f func(Batch)) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	abs, err := filepath.Abs(root)
	if err != nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	inner, stop := context.WithCancel(ctx)
	l := &loop{root: abs, opt: opt.withDefaults(), open: open, want: make(chan struct{}, 1), out: make(chan Batch, 1)}
	failed := make(chan error, 1)
	go func() {
		defer close(l.out)
		failed <- l.run(inner)
	}()
	defer func() { // also when f panics
		stop()
		for range l.out {
		}
	}()
	for {
		l.want <- struct{}{}
		b, ok := <-l.out
		if !ok {
			break
		}
		f(b)
	}
	if err := <-failed; err != nil && ctx.Err() == nil {
		return fmt.Errorf("watch %s: %w", root, err)
	}
	return ctx.Err()
}

func (o Options) withDefaults() Options {
	o.Settle = cmp.Or(max(o.Settle, 0), 100*time.Millisecond)
	o.Most = cmp.Or(max(o.Most, 0), time.Second)
	o.Poll = cmp.Or(max(o.Poll, 0), 2*time.Second)
	if o.Ignore == nil {
		o.Ignore = func(string, bool) bool { return false }
	}
	if o.Early == nil {
		o.Early = func(string) {}
	}
	if o.Ready == nil {
		o.Ready = func(bool, error) {}
	}
	return o
}

// ignored reports whether path is ignored, be it a file or a folder.
// leads reports whether a name of that kind may lead to a folder.
func leads(kind fs.FileMode) bool { return kind&(fs.ModeDir|fs.ModeSymlink) != 0 }

func (o Options) ignored(path string) bool { return o.Ignore(path, false) && o.Ignore(path, true) }
