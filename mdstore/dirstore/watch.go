package dirstore

import (
	"context"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/mdstore/dirstore/internal/watch"
)

// Watch tells w what may have changed in the vault, whichever program changed it: the files that List lists, and
// folders that came or went. If the system gives no events, it looks every two seconds. While git writes to the working
// tree, changes do not settle, for at most checkoutPatience.
func (s *Store) Watch(ctx context.Context, w mdstore.Watching) error {
	ready := sync.OnceFunc(w.Ready)
	defer func() {
		s.mu.Lock()
		s.watched = false
		s.mu.Unlock()
	}()
	return watch.Watch(ctx, s.dir, watch.Options{
		Ignore: func(path string, dir bool) bool { return unlisted(s.kinds, path, dir) },
		Early: func(p string) {
			if p != "" && !mdstore.Path(p).Valid() {
				p = "" // no path can have such a name
			}
			w.Early(mdstore.Path(p))
		},
		Ready: func(polling bool, why error) {
			s.mu.Lock()
			s.polls, s.pollsWhy, s.watched, s.anySuspect = polling, why, true, true
			s.mu.Unlock()
			if polling && why != nil {
				s.log.Warn("the vault is watched by looking every two seconds", "folder", s.dir, "why", why)
			}
			ready()
		},
	}, func(b watch.Batch) {
		paths := make([]mdstore.Path, 0, len(b.Paths))
		for _, p := range b.Paths {
			if !mdstore.Path(p).Valid() {
				b.Rescan = true
			}
			paths = append(paths, mdstore.Path(p))
		}
		if b.Rescan {
			paths = nil
		}
		s.git.awaitCheckout(ctx, checkoutPatience) // files that git has not written yet would be reported as removed
		s.suspect(paths)
		w.Settled(paths, b.Rescan)
	})
}

// Polls reports whether Watch looks every two seconds, and why.
func (s *Store) Polls() (polls bool, why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.polls, s.pollsWhy
}

// unlisted reports whether no walk looks at a path: names that begin with a dot, and files of no kind.
func unlisted(kinds mdstore.Kinds, path string, dir bool) bool {
	return strings.HasPrefix(path, ".") || strings.Contains(path, "/.") || !dir && kinds.Of(mdstore.Path(path)) == nil
}
