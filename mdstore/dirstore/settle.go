package dirstore

import (
	"context"
	"time"

	"arbor/mdstore"
)

// A commit is done when it is durable. What it has displaced, and its record, are cleared away after that: whoever waits for the commit need not wait for it,
// but nobody else may commit before. So the lock is kept until then, and the number in the file stays odd, which has other processes wait and, if this one
// dies, finish it. This store knows better: for it the commit is over.

// A debt is what a commit that is done has left to do. The lock is held.
type debt struct {
	before uint64 // the number before the commit
}

// owe notes that a commit is done and what is left of it. Who holds the lock is told the number after it from here on.
func (s *Store) owe(before uint64, changes []mdstore.Change) {
	s.debt = &debt{before}
	s.noteRecent(before, following(before), changes)
	s.number, s.numberOK, s.numbered = following(before), true, true
	s.last = s.number
	s.done.Store(s.number)
}

// settle does what the last commit has left. The lock is held. After a failure the number stays odd: whoever is next finishes it, as after a crash.
func (s *Store) settle() {
	d := s.debt
	if d == nil {
		return
	}
	s.debt = nil
	defer s.done.Store(0)
	met, err := s.committer.Finish()
	s.soon()
	if err != nil {
		s.log.Warn("what a commit has left cannot be cleared away; whoever commits next does it", "error", err)
		if s.holds() {
			_ = s.writeSequence(following(d.before) | 1) // what it has met may be in the files already: they are of no number that was told
		}
		s.last, s.numbered = 0, false
		return
	}
	if !s.holds() { // .local/ was deleted, and what lies there now is somebody else's
		s.last, s.numbered = 0, false
		return
	}
	after := following(d.before)
	if met { // the files hold more than was committed, so that this is not their number
		after = following(after)
	}
	s.number = after
	if err := s.writeSequence(after); err != nil {
		s.log.Warn("the number of the commit cannot be written; whoever commits next does it", "error", err)
		return
	}
	s.last = after
}

// lull is how long what a commit has left waits for somebody in this process who takes the lock next and does it on the way. It costs nobody a wake-up then.
const lull = 500 * time.Microsecond

// putOff gives back the turn, and keeps the lock until what the last commit has left is settled.
func (s *Store) putOff() {
	s.turn <- struct{}{}
	time.AfterFunc(lull, func() {
		select {
		case <-s.turn:
			s.takeOver()
			s.turn <- struct{}{}
		default: // who has it has taken over
		}
	})
}

// takeOver settles what the last one in this process to have the lock has left, and gives it back for them. The turn is taken.
func (s *Store) takeOver() {
	if s.debt != nil {
		defer s.unlock()
		s.settle()
	}
}

// settling waits for who clears away after a commit in this process and keeps the turn for it. It reports whether it has the turn then.
func (s *Store) settling(ctx context.Context) bool {
	for s.done.Load() != 0 {
		select {
		case <-s.turn:
			s.takeOver()
			return true
		case <-time.After(poll): // who has it may have cleared away, and keep it until another process gives back the lock
		case <-ctx.Done():
			return false
		}
	}
	return false
}
