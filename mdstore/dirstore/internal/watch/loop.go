package watch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// A finder finds changes, by events or by polling. The loop calls all methods.
type finder interface {
	// start begins with the folder that is at the root: every later change will be found.
	start(context.Context) error
	// wake is ready when there are events to collect; nil never is.
	wake() <-chan struct{}
	// collect adds the changes since the last call. After an error the finder cannot go on.
	collect(context.Context, *changes) error
	// stop frees everything; start may follow.
	stop()
}

// missingPoll is the time between two looks for a root that is missing. It is short because the caller believes that
// the root is still there.
const missingPoll = 100 * time.Millisecond

// A loop finds changes and gives them when they have settled.
type loop struct {
	root string // absolute
	opt  Options

	finder  finder
	polling bool
	info    fs.FileInfo // of the watched root; nil while it is missing
	held    settler     // changes that were not passed on yet
}

// run calls f until ctx ends. It returns nil then, or the error because of which it could not start. While f runs, a
// pump collects events, and polling compares with the state before.
func (l *loop) run(ctx context.Context, f func(Batch)) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer func() { l.finder.stop() }()
	tick, settled := time.NewTimer(l.opt.poll), time.NewTimer(time.Hour)
	defer tick.Stop()
	defer settled.Stop()
	for ctx.Err() == nil {
		settled.Stop()
		if !l.held.empty() {
			wait := l.held.wait(time.Now())
			if wait == 0 {
				f(l.held.take())
				continue
			}
			settled.Reset(wait)
		}
		select {
		case <-ctx.Done():
			continue
		case <-settled.C:
			continue
		case <-l.finder.wake():
		case <-tick.C:
		}
		began := time.Now()
		found := l.find(ctx)
		tick.Reset(l.pause(time.Since(began)))
		l.held.add(found, time.Now())
	}
	return nil
}

// begin starts with events if there are any, else with polling.
func (l *loop) begin(ctx context.Context) (err error) {
	if l.info, err = statFolder(l.root); err != nil {
		return err
	}
	var why error
	if !l.opt.polling {
		if why = eventsMissing(l.root); why == nil {
			l.finder = &events{root: l.root, opt: l.opt, maxFiles: maxWatched()}
			if why = l.finder.start(ctx); why == nil {
				l.opt.Ready(false, nil)
				return nil
			}
			l.finder.stop()
		}
	}
	if err = l.poll(ctx); err == nil {
		l.opt.Ready(true, why)
	}
	return err
}

// poll goes on by polling.
func (l *loop) poll(ctx context.Context) error {
	l.finder, l.polling = &poller{root: l.root, opt: l.opt}, true
	return l.finder.start(ctx)
}

// pause returns the time until the next look, after a look that took took.
func (l *loop) pause(took time.Duration) time.Duration {
	if l.info == nil {
		return min(missingPoll, l.opt.poll)
	}
	return max(l.opt.poll, 9*took)
}

// find returns what has changed. It starts anew if the root is not the folder that is watched: there is no event if a
// folder above it was moved, or something was mounted over it. If events stop working it goes on by polling.
func (l *loop) find(ctx context.Context) (found changes) {
	info, missing := statFolder(l.root)
	var err error
	switch {
	case missing != nil && l.info == nil:
		return found
	case missing == nil && l.info != nil && os.SameFile(l.info, info):
		if err = l.finder.collect(ctx, &found); err == nil && !found.restart {
			if l.polling { // with events the pump has called Early
				l.early(found)
			}
			return found
		}
	}
	found.rescan = l.info != nil
	l.finder.stop()
	l.info = nil
	if missing == nil && err == nil {
		err = l.finder.start(ctx)
	}
	if err != nil && ctx.Err() == nil && !l.polling && !notFound(err) && !errors.Is(err, fs.ErrPermission) {
		why := err
		l.finder.stop()
		err = l.poll(ctx)
		defer l.opt.Ready(true, why)
	}
	if missing == nil && err == nil {
		l.info, found.rescan = info, true
	} else {
		l.finder.stop() // until the root can be watched again
	}
	l.early(found)
	return found
}

// early tells Early before the changes have settled.
func (l *loop) early(found changes) {
	if found.rescan {
		l.opt.Early("")
		return
	}
	for _, p := range found.paths {
		l.opt.Early(p)
	}
}

// statFolder returns the identity of the folder at root.
func statFolder(root string) (fs.FileInfo, error) {
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "stat", Path: root, Err: syscall.ENOTDIR}
	}
	return info, err
}

// notFound reports whether err says that there is no such folder.
func notFound(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// native returns the path rel below base in the system's form.
func native(base, rel string) string { return filepath.Join(base, filepath.FromSlash(rel)) }

// relative undoes native; ok is false for a name that is not below base.
func relative(base, name string) (rel string, ok bool) {
	if name == base {
		return "", true
	}
	sep := string(os.PathSeparator)
	rest, ok := strings.CutPrefix(name, strings.TrimSuffix(base, sep)+sep)
	return filepath.ToSlash(rest), ok
}
