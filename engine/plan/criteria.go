package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// Ticks say which task boxes of a node are ticked, and which are opened again. Each is named by its number, by several
// numbers with commas between them, or by the beginning of its text.
type Ticks struct {
	On, Off  []string
	Evidence string // for the log; "" for no entry
}

// Empty reports whether there is nothing to do.
func (t Ticks) Empty() bool { return len(t.On)+len(t.Off) == 0 && t.Evidence == "" }

// tick plans the ticks of a node and returns its criteria as they are then. It relies on the list that the caller
// knows.
func (d *Draft) tick(n *mdstore.Node, e *Edit, t Ticks) ([]mdstore.Criterion, error) {
	all := n.Criteria()
	if len(t.On)+len(t.Off) == 0 {
		return all, d.evidence(n, e, t, nil)
	}
	picked, err := t.pick(n, all)
	if err != nil {
		return nil, err
	}
	requirement := false
	for i, done := range picked {
		c := &all[i]
		requirement = requirement || c.In != ""
		if c.Done != done {
			e.tick(c.Box, done)
			c.Done = done
		}
	}
	d.rely(n, requirement)
	if err := d.evidence(n, e, t, pickedOf(all, picked)); err != nil {
		return nil, err
	}
	did(n, e, all)
	return all, nil
}

// did adds to an edit's changes which boxes it ticks and which it opens again.
func did(n *mdstore.Node, e *Edit, now []mdstore.Criterion) {
	was := n.Criteria()
	for _, done := range []bool{true, false} {
		var numbers []string
		for i, c := range now {
			if c.Done == done && was[i].Done != done {
				numbers = append(numbers, strconv.Itoa(c.N))
			}
		}
		if numbers != nil {
			how := map[bool]string{true: "ticked", false: "unticked"}[done]
			e.Did(view.Change{ID: n.ID, Key: "criteria", To: strings.Join(numbers, ", "), Do: how})
		}
	}
}

func pickedOf(all []mdstore.Criterion, picked map[int]bool) (out []mdstore.Criterion) {
	for i, c := range all {
		if _, ok := picked[i]; ok {
			out = append(out, c)
		}
	}
	return out
}

// evidence plans the log entry that says why boxes are ticked.
func (d *Draft) evidence(n *mdstore.Node, e *Edit, t Ticks, picked []mdstore.Criterion) error {
	if t.Evidence == "" {
		return nil
	}
	if len(picked) == 0 {
		const form = "%s: evidence is said of criteria; name those that it ticks (checked), or log it ({log_append})"
		return errs.New(errs.InvalidParams, form, n.ID).With(errs.Details{Param: "evidence"})
	}
	how := "ticked "
	if !picked[0].Done {
		how = "unticked "
	}
	event := how + listed(picked, 60) + ": " + strings.Trim(t.Evidence, "\r\n")
	if err := loggable(string(n.ID), "evidence", event); err != nil {
		return err
	}
	d.Log(e, event)
	return nil
}

// listed names criteria in one line, each with its number and the first characters of its text.
func listed(all []mdstore.Criterion, most int) string {
	const shown = 10
	var names []string
	for _, c := range all[:min(len(all), shown)] {
		text := []rune(c.Text)
		if len(text) > most {
			text = append(text[:most-1], '…')
		}
		names = append(names, fmt.Sprintf("%d (%s)", c.N, string(text)))
	}
	if more := len(all) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

// pick returns the new state of each box that the ticks name, by its index.
func (t Ticks) pick(n *mdstore.Node, all []mdstore.Criterion) (map[int]bool, error) {
	picked := map[int]bool{}
	for param, names := range map[string][]string{"checked": t.On, "unchecked": t.Off} {
		refuse := func(form string, args ...any) error {
			e := errs.New(errs.InvalidParams, "%s (%s): "+form, slices.Concat([]any{n.ID, n.Title}, args)...)
			return e.With(errs.Details{NodeID: string(n.ID), Param: param, Criteria: all[:min(len(all), 50)]})
		}
		for _, name := range names {
			if len(all) == 0 {
				return nil, refuse("it has no criteria; {node_update criteria} gives it some")
			}
			found, why := meant(all, name)
			if why != "" {
				return nil, refuse("%s; it has %s", why, listed(all, 40))
			}
			for _, i := range found {
				if was, twice := picked[i]; twice && was != (param == "checked") {
					return nil, refuse("%d is to be ticked and opened at once; name it once", i+1)
				}
				picked[i] = param == "checked"
			}
		}
	}
	return picked, nil
}

// meant returns the indices of the criteria that a name matches, or why it matches none.
func meant(all []mdstore.Criterion, name string) (found []int, why string) {
	words := strings.FieldsFunc(name, func(r rune) bool { return r == ',' || r == ' ' || r == '，' })
	notNumber := func(w string) bool { _, err := strconv.Atoi(w); return err != nil }
	if len(words) > 0 && !slices.ContainsFunc(words, notNumber) {
		for _, w := range words {
			i, _ := strconv.Atoi(w)
			if i < 1 || i > len(all) {
				return nil, "there is no criterion " + w
			}
			found = append(found, i-1)
		}
		return found, ""
	}
	text, _, _ := mdstore.CutBox(strings.ToLower(strings.Join(strings.Fields(name), " ")))
	for i, c := range all {
		switch low := strings.ToLower(c.Text); {
		case text != "" && low == text:
			return []int{i}, ""
		case text != "" && strings.HasPrefix(low, text):
			found = append(found, i)
		}
	}
	switch len(found) {
	case 0:
		return nil, fmt.Sprintf("no criterion begins with %q", name)
	case 1:
		return found, ""
	}
	return nil, fmt.Sprintf("%q is the beginning of %d", name, len(found))
}

// rely notes that the plan depends on what the caller knows of a node's criteria, and of its requirement.
func (d *Draft) rely(n *mdstore.Node, requirement bool) {
	for _, t := range TextsOf(n.ID, n.Doc()) {
		switch {
		case t.Field == "criteria":
			t.Shown = n.CriteriaText()
			d.Relied = append(d.Relied, t)
		case t.Field == "requirement" && requirement:
			d.Relied = append(d.Relied, t)
		}
	}
}

// criteriaItems returns new criteria as the items of a list.
func criteriaItems(all []string) (items []string, err error) {
	met := map[string]bool{}
	for _, c := range all {
		text, done, _ := mdstore.CutBox(strings.TrimSpace(c))
		text = strings.Join(strings.Fields(text), " ")
		bad := oneLine("criterion", strings.TrimSpace(c), mdstore.MaxEvent/2)
		switch {
		case bad != nil:
			return nil, bad
		case text == "":
			err = errs.New(errs.InvalidParams, "a criterion is empty; say what must be true")
		case met[text]:
			err = errs.New(errs.InvalidParams, "criterion %q is given twice; give it once", text)
		}
		if err != nil {
			return nil, errs.As(err).With(errs.Details{Param: "criteria"})
		}
		met[text] = true
		items = append(items, mdstore.Boxed(text, done))
	}
	return items, nil
}

// tick ticks a box of the file. It changes no other byte, so that updatedAt does not follow.
func (e *Edit) tick(b mdoc.Box, done bool) {
	e.ticks = append(e.ticks, func() (mdoc.Patch, error) { return e.doc.Tick(b, done) })
	e.touched = true
}
