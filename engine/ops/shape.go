package ops

import (
	"bytes"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// shape refuses a value in JSON that is none of a type, naming where in the arguments it stands.
func (o Operation) shape(raw json.RawMessage, t reflect.Type, at string) error {
	raw = bytes.TrimSpace(raw)
	is := given(raw)
	switch t.Kind() {
	case reflect.Pointer:
		return o.shape(raw, t.Elem(), at)
	case reflect.Int, reflect.Int64:
		if _, err := strconv.ParseInt(string(raw), 10, t.Bits()); is == "a number" && err != nil {
			is = short(raw)
		} else if is == "a number" {
			return nil
		}
	case reflect.Slice:
		var list []json.RawMessage
		if is != wanted(t) || json.Unmarshal(raw, &list) != nil {
			break
		}
		for i, e := range list {
			if err := o.shape(e, t.Elem(), at+"["+strconv.Itoa(i)+"]"); err != nil {
				return err
			}
		}
		return nil
	case reflect.Struct:
		var members map[string]json.RawMessage
		if is != wanted(t) || json.Unmarshal(raw, &members) != nil {
			break
		}
		return o.members(members, t, at)
	}
	if is == wanted(t) {
		return nil
	}
	return o.bad(at, "is "+is+"; "+wanted(t)+" is expected")
}

// members refuses an object whose members are not those of a type. The first one of the type must be there, as in a document its path.
func (o Operation) members(members map[string]json.RawMessage, t reflect.Type, at string) error {
	known := map[string]reflect.Type{}
	var names []string
	for _, f := range reflect.VisibleFields(t) {
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if option == "" { // what is left out where it is empty is told, not asked for
			known[name] = f.Type
			names = append(names, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if known[name] == nil {
			return o.stranger(name, o.Name+": "+at+" has no member "+short([]byte(strconv.Quote(name))), names)
		}
	}
	for i, name := range names {
		raw, ok := members[name]
		switch {
		case ok:
			if err := o.shape(raw, known[name], at+"."+name); err != nil {
				return err
			}
		case i == 0:
			return o.bad(at+"."+name, "is missing; "+wanted(known[name])+" is expected")
		}
	}
	return nil
}

// given says what a value in JSON is.
func given(raw []byte) string {
	switch {
	case len(raw) == 0:
		return "nothing"
	case raw[0] == '"':
		return "a string"
	case raw[0] == '{':
		return "an object"
	case raw[0] == '[':
		return "a list"
	case raw[0] == 'n':
		return "null"
	case raw[0] == 't', raw[0] == 'f':
		return "true or false"
	}
	return "a number"
}

// wanted says what a value of a type is, in the words of given where that is one thing.
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
	case reflect.Int, reflect.Int64:
		return "a whole number"
	}
	return "a string"
}

// flawOf says what in a value in JSON is no text, "" for nothing. What decodes JSON would put another character in its place, or let it pass.
func flawOf(raw []byte) string {
	if !utf8.Valid(raw) {
		return "bytes that are no UTF-8; send it encoded as that"
	}
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		r, ok := unit(raw[i:])
		if !ok {
			i++ // what is escaped
			continue
		}
		switch second, _ := unit(raw[i+6:]); {
		case r == 0:
			return "NUL, which no text has; leave it out"
		case !utf16.IsSurrogate(r):
			i += 5
		case utf16.DecodeRune(r, second) == utf8.RuneError:
			return "half of a character (" + string(raw[i:i+6]) + "); send it whole, or leave it out"
		default:
			i += 11
		}
	}
	return ""
}

// unit reads the four digits of an escape such as \u00e9 that s begins with; false where it begins with none.
func unit(s []byte) (rune, bool) {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(n), err == nil
}
