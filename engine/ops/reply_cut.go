package ops

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"arbor/mdstore"
)

const (
	leastText = 40 // the least number of bytes, as JSON, to which a text is cut
	cutsNamed = 8  // lines that name cuts in a reply
	cutMark   = "… (cut)"
)

// A cutter copies a result so that no text and no list in it takes more than level bytes of JSON. It keeps the
// beginning of each, and the end of a log. Operations themselves bound the lists of which a further call brings the
// rest. The cutter deals with the others: texts and lists that people made longer than a reply.
type cutter struct {
	level int // below 0, even texts are cut that are of use only as a whole, such as ids
	cuts  []string
}

// evenly returns a cut copy of a result, a pointer to a struct. Its member Cut says what is missing.
func evenly(out any, level int) any {
	c := cutter{level: level}
	cut := c.value(reflect.ValueOf(out), "")
	if said := cut.Elem().FieldByName("Cut"); said.IsValid() {
		dryRun := cut.Elem().FieldByName("DryRun")
		said.Set(reflect.ValueOf(c.notices(dryRun.IsValid() && dryRun.Bool())))
	}
	return cut.Interface()
}

// notices returns lines that say what was cut, the first few cuts one by one, and where the whole is. plan is true for
// a dry run: what it shows is in no file.
func (c *cutter) notices(plan bool) []string {
	all := c.cuts
	if len(all) > cutsNamed {
		all = append(all[:cutsNamed-1:cutsNamed-1], fmt.Sprintf("%d more", len(all)-cutsNamed+1))
	}
	if plan {
		return append(all, "all of it: the same with --dry-run at the command line; as nothing was written, "+
			"neither a file nor a resource has it")
	}
	return append(all, "all of it: the file, or resource arbor://WORKSPACE/nodes/NODE")
}

// value returns a copy of v in which it cuts what is too large. at is the place of v, such as node.log[-1].event.
func (c *cutter) value(v reflect.Value, at string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	switch v.Kind() {
	case reflect.String:
		if v.Type() == reflect.TypeFor[json.Number]() {
			break
		}
		if kept := beginningAs(v.String(), max(c.level, leastText)); kept != v.String() {
			c.cuts = append(c.cuts, fmt.Sprintf("%s: %d of %d bytes are here", at, len(kept)-len(cutMark), v.Len()))
			out.SetString(kept)
		}
	case reflect.Slice:
		if v.Type() == rawJSON {
			if tree, err := treeOf(v.Bytes()); err == nil {
				data, _ := encode(c.value(reflect.ValueOf(&tree).Elem(), at).Interface())
				out.SetBytes(data)
			}
		} else if v.Len() > 0 && v.Type().Elem().Kind() != reflect.Int { // the lines of a file are whole
			out.Set(c.list(v, at))
		}
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(c.value(v.Elem(), at))
		}
	case reflect.Map:
		if v.IsNil() {
			break
		}
		out.Set(reflect.MakeMap(v.Type()))
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()), byText) {
			out.SetMapIndex(key, c.value(v.MapIndex(key), at+"."+key.String()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(c.value(v.Elem(), at))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Type().Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			switch {
			case f.Anonymous:
				out.Field(i).Set(c.value(v.Field(i), at))
			case f.IsExported() && (c.level < 0 || !identifies(name)):
				out.Field(i).Set(c.value(v.Field(i), strings.TrimPrefix(at+"."+name, ".")))
			}
		}
	}
	return out
}

func byText(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }

// beginningAs returns a text if it takes at most so many bytes in JSON. Otherwise it returns as much of its beginning
// as fits, with cutMark.
func beginningAs(s string, bytes int) string {
	if TextSize(s) <= bytes {
		return s
	}
	return s[:Fitting(s, bytes-TextSize(cutMark))] + cutMark
}

// Fitting returns the length of the longest beginning of s that takes at most so many bytes in JSON and ends with a
// whole character.
func Fitting(s string, bytes int) (n int) {
	for n < len(s) {
		_, w := utf8.DecodeRuneInString(s[n:])
		if bytes -= TextSize(s[n : n+w]); bytes < 0 {
			break
		}
		n += w
	}
	return n
}

// list returns a copy of a list with the items that there is room for: the first ones, or the newest ones of a log.
func (c *cutter) list(v reflect.Value, at string) reflect.Value {
	log := v.Type().Elem() == reflect.TypeFor[mdstore.LogEntry]()
	var kept []reflect.Value
	room := c.level
	for i := range v.Len() {
		from, index := i, i
		if log {
			from, index = v.Len()-1-i, -1-i // from the end
		}
		before := len(c.cuts)
		e := c.value(v.Index(from), fmt.Sprintf("%s[%d]", at, index))
		data, _ := encode(e.Interface())
		if room -= len(data) + 1; room < 0 && (i > 0 || c.level <= 0) {
			c.cuts = append(c.cuts[:before], fmt.Sprintf("%s: %d of %d are here", at, i, v.Len()))
			break
		}
		kept = append(kept, e)
	}
	if log {
		slices.Reverse(kept)
	}
	return reflect.Append(reflect.MakeSlice(v.Type(), 0, len(kept)), kept...)
}

// identifies reports whether a member of a result is of use only as a whole.
func identifies(name string) bool {
	switch name {
	case "id", "version", "cursor", "path", "at", "trash", "kept", "hint":
		return true
	}
	return strings.HasSuffix(name, "Id") || strings.HasSuffix(name, "Hash")
}
