package ops

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"arbor/engine/errs"
	"arbor/engine/nearest"
	"arbor/mdstore"
)

// decode reads arguments strictly into in, a pointer to a value of the type In: one JSON object, no unknown names, right
// types, values of the enumerations, nothing required left out.
func (o Operation) decode(args json.RawMessage, in any) error {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil && len(bytes.TrimSpace(args)) > 0 {
		return errs.New(errs.InvalidParams, "%s: the arguments are no JSON object", o.Name)
	}
	var names []string
	for _, p := range o.Params {
		names = append(names, p.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			return o.unknown(name, "no parameter", names)
		}
	}
	var missing []string
	var last Param // of those
	for _, p := range o.Params {
		raw := bytes.TrimSpace(given[p.Name])
		if len(raw) == 0 || string(raw) == "null" {
			if p.Required && given[p.Unless] == nil {
				missing, last = append(missing, p.Name), p
			}
			continue
		}
		if flaw := flawOf(raw); flaw != "" {
			return BadParam(errs.InvalidContent, p.Name, "%s: %s holds %s", o.Name, p.Name, flaw)
		}
		raw = p.meant(raw)
		if p.Enum != nil && !p.judged && !slices.Contains(p.Enum, strings.Trim(string(raw), `"`)) {
			return o.bad(p.Name, "is "+short(string(raw))+"; "+p.expected())
		}
		values := json.NewDecoder(bytes.NewReader(raw))
		values.DisallowUnknownFields()
		field := reflect.ValueOf(in).Elem().FieldByIndex(p.Field.Index)
		if err := values.Decode(field.Addr().Interface()); err != nil {
			return o.mistyped(p, err)
		}
		if i := emptyAt(field.Interface()); i >= 0 {
			return o.bad(fmt.Sprintf("%s[%d]", p.Name, i), "is empty or names nothing")
		}
	}
	switch len(missing) {
	case 0:
		return nil
	case 1:
		return o.bad(last.Name, "is missing; "+last.expected())
	}
	return badParam(missing[0], "%s: %s missing", o.Name, areListed(missing))
}

// areListed returns names as the subject of a sentence: "a is", "a, b and c are".
func areListed(names []string) string {
	n := len(names) - 1
	if n == 0 {
		return names[0] + " is"
	}
	return strings.Join(names[:n], ", ") + " and " + names[n] + " are"
}

// emptyAt returns the index of the first text or document of a list that is empty or null; -1 for none.
func emptyAt(list any) int {
	switch list := list.(type) {
	case []string:
		return slices.Index(list, "")
	case []Reference:
		return slices.IndexFunc(list, func(r Reference) bool { return r.TargetID == "" })
	case []mdstore.Ref:
		return slices.IndexFunc(list, func(d mdstore.Ref) bool { return d.Target == "" })
	}
	return -1
}

// mistyped says what is wrong with a value that does not decode.
func (o Operation) mistyped(p Param, err error) error {
	var wrong *json.UnmarshalTypeError
	if !errors.As(err, &wrong) { // a member that the type does not have, or a text that it cannot read
		_, name, ok := strings.Cut(err.Error(), "unknown field ")
		if name, _ = strconv.Unquote(name); !ok {
			return o.bad(p.Name, err.Error())
		}
		return o.unknown(name, p.Name+" has no member", slices.Compact(slices.Sorted(slices.Values(members(p.Type)))))
	}
	at := p.Name
	if wrong.Field != "" {
		at += "." + wrong.Field
	}
	is := map[string]string{"string": "a string", "bool": "true or false", "array": "a list", "object": "an object"}[wrong.Value]
	if is == "" {
		is = "a " + short(wrong.Value) // number, or number 1.5
	}
	return o.bad(at, "is "+is+"; "+wanted(wrong.Type)+" is expected")
}

// members returns the names of the members of the objects in a list, and of those in them.
func members(t reflect.Type) (names []string) {
	if t.Kind() != reflect.Slice && t.Kind() != reflect.Pointer || t.Elem().Kind() != reflect.Struct {
		return nil
	}
	for _, f := range reflect.VisibleFields(t.Elem()) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "-" {
			names = append(names, name)
		}
		if f.Type != t {
			names = append(names, members(f.Type)...)
		}
	}
	return names
}

// meant returns a value as the parameter has it, where it was given in another form that means the same, as programs and
// models do: "5" for 5, "true" for true, and true for one of several words.
func (p Param) meant(raw json.RawMessage) json.RawMessage {
	var text string
	_ = json.Unmarshal(raw, &text) // "" for what is no text
	switch want := wanted(p.Type); {
	case want == "true or false" && (text == "true" || text == "false"):
		return json.RawMessage(text)
	case slices.Contains(p.Enum, string(raw)):
		return strconv.AppendQuote(nil, string(raw))
	case want == "a whole number":
		if whole, ok := wholeNumber([]byte(cmp.Or(text, string(raw)))); ok {
			return whole
		}
	}
	return raw
}

// wholeNumber returns a number that is written as a float, as programs do that know no other numbers, as the integer
// that it is: 500 for 500.0 and 5e2.
func wholeNumber(raw []byte) ([]byte, bool) {
	const most = 1 << 53 // beyond it not every integer is a float
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > most {
		return nil, false
	}
	return strconv.AppendInt(nil, int64(f), 10), true
}

func (o Operation) bad(param, what string) error {
	return badParam(beginning(param, longName), "%s: %s %s", o.Name, param, what)
}

// badParam refuses the value of a parameter.
func badParam(param, format string, args ...any) error {
	return BadParam(errs.InvalidParams, param, format, args...)
}

// BadParam returns an error about one parameter.
func BadParam(code errs.Code, param, format string, args ...any) error {
	return errs.New(code, format, args...).With(errs.Details{Param: param})
}

// unknown refuses a name that is none of those known, with the nearest one.
func (o Operation) unknown(name, what string, known []string) error {
	message, near := o.Name+": "+what+" "+short(strconv.Quote(name)), Nearest(name, known)
	if near != "" {
		message += "; the nearest known one is " + near
	} else {
		message += "; there are: " + strings.Join(known, ", ")
	}
	return errs.New(errs.UnknownParams, "%s", message).With(errs.Details{Param: beginning(name, longName), Nearest: near})
}

func (p Param) expected() string {
	if p.Enum != nil {
		return "one of " + strings.Join(p.Enum, ", ") + " is expected"
	}
	if p.Help != "" {
		return p.Help
	}
	return wanted(p.Type) + " is expected"
}

// wanted says what a value of a type is.
func wanted(t reflect.Type) string {
	if t == reflect.TypeFor[mdstore.Expired]() {
		return "active or expired"
	}
	switch t.Kind() {
	case reflect.Pointer:
		return wanted(t.Elem())
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	}
	return "a string"
}

const longName = 60 // bytes of what a caller gave that are repeated

func short(s string) string {
	if len(s) > longName {
		return strings.ToValidUTF8(s[:longName], "") + "…"
	}
	return s
}

// escapes are a pair of escapes that are one character, an escape of one unit, and any other escape.
var escapes = regexp.MustCompile(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(.{4})|\\.`)

// flawOf says what in a JSON value is no text, "" for nothing. Decoding would replace it silently, or let it pass.
func flawOf(raw []byte) string {
	if !utf8.Valid(raw) {
		return "bytes that are no UTF-8; send it encoded as that"
	}
	if !bytes.Contains(raw, []byte(`\u`)) {
		return ""
	}
	for _, m := range escapes.FindAllSubmatch(raw, -1) {
		switch r, err := strconv.ParseUint(string(m[1]), 16, 16); {
		case err != nil: // a pair, or no escape of a unit
		case r == 0:
			return "NUL, which no text has; leave it out"
		case utf16.IsSurrogate(rune(r)):
			return "half of a character (" + string(m[0]) + "); send it whole, or leave it out"
		}
	}
	return ""
}

// Nearest is nearest.Word.
func Nearest(word string, known []string) string { return nearest.Word(word, known) }
