package ops

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"slices"
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
	for name := range given {
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
		if p.Enum != nil && !p.judged {
			var s string
			if json.Unmarshal(raw, &s) != nil || !slices.Contains(p.Enum, s) {
				return o.bad(p.Name, "is "+short(raw)+"; "+p.expected())
			}
		}
	}
	dec := json.NewDecoder(bytes.NewReader(args))
	dec.DisallowUnknownFields() // of objects in lists; the names at the top are known by now
	if err := dec.Decode(into); err != nil {
		if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return o.unknownField(strings.Trim(name, `"`))
		}
		var t *json.UnmarshalTypeError
		if errors.As(err, &t) {
			name, _, _ := strings.Cut(t.Field, ".")
			return o.bad(name, "is a "+t.Value+"; "+kindName(t.Type.Kind().String())+" is expected")
		}
		return engine.Fail(engine.InvalidParams, "%s: %v", o.Name, err)
	}
	return nil
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
	near := Nearest(name, names)
	msg := "; it takes: " + strings.Join(names, ", ")
	if near != "" {
		msg = "; the nearest known one is " + near
	}
	e := engine.Fail(engine.UnknownParams, "%s: no parameter %q%s", o.Name, name, msg)
	e.Details = &engine.Details{Param: name, Nearest: near}
	return e
}

// unknownField is unknown for a name inside of a parameter's objects.
func (o Operation) unknownField(name string) error {
	var names []string
	for _, p := range o.Params {
		if t := p.Type; t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct {
			for _, f := range reflect.VisibleFields(t.Elem()) {
				field, _, _ := strings.Cut(f.Tag.Get("json"), ",")
				names = append(names, field)
			}
		}
	}
	near := Nearest(name, names)
	e := engine.Fail(engine.UnknownParams, "%s: no field %q in the objects it takes, which have: %s", o.Name, name, strings.Join(names, ", "))
	e.Details = &engine.Details{Param: name, Nearest: near}
	return e
}

func (p Param) expected() string {
	if p.Enum != nil {
		return "one of " + strings.Join(p.Enum, ", ") + " is expected"
	}
	if p.Help != "" {
		return p.Help
	}
	return kindName(p.Type.Kind().String()) + " is expected"
}

func kindName(kind string) string {
	switch kind {
	case "slice":
		return "a list"
	case "struct":
		return "an object"
	case "bool":
		return "true or false"
	case "int", "int64":
		return "a whole number"
	}
	return "a " + kind
}

func short(raw []byte) string {
	const most = 60
	if len(raw) > most {
		return strings.ToValidUTF8(string(raw[:most]), "") + "…"
	}
	return string(raw)
}
