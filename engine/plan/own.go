package plan

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"arbor/engine/errs"
	"arbor/engine/internal/nearest"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A KeyEdit changes a key of the front matter: a person's own key, or one in Fields.
type KeyEdit struct {
	Key   string
	Do    KeyChange
	Items []string // one text; several, or none, with List
	List  bool
	Value mdoc.Scalar // with SetKey: a value that is not a list
}

// A KeyChange is a kind of change of a key's value.
type KeyChange byte

// The changes of a key.
const (
	SetKey     KeyChange = '='
	AddItems   KeyChange = '+'
	RemoveItem KeyChange = '-'
	RemoveKey  KeyChange = 0
)

// ParseKeyEdit reads KEY=VALUE, KEY+=ITEM, KEY-=ITEM, or KEY= as a person types it; ok is false for any other word.
func ParseKeyEdit(word string) (e KeyEdit, ok bool) {
	key, value, ok := strings.Cut(word, "=")
	e = KeyEdit{Key: key, Do: SetKey, Items: []string{value}, Value: mdoc.Typed(value)}
	for _, do := range []KeyChange{AddItems, RemoveItem} {
		if name, cut := strings.CutSuffix(key, string(rune(do))); cut && value != "" {
			e.Key, e.Do = name, do
		}
	}
	if value == "" {
		e.Do, e.Items = RemoveKey, nil
	}
	e.Key = strings.TrimSpace(e.Key)
	return e, ok && e.Key != ""
}

// KeyEditOf returns the edit that gives a key a value of JSON; nil removes the key.
func KeyEditOf(key string, value any) (KeyEdit, error) {
	e := KeyEdit{Key: key, Do: SetKey}
	switch v := value.(type) {
	case nil:
		e.Do = RemoveKey
	case string:
		e.Items, e.Value = []string{v}, mdoc.Text(v)
	case bool:
		e.Items, e.Value = []string{fmt.Sprint(v)}, mdoc.Boolean(v)
	case json.Number:
		e.Items, e.Value = []string{v.String()}, mdoc.Typed(v.String())
	case float64:
		e.Value = mdoc.Number(v)
		e.Items = []string{e.Value.String()}
	case []any:
		e.List = true
		for _, item := range v {
			switch item.(type) {
			case string, bool, json.Number, float64:
				e.Items = append(e.Items, fmt.Sprint(item))
			default:
				return e, keyRefused(key, "%s: an item is no plain value; a list of texts is expected", key)
			}
		}
	default:
		return e, keyRefused(key, "%s is an object; a text, a number, true, false, a list of texts or null is expected", key)
	}
	return e, nil
}

func keyRefused(key, format string, args ...any) error {
	return errs.New(errs.InvalidParams, format, args...).With(errs.Details{Param: key})
}

// take gives x the values that edits of its fields lead to, and returns the other edits.
func (d *Draft) take(n *mdstore.Node, x *mdstore.Fields, edits []KeyEdit) (others []KeyEdit, err error) {
	now, by := map[*mdstore.Field]mdstore.Own{}, map[*mdstore.Field]string{}
	for _, k := range edits {
		f := mdstore.FieldNamed(k.Key)
		if _, own := n.Own().Key(k.Key); f == nil || !f.Set || own {
			others = append(others, k)
			continue
		}
		was, again := now[f]
		if again && by[f] != k.Key && k.Do == SetKey {
			return nil, keyRefused(k.Key, "%s and %s are one key, %s; give all of it once, as that", by[f], k.Key, f.Key)
		}
		by[f] = k.Key
		if was.List = f.Rule.List; !again && n.Text(f) != "" {
			was.Items = strings.Split(n.Text(f), "\n")
		}
		was.Items, _ = k.items(was, f.Fold)
		now[f] = was
		if !f.Rule.List && len(was.Items) > 1 {
			return nil, keyRefused(k.Key, "%s has one value; %s=VALUE replaces it", k.Key, k.Key)
		}
		if err := x.Put(f, strings.Join(was.Items, "\n")); err != nil {
			return nil, keyRefused(k.Key, "%v", err)
		}
	}
	if len(others) < len(edits) {
		if err := x.Adopt(d.now.Local()); err != nil {
			return nil, errs.New(errs.InvalidParams, "%v", err)
		}
	}
	return others, nil
}

// items returns the texts after an edit, and whether they are a list: a list stays one. Texts that are equal under fold
// count as one.
func (k KeyEdit) items(was mdstore.Own, fold func(string) string) (items []string, list bool) {
	items = slices.Clone(was.Items)
	among := func(all []string, item string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return fold(other) == fold(item) })
	}
	switch k.Do {
	case SetKey:
		return k.Items, k.List || was.List
	case RemoveKey:
		return nil, false
	case RemoveItem:
		items = slices.DeleteFunc(items, func(item string) bool { return among(k.Items, item) })
		return items, was.List
	}
	for _, item := range k.Items {
		if !among(items, item) {
			items = append(items, item)
		}
	}
	return items, was.List || len(items) > len(was.Items)
}

// setOwn changes the own keys of a node. Without asNew it refuses a key that the workspace does not have yet and that
// looks like a known one.
func (d *Draft) setOwn(e *Edit, n *mdstore.Node, edits []KeyEdit, asNew bool) error {
	own, to := n.Own(), map[string]mdstore.Own{}
	for _, k := range edits {
		if err := d.ownKey(k.Key, own, asNew); err != nil {
			return err
		}
		was, again := to[k.Key]
		if !again {
			was, _ = own.Key(k.Key)
		}
		if !was.Plain() {
			const how = "%s: %s holds a mapping, or a list of such, which only a person changes: arbor edit %s"
			return keyRefused(k.Key, how, n.ID, k.Key, n.ID)
		}
		if !was.List && len(was.Items) > 0 && (k.Do == AddItems || k.Do == RemoveItem) {
			const how = "%s: %s is one value, %s, and no list; %s=VALUE replaces it, %s= removes it, and %s+=ITEM " +
				"behind that begins a list"
			return keyRefused(k.Key, how, n.ID, k.Key, short(was.Text()), k.Key, k.Key, k.Key)
		}
		value := k.value(was)
		was.Items, was.List = k.items(was, same)
		if was.Kind = mdoc.String; len(was.Items) == 0 {
			was.Kind = mdoc.Null
		}
		to[k.Key] = was
		e.Set(k.Key, value)
	}
	for _, key := range slices.Sorted(maps.Keys(to)) {
		if before, _ := own.Key(key); before.List != to[key].List || !slices.Equal(before.Items, to[key].Items) {
			e.Did(view.Change{ID: n.ID, Key: key, From: cmp.Or(before.Text(), "null"), To: cmp.Or(to[key].Text(), "null")})
		}
	}
	return nil
}

func same(item string) string { return item }

// value returns the value after an edit. A list stays one, and a text that looks like a number stays a text.
func (k KeyEdit) value(was mdstore.Own) mdoc.Scalar {
	items, list := k.items(was, same)
	switch {
	case list:
		return mdoc.List(items...)
	case len(items) == 0:
		return mdoc.Removed()
	case k.Do == SetKey:
		return k.Value.As(was.Kind)
	}
	return mdoc.Typed(items[0]).As(was.Kind)
}

// kept are the keys that only Arbor writes, with what a person can do instead.
var kept = map[string]string{
	mdstore.KeyID: "", mdstore.KeyType: "", mdstore.KeyStatus: "{node_transition} changes it",
	mdstore.KeyParent: "{node_move} changes it", "order": "{node_move before} changes it",
	mdstore.KeyCreated: "", mdstore.KeyUpdated: "", mdstore.KeyFormat: "", mdstore.KeyRulesHash: "",
	ImportedKey: "", mdstore.KeyImported: "",
	mdstore.KeyFocus: "{context_focus} changes it",
}

// parameters are names of parameters that callers give as keys, with the parameter to use.
var parameters = map[string]string{
	"criteria": "{.criteria}", "criterion": "{.criteria}", "acceptance_criteria": "{.criteria}",
	"checked": "{.checked}", "tick": "{.checked}", "evidence": "{.evidence}", "doc": "{.docs}", "docs": "{.docs}",
}

// ownKey refuses a key that is not a person's to set, or that looks like another one.
func (d *Draft) ownKey(key string, own mdstore.Owns, asNew bool) error {
	if how, is := kept[key]; is {
		if how == "" {
			how = "choose another name for a key of your own"
		}
		return keyRefused(key, "%s is a key that Arbor keeps itself; %s", key, how)
	}
	if strings.ContainsFunc(key, unicode.IsControl) || strings.TrimSpace(key) != key || len(key) > 128 {
		const how = "%q cannot be the name of a key: one line of at most 128 bytes, without blanks around it"
		return keyRefused(short(key), how, short(key))
	}
	if _, has := own.Key(key); has || asNew {
		return nil
	}
	if use, is := parameters[strings.ToLower(key)]; is && !d.hasOwn(key) {
		return keyRefused(key, "%s is not a key of a node's file; use "+use, key)
	}
	for _, s := range mdstore.NodeForm.Sections {
		if strings.EqualFold(s.Name, key) {
			return keyRefused(key, "%s is a section of a node, and no key; its text has a parameter of its own", key)
		}
	}
	near, slips := "", min(2, len(key)/3)+1 // a short word is near many others
	var begun []string                      // keys that begin so
	for _, k := range mdstore.NodeKind.Keys {
		n := nearest.Distance(strings.ToLower(key), strings.ToLower(k.Name))
		if n < slips && k.Name != mdstore.KeyID {
			near, slips = k.Name, n
		}
		if len(key) > 1 && strings.HasPrefix(strings.ToLower(k.Name), strings.ToLower(key)) {
			begun = append(begun, k.Name)
		}
	}
	if near == "" && len(begun) == 1 {
		near = begun[0]
	}
	if near == "" || d.hasOwn(key) {
		return nil
	}
	const how = "%s is no key that Arbor knows, and the nearest one is %s; {.newKeys: true} sets it all the same"
	return errs.New(errs.InvalidParams, how, key, near).With(errs.Details{Param: key, Nearest: near})
}

// hasOwn reports whether some node has that own key.
func (d *Draft) hasOwn(key string) bool {
	for n := range d.View.All() {
		if _, has := n.Own().Key(key); has {
			return true
		}
	}
	return false
}

func short(s string) string {
	if len(s) > 60 {
		return strings.ToValidUTF8(s[:60], "") + "…"
	}
	return s
}
