package mcpserv

import (
	"bytes"
	"encoding/json"
	"strings"
)

// An object is an object of JSON with its members in the order in which they came.
type object []member

type member struct {
	key   string
	value any // object, []any, string, json.Number, bool or nil
}

// ordered reads JSON; nil for what is none.
func ordered(data []byte) any {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // times in milliseconds stay whole
	v, err := next(dec)
	if err != nil {
		return nil
	}
	return v
}

func next(dec *json.Decoder) (any, error) {
	t, err := dec.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		o := object{}
		for dec.More() {
			key, err := dec.Token()
			if err != nil {
				return nil, err
			}
			v, err := next(dec)
			if err != nil {
				return nil, err
			}
			o = append(o, member{key.(string), v})
		}
		_, err = dec.Token()
		return o, err
	case json.Delim('['):
		list := []any{}
		for dec.More() {
			v, err := next(dec)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = dec.Token()
		return list, err
	}
	return t, nil
}

// write writes JSON in as few bytes as it takes.
func write(b *strings.Builder, v any) {
	switch v := v.(type) {
	case object:
		for i, m := range v {
			b.WriteByte("{,"[min(i, 1)])
			write(b, m.key)
			b.WriteByte(':')
			write(b, m.value)
		}
		if len(v) == 0 {
			b.WriteByte('{')
		}
		b.WriteByte('}')
	case []any:
		b.WriteByte('[')
		for i, e := range v {
			if i > 0 {
				b.WriteByte(',')
			}
			write(b, e)
		}
		b.WriteByte(']')
	default:
		data, err := encode(v)
		if err != nil {
			panic("what was read as JSON cannot be written: " + err.Error())
		}
		b.Write(data)
	}
}

func jsonLen(v any) int {
	var b strings.Builder
	write(&b, v)
	return b.Len()
}
