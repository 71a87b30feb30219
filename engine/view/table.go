package view

import "maps"

// A table is a map of which a changed copy shares what did not change: a base that is never modified, and the entries that differ
// from it. The zero table is empty.
type table[K comparable, V any] struct {
	base map[K]V
	over map[K]*V // nil for an entry that is gone
	size int
}

// overMost is how many entries differ from the base before a copy gets a base of its own.
const overMost = 256

func newTable[K comparable, V any](all map[K]V) table[K, V] {
	return table[K, V]{base: all, size: len(all)}
}

func (t table[K, V]) get(k K) (v V, ok bool) {
	if p, changed := t.over[k]; changed {
		if p == nil {
			return v, false
		}
		return *p, true
	}
	v, ok = t.base[k]
	return v, ok
}

func (t table[K, V]) len() int { return t.size }

// each calls f with every entry, in no order.
func (t table[K, V]) each(f func(K, V)) {
	for k, v := range t.base {
		if _, changed := t.over[k]; !changed {
			f(k, v)
		}
	}
	for k, p := range t.over {
		if p != nil {
			f(k, *p)
		}
	}
}

// An edit is a table in the making, that of the next view.
type edit[K comparable, V any] struct{ table[K, V] }

// edit returns a copy that can be changed.
func (t table[K, V]) edit() *edit[K, V] {
	if len(t.over) > overMost {
		base := make(map[K]V, t.size)
		t.each(func(k K, v V) { base[k] = v })
		t = newTable(base)
	}
	t.over = maps.Clone(t.over)
	if t.over == nil {
		t.over = map[K]*V{}
	}
	return &edit[K, V]{t}
}

func (e *edit[K, V]) set(k K, v V) {
	if _, had := e.get(k); !had {
		e.size++
	}
	e.over[k] = &v
}

func (e *edit[K, V]) drop(k K) {
	if _, had := e.get(k); !had {
		return
	}
	e.size--
	if _, in := e.base[k]; in {
		e.over[k] = nil
	} else {
		delete(e.over, k)
	}
}
