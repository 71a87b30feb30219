package feed

import (
	"context"
	"errors"
	"sync"
	"time"

	"arbor/engine/live"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Feed reports changes in the workspaces of a vault, whichever program made them. Each report is the difference
// between the state reported last and the files. So a change is reported once, a change that was undone before its
// report is not, and the events lead from the first state to the present one.
//
// The functions are called one at a time; each may be nil. A Feed is used by one Run or Serve at a time, and may be run
// again, over another engine of the same vault as well: it goes on with what it told last.
type Feed struct {
	Workspace mdstore.ID                           // the workspace to report; "" for all
	Began     func(Baseline)                       // once: changes from now on will be reported
	Tell      func(Report) error                   // called with each report; an error ends the feed
	Away      func(why error)                      // the vault cannot be read for now; nil: it can be again
	Polls     func(why error)                      // changes are found by looking from time to time, from now on
	Off       []string                             // codes of diagnostics that settings turn off
	Heads     bool                                 // no file is read for events: they have no texts, fields or diagnostics
	Now       func() time.Time                     // nil: time.Now
	After     func(time.Duration) <-chan time.Time // nil: time.After

	once    sync.Once
	news    chan struct{}              // made by heard
	shown   map[mdstore.Path]*shown    // the reported state, by workspace folder; nil before Began
	shared  []mdoc.Diagnostic          // the same for workspaces that share an id
	good    map[mdstore.Path]*mdoc.Doc // the last documents of files that are blank now
	doubted map[string]bool            // found by the last look and not reported yet
	held    int                        // successive looks that found something and did not report it
	away    bool                       // Away was called
	polls   bool                       // Polls was called
}

// A Baseline is the state at the beginning of a feed.
type Baseline struct {
	Workspaces, Nodes int
	Diagnostics       int // the number of present ones
}

// A Report has the changes that were found at one time.
type Report struct {
	Time   time.Time // when it was found, by the engine's clock
	Events []Event   // never none
}

const (
	sure      = 200 * time.Millisecond // the pause before a second look at a file that another program may be writing
	mostHeld  = 3                      // after so many looks the feed reports it in any case
	lookAgain = 2 * time.Second        // between two looks at a vault that cannot be read
)

// Run follows the engine's store and reports changes until ctx ends. The error is ctx's, that of Tell, an
// mdstore.ErrReplaced if the vault must be opened again, or why the store cannot be followed. If the engine is followed
// already, call Serve instead.
func (f *Feed) Run(ctx context.Context, l *live.Vault) error {
	ctx, stop := context.WithCancel(ctx)
	ready, ended := make(chan struct{}), make(chan struct{})
	var failed error
	go func() {
		defer close(ended)
		failed = l.Follow(ctx, func() { close(ready) }, f.Hear)
	}()
	defer func() {
		stop()
		<-ended
	}()
	select {
	case <-ended:
		return failed
	case <-ready:
	}
	return f.Serve(ctx, l)
}

// Hear says that there are news. The follower of the engine calls it, at any time; it returns at once.
func (f *Feed) Hear(live.News) {
	select {
	case f.heard() <- struct{}{}:
	default:
	}
}

// heard returns a channel that is ready to receive after Hear.
func (f *Feed) heard() chan struct{} {
	f.once.Do(func() { f.news = make(chan struct{}, 1) })
	return f.news
}

// Serve reports changes after each call of Hear, until ctx ends; the engine must be followed. Its errors are those of
// Run.
func (f *Feed) Serve(ctx context.Context, l *live.Vault) error {
	if f.Now == nil {
		f.Now = time.Now
	}
	if f.After == nil {
		f.After = time.After
	}
	for {
		found, err := f.look(ctx, l)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			return err
		}
		heard, again := f.heard(), (<-chan time.Time)(nil)
		switch found {
		case doubtful: // changes that come meanwhile are part of the same look
			heard, again = nil, f.After(sure)
		case unread:
			again = f.After(lookAgain)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-heard:
		case <-again:
		}
	}
}

// A sight is the result of a look.
type sight uint8

const (
	settled  sight = iota // everything is reported
	doubtful              // it may be another thing in a moment
	unread                // the vault cannot be read
)

// look reads the workspaces and reports their changes.
func (f *Feed) look(ctx context.Context, l *live.Vault) (sight, error) {
	err := l.InPlace()
	var now map[mdstore.Path]*shown
	var shared []mdoc.Diagnostic
	if err == nil {
		now, shared, err = f.read(ctx, l)
	}
	if ctx.Err() != nil || errors.Is(err, mdstore.ErrReplaced) {
		return unread, err
	}
	if err != nil && elsewhere(err) {
		return doubtful, nil
	}
	f.tellAway(err)
	if err != nil {
		return unread, nil
	}
	f.tellPolls(l.Polls())
	if f.shown == nil {
		f.shown, f.shared, f.good = now, shared, map[mdstore.Path]*mdoc.Doc{}
		if f.Began != nil {
			f.Began(baseline(now, shared))
		}
		return settled, nil
	}
	events, parts := f.compare(now)
	if f.doubts(events) {
		return doubtful, nil
	}
	events = f.diagnosed(events, parts, shared)
	if len(events) > 0 && f.Tell != nil {
		if err := f.Tell(Report{Time: f.Now(), Events: events}); err != nil {
			return settled, err
		}
	}
	f.shown, f.shared = now, shared
	f.remember(events)
	return settled, nil
}

func (f *Feed) tellAway(why error) {
	if away := why != nil; away != f.away {
		if f.away = away; f.Away != nil {
			f.Away(why)
		}
	}
}

func (f *Feed) tellPolls(polls bool, why error) {
	if polls && !f.polls && f.Polls != nil {
		f.Polls(why)
	}
	f.polls = polls
}

func baseline(now map[mdstore.Path]*shown, shared []mdoc.Diagnostic) Baseline {
	b := Baseline{Workspaces: len(now), Diagnostics: len(shared)}
	for _, s := range now {
		b.Nodes += s.view.Len()
		b.Diagnostics += len(s.found)
	}
	return b
}
