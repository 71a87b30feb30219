package search

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A key is the name of a field, and how its values are compared: ":", "<", "<=", ">" or ">=".
type key struct{ name, op string }

func (k key) String() string { return k.name + k.op }

// key splits a run into a field and what follows. The name is "" if the run does not begin with a field.
func (p *parser) key(run string) (k key, value string) {
	i := strings.IndexAny(run, ":<>")
	if i < 0 {
		return key{}, ""
	}
	k.name, k.op, value = run[:i], run[i:i+1], run[i+1:]
	if rest, ok := strings.CutPrefix(value, "="); ok && k.op != ":" {
		k.op, value = k.op+"=", rest
	}
	if !slices.Contains(Fields(), k.name) && (k.name == "" || p.Own == nil || !p.Own(k.name)) {
		return key{}, ""
	}
	return k, value
}

// A form says how the values of a field are compared with the value in a query.
type form struct {
	row    *mdstore.Field // nil if it is not a field of nodes
	levels bool           // a value also matches the values below it, after a slash
}

func formOf(name string) form {
	if name == "tag" {
		name = mdstore.KeyTags
	}
	return form{mdstore.FieldOf(name), name == "group" || name == mdstore.KeyTags}
}

// folded returns a value as it is compared: as its field does, and as texts are.
func (f form) folded(value string) string {
	if f.row != nil {
		value = f.row.Fold(value)
	}
	return folded(value)
}

// mine is the person's own name, as the value of assignee.
const mine = "mine"

func folded(s string) string { return string(Fold(nil, []byte(s))) }

// value makes a term of the value of a field.
func (p *parser) value(at int, k key, text, value string) error {
	t := &Term{Text: text, Field: k.name, form: formOf(k.name)}
	value = strings.TrimSpace(value)
	if k.name == "assignee" && strings.EqualFold(value, mine) {
		name := ""
		if p.Mine != nil {
			name = p.Mine()
		}
		if value = name; name == "" {
			return p.fail(at, "%s:%s needs the setting identity.name", k.name, mine)
		}
	}
	if k.op != ":" {
		return p.compared(at, k, t, value)
	}
	t.value = t.form.folded(value)
	switch {
	case k.name == "title":
		t.value = ""
		p.term(t, value)
		if len(t.words) > 0 {
			return nil
		}
	case k.name == "in" && !slices.Contains(Places(), t.value):
		return p.fail(at, "in:%s names no place; there are %s", value, strings.Join(Places(), ", "))
	case k.name == "is" && !slices.Contains(States(), t.value):
		return p.fail(at, "is:%s names no state; there are %s", value, strings.Join(States(), ", "))
	case t.form.row != nil && dated(t.form.row) && t.value != none:
		day, err := p.day(value)
		if err != nil {
			return p.fail(at, "%s: %v", k.name, err)
		}
		t.value = day
	}
	if t.value == "" {
		return p.fail(at, "%s: has no word for its value", k.name)
	}
	p.tok.kind, p.tok.term = term, t
	return nil
}

// none is the value of fields that a node lacks.
const none = "null"

// dated reports whether the values of a field are dates.
func dated(f *mdstore.Field) bool { return f.Rule.Layout == mdstore.DayLayout }

func (p *parser) day(word string) (string, error) {
	if p.Day == nil {
		return word, aDay.Check("the value", word)
	}
	return p.Day(word)
}

var aDay = mdstore.Rule{Kind: reflect.String, Layout: mdstore.DayLayout}

// A bound is a date or a number that values are compared with.
type bound struct {
	op     string
	day    string // "" for a number
	number float64
}

// compared makes a term of a comparison. Own keys have numbers or dates, as the bound has.
func (p *parser) compared(at int, k key, t *Term, value string) error {
	row, number := t.form.row, false
	if row != nil {
		number = row.Rule.Kind == reflect.Int || row.Rule.Kind == reflect.Float64
	}
	if row == nil && slices.Contains(Fields(), k.name) || row != nil && !number && !dated(row) {
		return p.fail(at, "%s has no order; %[1]s:x finds those that have a value", k.name)
	}
	t.bound = &bound{op: k.op}
	n, notNumber := strconv.ParseFloat(value, 64)
	day, notDay := p.day(value)
	switch {
	case (row == nil || number) && notNumber == nil:
		t.bound.number = n
	case number:
		return p.fail(at, "%s: %q is no number", k.name, value)
	case notDay == nil:
		t.bound.day = day
	case row == nil:
		return p.fail(at, "%s: %q is neither a number nor a date", k.name, value)
	default:
		return p.fail(at, "%s: %v", k.name, notDay)
	}
	p.tok.kind, p.tok.term = term, t
	return nil
}

// holds reports whether a value is on the requested side of the bound. A value that is neither date nor number is not;
// of a time, the date counts.
func (b *bound) holds(value string) bool {
	var c int
	if b.day != "" {
		value = value[:min(len(value), len(mdstore.DayLayout))]
		if aDay.Check("", value) != nil {
			return false
		}
		c = cmp.Compare(value, b.day)
	} else {
		n, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return false
		}
		c = cmp.Compare(n, b.number)
	}
	return c < 0 && b.op[0] == '<' || c > 0 && b.op[0] == '>' || c == 0 && len(b.op) == 2
}

// is reports whether a head has a value that the term asks for.
func (t *Term) is(h *Head) bool {
	same := func(s string) bool {
		if t.bound != nil {
			return t.bound.holds(s)
		}
		s = t.form.folded(s)
		return s == t.value || t.form.levels && strings.HasPrefix(s, t.value+"/")
	}
	var items []string
	switch row := t.form.row; {
	case row != nil && h.Fields != nil:
		if text := h.Fields.Text(row); text != "" {
			items = strings.Split(text, "\n")
		} else if t.bound == nil {
			return t.value == folded(row.Scalar("").String()) // false, or null
		}
	case t.Field == "tag", t.Field == mdstore.KeyTags:
		items = h.Tags
	case row != nil: // not of a node
	case t.Field == "group":
		items = []string{h.Group}
	case t.Field == "type":
		items = []string{h.Type}
	case t.Field == "status":
		items = []string{h.Status}
	case t.Field == "in":
		items = []string{h.In}
	case t.Field == "is":
		return h.Is != nil && h.Is(t.value)
	case h.Own != nil:
		for _, o := range h.Own() {
			if o.Key == t.Field {
				items = append(items, o.Items...)
			}
		}
		if len(items) == 0 && t.bound == nil {
			return t.value == none
		}
	}
	return slices.ContainsFunc(items, same)
}

// Texts reports whether the query looks for words in texts, so that heads do not tell what matches.
func (q *Query) Texts() bool {
	return slices.ContainsFunc(q.Terms, func(t *Term) bool { return t.text() && t.Field == "" })
}

// Heads returns a function that reports whether a head matches a query that is without Texts. It is not safe for
// concurrent use.
func (q *Query) Heads() func(*Head) bool {
	c := &scratch{}
	has := make([]bool, len(q.Terms))
	titles := slices.ContainsFunc(q.Terms, (*Term).text)
	return func(h *Head) bool {
		if titles {
			c.title = Fold(c.title[:0], []byte(h.Title))
		}
		for i, t := range q.Terms {
			has[i] = t.weight(c, h, nil) > 0
		}
		return q.root.matches(has)
	}
}
