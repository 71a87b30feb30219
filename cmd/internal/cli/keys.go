package cli

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/ops"
	"arbor/engine/plan"
)

// pairWord in a line of usage stands for words of the forms KEY=VALUE, KEY+=VALUE, KEY-=VALUE and KEY=.
const pairWord = "KEY=VALUE"

// setsKeys reports whether the command sets keys by words.
func (b *binding) setsKeys() bool {
	return slices.ContainsFunc(b.words, func(w word) bool { return w.name == pairWord })
}

// pairs sets the keys of the words KEY=VALUE, if the command sets keys, and returns the other words. Required words
// before pairWord are never taken for KEY=VALUE.
func (b *binding) pairs(given []string) (rest []string, err error) {
	if !b.setsKeys() {
		return given, nil
	}
	own, _ := b.in.Addr().Interface().(interface{ Words() *[]string })
	before := 0 // number of required words before pairWord
	for before < len(b.words) && !b.words[before].optional && b.words[before].name != pairWord {
		before++
	}
	for i, word := range given {
		switch {
		case i < before, !strings.Contains(word, "="):
			rest = append(rest, word)
		case own != nil: // the operation takes any key
			*own.Words() = append(*own.Words(), word)
		default:
			if err := b.setKey(word); err != nil {
				return nil, err
			}
		}
	}
	return rest, nil
}

// A key is a parameter that a word KEY=VALUE sets.
type key struct {
	ops.Param
	value reflect.Value
}

// keys returns the parameters that words KEY=VALUE can set: those that a call may leave out, and the members of
// optional objects.
func (b *binding) keys() []key { return keysIn(b.in, b.o.Params()) }

func keysIn(in reflect.Value, params []ops.Param) (all []key) {
	for _, p := range params {
		v := in.FieldByIndex(p.Field.Index)
		switch t := p.Type; {
		case p.Field.Tag.Get("arg") != "":
		case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
			if v.IsNil() {
				v.Set(reflect.New(t.Elem()))
			}
			all = append(all, keysIn(v.Elem(), ops.ShapeOf(t.Elem()).Members)...)
		case t.Kind() == reflect.Pointer, t == reflect.TypeFor[[]string]():
			all = append(all, key{p, v})
		}
	}
	return all
}

// setKey sets the parameter that a word KEY=VALUE names.
func (b *binding) setKey(word string) error {
	e, ok := plan.ParseKeyEdit(word)
	if !ok {
		return usagef("%q sets no key; KEY=VALUE, KEY+=ITEM, KEY-=ITEM and KEY= do", word)
	}
	if b.command.sets != nil {
		return b.command.sets(e.Key, strings.Join(e.Items, ","))
	}
	all, name := b.keys(), e.Key
	switch title := strings.ToUpper(name[:1]) + name[1:]; e.Do { // a list has parameters of its own for these
	case plan.AddItems:
		name = "add" + title
	case plan.RemoveItem:
		name = "remove" + title
	}
	var known []string
	for _, k := range all {
		if k.Name == name {
			return k.set(strings.Join(e.Items, ","))
		}
		if !strings.HasPrefix(k.Name, "add") && !strings.HasPrefix(k.Name, "remove") {
			known = append(known, k.Name)
		}
	}
	for _, k := range all {
		if k.Name == e.Key && k.value.Kind() == reflect.Slice {
			return usagef("%s is given as a whole: %s=ITEM, once for each item", e.Key, e.Key)
		}
	}
	if slices.Contains(known, e.Key) {
		return usagef("%s takes KEY=VALUE: += and -= are for lists", e.Key)
	}
	return unknownChoice("the key", e.Key, known)
}

// set parses text as the value of the parameter. Commas separate the items of a list, unless its tag commas is "part".
// A list collects the items of several words.
func (k key) set(text string) error {
	var value any
	switch k.value.Interface().(type) {
	case []string:
		list := k.value.Interface().([]string)
		if list == nil {
			list = []string{}
		}
		parts := strings.Split(text, ",")
		if k.Field.Tag.Get("commas") == "part" {
			parts = []string{text}
		}
		for _, item := range parts {
			if item = strings.TrimSpace(item); item != "" {
				list = append(list, item)
			}
		}
		value = list
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return usagef("%s: a whole number is expected, not %q", k.Name, text)
		}
		value = &n
	case *bool:
		on, err := strconv.ParseBool(text)
		if err != nil {
			return usagef("%s: true or false is expected, not %q", k.Name, text)
		}
		value = &on
	case *string:
		value = &text
	}
	if k.value.Kind() == reflect.Pointer && !k.value.IsNil() {
		return usagef("%s is given twice", k.Name)
	}
	k.value.Set(reflect.ValueOf(value))
	return nil
}

// keyOffers offers the keys that words of a command set.
func (b *binding) keyOffers() (all []offer) {
	if b.command.sets != nil {
		return b.command.pairs
	}
	if _, own := b.in.Addr().Interface().(interface{ Words() *[]string }); own {
		for _, name := range ops.Keys() {
			all = append(all, offer{word: name + "="})
		}
		return all
	}
	for _, k := range b.keys() {
		all = append(all, offer{word: k.Name + "=", desc: k.Help})
	}
	return all
}
