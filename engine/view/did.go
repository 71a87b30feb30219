package view

import (
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A Change is one thing that an operation or a commit did to a node, a workspace or a page. String puts it into words
// for logs and JSON; front ends phrase it from the fields.
type Change struct {
	ID   mdstore.ID // of the node, workspace or page; "" if the context says it
	Key  string     // the front matter key, or the section in lower case; "" for the whole file
	Do   string     // a verb, such as Created; "" for a new value (To) or, without From and To, a new text
	From string     // the old value
	To   string     // the new value, or the item of a list
	Name string     // the title or name, if Key is ""
}

// The verbs that front ends look for. Do may hold any other.
const (
	Created = "created"
	Deleted = "deleted"
	Plus    = "+" // added the item To, or To items
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
	if c.Do == Plus || c.Do == Minus { // the sign comes before the value
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
