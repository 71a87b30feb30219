package dirstore

import "time"

// Other processes look for the lock every poll. One that takes it again and again, as a server does with many agents, leaves it free for so short that they would hardly
// ever find it so. So it lets them have a look now and then, which costs it a fortieth of its time at most.

// fair is for how long the lock may be taken again and again before that.
const fair = 100 * time.Millisecond

// letOthers is called before the lock is taken. The turn is taken.
func (s *Store) letOthers() {
	now := time.Now()
	switch {
	case now.Sub(s.freed) > poll: // it was there for all
		s.taken = now
	case now.Sub(s.taken) > fair:
		time.Sleep(poll + poll/4)
		s.taken = time.Now()
	}
}
