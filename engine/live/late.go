package live

import (
	"context"
	"maps"
	"slices"
	"time"

	"arbor/mdstore"
)

// toldMost is how many saves that met commits wait for a reply.
const toldMost = 20

// Late finds saves by other programs that collided with commits: see mdstore.Strays. It skips files that cannot be
// read. The next Told also returns what it merged.
func (l *Vault) Late(ctx context.Context, merge bool) []mdstore.Collision {
	s, ok := mdstore.AsStore[mdstore.Strays](l.st)
	if !ok {
		return nil
	}
	met, _ := s.Late(ctx, merge) // the next call tries failed files again
	for _, m := range met {
		l.Heed(true, m.Path)
	}
	if merge {
		l.mu.Lock()
		l.met = append(l.met, met...)
		l.met = l.met[max(0, len(l.met)-toldMost):]
		l.mu.Unlock()
	}
	return met
}

// TakenOut returns text that saves by other programs and git removed from files within the last day and that is still
// missing: see mdstore.Strays.
func (l *Vault) TakenOut(ctx context.Context) []mdstore.Collision {
	s, ok := mdstore.AsStore[mdstore.Strays](l.st)
	if !ok {
		return nil
	}
	all, _ := s.TakenOut(ctx) // unreadable notes are left out
	return all
}

// Told returns what Late has merged since it was last called, for the next reply.
func (l *Vault) Told() []mdstore.Collision {
	l.mu.Lock()
	defer l.mu.Unlock()
	met := l.met
	l.met = nil
	return met
}

// AwaitSaves waits while another program is saving a file that was read as a damaged or missing one, a second at most.
// It reports whether it waited: the files are read again then.
func (l *Vault) AwaitSaves(ctx context.Context) (waited bool) {
	const step, steps = 20 * time.Millisecond, 50
	s, ok := mdstore.AsStore[mdstore.Strays](l.st)
	damaged := l.damaged()
	for range steps {
		if !ok || !s.Saving(ctx, damaged) {
			break
		}
		waited = true
		select {
		case <-l.opt.After(step):
		case <-ctx.Done():
		}
	}
	if waited {
		l.Stale()
	}
	return waited
}

// damaged returns the files that were last read as damaged or missing ones.
func (l *Vault) damaged() (paths []mdstore.Path) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for p, w := range l.heads {
		if w.Doc.Editable() != nil || w.Version.IsZero() {
			paths = append(paths, p)
		}
	}
	for _, s := range l.states {
		for n := range s.view.All() {
			if n.Editable() != nil {
				paths = append(paths, n.Path)
			}
		}
		paths = slices.AppendSeq(paths, maps.Keys(s.view.Broken()))
		paths = slices.AppendSeq(paths, maps.Keys(s.view.KnownPages().Broken()))
	}
	return paths
}
