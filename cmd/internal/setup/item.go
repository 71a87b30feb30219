package setup

import (
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// An item is something of Arbor's in a configuration file: an entry for a server, or a hook.
type item struct {
	what   string // for errors
	path   []string
	key    string // of its member in the container at path; "" where that is a list of groups of hooks
	fields fields // as set-up writes them
	judge  func(fields) verdict
}

// A verdict says what is found in the place of an item.
type verdict uint8

const (
	foreign verdict = iota // not Arbor's
	edited                 // Arbor's, with something in it that set-up does not write
	ours                   // as set-up writes it, with other options perhaps
	equal                  // as this set-up writes it
)

// A hit is an item in a text.
type hit struct {
	chain   []*hujson.Value // the containers on its path, from the root on
	at      int             // its place in the last of them
	group   *hujson.Value   // the hooks of the group that it stands in; nil for an entry
	in      int             // its place in the group
	value   *hujson.Value
	fields  fields
	verdict verdict
}

// find returns every place in the text where the item is, an entry of its name among them whatever it holds.
func (it item) find(t *text) ([]hit, []*hujson.Value, error) {
	chain, err := t.descend(it.path, it.key == "")
	if err != nil || len(chain) <= len(it.path) {
		return nil, chain, err
	}
	last := chain[len(chain)-1]
	if it.key != "" {
		m, err := t.member(last, it.key)
		if err != nil || m == nil {
			return nil, chain, err
		}
		f := hit{chain: chain, value: &m.Value, verdict: edited}
		f.at = slices.IndexFunc(last.Value.(*hujson.Object).Members, func(o hujson.ObjectMember) bool { return keyOf(&o) == it.key })
		if o, ok := valueOf(f.value).(fields); ok {
			f.fields, f.verdict = o, max(it.judge(o), edited)
		}
		return []hit{f}, chain, nil
	}
	var all []hit
	groups := last.Value.(*hujson.Array).Elements
	for i := range groups {
		hooks := hooksOf(&groups[i])
		if hooks == nil {
			continue
		}
		elements := hooks.Value.(*hujson.Array).Elements
		for j := range elements {
			o, ok := valueOf(&elements[j]).(fields)
			if !ok {
				continue
			}
			if v := it.judge(o); v != foreign {
				all = append(all, hit{chain, i, hooks, j, &elements[j], o, v})
			}
		}
	}
	return all, chain, nil
}

// hooksOf returns the list of hooks in a group of them, nil where there is none.
func hooksOf(group *hujson.Value) *hujson.Value {
	o, ok := group.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for i := range o.Members {
		if keyOf(&o.Members[i]) == hooksKey && o.Members[i].Value.Value.Kind() == '[' {
			return &o.Members[i].Value
		}
	}
	return nil
}

// set returns the text with the item in it. One that is there already and differs is replaced where force says so, and an error where not.
//
// The order of the item's fields says which of the objects around it was there before it, and empty: turned by none, set-up made those that are empty without
// it; turned by n, the n-th object of its path was there. So a configuration can be told to be as it was even after another program has laid it out anew.
func (it item) set(t *text, force bool) (*text, error) {
	found, chain, err := it.find(t)
	if err != nil {
		return nil, err
	}
	for _, f := range found {
		if f.verdict == equal {
			return t, nil
		}
	}
	if len(found) > 0 {
		f := found[0]
		if !force {
			return nil, t.fail(f.value.StartOffset, "%s differs from what set-up writes (%s); --force replaces it", it.what, differs(f.fields, it.fields))
		}
		return t.swap(f.value, it.fields.turned(min(len(it.path), len(it.fields)-1)))
	}
	if t.root == nil {
		return t.fill(it.within(it.path, it.fields))
	}
	depth := len(chain) - 1
	c, have := chain[depth], it.fields
	if _, _, all := slots(c); len(all) == 0 {
		have = have.turned(depth)
	}
	var out *text
	if missing := it.path[depth:]; len(missing) > 0 {
		out, err = t.add(c, missing[0], it.within(missing[1:], have))
	} else {
		out, err = t.add(c, it.key, it.element(have))
	}
	if err != nil {
		return nil, err
	}
	if back, err := it.unset(out, false); err != nil || back.content() != t.content() {
		return nil, broken(t.name, t.name, it.what+" cannot be added so that taking it out again gives the file back as it is; add it by hand")
	}
	return out, nil
}

// element returns what stands in the item's container for it.
func (it item) element(f fields) value {
	if it.key != "" {
		return f
	}
	return fields{{hooksKey, list{f}}}
}

// within returns the item in objects with the keys of a path.
func (it item) within(path []string, f fields) value {
	v := it.element(f)
	if it.key != "" {
		v = fields{{it.key, v}}
	} else {
		v = list{v}
	}
	for _, key := range slices.Backward(path) {
		v = fields{{key, v}}
	}
	return v
}

// unset returns the text without the item, and without the objects around it that are empty then and that set-up made. One that a person has changed is taken
// out where force says so, and an error where not.
func (it item) unset(t *text, force bool) (*text, error) {
	for {
		found, _, err := it.find(t)
		if err != nil || len(found) == 0 {
			return t, err
		}
		f := found[len(found)-1]
		if f.verdict < ours && !force {
			return nil, t.fail(f.value.StartOffset, "%s differs from what set-up writes (%s); --force takes it out all the same", it.what, differs(f.fields, it.fields))
		}
		if t, err = it.take(t, f); err != nil {
			return nil, err
		}
	}
}

func (it item) take(t *text, f hit) (*text, error) {
	if f.group != nil {
		if _, _, all := slots(f.group); len(all) > 1 {
			return t.cut(f.group, f.in)
		}
	}
	there := it.turn(f.fields)
	c, at, depth := f.chain[len(f.chain)-1], f.at, len(f.chain)-1
	for ; depth > there && depth > 0; depth-- {
		around := f.chain[depth-1].Value.(*hujson.Object).Members
		i := slices.IndexFunc(around, func(m hujson.ObjectMember) bool { return keyOf(&m) == it.path[depth-1] })
		if _, _, all := slots(c); len(all) > 1 || commented(c) || comment(around[i].Name.AfterExtra) || comment(around[i].Value.BeforeExtra) {
			break
		}
		c, at = f.chain[depth-1], i
	}
	return t.cut(c, at)
}

// turn returns by how much the fields are turned: the depth of the object that was there before them. Those in another order are a person's, who made what is around
// them as well.
func (it item) turn(have fields) int {
	keys := func(f fields) string {
		var all []string
		for _, m := range f {
			if it.fields.get(m.key) != nil {
				all = append(all, m.key)
			}
		}
		return strings.Join(all, "\x00")
	}
	for n := range it.fields {
		if keys(have) == keys(it.fields.turned(n)) {
			return n
		}
	}
	return len(it.path)
}

// differs names what one entry has otherwise than another.
func differs(have, want fields) string {
	if have == nil {
		return "it is no object"
	}
	if keys := unlike(have, want); len(keys) > 0 {
		return strings.Join(keys, ", ")
	}
	return "a key stands in it twice"
}

// unlike returns the keys whose values differ. That a server is of the type "stdio", and that its environment has nothing added, goes without saying.
func unlike(have, want fields) []string {
	var keys []string
	for _, f := range append(slices.Clone(have), want...) {
		is, be := compact(have.get(f.key)), compact(want.get(f.key))
		silent := f.key == "type" && is == "" && be == `"stdio"` || f.key == "env" && is == "{}" && be == ""
		if is != be && !silent && !slices.Contains(keys, f.key) {
			keys = append(keys, f.key)
		}
	}
	return keys
}
