package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"arbor/mdstore"
)

// The numbers of what a result names where its size is bounded and the caller says nothing else.
const (
	boundedLog   = 20  // log entries
	boundedIDs   = 100 // children
	boundedFiles = 20  // files that a write changed
	boundedNext  = 50  // ready nodes
	boundedRows  = 20  // rows of a tree below which lists beside it give way
)

// besideList is the size of what a reply has beside a list that fills it: counts, and a hint.
const besideList = 800

// bounded reports whether results are to keep within a size.
func (env *Env) bounded() bool { return env.MaxBytes > 0 }

// fits reports whether a result keeps within the size that the caller bounds it to.
func (env *Env) fits(out any) bool { return !env.bounded() || sizeOf(out) <= env.MaxBytes }

// fewer returns how many of n items to try next where a result with all of them has a size that is too large: fewer than n, at least one.
func (env *Env) fewer(n int, out any) int {
	return max(1, min(n-1, n*env.MaxBytes/max(1, sizeOf(out))*95/100))
}

// fitting returns how many of items, from the first one on, have room beside other bytes of a result: at least one, so that a reader who comes back gets on.
func fitting[T any](env *Env, items []T, beside int) int {
	if !env.bounded() {
		return len(items)
	}
	room := env.MaxBytes - beside
	for i := range items {
		if room -= sizeOf(items[i]) + 2*len(","); room < 0 {
			return max(1, i)
		}
	}
	return len(items)
}

// share returns how many of items, from the first one on, take at most the n-th part of a bounded result.
func share[T any](env *Env, items []T, n int) int {
	if k := fitting(env, items, env.MaxBytes-env.MaxBytes/n); k != 1 || !env.bounded() || sizeOf(items[0]) <= env.MaxBytes/n {
		return k
	}
	return 0
}

// sizeOf returns the size that a value has in a reply, which holds it twice: as JSON, and as a text.
func sizeOf(v any) int {
	data, err := encode(v)
	if err != nil {
		return 0
	}
	text := data
	if c, ok := v.(*ContextGetOut); ok && c.Markdown != "" {
		text, _ = encode(c.Markdown) // is escaped once, and shown as it is
		return escaped(data, 0) + escaped(text, 0)
	}
	return escaped(data, 0) + escaped(text, 1)
}

// escaped returns the size of JSON where characters that matter in HTML are escaped, in a string of JSON where quote is 1.
func escaped(data []byte, quote int) int {
	n := len(data)
	for _, c := range data {
		switch c {
		case '"', '\\':
			n += quote
		case '<', '>', '&':
			n += len(`\u003c`) - 1
		}
	}
	return n
}

func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// newest returns the end of a log that a bounded result carries, and how many older entries it leaves out.
func (env *Env) newest(log []mdstore.LogEntry) ([]mdstore.LogEntry, int) {
	if !env.bounded() {
		return log, 0
	}
	n := share(env, backward(log[max(0, len(log)-boundedLog):]), 4)
	return log[len(log)-n:], len(log) - n
}

// backward returns a list from its end to its beginning.
func backward[T any](list []T) []T {
	list = slices.Clone(list)
	slices.Reverse(list)
	return list
}

// shownOf is the hint of a list that is shown in part.
func shownOf(shown, all int, what, rest string) string {
	return fmt.Sprintf("%d of %d %s are shown; %s", shown, all, what, rest)
}
