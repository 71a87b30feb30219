package storetest

import (
	"context"
	"errors"
	"sync"

	"arbor/mdstore"
)

var presence = []promise{
	{"who has appeared is present until they leave", func(s *suite) {
		p := s.presence()
		one, leaveOne := s.appear(p)
		two, leaveTwo := s.appear(p)
		s.expectPresent(p, map[string]bool{one: true, two: true})
		leaveOne()
		s.expectPresent(p, map[string]bool{one: false, two: true})
		leaveOne() // who has left may leave again
		s.expectPresent(p, map[string]bool{one: false, two: true})
		three, leaveThree := s.appear(p)
		s.expectPresent(p, map[string]bool{one: false, two: true, three: true})
		leaveThree()
		leaveTwo()
		s.expectPresent(p, map[string]bool{one: false, two: false, three: false})
	}},
	{"many appear at once, each under a token of their own", func(s *suite) {
		p := s.presence()
		const many = 20
		tokens := make(chan string, 4*many)
		var wg sync.WaitGroup
		for range many {
			wg.Go(func() {
				for range 3 { // the last one stays
					token, leave, err := p.Appear(s.Context())
					if err != nil {
						s.Error(err)
						return
					}
					if there, err := p.Present(s.Context(), token); !there || err != nil {
						s.Errorf("who has just appeared is present: %v, error %v", there, err)
					}
					leave()
					tokens <- token
				}
				token, _, err := p.Appear(s.Context())
				if there, perr := p.Present(s.Context(), token); !there || err != nil || perr != nil {
					s.Errorf("who has just appeared is present: %v, errors %v and %v", there, err, perr)
				}
				tokens <- "=" + token
			})
		}
		wg.Wait()
		close(tokens)
		seen := map[string]bool{}
		for token := range tokens {
			stays := token[0] == '='
			if stays {
				token = token[1:]
			}
			if _, twice := seen[token]; twice {
				s.Errorf("the token %q is given twice", token)
			}
			seen[token] = stays
		}
		s.expectPresent(p, seen)
	}},
	{"under a token that nobody was given, nobody is present", func(s *suite) {
		p := s.presence()
		token, _ := s.appear(p)
		s.put(files{"ws/a": "a"})
		s.expectPresent(p, map[string]bool{token: true, "": false, ".": false, "..": false, "../ws/a": false, "ws/a": false, token + "A": false, token[1:]: false,
			"AAAAAAAAAAAAAAAAAAAAAAAAAA": false, "nul\x00": false})
	}},
	{"presence is no part of the vault's files", func(s *suite) {
		p := s.presence()
		s.put(files{"ws/Workspace.md": "w"})
		before := s.sequenceNow()
		_, leave := s.appear(p)
		leave()
		if after := s.sequenceNow(); after != before {
			s.Errorf("the number of the last commit is %d, then %d after somebody came and went", before, after)
		}
		s.expectList("", "ws/Workspace.md: w")
	}},
	{"nobody appears when the context has ended", func(s *suite) {
		p := s.presence()
		if token, _, err := p.Appear(cancelled()); !errors.Is(err, context.Canceled) {
			s.Errorf("Appear: %q, error %v, want context.Canceled", token, err)
		}
		if _, err := p.Present(cancelled(), "x"); !errors.Is(err, context.Canceled) {
			s.Errorf("Present: error %v, want context.Canceled", err)
		}
	}},
	{"somebody may appear while nobody else can commit", func(s *suite) {
		p, sh := s.presence(), s.shared()
		err := sh.Update(s.Context(), func(mdstore.Store) error {
			token, leave := s.appear(p)
			s.expectPresent(p, map[string]bool{token: true})
			leave()
			s.expectPresent(p, map[string]bool{token: false})
			return nil
		})
		if err != nil {
			s.Error(err)
		}
	}},
}

func (s *suite) presence() mdstore.Presence {
	s.Helper()
	p, ok := s.st.(mdstore.Presence)
	if !ok {
		s.Skip("the store knows nobody's presence")
	}
	return p
}

func (s *suite) appear(p mdstore.Presence) (token string, leave func()) {
	s.Helper()
	token, leave, err := p.Appear(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return token, leave
}

func (s *suite) expectPresent(p mdstore.Presence, want map[string]bool) {
	s.Helper()
	for token, there := range want {
		if got, err := p.Present(s.Context(), token); got != there || err != nil {
			s.Errorf("Present(%q) is %v, error %v\nwant %v", token, got, err, there)
		}
	}
}

// sequenceNow is the number of the last commit, 0 where the store has none.
func (s *suite) sequenceNow() uint64 {
	s.Helper()
	sh, ok := s.st.(mdstore.History)
	if !ok {
		return 0
	}
	n, err := sh.Generation(s.Context())
	if err != nil {
		s.Fatal(err)
	}
	return n
}
