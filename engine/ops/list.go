package ops

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Wanted says which part of a list a call wants.
type Wanted struct {
	Limit  int    `json:"limit,omitempty" min:"-1" flag:"limit,n" help:"at most N; default 20"`
	Cursor string `json:"cursor,omitempty" help:"the CURSOR of an earlier page"`
}

// All asks for everything, however long.
func (w *Wanted) All() { w.Limit = -1 }

// Listed says which part of a list a reply has.
type Listed struct {
	Total  int    `json:"total"`            // items that match
	Cursor string `json:"cursor,omitempty"` // for the next page; "" at the end
}

// listShown is the default number of items in a list.
const listShown = 20

// A list has the items that match a call, in order. Lists of nodes are trees instead: see page.
type list[T any] struct {
	all    []T
	id     func(T) string // returns the item's id, without blanks
	what   string         // the items, as hints name them: "states"
	hint   string         // the hint of a reply that has the end of the list
	none   string         // the hint of an empty list; "" is "no WHAT"
	narrow string         // advice on narrowing the list, for the hint of any other reply
}

// reply puts the part of the list that a call wants into its reply, or as much of it as there is room for. show puts
// items into the reply; if they do not all fit, reply calls it several times, first with most of them.
//
// A cursor has the number of items before the page, and the id of the last of these: the page begins after that item,
// wherever it is by then, or at its old place if it is gone.
func (l list[T]) reply(env *Env, in Wanted, out any, listed *Listed, hint *string, show func([]T)) error {
	listed.Total = len(l.all)
	rest := l.all
	if in.Cursor != "" {
		word, id, _ := strings.Cut(in.Cursor, "@")
		before, err := strconv.Atoi(word)
		if err != nil || before < 1 || id == "" {
			return badCursor(in.Cursor, "is none of an earlier answer")
		}
		if before > len(l.all) || l.id(l.all[before-1]) != id { // others came or went
			before = max(before-1, 0)
			if i := slices.IndexFunc(l.all, func(x T) bool { return l.id(x) == id }); i >= 0 {
				before = i + 1
			}
		}
		rest = l.all[min(before, len(l.all)):]
	}
	most := cmp.Or(in.Limit, listShown)
	if most < 0 || most > len(rest) {
		most = len(rest)
	}
	env.fit(out, most, func(n int) {
		show(rest[:n:n])
		if listed.Cursor, *hint = "", l.hint; listed.Total == 0 {
			*hint = cmp.Or(l.none, "no "+l.what)
		}
		if n < len(rest) {
			listed.Cursor = fmt.Sprintf("%d@%s", len(l.all)-len(rest)+n, l.id(rest[n-1]))
			*hint = shownOf(n, listed.Total, l.what, "cursor "+listed.Cursor+" brings the next, "+l.narrow)
		}
	})
	return nil
}
