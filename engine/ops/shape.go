package ops

import (
	"encoding"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"sync"

	"arbor/mdstore"
)

// A Kind is a kind of JSON value, by its name in JSON Schema.
type Kind string

// The kinds of values.
const (
	KindText   Kind = "string"
	KindBool   Kind = "boolean"
	KindWhole  Kind = "integer"
	KindNumber Kind = "number"
	KindList   Kind = "array"
	KindObject Kind = "object"
	KindAny    Kind = "" // any JSON
)

// A Shape describes the JSON of a Go type. Arguments are read, replies written and schemas published by shapes, so all
// three agree.
type Shape struct {
	Type    reflect.Type
	Kind    Kind
	Enum    []string // of a text: the values allowed; nil for any
	Item    *Shape   // of a list, and of the values of an object that may have any members
	Members []Param  // the members of an object; nil if it may have any
	Main    string   // of an object: its only required member, if that is a text; "" for none

	judged bool // the engine, not the reader, refuses values outside of Enum, or an empty Main
}

// shapes keeps the shapes made so far. They may refer to each other.
var shapes = struct {
	sync.Mutex
	of map[reflect.Type]*Shape // guarded by the mutex
}{of: map[reflect.Type]*Shape{}}

// ShapeOf returns the shape of a type. The caller must not change it.
func ShapeOf(t reflect.Type) *Shape {
	shapes.Lock()
	defer shapes.Unlock()
	return shapeOf(t)
}

var (
	ofText  = reflect.TypeFor[encoding.TextMarshaler]()
	rawJSON = reflect.TypeFor[json.RawMessage]()
)

func shapeOf(t reflect.Type) *Shape {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if s := shapes.of[t]; s != nil {
		return s
	}
	s := &Shape{Type: t, Kind: KindText}
	shapes.of[t] = s
	switch k := t.Kind(); {
	case t == rawJSON: // operations use raw JSON for objects only
		s.Kind, s.Item = KindObject, shapeOf(reflect.TypeFor[any]())
	case t == reflect.TypeFor[Paths]():
		s.Kind, s.Item = KindObject, shapeOf(reflect.TypeFor[string]())
	case t == reflect.TypeFor[mdstore.Owns](): // keys of people, with any values
		s.Kind, s.Item = KindObject, shapeOf(reflect.TypeFor[any]())
	case t.Implements(ofText):
		if w, ok := reflect.Zero(t).Interface().(interface{ Words() []string }); ok {
			s.Enum = w.Words()
		}
	case k == reflect.Interface:
		s.Kind = KindAny
	case k == reflect.Bool:
		s.Kind = KindBool
	case k >= reflect.Int && k <= reflect.Uint64:
		s.Kind = KindWhole
	case k == reflect.Float32 || k == reflect.Float64:
		s.Kind = KindNumber
	case k == reflect.Array, k == reflect.Slice && t.Elem().Kind() != reflect.Uint8: // bytes are written as a text
		s.Kind, s.Item = KindList, shapeOf(t.Elem())
	case k == reflect.Map:
		s.Kind, s.Item = KindObject, shapeOf(t.Elem())
	case k == reflect.Struct:
		s.Kind, s.Members = KindObject, params(t)
		for _, m := range s.Members {
			if m.Required && (s.Main != "" || m.Shape.Kind != KindText) {
				s.Main = ""
				break
			} else if m.Required {
				s.Main, s.judged = m.Name, m.Field.Tag.Get("judge") != ""
			}
		}
	}
	return s
}

// Member returns the member of an object by its name.
func (s *Shape) Member(name string) (Param, bool) {
	for _, m := range s.Members {
		if m.Name == name {
			return m, true
		}
	}
	return Param{}, false
}

// Called returns the member of an object that has that as another name.
func (s *Shape) Called(name string) (Param, bool) {
	for _, m := range s.Members {
		if slices.Contains(m.Also, name) {
			return m, true
		}
	}
	return Param{}, false
}

// Renamed replaces other names of members, in the arguments of a call, by theirs, and moves members of a flat member
// into it. It leaves one whose member is given too.
func (s *Shape) Renamed(given map[string]any) map[string]any {
	out := given
	for _, m := range s.Members {
		for _, other := range m.Also {
			v, ok := given[other]
			if _, both := out[m.Name]; !ok || both {
				continue
			}
			out = maps.Clone(out)
			delete(out, other)
			out[m.Name] = v
		}
		if m.Flat {
			out = s.gathered(m, out)
		}
	}
	return out
}

// gathered moves members of the flat member m from the arguments of a call into m.
func (s *Shape) gathered(m Param, given map[string]any) map[string]any {
	inner, is := given[m.Name].(map[string]any)
	if given[m.Name] != nil && !is {
		return given // a text with JSON, or no object at all
	}
	inner, rest := maps.Clone(inner), maps.Clone(given)
	for name, v := range given {
		_, own := s.Member(name)
		_, of := m.Shape.Member(name)
		_, called := m.Shape.Called(name)
		if _, both := inner[name]; own || both || !of && !called {
			continue
		}
		if inner == nil {
			inner = map[string]any{}
		}
		inner[name] = v
		delete(rest, name)
	}
	if inner != nil {
		rest[m.Name] = inner
	}
	return rest
}

// Names returns the names of the members of an object, in their order.
func (s *Shape) Names() (names []string) {
	for _, m := range s.Members {
		names = append(names, m.Name)
	}
	return names
}
