package ops

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/internal/search"
	"arbor/mdstore"
)

type MemoryReadIn struct {
	SlotRef
	Entry  string `json:"entry,omitempty" arg:"ENTRY" help:"id or position: 0 or oldest, -1 or latest, \"2nd latest\""`
	At     string `json:"at,omitempty" help:"the entry nearest to a TIME, such as yesterday, with its neighbours"`
	Type   string `json:"type,omitempty" help:"only entries of a TYPE"`
	Limit  int    `json:"limit,omitempty" min:"0" flag:"limit,n" help:"the newest N"`
	Cursor string `json:"cursor,omitempty" help:"the CURSOR of an earlier reply"`
}

type MemoryReadOut struct {
	Slot    string     `json:"slot"`
	Total   int        `json:"total"`           // entries of the slot, or those of the type asked for
	Above   string     `json:"above,omitempty"` // text that a person wrote above the entries
	Entries []EntryOut `json:"entries" always:"true"`
	Cursor  string     `json:"cursor,omitempty"` // brings older entries, or the next piece; "" at the end
	Out

	id mdstore.ID // the slot's id, if it has one
}

type EntryOut struct {
	ID       string         `json:"id,omitempty"`     // "" if a person wrote it and nothing was saved since
	Number   *int           `json:"number,omitempty"` // its index from the oldest, counted from 0, if it has no id
	Type     string         `json:"type"`
	Time     string         `json:"time,omitempty"` // UTC, RFC 3339
	Title    string         `json:"title,omitempty"`
	Text     string         `json:"text"`
	Metadata map[string]any `json:"metadata,omitempty"`
	Of       int            `json:"of,omitempty"` // bytes of the whole text, if Text is a piece of it
}

var memoryRead = op("memory_read", reads|repeats, MemoryRead, Help{
	Summary: "read entries of a slot",
	Use:     "memory show [SLOT] [ENTRY]",
	Text: `Prints all entries, or the newest -n. ENTRY is an id or a position: 0, 1, ...
from the oldest, -1, -2, ... from the newest.`,
	Example: "arbor memory show decisions -1\narbor memory show decisions --at \"2 days ago\"",
})

// MemoryRead returns entries of a slot. It notes on this machine that the slot was used, unless the caller may only
// look.
func MemoryRead(ctx context.Context, env *Env, in MemoryReadIn) (*MemoryReadOut, error) {
	out, err := readSlot(ctx, env, in)
	if err == nil && env.May != MayLook && out.id != "" && memoryOn(ctx, env, in.SessionID) == nil {
		env.Engine.Touched(ctx, out.id)
	}
	return out, err
}

var readSlot = reading(func(ctx context.Context, env *Env, in MemoryReadIn) (*MemoryReadOut, error) {
	_, p, err := slotIn(ctx, env, in.SlotRef, false)
	if err != nil {
		return nil, err
	}
	all := numbered(mdstore.ByTime(mdstore.EntriesOf(p.Doc())), in.Type)
	out := &MemoryReadOut{Slot: mdstore.SlotName(p), Total: len(all)}
	if p.Field(mdstore.KeyID) != "" {
		out.id = p.ID
	}
	if in.Entry == "" && in.At == "" && in.Cursor == "" {
		out.Above = mdstore.AboveEntries(p.Doc())
	}
	in.Entry = strings.TrimSpace(in.Entry)
	from := 0 // offset in the text of a single entry
	older := false
	switch {
	case in.Entry != "":
		i, err := entryNamed(all, in.Entry, out.Slot)
		if err != nil {
			return nil, err
		}
		all = all[i : i+1]
	case in.At != "":
		if all, err = env.entriesAt(all, in.At, out.Slot); err != nil {
			return nil, err
		}
	default:
		older = true
	}
	if in.Cursor != "" {
		var number, offset int
		if _, err := fmt.Sscanf(in.Cursor, "%d+%d", &number, &offset); err == nil && offset > 0 {
			all = slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.number != number })
			if len(all) != 1 || offset >= len(all[0].Text) || !utf8.RuneStart(all[0].Text[offset]) {
				return nil, badCursor(in.Cursor, "is none of an earlier answer, or the entry is another one now")
			}
			from, older = offset, false
		} else if number, err = strconv.Atoi(in.Cursor); err == nil && older {
			all = slices.DeleteFunc(slices.Clone(all), func(e entry) bool { return e.number >= number })
		} else {
			return nil, badCursor(in.Cursor, "is none of an earlier answer")
		}
	}
	show := len(all)
	if older && in.Limit > 0 {
		show = min(show, in.Limit)
	}
	n := env.fit(out, show, func(n int) {
		part := all[len(all)-n:]
		if !older { // keep the first entries that the call asked for
			part = all[:n]
		}
		out.Entries, out.Cursor, out.Hint = []EntryOut{}, "", "{memory_save} adds to it"
		for _, e := range part {
			out.Entries = append(out.Entries, e.out())
		}
		if older && n > 0 && n < len(all) {
			out.Cursor = strconv.Itoa(part[0].number)
			out.Hint = shownOf(n, out.Total, "entries", "cursor "+out.Cursor+" brings older ones")
		}
	})
	if n == 1 && (from > 0 || !env.fits(out)) {
		piece(env, out, all[len(all)-1], from, older && len(all) > 1)
	}
	return out, nil
})

// piece makes a result show one entry, with as much of its text from offset from as the reply has room for. more says
// that there are older entries.
func piece(env *Env, out *MemoryReadOut, e entry, from int, more bool) {
	text := e.Text[from:]
	out.Above = ""
	env.fit(out, len(text), func(n int) {
		for n < len(text) && !utf8.RuneStart(text[n]) {
			n++
		}
		one := e.out()
		one.Text, one.Of, out.Cursor = text[:n], len(e.Text), ""
		if end := from + n; end < len(e.Text) {
			out.Cursor = fmt.Sprintf("%d+%d", e.number, end)
			out.Hint = fmt.Sprintf("bytes %d to %d of %d; cursor %s brings the next piece", from, end, len(e.Text), out.Cursor)
		} else {
			out.Hint = "this is the last piece"
			if more {
				out.Hint += "; cursor " + strconv.Itoa(e.number) + " brings older entries"
			}
		}
		out.Entries = []EntryOut{one}
	})
}

// entry is an entry with its number in its slot; the oldest has 0.
type entry struct {
	mdstore.SlotEntry
	number int
}

// numbered returns the entries of a type, "" for any, with their numbers among all entries.
func numbered(all []mdstore.SlotEntry, kind string) (out []entry) {
	for i, e := range all {
		if kind == "" || e.Type == kind {
			out = append(out, entry{e, i})
		}
	}
	return out
}

func (e entry) out() EntryOut {
	o := EntryOut{ID: string(e.ID), Type: e.Type, Title: e.Title, Text: e.Text, Metadata: e.Meta}
	if !e.Time.IsZero() {
		o.Time = e.Time.Format(time.RFC3339)
	}
	if e.ID == "" {
		o.Number = &e.number
	}
	return o
}

// entryNamed returns the place of the entry that ref names, by its id or its number.
func entryNamed(all []entry, ref, slot string) (int, error) {
	if i := slices.IndexFunc(all, func(e entry) bool { return string(e.ID) == ref }); i >= 0 {
		return i, nil
	}
	n, err := strconv.Atoi(ref)
	if nth, ok := mdstore.Nth(ref); ok {
		n, err = nth, nil
	}
	if err == nil {
		if n < 0 {
			n += len(all)
		}
		if n >= 0 && n < len(all) {
			return n, nil
		}
	}
	known := "it has no entries"
	if n := len(all); n > 0 {
		known = fmt.Sprintf("its entries are 0 to %d, or -1 to -%d from the newest, and have ids such as %s", n-1, n, cmp.Or(all[n-1].ID, "entry-…"))
	}
	return 0, errs.New(errs.EntryNotFound, "%s: slot %s has no such entry; %s", short(ref), slot, known).With(errs.Details{Param: "entry"})
}

// entriesAt returns the entry nearest to a time, with its neighbours. Of several on one day it is the last.
func (env *Env) entriesAt(all []entry, at, slot string) ([]entry, error) {
	best, least := -1, time.Duration(0)
	if _, ok := mdstore.Nth(at); ok {
		i, err := entryNamed(all, at, slot)
		if err != nil {
			return nil, err
		}
		best = i
	} else {
		from, to, err := env.when("at", at)
		if err != nil {
			return nil, err
		}
		for i, e := range all {
			d := max(0, from.Sub(e.Time), e.Time.Sub(to))
			if !e.Time.IsZero() && (best < 0 || d < least || d == 0) {
				best, least = i, d
			}
		}
	}
	if best < 0 {
		return nil, nil
	}
	return all[max(0, best-1):min(len(all), best+2)], nil
}

type AskIn struct {
	Question    string `json:"question" req:"true" arg:"QUESTION"`
	In          string `json:"in,omitempty" enum:"plan,memory,sessions,states,docs,all" help:"search only this PLACE"`
	WorkspaceID string `json:"workspaceId,omitempty" flag:"-"`
	Limit       int    `json:"limit,omitempty" min:"0" flag:"limit,n" help:"at most N passages; default 5"`
}

type AskOut struct {
	Passages []Answer `json:"passages" always:"true"`
	Unread   []string `json:"unread,omitempty"` // files that cannot be read and were skipped, with the reason
	Out
}

// Answer is a passage with its source and the sentence that matches.
type Answer struct {
	Text string `json:"text"`
	Source
	Sentence string `json:"sentence" only:"verbose"`
}

const answersShown = 5 // passages unless told otherwise

var ask = op("ask", reads|repeats, Ask, Help{
	Summary: "find the passages that answer a question",
	Use:     "ask QUESTION...",
	Text: `Ask in plain words; any of them may match, with any ending. No model is called:
the result is paragraphs of files, best first, each with its source and the
matching sentence.`,
	Example: `arbor ask "Why was the invoice given up?"
arbor ask 为什么不用 Redis --in memory`,
})

// Ask ranks paragraphs by the words of a question.
func Ask(ctx context.Context, env *Env, in AskIn) (*AskOut, error) {
	q, err := search.Question(in.Question)
	if err != nil {
		return nil, badParam("question", "%v", err)
	}
	all, unread, err := sources(ctx, env, in.WorkspaceID, in.In)
	if err != nil {
		return nil, err
	}
	p := search.NewPass(q, func(h *search.Head) bool { return h.Type != mdstore.EntryRolled })
	err = lookAt(ctx, env, all, func(i int, f *search.File, data []byte) {
		search.Paragraphs(f)
		p.Look(i, f, data)
	})
	if err != nil {
		return nil, err
	}
	read := func(i int) (*search.File, []byte, error) {
		f, data, err := all[i].read(ctx, env)
		search.Paragraphs(&f)
		return &f, data, err
	}
	var found []Answer
	for _, a := range p.Passages(cmp.Or(in.Limit, answersShown), func(i int) mdstore.Path { return all[i].path() }, read) {
		f, _, err := read(a.File)
		if err == nil {
			found = append(found, Answer{string(a.Text), all[a.File].source(env, f, a.Shown), a.Sentence})
		}
	}
	out := &AskOut{Unread: unreadShown(unread)}
	out.ws = workspaceOf(all)
	env.fit(out, len(found), func(n int) {
		if out.Passages, out.Hint = nonNil(found[:n]), "search finds every place of a word"; n == 0 {
			out.Hint = "no passage contains a word of the question; try other words"
		}
	})
	return out, nil
}
