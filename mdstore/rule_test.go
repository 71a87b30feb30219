package mdstore

import (
	"reflect"
	"testing"
)

// A rule holds for the values that it says, and tells of others what is expected.
func TestARuleSaysWhatIsExpected(t *testing.T) {
	type rows struct {
		Flag  *bool
		Whole *int     `min:"1" max:"5"`
		Least *int     `min:"0"`
		Most  *int     `max:"9"`
		Free  *float64 ``
		Word  *string  `enum:"a,b"`
		Day   *string  `layout:"2006-01-02"`
		Span  *string  `layout:"duration"`
		Line  *string  `line:"3"`
		Any   string
		List  []string
	}
	for name, tt := range map[string]struct {
		good, bad []string
		expected  string
	}{
		"Flag":  {[]string{"true", "false"}, []string{"yes", "1", ""}, "true or false"},
		"Whole": {[]string{"1", "5"}, []string{"0", "6", "1.5", "one", ""}, "a whole number from 1 to 5"},
		"Least": {[]string{"0", "99"}, []string{"-1"}, "a whole number of at least 0"},
		"Most":  {[]string{"-3", "9"}, []string{"10"}, "a whole number of at most 9"},
		"Free":  {[]string{"0", "-1.5e3"}, []string{"NaN", "Inf", "x"}, "a number"},
		"Word":  {[]string{"a", "b"}, []string{"c", ""}, "one of a, b"},
		"Day":   {[]string{"2026-02-28"}, []string{"2026-02-30", "soon", "2026-1-1"}, "a date such as 2006-01-02"},
		"Span":  {[]string{"1h30m", "2h"}, []string{"long", "3"}, "a duration such as 1h30m"},
		"Line":  {[]string{"abc", "节点一"}, []string{"abcd", "a\nb"}, "a text of one line and at most 3 characters"},
		"Any":   {[]string{"", "a\nb"}, nil, "a text"},
		"List":  {[]string{"a"}, []string{"", "a\nb"}, "a text of one line"},
	} {
		field, _ := reflect.TypeFor[rows]().FieldByName(name)
		r := RuleOf(field)
		for _, v := range tt.good {
			if err := r.Check(name, v); err != nil {
				t.Errorf("%s %q: %v", name, v, err)
			}
		}
		for _, v := range tt.bad {
			if r.Check(name, v) == nil {
				t.Errorf("%s %q is taken", name, v)
			}
		}
		if got := r.Expected(); got != tt.expected {
			t.Errorf("%s: %q is expected, not %q", name, got, tt.expected)
		}
	}
}
