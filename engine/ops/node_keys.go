package ops

import (
	"maps"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/plan"
	"arbor/engine/view"
	"arbor/mdstore"
)

// Pairs are the words KEY=VALUE of a command or a form. A value is a text as people type it: "8" becomes a number
// if the key does not hold texts.
type Pairs struct {
	Keys []string `json:"set,omitempty" listed:"never" flag:"-" help:"KEY=VALUE, as a person types it"`
}

// Words returns the words.
func (p *Pairs) Words() *[]string { return &p.Keys }

// keyEdits returns the edits of keys of a call, with the ids of the nodes that they name. Title and
// texts go to their parameters.
func (env *Env) keyEdits(s *view.View, in *NodeUpdateIn) (all []plan.KeyEdit, err error) {
	for _, word := range in.Keys {
		e, ok := plan.ParseKeyEdit(word)
		if !ok {
			const how = "%q sets no key; KEY=VALUE, KEY+=ITEM, KEY-=ITEM and KEY= do"
			return nil, errs.New(errs.InvalidParams, how, short(word))
		}
		f := mdstore.FieldNamed(e.Key)
		if f != nil && f.Commas && len(e.Items) > 0 {
			if _, err := env.resolve(s, e.Items[0], e.Key); !f.Node || err != nil { // else it names a node, commas and all
				e.Items = f.Split(e.Items[0])
			}
		}
		all = append(all, e)
	}
	for _, key := range slices.Sorted(maps.Keys(in.Own)) {
		e, err := plan.KeyEditOf(key, in.Own[key])
		if err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	rest := all[:0]
	for _, e := range all {
		if f := mdstore.FieldNamed(e.Key); f != nil && f.Node {
			for i, name := range e.Items {
				id, err := env.resolve(s, strings.TrimSpace(name), e.Key)
				if err != nil {
					return nil, err
				}
				e.Items[i] = string(id)
			}
		}
		text := map[string]**string{mdstore.KeyTitle: &in.Title, "requirement": &in.Requirement, "note": &in.Note,
			"conclusion": &in.Conclusion}[e.Key]
		switch {
		case text == nil || len(e.Items) > 1:
			rest = append(rest, e)
		case len(e.Items) == 0 && e.Key != mdstore.KeyTitle: // KEY= empties a text
			*text = new("")
		case len(e.Items) == 1:
			*text = &e.Items[0]
		default:
			return nil, badParam(e.Key, "a node needs a title; change it with title=TEXT")
		}
	}
	return rest, nil
}

// Above returns what stands above the first section; "" for nothing.
func (n NodeInfo) Above() string {
	if len(n.Sections) > 0 && n.Sections[0].Name == "" {
		return n.Sections[0].Text
	}
	return ""
}

// OwnSections returns the sections that Arbor does not know: see Above.
func (n NodeInfo) OwnSections() []mdstore.OwnText {
	if n.Above() != "" {
		return n.Sections[1:]
	}
	return n.Sections
}
