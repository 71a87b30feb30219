package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Rename gives a node, a tag or a slot another name, and changes the links in the texts of nodes that show or use the
// old one: all files in one commit. One of Node, Tag and Slot is given.
type Rename struct {
	Node mdstore.ID
	Tag  string
	Slot string
	To   string
}

// Plan plans the change.
func (x Rename) Plan(d *Draft) (out None, err error) {
	if x.Tag != "" {
		return None{}, x.tag(d)
	}
	links, err := x.Links(d.View)
	if err != nil {
		return None{}, err
	}
	if x.Slot != "" {
		_, err = UpdateSlot{Slot: x.Slot, Facts: SlotFacts{Name: &x.To}}.Plan(d)
	} else {
		_, err = NodeTexts{Node: x.Node, Title: &x.To}.Plan(d)
	}
	if err != nil {
		return None{}, err
	}
	for n := range d.View.All() {
		if n.Editable() != nil {
			continue // its links show the old name, and lead to the node all the same
		}
		done := map[string]bool{mdstore.SecLog: true}
		for _, s := range n.Doc().Sections() {
			was := n.Doc().Text(s.Name)
			text := links.Replace(was)
			if text == was || done[s.Name] {
				continue
			}
			done[s.Name] = true
			if edit := d.OnNode(n); edit.write(s.Name, text) {
				edit.Did(view.Change{ID: n.ID, Key: strings.ToLower(s.Name)})
			}
		}
	}
	return None{}, nil
}

// tag gives the tag of all nodes and slots another name.
func (x Rename) tag(d *Draft) error {
	if err := d.Writable(); err != nil {
		return err
	}
	if x.To == "" || strings.ContainsAny(x.To, " ,#[]\"'") {
		return errs.New(errs.InvalidParams, "%q is no tag; give one word", x.To)
	}
	for n := range d.View.All() {
		if !slices.Contains(n.Tags, x.Tag) {
			continue
		}
		if err := d.Editable(n); err != nil {
			return err
		}
		edit := d.OnNode(n)
		tags := slices.Clone(n.Tags)
		tags[slices.Index(tags, x.Tag)] = x.To
		edit.Set(mdstore.KeyTags, mdoc.List(withItems(tags, nil, nil)...))
		edit.Did(view.Change{ID: n.ID, Key: mdstore.KeyTags, From: x.Tag, To: x.To})
	}
	for _, p := range view.Slots(d.View) {
		if !slices.Contains(p.List(mdstore.KeyTags), x.Tag) {
			continue
		}
		to := UpdateSlot{Slot: mdstore.SlotName(p), AddTags: []string{x.To}, NoTags: []string{x.Tag}}
		if _, err := to.Plan(d); err != nil {
			return err
		}
	}
	return nil
}

// Links returns the replacer of links in a text: those that show the title of the node, and those that find the node or
// the slot by its name.
func (x Rename) Links(v *view.View) (*strings.Replacer, error) {
	plain := strings.NewReplacer("[", "", "]", "", "|", "").Replace(x.To)
	if x.Slot != "" {
		p, err := view.Slot(v, x.Slot, false)
		if err != nil {
			return nil, err
		}
		return strings.NewReplacer(byName(mdstore.SlotName(p), plain)...), nil
	}
	n, err := v.Known(x.Node)
	if err != nil {
		return nil, err
	}
	id := "[[" + string(n.ID)
	pairs := []string{id + "|" + n.Title + "]]", id + "|" + plain + "]]"}
	pairs = append(pairs, id+"#"+n.Title+"]]", id+"#"+plain+"]]")
	if found, err := v.Resolve(n.Title); err == nil && found == n.ID {
		name := plain
		if plain != x.To || strings.Contains(plain, "#") { // no link can have this title
			name = string(n.ID)
		}
		pairs = append(pairs, byName(n.Title, name)...)
	}
	return strings.NewReplacer(pairs...), nil
}

// byName returns what makes links by one name of those by another.
func byName(old, to string) (pairs []string) {
	for _, end := range []string{"]]", "|", "#"} {
		pairs = append(pairs, "[["+old+end, "[["+to+end)
	}
	return pairs
}
