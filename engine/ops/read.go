package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore/pattern"
)

// A reader converts JSON values to the form that their shapes publish. It takes other forms that models and programs
// send, if they can mean one thing only:
//
//	a number          "3", and of a whole number 3.0 and 3e0
//	true, false       "true", "false"
//	a text            3, -1, 0.5 (a number with one spelling only)
//	a list            one item; a text that is a JSON list of such items
//	an object         a text that is a JSON object; a text or number, which becomes the member Main
//
// It leaves out members that are null.
type reader struct{ tool string }

// value returns v in the form that a shape publishes. at is its place, such as children[0].title, for errors.
func (r reader) value(s *Shape, at string, v any) (any, error) {
	text, isText := v.(string)
	number, isNumber := v.(json.Number)
	switch s.Kind {
	case KindText:
		return r.text(s, at, v)
	case KindBool:
		if b, ok := Truth(v); ok {
			return b, nil
		}
	case KindWhole, KindNumber:
		if isText && isLiteral(strings.TrimSpace(text)) {
			number, isNumber = json.Number(strings.TrimSpace(text)), true
		}
		if f, err := number.Float64(); isNumber && err == nil && s.Kind == KindNumber {
			return f, nil
		} else if isNumber && err == nil && f == math.Trunc(f) && math.Abs(f) <= exact {
			return int64(f), nil
		}
	case KindList:
		return r.list(s, at, v)
	case KindObject:
		if members, ok := v.(map[string]any); ok {
			return r.members(s, at, members)
		}
		if members, ok := nested(text).(map[string]any); isText && ok {
			return r.members(s, at, members)
		}
		if (isText || isNumber) && s.Main != "" {
			return r.members(s, at, map[string]any{s.Main: v})
		}
	default:
		return v, nil
	}
	return nil, r.mistyped(s, at, v)
}

const exact = 1 << 53 // up to here a float64 holds every whole number exactly

func (r reader) text(s *Shape, at string, v any) (any, error) {
	text, ok := v.(string)
	number, isNumber := v.(json.Number)
	switch b, isBool := v.(bool); {
	case isNumber && written().MatchString(number.String()):
		text, ok = number.String(), true
	case isBool && slices.Contains(s.Enum, strconv.FormatBool(b)):
		text, ok = strconv.FormatBool(b), true
	case !ok && reflect.PointerTo(s.Type).Implements(ofJSON): // the type reads more than texts
		data, _ := encode(v) // v was decoded from JSON, so this cannot fail
		to := reflect.New(s.Type)
		if ok = json.Unmarshal(data, to.Interface()) == nil; ok {
			text = to.Elem().String()
		}
	}
	if !ok || s.Enum != nil && !s.judged && !slices.Contains(s.Enum, text) {
		return nil, r.mistyped(s, at, v)
	}
	return text, nil
}

// written matches numbers that have one spelling only: not 1.0, 5e2 or -0.
var written = pattern.Of(`^(0|-?[1-9]\d*|-?(0|[1-9]\d*)\.\d*[1-9])$`)

var ofJSON = reflect.TypeFor[json.Unmarshaler]()

// list reads the items of a list. It refuses an item that is null, an empty text, or an object whose member Main is an
// empty text (unless the engine judges that).
func (r reader) list(s *Shape, at string, v any) (any, error) {
	items, isList := s.Items(v)
	out := make([]any, len(items))
	for i, item := range items {
		here := at
		if isList {
			here = fmt.Sprintf("%s[%d]", at, i)
		}
		o, isObject := item.(map[string]any)
		if isObject && s.Item.Main != "" && o[s.Item.Main] == "" && !s.Item.judged || item == nil || item == "" {
			return nil, r.bad(here, "is empty or names nothing")
		}
		read, err := r.value(s.Item, here, item)
		if err != nil && !isList && !isObject {
			return nil, r.mistyped(s, at, v)
		}
		if err != nil {
			return nil, err
		}
		out[i] = read
	}
	return out, nil
}

// Items returns the items of a value that is read as a list: the items of a list, or of a text that is a JSON list of
// such items. Any other value is the only item, and isList is false.
func (s *Shape) Items(v any) (items []any, isList bool) {
	if list, ok := v.([]any); ok {
		return list, true
	}
	text, _ := v.(string)
	list, ok := nested(text).([]any)
	for _, item := range list {
		_, isText := item.(string)
		_, isObject := item.(map[string]any)
		ok = ok && (isText && (s.Item.Kind == KindText || s.Item.Main != "") || isObject && s.Item.Kind == KindObject)
	}
	if ok {
		return list, true
	}
	return []any{v}, false
}

// members reads the members of an object.
func (r reader) members(s *Shape, at string, given map[string]any) (any, error) {
	if s.Members == nil {
		return given, nil
	}
	given = s.Renamed(given)
	what := "no parameter"
	if at != "" {
		what = at + " has no member"
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if _, ok := s.Member(name); !ok {
			if m, ok := s.Called(name); ok { // Renamed leaves it where the member is given too
				return nil, BadParam(errs.InvalidParams, name, "%s: %s is another name of %s, which the call gives already; "+
					"only %[3]s counts: put all of it there, and leave %[2]s out", r.tool, name, m.Name)
			}
			return nil, r.unknown(name, what, s.Names())
		}
	}
	out := map[string]any{}
	var missing []Param
	for _, p := range s.Members {
		v, err := given[p.Name], error(nil)
		if v == nil {
			if p.Required && given[p.Unless] == nil {
				missing = append(missing, p)
			}
			continue
		}
		if out[p.Name], err = r.value(p.Shape, strings.TrimPrefix(at+"."+p.Name, "."), v); err != nil {
			return nil, err
		}
	}
	switch {
	case len(missing) == 0:
		return out, nil
	case len(missing) == 1:
		return nil, r.bad(strings.TrimPrefix(at+"."+missing[0].Name, "."), "is missing; "+missing[0].expected())
	}
	var names []string
	for _, p := range missing {
		names = append(names, strings.TrimPrefix(at+"."+p.Name, "."))
	}
	return nil, badParam(names[0], "%s: %s missing", r.tool, areListed(names))
}

// Truth returns the value of true, false, "true" or "false"; ok is false for anything else.
func Truth(v any) (value, ok bool) {
	switch v {
	case true, "true":
		return true, true
	case false, "false":
		return false, true
	}
	return false, false
}

// nested returns the list or object of JSON that a text holds, nil for none.
func nested(text string) any {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '[' && text[0] != '{' || flawOf([]byte(text)) != "" {
		return nil
	}
	v, err := treeOf([]byte(text))
	if err != nil {
		return nil
	}
	return v
}

// treeOf decodes one JSON value, with numbers as json.Number.
func treeOf(raw []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err = d.Decode(&v); err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("more than one value")
		}
	}
	return v, err
}

// isLiteral reports whether a text is a number of JSON.
func isLiteral(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text))
}

// mistyped returns the error for a value of the wrong type.
func (r reader) mistyped(s *Shape, at string, v any) error {
	is := ""
	switch v := v.(type) {
	case []any:
		is = "a list"
	case map[string]any:
		is = "an object"
	case string:
		is = short(strconv.Quote(v))
	default:
		is = short(fmt.Sprint(v))
	}
	return r.bad(at, "is "+is+"; "+s.expected())
}

func (r reader) bad(param, what string) error {
	return badParam(beginning(param, longName), "%s: %s %s", r.tool, param, what)
}

// unknown returns the error for an unknown name. It suggests the nearest known one.
func (r reader) unknown(name, what string, known []string) error {
	message, near := r.tool+": "+what+" "+short(strconv.Quote(name)), Nearest(name, known)
	if near != "" {
		message += "; the nearest known one is " + near
	} else {
		message += "; there are: " + strings.Join(known, ", ")
	}
	return errs.New(errs.UnknownParams, "%s", message).With(errs.Details{Param: beginning(name, longName), Nearest: near})
}

// expected describes the values of a parameter.
func (p Param) expected() string {
	if p.Enum == nil && p.Help != "" {
		return p.Help
	}
	return p.Shape.expected()
}

// expected describes the values of a shape.
func (s *Shape) expected() string {
	if s.Enum != nil {
		return "one of " + strings.Join(s.Enum, ", ") + " is expected"
	}
	return map[Kind]string{KindText: "a string", KindBool: "true or false", KindWhole: "a whole number",
		KindNumber: "a number", KindList: "a list", KindObject: "an object"}[s.Kind] + " is expected"
}
