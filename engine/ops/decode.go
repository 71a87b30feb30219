package ops

import (
	"bytes"
	"encoding/json"
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
)

// decode reads arguments strictly into in: one JSON object, no unknown names, right types, values of the enumerations,
// nothing required left out.
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
	values := map[string]any{}
	for _, p := range o.Params {
		raw := bytes.TrimSpace(given[p.Name])
		if len(raw) == 0 || string(raw) == "null" {
			if p.Required {
				return o.bad(p.Name, "is missing; "+p.expected())
			}
			continue
		}
		if flaw := flawOf(raw); flaw != "" {
			e := errs.New(errs.InvalidContent, "%s: %s holds %s", o.Name, p.Name, flaw)
			e.Details = &errs.Details{Param: p.Name}
			return e
		}
		numbers := json.NewDecoder(bytes.NewReader(raw))
		numbers.UseNumber()
		var v any
		err := numbers.Decode(&v)
		if word, isString := v.(string); p.Enum != nil && !p.judged && (!isString || !slices.Contains(p.Enum, word)) {
			return o.bad(p.Name, "is "+short(string(raw))+"; "+p.expected())
		}
		if err == nil {
			v, err = o.typed(v, p.Type, p.Name)
		}
		if err != nil {
			return err
		}
		values[p.Name] = v
	}
	exact, err := json.Marshal(values)
	if err != nil {
		return err
	}
	return json.Unmarshal(exact, in)
}

// typed returns a decoded value as one of the type. It refuses one that is none, and says where in the arguments it is.
func (o Operation) typed(v any, t reflect.Type, at string) (any, error) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	is := "null"
	switch v := v.(type) {
	case string:
		if is = "a string"; t.Kind() == reflect.String {
			return v, nil
		}
	case bool:
		if is = "true or false"; t.Kind() == reflect.Bool {
			return v, nil
		}
	case json.Number:
		is = "a number"
		if t.Kind() == reflect.Int {
			if n, ok := wholeNumber(v); ok {
				return n, nil
			}
			is = short(v.String())
		}
	case []any:
		if is = "a list"; t.Kind() == reflect.Slice {
			var err error
			for i := range v {
				if v[i], err = o.typed(v[i], t.Elem(), at+"["+strconv.Itoa(i)+"]"); err != nil {
					return nil, err
				}
			}
			return v, nil
		}
	case map[string]any:
		if is = "an object"; t.Kind() == reflect.Struct {
			return v, o.members(v, t, at)
		}
	}
	return nil, o.bad(at, "is "+is+"; "+wanted(t)+" is expected")
}

// members refuses an object whose members are not those of a type. The first one of the type must be there, as in a
// document its path.
func (o Operation) members(members map[string]any, t reflect.Type, at string) (err error) {
	known := map[string]reflect.Type{}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "-" && option == "" { // what results leave out where it is empty is no input
			known[name] = f.Type
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if known[name] == nil {
			return o.unknown(name, at+" has no member", names)
		}
		if members[name], err = o.typed(members[name], known[name], at+"."+name); err != nil {
			return err
		}
	}
	if first := names[0]; members[first] == nil {
		return o.bad(at+"."+first, "is missing; "+wanted(known[first])+" is expected")
	}
	return nil
}

// wholeNumber returns a number as an integer, also where it is written as a float, as programs do that know no other
// numbers: 500 for 500.0 and 5e2.
func wholeNumber(n json.Number) (json.Number, bool) {
	const most = 1 << 53 // beyond it not every integer is a float
	if _, err := n.Int64(); err == nil {
		return n, true
	}
	f, err := n.Float64()
	if err != nil || f != math.Trunc(f) || math.Abs(f) > most {
		return "", false
	}
	return json.Number(strconv.FormatInt(int64(f), 10)), true
}

func (o Operation) bad(param, what string) error {
	return badParam(beginning(param, longName), "%s: %s %s", o.Name, param, what)
}

// badParam refuses the value of a parameter.
func badParam(param, format string, args ...any) error {
	e := errs.New(errs.InvalidParams, format, args...)
	e.Details = &errs.Details{Param: param}
	return e
}

// unknown refuses a name that is none of those known, with the nearest one.
func (o Operation) unknown(name, what string, known []string) error {
	message, near := o.Name+": "+what+" "+short(strconv.Quote(name)), Nearest(name, known)
	if near != "" {
		message += "; the nearest known one is " + near
	} else {
		message += "; there are: " + strings.Join(known, ", ")
	}
	e := errs.New(errs.UnknownParams, "%s", message)
	e.Details = &errs.Details{Param: beginning(name, longName), Nearest: near}
	return e
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
