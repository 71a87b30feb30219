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

// A way is one way to find changes: events or polling. All methods are called by the loop.
type way interface {
	// start begins: every change from now on will be found. An error says that this way cannot be gone.
	start(context.Context) error
	// wake is ready when there is something to look at; nil never is.
	wake() <-chan struct{}
	// look looks at what wake told of. After an error the way cannot be gone any longer.
	look(context.Context, *news) error
	// tick looks at what wake does not tell of, and returns the time until the next tick. Its error is as look's.
	tick(context.Context, *news) (time.Duration, error)
	// stop leaves nothing behind.
	stop()
}

// A loop finds changes and gives them when they have settled.
type loop struct {
	root string // absolute
	opt  Options
	open opener
	want chan struct{} // filled when the caller has time for a batch
	out  chan Batch    // has room for one after each want

	way  way
	held settler
}

// run returns nil when ctx ends, and the error that kept it from starting.
func (l *loop) run(ctx context.Context) error {
	if err := l.begin(ctx); err != nil {
		return err
	}
	defer func() { l.way.stop() }()
	l.held = settler{quiet: l.opt.Settle, most: l.opt.Most}
	tick, settled := time.NewTimer(l.opt.Poll), time.NewTimer(time.Hour)
	defer tick.Stop()
	defer settled.Stop()
	wanted := false
	for {
		settled.Stop()
		if wanted && !l.held.empty() {
			if wait := time.Until(l.held.due()); wait > 0 {
				settled.Reset(wait)
			} else {
				l.out <- l.held.batch()
				wanted = false
			}
		}
		var n news
		var err error
		select {
		case <-ctx.Done():
			return nil
		case <-l.want:
			wanted = true
		case <-settled.C:
		case <-l.way.wake():
			if err = l.way.look(ctx, &n); n.away {
				tick.Reset(min(comeback, l.opt.Poll))
			}
		case <-tick.C:
			var pause time.Duration
			pause, err = l.way.tick(ctx, &n)
			tick.Reset(pause)
			l.early(n)
		}
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			l.changeOver(ctx, err)
			n.rescan = true
			tick.Reset(l.opt.Poll)
		}
		l.held.take(n, time.Now())
	}
}

// early tells of news before they have settled.
func (l *loop) early(n news) {
	if n.rescan {
		l.opt.Early("")
		return
	}
	for _, p := range n.paths {
		l.opt.Early(p)
	}
}

// begin finds the way and starts on it.
func (l *loop) begin(ctx context.Context) error {
	if _, err := statFolder(l.root); err != nil {
		return err
	}
	var why error
	if !l.opt.Polling {
		if why = unsuited(l.root); why == nil {
			l.way = &events{root: l.root, opt: l.opt, open: l.open, most: mostWatched()}
			if why = l.way.start(ctx); why == nil {
				l.opt.Ready(false, nil)
				return nil
			}
			l.way.stop()
		}
	}
	l.way = &poller{root: l.root, opt: l.opt}
	if err := l.way.start(ctx); err != nil {
		return err
	}
	l.opt.Ready(true, why)
	return nil
}

// changeOver goes on by polling. What happened before is for a Rescan to find.
func (l *loop) changeOver(ctx context.Context, why error) {
	l.way.stop()
	l.way = &poller{root: l.root, opt: l.opt}
	_ = l.way.start(ctx) // a root that is gone now is waited for
	l.opt.Early("")
	l.opt.Ready(true, why)
}

// statFolder tells which folder is at root.
func statFolder(root string) (fs.FileInfo, error) {
	info, err := os.Stat(root)
	if err == nil && !info.IsDir() {
		return nil, &fs.PathError{Op: "stat", Path: root, Err: syscall.ENOTDIR}
	}
	return info, err
}

// gone reports whether err says that there is no such folder (any longer).
func gone(err error) bool { return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) }

// native returns the path in the system's form of rel below base.
func native(base, rel string) string {
	if rel == "" {
		return base
	}
	if os.IsPathSeparator(base[len(base)-1]) { // the root of a file system
		return base + filepath.FromSlash(rel)
	}
	return base + string(os.PathSeparator) + filepath.FromSlash(rel)
}

// relative undoes native; ok is false for a name that is not below base.
func relative(base, name string) (rel string, ok bool) {
	rest, ok := strings.CutPrefix(name, base)
	if !ok || rest == "" {
		return "", ok
	}
	switch {
	case os.IsPathSeparator(rest[0]):
		rest = rest[1:]
	case !os.IsPathSeparator(base[len(base)-1]):
		return "", false
	}
	return filepath.ToSlash(rest), true
}

func join(dir, name string) string {
	if dir == "" {
		return name
	}
	return dir + "/" + name
}
