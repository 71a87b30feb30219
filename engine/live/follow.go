package live

import (
	"context"
	"errors"

	"arbor/mdstore"
)

// News names files that may have changed, by any program. It is a hint: a named file may be unchanged.
type News struct {
	Paths []mdstore.Path // files and folders; nil with All
	All   bool           // anything may have changed
}

// Follow keeps views current with what people and other programs save, for as long as ctx lasts: a view that is
// requested after a save shows it. ready is called once when changes from now on are seen; news then gets what changed
// once it has settled, one call at a time. Both may be nil. The error is ctx's, or why the store cannot be followed:
// errors.ErrUnsupported if it is no mdstore.Watcher.
func (l *Vault) Follow(ctx context.Context, ready func(), news func(News)) error {
	w, ok := mdstore.AsStore[mdstore.Watcher](l.st)
	if !ok {
		return errors.ErrUnsupported
	}
	defer l.follow(false)
	return w.Watch(ctx, mdstore.Watching{
		Ready: func() {
			l.follow(true)
			if ready != nil {
				ready()
			}
		},
		Early: func(p mdstore.Path) {
			if p == "" {
				l.Stale()
			} else {
				l.Heed(false, p)
			}
		},
		Settled: func(paths []mdstore.Path, all bool) {
			l.settle(paths, all)
			if all {
				l.Stale()
			} else {
				l.Heed(true, paths...)
			}
			if news != nil {
				news(News{Paths: paths, All: all})
			}
		},
	})
}

// follow notes whether the store reports changes from now on. Files that were read before may have changed unnoticed.
func (l *Vault) follow(on bool) {
	l.settle(nil, true)
	l.Stale()
	l.mu.Lock()
	l.following = on
	l.mu.Unlock()
}

// settle notes that no program is saving these files, or files below these folders, any more; all: any file.
func (l *Vault) settle(paths []mdstore.Path, all bool) {
	named := make(map[mdstore.Path]bool, len(paths))
	for _, p := range paths {
		named[p] = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, m := range l.dirty {
		for q := p; q != "" && !m.settled; q = q.Dir() {
			if all || named[q] {
				m.settled, m.shown = true, false
				l.dirty[p] = m
			}
		}
	}
}

// InPlace returns nil while the files lie where the store was opened: see mdstore.Watcher.
func (l *Vault) InPlace() error {
	if w, ok := mdstore.AsStore[mdstore.Watcher](l.st); ok {
		return w.InPlace()
	}
	return nil
}

// Polls reports whether changes are found by looking from time to time, and why.
func (l *Vault) Polls() (polls bool, why error) {
	if w, ok := mdstore.AsStore[mdstore.Watcher](l.st); ok {
		return w.Polls()
	}
	return false, nil
}
