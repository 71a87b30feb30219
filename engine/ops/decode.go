package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"arbor/engine"
)

// decode reads arguments strictly: one JSON object, no unknown names, right types, values of the enumerations, nothing required left out.
func (o Operation) decode(args json.RawMessage, into any) error {
	if t := bytes.TrimSpace(args); len(t) == 0 || string(t) == "null" {
		args = json.RawMessage("{}")
	}
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil || given == nil {
		return engine.Fail(engine.InvalidParams, "%s: the arguments are no JSON object", o.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(o.Params, func(p Param) bool { return p.Name == name }) {
			return o.unknown(name)
		}
	}
	for _, p := range o.Params {
		raw, ok := given[p.Name]
		if !ok || bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
			if p.Required {
				return o.bad(p.Name, "is missing; "+p.expected())
			}
			continue
		}
		if flaw := flawOf(raw); flaw != "" {
			e := engine.Fail(engine.InvalidContent, "%s: %s holds %s", o.Name, p.Name, flaw)
			e.Details = &engine.Details{Param: p.Name}
			return e
		}
		if p.Enum != nil && !p.judged {
			var s string
			if json.Unmarshal(raw, &s) != nil || !slices.Contains(p.Enum, s) {
				return o.bad(p.Name, "is "+short(raw)+"; "+p.expected())
			}
		}
		if whole, ok := wholeNumber(raw); ok && (p.Type.Kind() == reflect.Int || p.Type == reflect.TypeFor[*int]()) {
			raw, given[p.Name] = whole, whole
		}
		if err := o.shape(raw, p.Type, p.Name); err != nil {
			return err
		}
	}
	args, err := json.Marshal(given)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(args, into); err != nil { // nothing is left that could be wrong with them
		return engine.Fail(engine.InvalidParams, "%s: %v", o.Name, err)
	}
	return nil
}

// wholeNumber returns a number that is written as a float, as programs do that know no other numbers, as the integer that it is: 500 for 500.0 and 5e2.
func wholeNumber(raw json.RawMessage) (json.RawMessage, bool) {
	const most = 1 << 53 // beyond which floats are no integers one by one
	if !bytes.ContainsAny(raw, ".eE") {
		return nil, false
	}
	f, err := strconv.ParseFloat(string(bytes.TrimSpace(raw)), 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) > most {
		return nil, false
	}
	return strconv.AppendInt(nil, int64(f), 10), true
}

func (o Operation) bad(param, what string) error {
	e := engine.Fail(engine.InvalidParams, "%s: %s %s", o.Name, param, what)
	e.Details = &engine.Details{Param: param}
	return e
}

func (o Operation) unknown(name string) error {
	names := make([]string, len(o.Params))
	for i, p := range o.Params {
		names[i] = p.Name
	}
	return o.stranger(name, fmt.Sprintf("%s: no parameter %s", o.Name, short([]byte(strconv.Quote(name)))), names)
}

// stranger refuses a name that is none of those known.
func (o Operation) stranger(name, message string, known []string) error {
	near := Nearest(name, known)
	if near != "" {
		message += "; the nearest known one is " + near
	} else {
		message += "; there are: " + strings.Join(known, ", ")
	}
	e := engine.Fail(engine.UnknownParams, "%s", message)
	e.Details = &engine.Details{Param: beginning(name, longName), Nearest: near}
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

const longName = 60 // bytes of what a caller gave that are repeated

func short(raw []byte) string {
	if len(raw) > longName {
		return strings.ToValidUTF8(string(raw[:longName]), "") + "…"
	}
	return string(raw)
}
