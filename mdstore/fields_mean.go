package mdstore

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode"

	"arbor/statemachine"
)

// Fold returns a form of a value, or of an item of a list, that is the same for values that mean the same.
func (f *Field) Fold(item string) string {
	if to, ok := f.means[strings.ToLower(item)]; ok {
		return to
	}
	if f.sign != "" {
		return strings.ToLower(strings.TrimLeft(item, f.sign))
	}
	return item
}

// Adopt brings values that a call gave to the form in which they are written: words that mean others become these, tags
// are in lower case without "#", and empty items of lists are left out.
//
// A date may be a word for one: see Day. A text that is none stays, and the error names its key.
func (x *Fields) Adopt(today time.Time) (wrong error) {
	for f, text := range x.Given() {
		if f.Rule.Layout == DayLayout && text != "" {
			if day, err := Day(text, today); err == nil {
				x.set(f, day)
			} else {
				wrong = fmt.Errorf("%s: %w", f.Key, err)
			}
			continue
		}
		if !f.Rule.List {
			x.set(f, f.Fold(text))
			continue
		}
		items := []string{}
		for _, item := range strings.FieldsFunc(text, f.parts) {
			if item = strings.TrimSpace(item); f.words {
				item = f.Fold(item)
			}
			if item != "" && !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
		reflect.ValueOf(x).Elem().Field(f.at).Set(reflect.ValueOf(items))
	}
	return wrong
}

// parts reports whether a character separates two items of a list that a call gives as one text.
func (f *Field) parts(r rune) bool {
	return r == '\n' || f.words && (r == ',' || unicode.IsSpace(r))
}

// KeyDependencies is the key of the dependencies of a node.
const KeyDependencies = "dependencies"

// PriorityField returns the row of the key priority.
func PriorityField() *Field { return FieldOf("priority") }

// Rank returns the place of a value among the words that its field accepts, the first one being 0. Any other value,
// such as "", ranks in the middle, as medium does among the priorities.
func (f *Field) Rank(text string) int {
	if i := slices.Index(f.Rule.Enum, text); i >= 0 {
		return i
	}
	return len(f.Rule.Enum) / 2
}

// KeyDue is the key of the day by whose end a node is to be completed.
const KeyDue = "due"

// overdueMark is the mark behind the day of a node that is overdue.
const overdueMark = "overdue"

// Overdue reports whether the day that a node is due has passed and it is not over.
func (h *Head) Overdue(today string) bool {
	return h.Due != nil && *h.Due < today && !statemachine.Terminal(h.Status)
}

// Split returns the items of a text in which commas separate them; of fields whose items hold commas it is the text.
func (f *Field) Split(text string) (items []string) {
	if !f.Commas {
		return []string{text}
	}
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			items = append(items, item)
		}
	}
	return items
}
