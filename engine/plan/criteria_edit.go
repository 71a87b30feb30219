package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
	"arbor/statemachine"
)

// A boxItem is an item of the criteria's list with its box and the boxes below it.
type boxItem struct {
	index int // among the items of the section
	text  string
	box   mdoc.Box
	below []mdoc.Box
	kept  bool
}

// boxItems returns the items that a new list of criteria replaces, and loose, the boxes elsewhere: in other items, or
// below a subheading.
func boxItems(d *mdoc.Doc) (all []boxItem, loose []mdoc.Box) {
	boxes := d.Boxes(mdstore.SecCriteria)
	for i, it := range d.Items(mdstore.SecCriteria) {
		in := func(b mdoc.Box) bool { return b.Span.Start >= it.Span.Start && b.Span.Start < it.Span.End }
		n := slices.IndexFunc(boxes, func(b mdoc.Box) bool { return !in(b) })
		if n < 0 {
			n = len(boxes)
		}
		if n > 0 && boxes[0].Top {
			all = append(all, boxItem{index: i, text: it.Text, box: boxes[0], below: boxes[1:n]})
		} else {
			loose = append(loose, boxes[:n]...)
		}
		boxes = boxes[n:]
		for len(boxes) > 0 && boxes[0].Span.Start < it.Span.End {
			boxes = boxes[1:]
		}
	}
	return all, append(loose, boxes...)
}

// setCriteria plans to give a node these criteria in place of those that it has. Items whose text stays keep their
// marks, unless the new text begins with a box. Everything below them, and all other text of the section, stays. The
// ticks are those of the new list.
func (d *Draft) setCriteria(n *mdstore.Node, e *Edit, want []string, t Ticks) error {
	items, err := criteriaItems(want)
	if err != nil {
		return err
	}
	have, loose := boxItems(e.doc)
	was := e.doc.Boxes(mdstore.SecCriteria)
	var now []mdstore.Criterion // of the new list
	for i, item := range items {
		text, done, _ := mdstore.CutBox(item)
		text = strings.Join(strings.Fields(text), " ")
		at := slices.IndexFunc(was, func(b mdoc.Box) bool { return b.Text == text })
		if _, _, given := mdstore.CutBox(strings.TrimSpace(want[i])); !given && at >= 0 {
			done = was[at].Done
		}
		now = append(now, mdstore.Criterion{N: i + 1, Text: text, Done: done})
	}
	for _, c := range n.Criteria() {
		if c.In != "" {
			c.N = len(now) + 1
			now = append(now, c)
		}
	}
	picked, err := t.pick(n, now)
	if err != nil {
		return err
	}
	if err := d.evidence(n, e, t, pickedOf(now, picked)); err != nil {
		return err
	}
	named := func(b mdoc.Box) bool {
		return slices.ContainsFunc(items, func(item string) bool { return boxText(item) == b.Text })
	}
	var texts []string // the new texts of the items
	for i, c := range now {
		if done, ok := picked[i]; ok {
			c.Done = done
		}
		is := func(b mdoc.Box) bool { return b.Text == c.Text }
		at := slices.IndexFunc(have, func(h boxItem) bool { return is(h.box) })
		below := slices.ContainsFunc(loose, is) || slices.ContainsFunc(have, func(h boxItem) bool {
			return named(h.box) && slices.ContainsFunc(h.below, is)
		})
		switch {
		case c.In != "", at < 0 && below:
			if b := c.Box; c.In != "" && b.Done != c.Done {
				e.tick(b, c.Done)
			} else if i := slices.IndexFunc(was, is); c.In == "" && was[i].Done != c.Done {
				e.tick(was[i], c.Done)
			}
		case at >= 0:
			have[at].kept = true
			texts = append(texts, remarked(have[at].text, c.Done))
		default:
			texts = append(texts, mdstore.Boxed(c.Text, c.Done))
		}
	}
	stay := slices.Clone(loose)
	for _, h := range have {
		if h.kept {
			stay = append(stay, h.below...)
		}
	}
	for _, b := range stay {
		if !named(b) {
			const form = "%s: the criterion %q stands below another one or a heading, where a list of criteria cannot take " +
				"it away; name it, too, or edit the file of %s"
			det := errs.Details{NodeID: string(n.ID), Param: "criteria"}
			return errs.New(errs.InvalidContent, form, n.ID, b.Text, n.ID).With(det)
		}
	}
	e.placeCriteria(n, have, texts)
	return d.takenOut(n, e, was, now)
}

// takenOut logs the open criteria that a new list does not have, if the node has begun. Only a person may remove them
// then, because a completion requires them.
func (d *Draft) takenOut(n *mdstore.Node, e *Edit, was []mdoc.Box, now []mdstore.Criterion) error {
	var gone []string
	for _, b := range was {
		if !b.Done && !slices.ContainsFunc(now, func(c mdstore.Criterion) bool { return c.Text == b.Text }) {
			gone = append(gone, b.Text)
		}
	}
	switch {
	case len(gone) == 0 || n.Status == statemachine.Initial(n.Type):
		return nil
	case !d.act.Person:
		const form = "%s: only a person takes out open criteria of a node that has begun (%s); tick what holds, " +
			"or name them, too, and add yours"
		det := errs.Details{NodeID: string(n.ID), Param: "criteria"}
		return errs.New(errs.CriteriaOpen, form, n.ID, strings.Join(gone, "; ")).With(det)
	}
	d.Log(e, "criteria taken out: "+strings.Join(gone, "; "))
	return nil
}

// placeCriteria gives the items of the criteria their texts in order, and adds items for further texts.
func (e *Edit) placeCriteria(n *mdstore.Node, have []boxItem, texts []string) {
	changed := false
	for i, text := range texts {
		switch {
		case i >= len(have):
			e.append(mdstore.SecCriteria, text)
		case have[i].text != text:
			e.replace(mdstore.SecCriteria, have[i].index, text)
		default:
			continue
		}
		changed = true
	}
	for _, h := range have[min(len(texts), len(have)):] {
		e.remove(mdstore.SecCriteria, h.index)
		changed = true
	}
	if len(texts) == 0 && changed {
		e.item(func() (mdoc.Patch, error) { return e.doc.DropSection(mdstore.SecCriteria) })
	}
	switch {
	case !changed:
	case len(have) == len(texts):
		e.Did(view.Change{ID: n.ID, Key: "criteria"})
	default:
		e.Did(view.Counts(n.ID, "criteria", len(have), len(texts)))
	}
}

func boxText(item string) string {
	text, _, _ := mdstore.CutBox(item)
	return strings.Join(strings.Fields(text), " ")
}

// remarked returns the text of an item with its box ticked or open. One that is so already stays as it is.
func remarked(item string, done bool) string {
	if strings.EqualFold(item[:len("[x]")], "[x]") == done {
		return item
	}
	return mdstore.Boxed("", done)[:len("[x]")] + item[len("[x]"):]
}
