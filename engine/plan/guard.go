package plan

import (
	"slices"
	"strconv"
	"strings"

	"arbor/engine/errs"
	"arbor/mdstore"
	"arbor/statemachine"
)

// The values of the setting plan.criteria: which boxes a completion asks for.
const (
	AskSection = "section" // those of the criteria
	AskAll     = "all"     // those of the requirement, too
	AskNothing = "off"
)

// criteriaOpen returns why a node with these criteria is not to be completed, nil if nothing speaks against it. ask is
// the setting plan.criteria.
func criteriaOpen(n *mdstore.Node, all []mdstore.Criterion, ask string) *errs.Error {
	open := slices.DeleteFunc(slices.Clone(all), func(c mdstore.Criterion) bool {
		return c.Done || ask == AskNothing || c.In != "" && ask != AskAll
	})
	if len(open) == 0 {
		return nil
	}
	var numbers []string
	for _, c := range open {
		numbers = append(numbers, strconv.Itoa(c.N))
	}
	is := "criteria are"
	if len(open) == 1 {
		is = "criterion is"
	}
	const form = "%s (%s): cannot complete: %d %s open: %s; " +
		"tick what is met in the same call ({.checked: %s}) or before it ({node_update checked}); " +
		"only a person may complete it without that ({.force: true})"
	e := errs.New(errs.CriteriaOpen, form, n.ID, n.Title, len(open), is, listed(open, 100), strings.Join(numbers, ","))
	return e.With(errs.Details{NodeID: string(n.ID), Status: string(n.Status), Action: string(statemachine.Complete),
		Unmet: []string{string(errs.CriteriaOpen)}, Criteria: open[:min(len(open), 50)]})
}

// completable is the guard of completions: it asks for the criteria of a node, with the ticks of the same call.
func completable(d *Draft, n *mdstore.Node, do statemachine.Action) error {
	if do != statemachine.Complete {
		return nil
	}
	ask := d.opt.Criteria()
	if section, requirement := n.OpenBoxes(); d.asking { // it needs no document for that
		if ask == AskNothing || section == 0 && (ask != AskAll || requirement == 0) {
			return nil
		}
		return errs.New(errs.CriteriaOpen, "criteria are open")
	}
	all, planned := d.criteria[n.ID]
	if !planned {
		all = n.Criteria()
	}
	if err := criteriaOpen(n, all, ask); err != nil {
		return err
	}
	return nil
}
