package view

import (
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A Change says, as data, what was done to a node, a workspace or a page, or to one key or section of it. String says it in words for
// logs and programs; front ends make words of their own from the parts.
type Change struct {
	ID   mdstore.ID // whose file it is about; "" where that is known
	Key  string     // the front matter key, or the section in lower case; "" for all of it
	Do   string     // what was done: see the constants; "" where the key got the value To, or else a text was written
	From string
	To   string // a value, or an item of a list
	Name string // title or name, where Key is ""
}

// What was done, where others ask for it. It may be any other word, too.
const (
	Created = "created"
	Deleted = "deleted"
	Plus    = "+" // the item To, or that many of them
	Minus   = "-"
)

// String returns the change in words, with the id.
func (c Change) String() string { return strings.TrimPrefix(string(c.ID)+" "+c.Words(), " ") }

// Words returns the change in words, without the id.
func (c Change) Words() string {
	switch {
	case c.Key == "" && c.Name != "":
		return c.Do + ": " + c.Name
	case c.Do == "" && (c.From != "" || c.To != ""):
		return c.Key + " " + c.From + " → " + c.To
	}
	parts := []string{c.Key, c.To, c.Do}
	if c.Do == Plus || c.Do == Minus { // which stand before what they are about
		parts = []string{c.Key, c.Do, c.To}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), " ")
}

// MarshalText returns String.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Counts returns the change of a list from one number of items to another.
func Counts(id mdstore.ID, section string, from, to int) Change {
	return Change{ID: id, Key: strings.ToLower(section), From: strconv.Itoa(from), To: strconv.Itoa(to)}
}
