package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sort"
	"unicode/utf8"
)

// The default numbers of items in a bounded result.
const (
	boundedItems = 20  // log entries, problems, rules, changed files
	boundedIDs   = 100 // children
	boundedNext  = 50  // ready nodes
	boundedWay   = 8   // titles above a ready node
	boundedRows  = 20  // rows of a tree that stay while the lists beside it are cut
	boundedHint  = 250 // bytes of a hint that is not known yet when the result is counted
)

// A Reply is a result as front ends send it: as compact JSON, and as text for clients that do not read the JSON.
type Reply struct {
	Data json.RawMessage
	Text string // the JSON, or what the client asked for as text
}

// ReplyOf encodes a result, a pointer to a struct, for the caller. Its method ReplyText, if it has one, returns the
// text of the reply. A result that takes more than MaxBytes is cut evenly, see cutter.
func (env *Env) ReplyOf(out any) (Reply, error) {
	if o, ok := out.(interface{ out() *Out }); ok {
		o.out().Ignored = env.Ignored
		if env.Detail == DetailBrief {
			o.out().Hint = env.shortIn(out, o.out().Hint)
		}
	}
	most := env.MaxBytes
	r, err := env.encoded(out)
	if err != nil || most == 0 || r.Size() <= most {
		return r, err
	}
	// The levels from -1 to most-1 are tried; -1, the last resort, is used whether it fits or not.
	var last Reply
	fits := func(level int) bool {
		last, err = env.encoded(evenly(out, level))
		return err == nil && last.Size() <= most
	}
	fits(sort.Search(most, func(level int) bool { return !fits(level) }) - 1)
	return last, err
}

// Size returns the size in bytes of the larger of data and text: a client shows a model only one of them.
func (r Reply) Size() int { return max(len(r.Data), len(r.Text)) }

// TextSize returns the number of bytes that a text takes within a string of JSON, as package encoding/json writes it.
func TextSize(s string) int {
	n := len(s)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"', c == '\\', c == '\n', c == '\r', c == '\t', c == '\b', c == '\f':
			n++
		case c < 0x20, c == '<', c == '>', c == '&':
			n += len(`\u0000`) - 1
		case c >= utf8.RuneSelf:
			r, w := utf8.DecodeRuneInString(s[i:])
			if r == '\u2028' || r == '\u2029' || r == utf8.RuneError && w == 1 {
				n += len(`\u2028`) - w
			}
			i += w - 1
		}
	}
	return n
}

func (env *Env) encoded(out any) (Reply, error) {
	data, err := env.encode(out)
	r := Reply{Data: data, Text: string(data)}
	if t, ok := out.(interface{ ReplyText() string }); ok && t.ReplyText() != "" {
		r.Text = t.ReplyText()
	}
	return r, err
}

// encode returns a result as JSON, with the detail that the caller wants.
func (env *Env) encode(v any) (json.RawMessage, error) {
	var r brevity
	switch env.Detail {
	case DetailAll:
		return encode(v)
	case DetailBrief:
		r.leaves = map[string]bool{"verbose": true, "version": !env.Guards}
		r.short = env.shortOf(v)
		if l, ok := v.(leaner); ok {
			v = l.lean(r.short)
		}
	}
	data, err := r.brief(reflect.ValueOf(v))
	if _, wrote := v.(interface{ Written() Wrote }); data == nil && wrote {
		data = []byte(`{"success":true}`) // so that nobody takes an empty reply for a failure
	}
	if data == nil {
		data = []byte("{}")
	}
	return data, err
}

// Sparse returns a result as JSON for a program: as verbose replies have it, without members that are empty, and with
// whole ids.
func Sparse(out any) (json.RawMessage, error) { return (&Env{Detail: DetailSparse}).encode(out) }

// encode returns JSON in as few bytes as it takes: characters that matter only inside HTML are not escaped.
func encode(v any) (json.RawMessage, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// sizeOf returns the size of the reply with a result.
func (env *Env) sizeOf(out any) int {
	r, _ := env.encoded(out) // no error: results hold strings and numbers only
	return r.Size()
}

// bounded reports whether replies have a bound.
func (env *Env) bounded() bool { return env.MaxBytes > 0 }

// fits reports whether the reply with a result is within its bound.
func (env *Env) fits(out any) bool { return !env.bounded() || env.sizeOf(out) <= env.MaxBytes }

// fit makes a result show as many of n items as its reply has room for, at least one, and returns how many. show(i)
// makes the result show i of them; more items must not make the result smaller.
func (env *Env) fit(out any, n int, show func(n int)) int {
	if show(n); n == 0 || env.fits(out) {
		return n
	}
	n = max(1, sort.Search(n, func(i int) bool {
		show(i + 1)
		return !env.fits(out)
	}))
	show(n)
	return n
}

// first returns the first items of a list, at most that many, and how many it leaves out. If replies have no bound, it
// returns all items.
func first[T any](env *Env, items []T, most int) (shown []T, hidden int) {
	if env.bounded() {
		shown = items[:min(len(items), most)]
		return shown, len(items) - len(shown)
	}
	return items, 0
}

// newest is first for the end of a list.
func newest[T any](env *Env, items []T, most int) (shown []T, hidden int) {
	if env.bounded() {
		hidden = max(0, len(items)-most)
	}
	return items[hidden:], hidden
}

// shownOf returns the hint of a list that is shown in part. rest says how to get the others.
func shownOf(shown, all int, what, rest string) string {
	return fmt.Sprintf("%d of %d %s are shown; %s", shown, all, what, rest)
}
