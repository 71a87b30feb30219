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

	"arbor/engine/errs"
	"arbor/engine/internal/nearest"
	"arbor/mdstore/pattern"
)

// Parse returns the arguments of a call, one JSON object, with numbers as json.Number. It refuses texts that JSON
// decoding would change: see flawOf.
func (o Operation) Parse(args json.RawMessage) (map[string]any, error) {
	var given map[string]json.RawMessage
	if err := json.Unmarshal(args, &given); err != nil && len(bytes.TrimSpace(args)) > 0 {
		return nil, errs.New(errs.InvalidParams, "%s: the arguments are no JSON object", o.Name)
	}
	all := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if flaw := flawOf(given[name]); flaw != "" {
			name = short(name)
			return nil, BadParam(errs.InvalidContent, name, "%s: %s holds %s", o.Name, name, flaw)
		}
		all[name], _ = treeOf(given[name]) // no error: it is valid JSON
	}
	return all, nil
}

// Read reads the arguments of a call into a new value of the type In, and returns a pointer to it. It also reads other
// forms that mean the same as the published one: see reader.
func (o Operation) Read(args json.RawMessage) (any, error) {
	given, err := o.Parse(args)
	if err != nil {
		return nil, err
	}
	in := reflect.New(o.In)
	r := reader{tool: o.Name}
	tree, err := r.members(o.Takes(), "", given)
	if err != nil {
		return nil, err
	}
	data, err := encode(tree)
	if err == nil {
		err = json.Unmarshal(data, in.Interface())
	}
	if err != nil {
		return nil, errs.New(errs.InvalidParams, "%s: %v", o.Name, err)
	}
	return in.Interface(), nil
}

// Takes returns the shape of the operation's parameters.
func (o Operation) Takes() *Shape { return &Shape{Type: o.In, Kind: KindObject, Members: o.Params()} }

// Normal converts the arguments of a call to their published form, in place. It leaves arguments that it cannot read as
// they are.
func (o Operation) Normal(given map[string]any) {
	r := reader{tool: o.Name}
	for _, p := range o.Params() {
		if v, ok := given[p.Name]; ok && v != nil {
			if v, err := r.value(p.Shape, p.Name, v); err == nil {
				given[p.Name] = v
			}
		}
	}
}

// areListed returns names as the subject of a sentence: "a is", "a, b and c are".
func areListed(names []string) string {
	n := len(names) - 1
	if n == 0 {
		return names[0] + " is"
	}
	return strings.Join(names[:n], ", ") + " and " + names[n] + " are"
}

// badParam returns the error INVALID_PARAMS about one parameter.
func badParam(param, format string, args ...any) error {
	return BadParam(errs.InvalidParams, param, format, args...)
}

// BadParam returns an error about one parameter.
func BadParam(code errs.Code, param, format string, args ...any) error {
	return errs.New(code, format, args...).With(errs.Details{Param: param})
}

const longName = 60 // how many bytes of a wrong argument an error repeats

func short(s string) string {
	if len(s) > longName {
		return strings.ToValidUTF8(s[:longName], "") + "…"
	}
	return s
}

// escapes matches the escapes of JSON: a pair of surrogates, which is one character; one UTF-16 unit, whose digits are
// the submatch; and any other escape.
var escapes = pattern.Of(`\\u[dD][89abAB]..\\u[dD][c-fC-F]..|\\u(.{4})|\\.`)

// flawOf says which part of a JSON value is no valid text: bytes that are no UTF-8, NUL, or half of a surrogate pair.
// Decoding would replace these silently, or let them pass. It returns "" if there is none.
func flawOf(raw []byte) string {
	if !utf8.Valid(raw) {
		return "bytes that are no UTF-8; send it encoded as that"
	}
	if !bytes.Contains(raw, []byte(`\u`)) {
		return ""
	}
	for _, m := range escapes().FindAllSubmatch(raw, -1) {
		switch r, err := strconv.ParseUint(string(m[1]), 16, 16); {
		case err != nil: // a pair, or another escape
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

// Misspelt is Nearest for a name of several words: one with more than three slips means something else.
func Misspelt(name string, known []string) string {
	near := nearest.Word(name, known)
	if low := strings.ToLower(name); !strings.HasPrefix(near, low) && nearest.Distance(low, near) > 3 {
		return ""
	}
	return near
}
