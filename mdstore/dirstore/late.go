package dirstore

import (
	"context"
	"time"
)

// A file that a commit replaced while an editor had it open for writing waits in .local/late until that has closed it; what the editor wrote is merged then.
// Every commit looks, every Open, a timer for as long as this store lives, and whoever watches the vault, as the process that left it may have ended.

// Waiting files are looked at again after lateAgain, and then after twice as long each time, up to lateMost.
const (
	lateAgain = 250 * time.Millisecond
	lateMost  = 2 * time.Second
)

// attend looks at the files that wait. The lock is held. A failure leaves them waiting.
func (s *Store) attend() error {
	if s.calm.Load() {
		return nil
	}
	if waiting, err := s.committer.Waiting(); err != nil || !waiting {
		s.calm.Store(err == nil)
		return nil // a vault that cannot be looked at says so elsewhere
	}
	if s.gitBusy() != nil {
		s.again()
		return nil
	}
	began := false
	left, err := s.committer.Late(func() error {
		if began {
			return nil
		}
		began = true
		_, err := s.beginSequence()
		return err
	})
	if err != nil {
		s.log.Warn("files that editors had open wait on", "error", err)
	}
	if left {
		s.again()
	}
	if began {
		return s.endSequence()
	}
	return nil
}

// again has the waiting files looked at after a while.
func (s *Store) again() {
	s.calm.Store(false)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.later != nil {
		return
	}
	s.timers.Add(1)
	after := max(s.pause, lateAgain)
	s.pause = min(2*after, lateMost)
	s.later = time.AfterFunc(after, func() {
		defer s.timers.Done()
		s.mu.Lock()
		s.later = nil
		s.mu.Unlock()
		if s.gitBusy() != nil {
			s.again()
			return
		}
		release, err := s.tryAcquire(context.Background()) // which attends
		switch {
		case err != nil:
			s.log.Warn("files that editors had open wait until the vault is opened again", "error", err)
		case release == nil: // somebody is writing, and attends
			s.again()
		default:
			release()
		}
	})
}

// soon is again for a file that the commit which was just made has left waiting.
func (s *Store) soon() {
	if s.calm.Load() || !s.waits() {
		return
	}
	s.mu.Lock()
	s.pause = 0
	s.mu.Unlock()
	s.again()
}

// watchLate looks for files that other processes have left waiting, which may have ended since, until ctx ends.
func (s *Store) watchLate(ctx context.Context) {
	look := time.NewTicker(2 * lateAgain)
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if s.waits() {
				s.again()
			}
		}
	}
}

// still ends the timer and waits for what it has begun. The turn is taken.
func (s *Store) still() {
	s.mu.Lock()
	s.closed = true
	if s.later != nil && s.later.Stop() {
		s.timers.Done()
	}
	s.mu.Unlock()
	s.timers.Wait()
}

// waits reports whether files wait for the editors that have them open.
func (s *Store) waits() bool {
	waiting, err := s.committer.Waiting()
	return err == nil && waiting
}
