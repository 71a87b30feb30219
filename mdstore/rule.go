package mdstore

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A Rule says which values a front matter key or a parameter accepts. RuleOf makes it from the type and the tags of a
// struct field, so that files and calls are checked by one rule and refused in the same words:
//
//	enum    the texts that are allowed, separated by commas
//	min     the least number
//	max     the greatest number
//	layout  the layout of a time, such as 2006-01-02; "duration" for a duration such as 1h30m
//	line    the greatest number of characters of a text, which has one line then
//
// The zero Rule accepts any text.
type Rule struct {
	Kind     reflect.Kind // of the value: Bool, Int, Float64 or String; of a list, that of its items
	Enum     []string
	Min, Max *float64 // nil for no bound
	Layout   string
	Line     int // 0 for no bound
	List     bool
}

// RuleOf returns the rule of a struct's field.
func RuleOf(f reflect.StructField) Rule {
	t := f.Type
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	r := Rule{Kind: t.Kind(), Layout: f.Tag.Get("layout")}
	if t.Kind() == reflect.Slice {
		r.List, r.Kind = true, t.Elem().Kind()
	}
	if all := f.Tag.Get("enum"); all != "" {
		r.Enum = strings.Split(all, ",")
	}
	number := func(key string) *float64 {
		n, err := strconv.ParseFloat(f.Tag.Get(key), 64)
		if err != nil {
			return nil
		}
		return &n
	}
	r.Min, r.Max = number("min"), number("max")
	r.Line, _ = strconv.Atoi(f.Tag.Get("line"))
	return r
}

// Check returns nil for a value that the rule accepts, and otherwise an error such as "priority is 9; a whole number
// from 1 to 5 is expected". what names the key or parameter in the error.
func (r Rule) Check(what, value string) error {
	if r.holds(value) {
		return nil
	}
	return r.refusal(what, value)
}

func (r Rule) refusal(what, value string) error {
	const longest = 80 // bytes of a wrong value that an error repeats
	said := strconv.Quote(value)
	if _, err := strconv.ParseFloat(value, 64); err == nil && r.Kind != reflect.Bool {
		said = value
	} else if value == "" {
		said = "empty"
	}
	if len(said) > longest {
		said = strings.ToValidUTF8(said[:longest], "") + "…"
	}
	return fmt.Errorf("%s is %s; %s is expected", what, said, r.Expected())
}

func (r Rule) holds(value string) bool {
	switch r.Kind {
	case reflect.Bool:
		return value == "true" || value == "false"
	case reflect.Int, reflect.Int64:
		if _, err := strconv.ParseInt(value, 10, 64); err != nil {
			return false
		}
		fallthrough
	case reflect.Float64:
		n, err := strconv.ParseFloat(value, 64)
		return err == nil && !math.IsNaN(n) && !math.IsInf(n, 0) && (r.Min == nil || n >= *r.Min) && (r.Max == nil || n <= *r.Max)
	}
	oneLine := r.Line > 0 || r.List
	switch _, err := parseTime(r.Layout, value); {
	case err != nil, oneLine && strings.ContainsAny(value, "\r\n"), r.List && value == "", r.Line > 0 && utf8.RuneCountInString(value) > r.Line:
		return false
	}
	return r.Enum == nil || slices.Contains(r.Enum, value)
}

// parseTime parses a text in the layout. An empty layout accepts any text.
func parseTime(layout, value string) (any, error) {
	switch layout {
	case "":
		return nil, nil
	case "duration":
		return time.ParseDuration(value)
	}
	return time.Parse(layout, value)
}

// Expected describes the accepted values, as in "a date such as 2006-01-02".
func (r Rule) Expected() string {
	bound := func(n *float64) string { return strconv.FormatFloat(*n, 'f', -1, 64) }
	number := map[reflect.Kind]string{reflect.Int: "a whole number", reflect.Int64: "a whole number", reflect.Float64: "a number"}[r.Kind]
	switch {
	case r.Kind == reflect.Bool:
		return "true or false"
	case r.Enum != nil:
		return "one of " + strings.Join(r.Enum, ", ")
	case number != "" && r.Min != nil && r.Max != nil:
		return number + " from " + bound(r.Min) + " to " + bound(r.Max)
	case number != "" && r.Min != nil:
		return number + " of at least " + bound(r.Min)
	case number != "" && r.Max != nil:
		return number + " of at most " + bound(r.Max)
	case number != "":
		return number
	case r.Layout == "duration":
		return "a duration such as 1h30m"
	case r.Layout != "":
		return "a date such as " + r.Layout
	case r.Line > 0:
		return "a text of one line and at most " + strconv.Itoa(r.Line) + " characters"
	case r.List:
		return "a text of one line"
	}
	return "a text"
}
