package ops

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// A brevity says what replies leave out besides empty values.
type brevity struct {
	leaves map[string]bool        // members whose tag only has one of these values
	short  func(id string) string // shortens ids; nil: ids stay as they are
}

// brief returns a value as short JSON. It leaves out members that are null, empty, false or 0, except those with the
// tag always:"true"; members that have the value of their tag usual; and those that r leaves out. It returns nil for a
// value that is empty itself.
func (r brevity) brief(v reflect.Value) (data []byte, err error) {
	var parts [][]byte
	add := func(name string, v reflect.Value) {
		part, failed := r.brief(v)
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
		return r.brief(v.Elem())
	}
	open, end := "{", "}"
	switch s := ShapeOf(v.Type()); {
	case s.Members != nil:
		for _, m := range s.Members {
			member, nilOuter := v.FieldByIndexErr(m.Field.Index)
			tag := m.Field.Tag
			switch usual, has := tag.Lookup("usual"); {
			case nilOuter != nil, r.leaves[tag.Get("only")], r.short != nil && has && fmt.Sprint(member) == usual:
			case tag.Get("always") != "" && member.Kind() == reflect.Slice:
				if add(m.Name, member); member.Len() == 0 { // nothing was found
					parts = append(parts, fmt.Appendf(nil, "%q:[]", m.Name))
				}
			case has && member.Kind() == reflect.Bool, tag.Get("always") != "": // here false is information
				parts = append(parts, fmt.Appendf(nil, "%q:%v", m.Name, member))
			case r.short != nil && namesNodes(m):
				add(m.Name, r.named(member))
			default:
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

// namesNodes reports whether a member of a result holds ids of nodes.
func namesNodes(m Param) bool {
	return m.Name == "id" || strings.HasSuffix(m.Name, "Id") || m.Field.Tag.Get("is") == "node"
}

// named returns the id, or the list of ids, that a member holds, as the reply names them.
func (r brevity) named(v reflect.Value) reflect.Value {
	switch {
	case v.Kind() == reflect.String:
		return reflect.ValueOf(r.short(v.String()))
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.String:
		return reflect.ValueOf(shorts(r.short, v.Interface().([]string)))
	}
	return v
}

// plainly encodes a value that has no members of its own, or whose members are all shown.
func plainly(v reflect.Value) (json.RawMessage, error) {
	if v.IsZero() || (v.Kind() == reflect.Slice || v.Kind() == reflect.Map) && v.Len() == 0 {
		return nil, nil
	}
	return encode(v.Interface())
}
