package view

import (
	"maps"
	"math/rand/v2"
	"testing"
)

// However often a table is edited, it says what a map would, and every earlier one still says what it said.
func TestTableSaysWhatAMapSays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	type state struct {
		table table[int, int]
		want  map[int]int
	}
	want := map[int]int{1: 1, 2: 2, 3: 3}
	all := []state{{table[int, int]{}, map[int]int{}}, {newTable(maps.Clone(want)), maps.Clone(want)}}
	for range 20 * overMost / 10 {
		e := all[len(all)-1].table.edit()
		for range rnd.IntN(20) {
			if k := rnd.IntN(3 * overMost); rnd.IntN(3) == 0 {
				delete(want, k)
				e.drop(k)
			} else {
				want[k] = rnd.IntN(9)
				e.set(k, want[k])
			}
		}
		all = append(all, state{e.table, maps.Clone(want)})
	}
	for i, s := range all {
		got := map[int]int{}
		s.table.each(func(k, v int) { got[k] = v })
		if !maps.Equal(got, s.want) || s.table.len() != len(s.want) {
			t.Fatalf("table %d has %d entries, and says %d; want %d", i, len(got), s.table.len(), len(s.want))
		}
		for k := range 3 * overMost {
			v, ok := s.table.get(k)
			if w, in := s.want[k]; v != w || ok != in {
				t.Fatalf("table %d: get(%d) is %d, %v; want %d, %v", i, k, v, ok, w, in)
			}
		}
	}
}
