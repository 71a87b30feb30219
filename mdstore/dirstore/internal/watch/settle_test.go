package watch

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

func TestBatchIsGivenWhenChangesHaveSettled(t *testing.T) {
	start := time.Now()
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	type step struct {
		at     int // ms
		paths  []string
		rescan bool
		due    int // ms, afterwards
	}
	for _, c := range []struct {
		name  string
		steps []step
		want  Batch
	}{
		{"one change", []step{{0, []string{"a"}, false, 100}}, Batch{Paths: []string{"a"}}},
		{"each change prolongs the wait", []step{{0, []string{"b"}, false, 100}, {50, []string{"a", "b"}, false, 150}}, Batch{Paths: []string{"a", "b"}}},
		{"nothing does not prolong it", []step{{0, []string{"a"}, false, 100}, {50, nil, false, 100}}, Batch{Paths: []string{"a"}}},
		{"but not beyond Most", []step{{0, []string{"a"}, false, 100}, {90, []string{"b"}, false, 190}, {180, []string{"c"}, false, 250}},
			Batch{Paths: []string{"a", "b", "c"}}},
		{"a rescan replaces the paths", []step{{0, []string{"a"}, false, 100}, {10, nil, true, 110}, {20, []string{"b"}, false, 120}}, Batch{Rescan: true}},
	} {
		s := settler{settling: settling{quiet: 100 * time.Millisecond, most: 250 * time.Millisecond}}
		for range 2 { // take forgets everything
			for _, st := range c.steps {
				s.add(changes{paths: st.paths, rescan: st.rescan}, at(st.at))
				if got := s.wait(at(st.at)).Milliseconds() + int64(st.at); got != int64(st.due) {
					t.Errorf("%s: after %d ms it is due at %d ms, want %d", c.name, st.at, got, st.due)
				}
			}
			if got := s.take(); !slices.Equal(got.Paths, c.want.Paths) || got.Rescan != c.want.Rescan {
				t.Errorf("%s: gave %v, want %v", c.name, got, c.want)
			}
			if !s.empty() {
				t.Errorf("%s: not empty after the batch", c.name)
			}
		}
	}
}

func TestTooManyPathsAreARescan(t *testing.T) {
	var s settler
	for i := range maxPaths {
		s.add(changes{paths: []string{fmt.Sprint(i)}}, time.Time{})
	}
	if s.rescan {
		t.Fatalf("%d paths are a rescan already", maxPaths)
	}
	s.add(changes{paths: []string{"one more"}}, time.Time{})
	if b := s.take(); !b.Rescan || len(b.Paths) != 0 {
		t.Errorf("rescan %t with %d paths", b.Rescan, len(b.Paths))
	}
}

func TestRelativeUndoesNative(t *testing.T) {
	for _, base := range []string{"/", "/a", "/a/b"} {
		for _, rel := range []string{"", "x", "x/y", "a"} {
			name := native(base, rel)
			if got, ok := relative(base, name); !ok || got != rel {
				t.Errorf("relative(%q, %q) = %q, %t, want %q", base, name, got, ok, rel)
			}
		}
	}
	for _, name := range []string{"", "/", "/ab", "/ab/c", "/b"} {
		if got, ok := relative("/a", name); ok {
			t.Errorf("relative(%q, %q) = %q, want none", "/a", name, got)
		}
	}
}
