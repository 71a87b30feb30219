package storetest

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"arbor/mdstore"
)

var sharing = []promise{
	{"concurrent increments are not lost", func(s *suite) {
		const writers, rounds = 8, 25
		s.put(files{"ws/counter": "0"})
		var wg sync.WaitGroup
		for w := range writers {
			wg.Go(func() {
				for i := range rounds {
					own := mdstore.Change{Path: mdstore.Path(fmt.Sprintf("ws/own/%d-%d", w, i)), New: []byte("x")}
					if err := increment(s.Context(), s.st, own); err != nil {
						s.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		s.expect(files{"ws/counter": strconv.Itoa(writers * rounds)})
		for w := range writers {
			for i := range rounds {
				s.expect(files{mdstore.Path(fmt.Sprintf("ws/own/%d-%d", w, i)): "x"})
			}
		}
	}},
	{"readers see whole files while they are written", func(s *suite) {
		texts := map[string]bool{}
		var order []string
		for i := range 20 {
			text := fmt.Sprintf("%d %0*d", i, 100*i, i)
			texts[text] = true
			order = append(order, text)
		}
		s.put(files{"ws/Workspace.md": order[0]})
		var wg sync.WaitGroup
		var over atomic.Bool
		for range 2 {
			wg.Go(func() {
				for !over.Load() {
					f, err := s.st.Read(s.Context(), "ws/Workspace.md")
					if err != nil || !texts[string(f.Data)] {
						s.Errorf("Read: %q, error %v, which nobody has written", f.Data, err)
						return
					}
				}
			})
		}
		for _, text := range order[1:] {
			s.commit(s.write("ws/Workspace.md", text))
		}
		over.Store(true)
		wg.Wait()
	}},
	{"Update keeps others out", func(s *suite) {
		sh := s.shared()
		s.put(files{"ws/counter": "0"})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 10 {
					err := sh.Update(s.Context(), func(tx mdstore.Tx) error {
						return step(s.Context(), tx) // without any retry
					})
					if err != nil {
						s.Error(err)
						return
					}
				}
			})
			wg.Go(func() {
				for range 10 {
					if err := increment(s.Context(), s.st); err != nil {
						s.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		s.expect(files{"ws/counter": "80"})
	}},
	{"Update returns the error of its function, and lets the next one in", func(s *suite) {
		sh := s.shared()
		mine := errors.New("mine")
		if err := sh.Update(s.Context(), func(mdstore.Tx) error { return mine }); !errors.Is(err, mine) {
			s.Errorf("error %v, want %v", err, mine)
		}
		func() {
			defer func() { _ = recover() }()
			_ = sh.Update(s.Context(), func(mdstore.Tx) error { panic("in the function") })
		}()
		s.put(files{"ws/a": "a"})
	}},
	{"a Tx ends with its Update", func(s *suite) {
		sh := s.shared()
		var kept mdstore.Tx
		if err := sh.Update(s.Context(), func(tx mdstore.Tx) error { kept = tx; return nil }); err != nil {
			s.Fatal(err)
		}
		if _, err := kept.Commit(s.Context(), []mdstore.Change{{Path: "ws/a", New: []byte("a")}}); err == nil {
			s.Error("a commit after Update has returned was made")
		}
		s.expect(files{"ws/a": absent})
	}},
	{"waiting for the turn ends with its context", func(s *suite) {
		sh := s.shared()
		err := sh.Update(s.Context(), func(mdstore.Tx) error {
			ctx, cancel := context.WithCancel(s.Context())
			tried := make(chan error)
			go func() {
				_, err := s.st.Commit(ctx, []mdstore.Change{{Path: "ws/a", New: []byte("a")}})
				tried <- err
			}()
			go func() { tried <- sh.Update(ctx, func(mdstore.Tx) error { return nil }) }()
			cancel()
			for range 2 {
				if err := <-tried; !errors.Is(err, context.Canceled) {
					s.Errorf("error %v, want context.Canceled", err)
				}
			}
			return nil
		})
		if err != nil {
			s.Error(err)
		}
		s.expect(files{"ws/a": absent})
	}},
	{"each commit has another number", func(s *suite) {
		sh := s.shared()
		seen := map[uint64]bool{}
		number := func() uint64 {
			n, err := sh.Generation(s.Context())
			if err != nil {
				s.Fatal(err)
			}
			return n
		}
		for i := range 20 {
			seen[number()] = true
			s.put(files{mdstore.Path(fmt.Sprintf("ws/%d", i)): "x"})
			n := number()
			if seen[n] {
				s.Errorf("the number %d was there before", n)
			}
			if again := number(); again != n {
				s.Errorf("Sequence is %d, then %d without a commit", n, again)
			}
		}
	}},
}

type sharedStore interface {
	mdstore.Store
	mdstore.History
}

func (s *suite) shared() sharedStore {
	s.Helper()
	sh, ok := s.st.(sharedStore)
	if !ok {
		s.Skip("the store is not shared")
	}
	return sh
}

// step adds one to the counter, with other changes in the same commit.
func step(ctx context.Context, st mdstore.Tx, others ...mdstore.Change) error {
	f, err := st.Read(ctx, "ws/counter")
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(string(f.Data))
	if err != nil {
		return err
	}
	_, err = st.Commit(ctx, append(others, mdstore.Change{Path: f.Path, Base: f.Version, New: []byte(strconv.Itoa(n + 1))}))
	return err
}

// increment is step that begins again after a conflict.
func increment(ctx context.Context, st mdstore.Tx, others ...mdstore.Change) error {
	for {
		err := step(ctx, st, others...)
		if _, conflict := errors.AsType[*mdstore.ConflictError](err); !conflict {
			return err
		}
	}
}
