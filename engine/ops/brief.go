package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
)

// brief returns a value as JSON for a reader who pays for every byte: members that are null, empty, false or 0 are left
// out, except those of the tag always:"true", and so are members of the tag only:"verbose" unless verbose is true. It
// returns nil for a value that is empty itself.
func brief(v reflect.Value, verbose bool) (data []byte, err error) {
	var parts [][]byte
	add := func(name string, v reflect.Value) {
		part, failed := brief(v, verbose)
		switch {
		case failed != nil:
			err = failed
		case name != "" && len(part) > 0:
			parts = append(parts, append([]byte(strconv.Quote(name)+":"), part...))
		case name == "" && len(part) == 0:
			parts = append(parts, []byte("{}")) // an item keeps its place
		case name == "":
			parts = append(parts, part)
		}
	}
	if v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface {
		if v.IsNil() {
			return nil, nil
		}
		return brief(v.Elem(), verbose)
	}
	open, end := "{", "}"
	switch s := ShapeOf(v.Type()); {
	case s.Members != nil:
		for _, m := range s.Members {
			if !verbose && m.Field.Tag.Get("only") == "verbose" {
				continue
			}
			member, nilOuter := v.FieldByIndexErr(m.Field.Index)
			if nilOuter == nil && m.Field.Tag.Get("always") != "" {
				parts = append(parts, fmt.Appendf(nil, "%q:%v", m.Name, member))
			} else if nilOuter == nil {
				add(m.Name, member)
			}
		}
	case s.Kind == KindList && s.Item.Members != nil: // plainly encodes other lists, with their empty items
		open, end = "[", "]"
		for i := range v.Len() {
			add("", v.Index(i))
		}
	default:
		return plainly(v)
	}
	if len(parts) == 0 || err != nil {
		return nil, err
	}
	return append(append([]byte(open), bytes.Join(parts, []byte(","))...), end...), nil
}

// plainly encodes a value that has no members of its own, or whose members are all shown.
func plainly(v reflect.Value) (json.RawMessage, error) {
	if v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		return nil, nil
	}
	return encode(v.Interface())
}
