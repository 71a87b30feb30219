package mdstore

import (
	"cmp"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"arbor/mdstore/mdoc"
)

// Fields are the keys of a node's front matter that callers can set. One row of this struct is one field: its type and
// tags decide how Arbor reads, writes, caches, merges, searches, prints and checks it, and how calls and replies name
// it.
//
// A nil field means that the file lacks the key, or that the key has no value. In a call, nil leaves the key
// unchanged, and an empty value clears it: false, "", an empty list, or 0 where min is above 0.
//
// The types are *bool, *int, *float64, *string and []string. Besides the tags of a Rule there are:
//
//	json   the key, also the name of the parameter and of the member in replies; "-" for neither
//	key    the key, where json is "-"
//	help   the help of the parameter
//	label  how forms name the field; the key if there is none
//	is     "node": the value, or each item of the list, is the id of a node
//	mark   the format in which lists and all other views show the value, with one %v or none
//	fact   the same for views of a single node only
//	new    "always": new files have the key even without a value
//	merge  "unite": a merge keeps the items that either side added; otherwise the side that was written later wins, and
//	       the log names the replaced text
//	also   other names of the key, separated by commas: calls take them, and a file that has one has a finding
//	means  words that are read as other ones, as in "P0=critical,P1=high"; letters of either case are the same then
//	sign   characters that an item may begin with, without meaning; items that differ in these and in case are equal
//	words  "true": the items are words without blanks, one text with commas is read as several, and calls write
//	       lower case without the sign
//	commas "split": at the command line commas separate the items, but for a name of a node that has one
//	single "text": a list of one item is written as a text
type Fields struct {
	Role     *string  `json:"role,omitempty" label:"Role" enum:"info_collection,validation,summary" judge:"engine" empty:"ok" new:"always" fact:"role %v"`
	Isolated *bool    `json:"isolated,omitempty" label:"Isolated from the nodes above" new:"always" mark:"isolated" help:"its context takes nothing from its ancestors"`
	Order    *float64 `json:"-" key:"order"`

	Dependencies []string `json:"dependencies,omitempty" label:"Depends on" is:"node" commas:"split" merge:"unite" also:"dependsOn,depends_on,blockedBy,blocked_by,depends" empty:"ok" fact:"after %v" help:"NODES to be completed first"`
	Priority     *string  `json:"priority,omitempty" label:"Priority" enum:"critical,high,medium,low" means:"P0=critical,P1=high,P2=medium,P3=low,P4=low" judge:"engine" empty:"ok" mark:"%v"`
	Tags         []string `json:"tags,omitempty" label:"Tags" words:"true" commas:"split" sign:"#" merge:"unite" also:"labels" empty:"ok" mark:"#%v"`
	Assignee     []string `json:"assignee,omitempty" label:"Assigned to" commas:"split" sign:"@" single:"text" merge:"unite" also:"owner,assignees" empty:"ok" mark:"@%v"`
	Due          *string  `json:"due,omitempty" label:"Due" layout:"2006-01-02" also:"dueDate,due_date,due_at,deadline" empty:"ok" mark:"due %v" help:"DATE: 2026-12-01, fri or +3d"`
	Verify       []string `json:"verify,omitempty" label:"Tools that must pass" merge:"unite" empty:"ok" fact:"verify %v" help:"TOOLS that must pass"`
}

// Roles that Arbor itself asks for. Completing a node of role info_collection copies lists of its conclusion into the
// rules and docs of the workspace.
const (
	RoleInfoCollection = "info_collection"
	RoleSummary        = "summary"
)

// CollectedForm describes the form of the conclusion of a node of role info_collection.
const CollectedForm = "lists below the headings Rules and Docs join the rules and documents of the workspace"

// CollectedRules and CollectedDocs are the headings, at any level, below which its lists are copied.
var CollectedRules, CollectedDocs = []string{"Rules", "规则"}, []string{"Docs", "文档"}

// A Field is one row of Fields.
type Field struct {
	Key, Label string // see the tag label
	Rule       Rule
	Node       bool // the value is the id of a node, or a list of ids
	Set        bool // calls have a parameter for it

	Commas bool     // see the tag commas
	Unite  bool     // a merge keeps the items that either side added to the list
	Also   []string // other names of the key

	means      map[string]string // by words in lower case
	sign       string
	words      bool // see the tag words
	single     bool
	mark, fact string
	always     bool
	at         int
}

// AllFields returns the rows of Fields in order. Callers must not modify them.
var AllFields = sync.OnceValue(func() (all []*Field) {
	t := reflect.TypeFor[Fields]()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		key, _, _ := strings.Cut(tag.Get("json"), ",")
		f := &Field{Key: key, Rule: RuleOf(t.Field(i)), Node: tag.Get("is") == "node", Set: key != "-",
			Unite: tag.Get("merge") == "unite", sign: tag.Get("sign"), words: tag.Get("words") == "true",
			Commas: tag.Get("commas") == "split", single: tag.Get("single") == "text",
			mark: tag.Get("mark"), fact: tag.Get("fact"),
			always: tag.Get("new") == "always", at: i}
		if also := tag.Get("also"); also != "" {
			f.Also = strings.Split(also, ",")
		}
		if means := tag.Get("means"); means != "" {
			f.means = map[string]string{}
			for _, word := range f.Rule.Enum {
				f.means[strings.ToLower(word)] = word
			}
			for pair := range strings.SplitSeq(means, ",") {
				word, to, _ := strings.Cut(pair, "=")
				f.means[strings.ToLower(word)] = to
			}
		}
		if !f.Set {
			f.Key = tag.Get("key")
		}
		f.Label = cmp.Or(tag.Get("label"), f.Key)
		all = append(all, f)
	}
	return all
})

// fieldsForm describes the table of fields: it differs whenever a row differs.
var fieldsForm = sync.OnceValue(func() string {
	t := reflect.TypeFor[Fields]()
	var b strings.Builder
	for i := range t.NumField() {
		fmt.Fprintln(&b, t.Field(i).Name, t.Field(i).Type, t.Field(i).Tag)
	}
	return b.String()
})

// FieldOf returns the row with that key, or nil.
func FieldOf(key string) *Field {
	for _, f := range AllFields() {
		if f.Key == key {
			return f
		}
	}
	return nil
}

// FieldNamed returns the row with that key, or with that as another name of its key, or nil.
func FieldNamed(name string) *Field {
	if f := FieldOf(name); f != nil {
		return f
	}
	for _, f := range AllFields() {
		if slices.Contains(f.Also, name) {
			return f
		}
	}
	return nil
}

// Text returns the value of a field as text, "" for no value. A list has one item per line.
func (x *Fields) Text(f *Field) string {
	v := reflect.ValueOf(x).Elem().Field(f.at)
	if v.IsNil() {
		return ""
	}
	return f.text(v)
}

func (f *Field) text(v reflect.Value) string {
	if f.Rule.List {
		var items []string
		for i := range v.Len() {
			items = append(items, v.Index(i).String())
		}
		return strings.Join(items, "\n")
	}
	switch v = v.Elem(); v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return "true"
		}
		return ""
	case reflect.Int:
		if v.Int() == 0 && f.Rule.Min != nil && *f.Rule.Min > 0 {
			return ""
		}
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return v.String()
}

// set parses a text that Text returned, or that passed the field's rule. "" changes nothing.
func (x *Fields) set(f *Field, text string) {
	if text == "" {
		return
	}
	to := reflect.ValueOf(x).Elem().Field(f.at)
	if f.Rule.List {
		to.Set(reflect.ValueOf(strings.Split(text, "\n")))
		return
	}
	v := reflect.New(to.Type().Elem())
	switch v := v.Elem(); v.Kind() {
	case reflect.Bool:
		v.SetBool(text == "true")
	case reflect.Int:
		n, _ := strconv.ParseInt(text, 10, 64)
		v.SetInt(n)
	case reflect.Float64:
		n, _ := strconv.ParseFloat(text, 64)
		v.SetFloat(n)
	default:
		v.SetString(text)
	}
	if f.text(v) != "" {
		to.Set(v)
	}
}

// Put gives a field the value of a text that Text could return, as a call gives it: see Adopt and Check. "" clears it.
func (x *Fields) Put(f *Field, text string) error {
	if err := f.check(text); text != "" && f.Rule.Kind != reflect.String && err != nil {
		return err
	}
	to := reflect.ValueOf(x).Elem().Field(f.at)
	to.SetZero()
	switch x.set(f, text); {
	case !to.IsNil():
	case f.Rule.List:
		to.Set(reflect.MakeSlice(to.Type(), 0, 0))
	default:
		to.Set(reflect.New(to.Type().Elem()))
	}
	return nil
}

// Clear makes a field nil.
func (x *Fields) Clear(f *Field) { reflect.ValueOf(x).Elem().Field(f.at).SetZero() }

// Given yields the fields that are not nil, with their values as text; "" clears the field.
func (x *Fields) Given() iter.Seq2[*Field, string] {
	return func(yield func(*Field, string) bool) {
		for _, f := range AllFields() {
			if v := reflect.ValueOf(x).Elem().Field(f.at); !v.IsNil() && !yield(f, f.text(v)) {
				return
			}
		}
	}
}

// Empty reports whether no field is given.
func (x *Fields) Empty() bool {
	for range x.Given() {
		return false
	}
	return true
}

// Check returns the first key whose value breaks its rule, with an error that says what is expected.
func (x *Fields) Check() (key string, err error) {
	for f, text := range x.Given() {
		if err := f.check(text); text != "" && err != nil {
			return f.Key, err
		}
	}
	return "", nil
}

func (f *Field) check(text string) error {
	if !f.Rule.List {
		return f.Rule.Check(f.Key, text)
	}
	for item := range strings.SplitSeq(text, "\n") {
		if err := f.Rule.Check(f.Key, item); err != nil {
			return err
		}
	}
	return nil
}

// Said returns a text that Text returned as one line.
func (f *Field) Said(text string) string { return strings.ReplaceAll(text, "\n", ", ") }

// Scalar turns a text that Text returned into a value of front matter.
func (f *Field) Scalar(text string) mdoc.Scalar {
	switch {
	case f.Rule.Kind == reflect.Bool:
		return mdoc.Boolean(text == "true")
	case text == "" && f.always:
		return mdoc.NullValue()
	case text == "":
		return mdoc.Removed()
	case f.Rule.Layout == time.DateOnly:
		return mdoc.Date(text)
	case f.single && !strings.Contains(text, "\n"):
		return mdoc.Text(text)
	case f.Rule.List:
		return mdoc.List(strings.Split(text, "\n")...)
	case f.Rule.Kind == reflect.Int || f.Rule.Kind == reflect.Float64:
		n, _ := strconv.ParseFloat(text, 64)
		return mdoc.Number(n)
	}
	return mdoc.Text(text)
}

// Front returns the front matter of a new file with these values.
func (x *Fields) Front() (all []mdoc.FieldValue) {
	for _, f := range AllFields() {
		if text := x.Text(f); text != "" || f.always {
			all = append(all, mdoc.FieldValue{Key: f.Key, Value: f.Scalar(text)})
		}
	}
	return all
}

// Marks returns what lists show of the fields.
func (x *Fields) Marks() []string { return x.shown(false, false) }

// AllMarks returns what the view of a single node shows of the fields.
func (x *Fields) AllMarks() []string { return x.shown(true, false) }

func (x *Fields) shown(alone, late bool) (all []string) {
	for _, f := range AllFields() {
		form := f.mark
		if form == "" && alone {
			form = f.fact
		}
		text := x.Text(f)
		if form == "" || text == "" {
			continue
		}
		if strings.Contains(form, "%v") {
			form = f.formatted(form, text)
		}
		if all = append(all, form); late && f.Key == KeyDue {
			all = append(all, overdueMark)
		}
	}
	return all
}

// formatted formats a value, in a list with a sign each item by itself.
func (f *Field) formatted(form, text string) string {
	if f.sign == "" {
		return fmt.Sprintf(form, f.Said(text))
	}
	items := strings.Split(text, "\n")
	for i, item := range items {
		items[i] = fmt.Sprintf(form, strings.TrimLeft(item, f.sign))
	}
	return strings.Join(items, " ")
}

// Nodes yields the ids of nodes that the fields hold, each with its field.
func (x *Fields) Nodes() iter.Seq2[*Field, string] {
	return func(yield func(*Field, string) bool) {
		for f, text := range x.Given() {
			if !f.Node || text == "" {
				continue
			}
			for id := range strings.SplitSeq(text, "\n") {
				if !yield(f, id) {
					return
				}
			}
		}
	}
}

// Resolve replaces each name of a node in the fields with the id that find returns. A name that find does not know may
// be several, separated by commas.
func (x *Fields) Resolve(find func(f *Field, name string) (ID, error)) error {
	ids := map[*Field][]string{}
	for f, name := range x.Nodes() {
		id, err := find(f, name)
		if err == nil {
			ids[f] = append(ids[f], string(id))
			continue
		}
		parts := f.Split(name)
		if len(parts) < 2 {
			return err
		}
		for _, part := range parts {
			if id, err = find(f, part); err != nil {
				return err
			}
			ids[f] = append(ids[f], string(id))
		}
	}
	for f, all := range ids {
		x.set(f, strings.Join(all, "\n"))
	}
	return nil
}

// ValueOf returns what a pointer points to, and the zero value for nil.
func ValueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
