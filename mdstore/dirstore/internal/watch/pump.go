package watch

import (
	"errors"
	"runtime"
	"sync"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// A source gives the system's events about the folders that were added to it, each by its path in the system's form. It
// closes both channels when it is closed.
type source interface {
	Add(folder string) error
	Remove(folder string) error
	WatchList() []string // the folders that are watched, by the paths under which their events come
	Close() error
	channels() (<-chan fsnotify.Event, <-chan error)
}

// An opener opens a source that watches nothing yet.
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

// collected is the content of several events, without their order.
type collected struct {
	ops  map[string]fsnotify.Op
	lost bool  // events are missing
	err  error // the source is broken
}

// A pump takes events out of a source as fast as they come, so that the system's queue stays short while the loop does
// something else.
type pump struct {
	source
	base  string // the prefix of the source's paths
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
	_ = p.Close() // nothing is read from it any longer
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
			} else if rel, ok := relative(p.base, ev.Name); ok && p.matters(rel, ev.Op) {
				p.put(rel, ev.Op, nil)
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
			} else if runtime.GOOS != "linux" || !errors.Is(err, syscall.EINVAL) {
				p.put("", 0, err)
			} // else the system had removed a watch before: inotify says so if a folder was moved and then deleted
		}
	}
}

// matters reports whether an event may be about something that is not ignored. Only a write is certainly about a file.
func (p *pump) matters(rel string, op fsnotify.Op) bool {
	if rel == "" {
		return op != fsnotify.Write // some systems send it for anything that happens in a folder
	}
	return !p.opt.Ignore(rel, false) || op != fsnotify.Write && !p.opt.Ignore(rel, true)
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
	p.got.lost = p.got.lost || len(p.got.ops) > maxPaths
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

// take returns what was collected since the last call.
func (p *pump) take() collected {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.got
	p.got = collected{}
	return c
}
