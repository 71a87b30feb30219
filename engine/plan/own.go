package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"arbor/engine/errs"
	"arbor/engine/nearest"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A KeyEdit changes a key of front matter that is a person's own, or one that Fields has.
type KeyEdit struct {
	Key   string
	Do    KeyChange
	Items []string // one text; several, or none, with List
	List  bool
	Value mdoc.Scalar // with SetKey: of what is no list
}

// A KeyChange is what is done with the value of a key.
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

// setOwn changes the own keys of a node. Without asNew a key that the workspace does not have, and that looks like one
// which Arbor knows, is refused.
func (d *Draft) setOwn(e *Edit, n *mdstore.Node, edits []KeyEdit, asNew bool) error {
	own := n.Own()
	for _, k := range edits {
		if err := d.ownKey(k.Key, own, asNew); err != nil {
			return err
		}
		was, has := own.Key(k.Key)
		if has && !was.Plain() {
			const how = "%s: %s holds a mapping, or a list of such, which only a person changes: arbor edit %s"
			return keyRefused(k.Key, how, n.ID, k.Key, n.ID)
		}
		value, same := k.value(was, has)
		if same {
			continue
		}
		to := value.String()
		if k.Do == RemoveKey {
			to = "nothing"
		}
		e.Set(k.Key, value)
		e.Did(view.Change{ID: n.ID, Key: k.Key, From: strings.Join(was.Items, ", "), To: to})
	}
	return nil
}

// value returns the value that an edit leads to; same is true if it is that already. A list stays one.
func (k KeyEdit) value(was mdstore.Own, has bool) (value mdoc.Scalar, same bool) {
	items := slices.Clone(was.Items)
	switch k.Do {
	case RemoveKey:
		return mdoc.Removed(), !has
	case AddItems:
		for _, item := range k.Items {
			if !slices.Contains(items, item) {
				items = append(items, item)
			}
		}
	case RemoveItem:
		items = slices.DeleteFunc(items, func(item string) bool { return slices.Contains(k.Items, item) })
		if !was.List && len(items) < len(was.Items) {
			return mdoc.Removed(), false
		}
	default:
		if items = k.Items; !k.List && !was.List {
			if was.Kind == mdoc.String && k.Value.String() != k.Items[0] {
				return mdoc.Text(k.Items[0]), false
			}
			return k.Value, has && slices.Equal(was.Items, k.Items) && was.Kind != mdoc.Null
		}
	}
	return mdoc.List(items...), has && slices.Equal(was.Items, items) && (was.List || k.Do != SetKey)
}

// kept are the keys that Arbor writes by itself, with what a person does instead.
var kept = map[string]string{
	mdstore.KeyID: "", mdstore.KeyType: "", mdstore.KeyStatus: "node_transition changes it (arbor start, arbor complete)",
	mdstore.KeyParent: "node_move changes it (arbor mv)", "order": "node_move changes it (arbor mv --before)",
	mdstore.KeyCreated: "", mdstore.KeyUpdated: "", mdstore.KeyFormat: "", "importedFrom": "", mdstore.KeyRulesHash: "",
	mdstore.KeyFocus: "context_focus changes it (arbor focus)",
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
		return keyRefused(short(key), "%q cannot be the name of a key: one line of at most 128 bytes, without blanks around it", short(key))
	}
	if _, has := own.Key(key); has || asNew {
		return nil
	}
	near, slips := "", 3
	for _, k := range mdstore.NodeKind.Keys {
		n := nearest.Distance(strings.ToLower(key), strings.ToLower(k.Name))
		if n < slips && k.Name != mdstore.KeyID { // many short words are near that
			near, slips = k.Name, n
		}
	}
	if near == "" || d.hasOwn(key) {
		return nil
	}
	const how = "%s is no key that Arbor knows, and the nearest one is %s; newKeys sets it all the same (arbor set --new)"
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
