package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"arbor/mdstore"
)

// updating are the promises about several writers, Update and the history of commits.
var updating = []promise{
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
						s.Errorf("Read: %q, error %v, which no writer has written", f.Data, err)
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
	{"Update keeps other writers out", func(s *suite) {
		s.put(files{"ws/counter": "0"})
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for range 10 {
					err := s.st.Update(s.Context(), func(tx mdstore.Tx) error {
						return step(s.Context(), tx) // no retry
					})
					if err == nil {
						err = increment(s.Context(), s.st)
					}
					if err != nil {
						s.Error(err)
						return
					}
				}
			})
		}
		wg.Wait()
		s.expect(files{"ws/counter": "80"})
	}},
	{"Update returns the error of its function, and lets the next writer in", func(s *suite) {
		mine := errors.New("mine")
		if err := s.st.Update(s.Context(), func(mdstore.Tx) error { return mine }); !errors.Is(err, mine) {
			s.Errorf("error %v, want %v", err, mine)
		}
		func() {
			defer func() { _ = recover() }()
			_ = s.st.Update(s.Context(), func(mdstore.Tx) error { panic("in the function") })
		}()
		s.put(files{"ws/a": "a"})
	}},
	{"a Tx ends with its Update", func(s *suite) {
		var kept mdstore.Tx
		if err := s.st.Update(s.Context(), func(tx mdstore.Tx) error { kept = tx; return nil }); err != nil {
			s.Fatal(err)
		}
		if _, err := kept.Commit(s.Context(), []mdstore.Change{{Path: "ws/a", New: []byte("a")}}); err == nil {
			s.Error("a commit after Update has returned was made")
		}
		s.expect(files{"ws/a": absent})
	}},
	{"waiting for another writer ends with its context", func(s *suite) {
		err := s.st.Update(s.Context(), func(mdstore.Tx) error {
			ctx, cancel := context.WithCancel(s.Context())
			tried := make(chan error)
			go func() {
				_, err := s.st.Commit(ctx, []mdstore.Change{{Path: "ws/a", New: []byte("a")}})
				tried <- err
			}()
			go func() { tried <- s.st.Update(ctx, func(mdstore.Tx) error { return nil }) }()
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
	{"a commit returns the versions that it wrote, and its generation", func(s *suite) {
		s.put(files{"ws/a": "a", "ws/b": "b"})
		res, err := s.st.Commit(s.Context(), []mdstore.Change{s.write("ws/a", "new a"), {Path: "ws/b", Base: s.version("ws/b")}})
		if err != nil {
			s.Fatal(err)
		}
		if len(res.Versions) != 1 || res.Versions["ws/a"] != s.version("ws/a") || len(res.Collisions) > 0 {
			s.Errorf("%+v, want the version %s of ws/a and no collision", res, s.version("ws/a"))
		}
		if h, ok := mdstore.AsStore[mdstore.History](s.st); ok {
			if now, err := h.Generation(s.Context()); err != nil || now != res.Generation {
				s.Errorf("generation %d after the commit of %d, error %v", now, res.Generation, err)
			}
		}
	}},
	{"each commit has a higher generation, and history knows what it changed", func(s *suite) {
		h, ok := mdstore.AsStore[mdstore.History](s.st)
		if !ok {
			s.Skip("the store has no history")
		}
		generation := func() uint64 {
			n, err := h.Generation(s.Context())
			if err != nil {
				s.Fatal(err)
			}
			return n
		}
		for i := range 20 {
			p := mdstore.Path(fmt.Sprintf("ws/%d", i))
			before := generation()
			s.put(files{p: "x"})
			after := generation()
			if again := generation(); after <= before || again != after {
				s.Errorf("generation %d before a commit, %d and %d after it", before, after, again)
			}
			if paths, ok := h.ChangedSince(s.Context(), after, after); !ok || len(paths) > 0 {
				s.Errorf("ChangedSince of nothing: %q, %v", paths, ok)
			}
			if paths, ok := h.ChangedSince(s.Context(), before, after); ok && !slices.Contains(paths, p) {
				s.Errorf("ChangedSince: %q without %s", paths, p)
			}
		}
	}},
}

// step increments the counter, with other changes in the same commit.
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

// increment retries step after a conflict.
func increment(ctx context.Context, st mdstore.Tx, others ...mdstore.Change) error {
	for {
		err := step(ctx, st, others...)
		if _, conflict := errors.AsType[*mdstore.ConflictError](err); !conflict {
			return err
		}
	}
}
