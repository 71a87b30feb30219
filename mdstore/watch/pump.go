package watch

import (
	"errors"
	"runtime"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// A source gives the system's events about the folders that were added to it,
// each by its path in the system's form. It ends both channels when it is closed.
type source interface {
	Add(folder string) error
	Remove(folder string) error
	WatchList() []string // the folders that are watched, by the paths under which their events come
	Close() error
	channels() (<-chan fsnotify.Event, <-chan error)
}

// An opener opens a source that watches nothing as yet.
type opener func() (source, error)

// system is the source of the operating system.
type system struct{ *fsnotify.Watcher }

func openSystem() (source, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return system{w}, nil
}

func (s system) channels() (<-chan fsnotify.Event, <-chan error) { return s.Events, s.Errors }

// collected is what events told of: what happened to which path, in no order.
// Whoever takes it looks at the disk to learn what is there now.
type collected struct {
	ops  map[string]fsnotify.Op
	lost bool  // events are missing
	err  error // the source is broken
}

// A pump takes events out of a source as fast as they come, so that the
// system's queue stays short whatever the loop is busy with.
type pump struct {
	source
	base  string // what the source's paths begin with
	opt   Options
	ready chan struct{} // filled when there is something to take
	ended chan struct{}

	mu  sync.Mutex
	got collected
}

func startPump(src source, base string, opt Options) *pump {
	p := &pump{source: src, base: base, opt: opt, ready: make(chan struct{}, 1), ended: make(chan struct{})}
	go p.run()
	return p
}

// stop closes the source and waits for it.
func (p *pump) stop() {
	_ = p.Close() // of no consequence: nothing is read from it any longer
	<-p.ended
}

func (p *pump) run() {
	defer close(p.ended)
	events, errs := p.channels()
	for events != nil || errs != nil {
		select {
		case ev, ok := <-events:
			if !ok {
				events = nil
				break
			}
			if rel, ok := relative(p.base, ev.Name); ok && p.matters(rel, ev.Op) {
				p.put(rel, ev.Op, nil)
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
				break
			}
			if !harmless(err) {
				p.put("", 0, err)
			}
		}
	}
}

// harmless reports whether err only says that a watch was to be removed that the system had removed already, which
// inotify's source reports of a folder that was moved and soon after deleted.
func harmless(err error) bool { return runtime.GOOS == "linux" && errors.Is(err, syscall.EINVAL) }

// matters reports whether an event may be about something that is not ignored. Only a write surely is about a file.
func (p *pump) matters(rel string, op fsnotify.Op) bool {
	switch {
	case rel == "":
		return op != fsnotify.Write // some systems send it for whatever happens in a folder
	case op == fsnotify.Write:
		return !p.opt.Ignore(rel, false)
	}
	return !p.opt.ignored(rel)
}

func (p *pump) put(rel string, op fsnotify.Op, err error) {
	p.mu.Lock()
	switch {
	case errors.Is(err, fsnotify.ErrEventOverflow):
		p.got.lost = true
	case err != nil:
		p.got.err = err
	case p.got.ops == nil:
		p.got.ops = map[string]fsnotify.Op{rel: op}
	default:
		p.got.ops[rel] |= op
	}
	if len(p.got.ops) > mostPaths {
		p.got.lost = true
	}
	if p.got.lost || p.got.err != nil {
		p.got.ops = nil
	}
	p.mu.Unlock()
	select {
	case p.ready <- struct{}{}:
	default:
	}
	p.opt.Early(rel)
}

// take returns what has been collected since the last time.
func (p *pump) take() collected {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.got
	p.got = collected{}
	return c
}
