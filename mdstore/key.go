package mdstore

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"arbor/mdstore/mdoc"
)

// A Key is a key in the front matter of one kind of files: how it is read, checked, merged and documented. Keys that a
// kind's table lacks belong to people and are kept.
type Key struct {
	Name   string
	Rule   Rule      // the values it accepts; the zero Rule accepts one plain value of any kind
	Time   bool      // it is a time in Unix milliseconds; Rule is not used
	Needed bool      // a file without it has a finding
	Free   bool      // callers set it as metadata, by its name
	Merge  MergeRule // of a value that both sides changed differently
	Help   string    // its meaning, as docs/format.md prints it
}

// A MergeRule says what a merge does with a key that both sides changed differently.
type MergeRule int

// The merge rules. The zero rule is a conflict, which people resolve.
const (
	MergeConflict MergeRule = iota
	MergeLater              // the side that was written later stands
	// likewise, and the other text goes to the file's log; a conflict if the file has no log
	MergeNoted
	MergeStatus // the status that follows from the other one stands, or else the later one
	MergeNewest // the greater number stands
	MergeUnite  // the list keeps what both sides kept, and what either added
	MergeHash   // the hash of the merged rules
)

// Rules that rows of several kinds share.
var (
	listRule  = Rule{Kind: reflect.String, List: true}
	boolRule  = Rule{Kind: reflect.Bool}
	wholeRule = Rule{Kind: reflect.Int}
)

// wholeFrom is the rule of a whole number from least to most.
func wholeFrom(least, most float64) Rule {
	return Rule{Kind: reflect.Int, Min: &least, Max: &most}
}

// oneOf is the rule of a text that is one of these.
func oneOf(all ...string) Rule { return Rule{Kind: reflect.String, Enum: all} }

// Key returns the row of that name, or nil.
func (k *Kind) Key(name string) *Key {
	for i := range k.Keys {
		if k.Keys[i].Name == name {
			return &k.Keys[i]
		}
	}
	return nil
}

// keysForm describes the keys of all kinds: it differs whenever a row differs in what it accepts.
func keysForm() string {
	var b strings.Builder
	for _, k := range allKinds {
		for _, key := range k.Keys {
			form := ""
			if key.Time {
				form = timeForm
			}
			fmt.Fprintln(&b, k.Name, key.Name, key.Rule.Expected(), form, key.Needed)
		}
	}
	return b.String()
}

// keys complains of each value that breaks the rule of its key.
func (r *reader) keys(k *Kind) {
	for _, key := range k.Keys {
		is, ok := r.doc.Field(key.Name)
		switch {
		case key.Name == KeyID: // see reader.id
		case !ok || is.Kind == mdoc.Null:
			if key.Needed && len(r.problems) == 0 {
				r.complain(key.Name, CodeFieldInvalid, key.Rule.refusal(key.Name, "").Error())
			}
		case key.Time:
			r.integer(key.Name)
		case key.Rule.List:
			for _, item := range r.doc.List(key.Name) {
				if err := key.Rule.Check(key.Name, item); err != nil {
					r.complain(key.Name, CodeFieldInvalid, err.Error())
				}
			}
		case is.Kind == mdoc.Nested:
			r.text(key.Name)
		case key.Rule.Kind == reflect.Bool:
			if is.Kind != mdoc.Bool {
				r.complain(key.Name, CodeFieldInvalid, key.Rule.refusal(key.Name, is.Value).Error())
			}
		default:
			if err := key.Rule.Check(key.Name, is.Value); err != nil {
				r.complain(key.Name, CodeFieldInvalid, err.Error())
			}
		}
	}
}

// fieldKeys are the rows of Fields as keys of a node.
func fieldKeys() (all []Key) {
	for _, f := range AllFields() {
		k := Key{Name: f.Key, Rule: f.Rule, Merge: MergeLater}
		switch {
		case f.Unite:
			k.Merge = MergeUnite
		case f.Rule.Kind == reflect.String && !f.Rule.List:
			k.Merge = MergeNoted
		}
		all = append(all, k)
	}
	return slices.Clip(all)
}
