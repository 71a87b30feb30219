package plan

import (
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A RulesAction is a kind of change of the rules.
type RulesAction string

// The actions.
const (
	AddRules     RulesAction = "add"
	RemoveRules  RulesAction = "remove"
	ReplaceRules RulesAction = "replace"
	ChangeRule   RulesAction = "change" // the first of two rules becomes the second, in its place
)

// Rules changes the rules of a workspace; its result are the rules as they are then. Rules that stay keep their lines.
type Rules struct {
	Do    RulesAction
	Rules []string
}

// Plan plans the change.
func (x Rules) Plan(d *Draft) ([]string, error) {
	w, edit, err := d.editWorkspace()
	if err != nil {
		return nil, err
	}
	have := w.Rules()
	now, adapted, err := wanted(string(w.ID), have, x.Do, x.Rules)
	if err != nil {
		return nil, err
	}
	edit.adapted = append(edit.adapted, adapted...)
	var at []int // indexes of the rules among the section's items
	for i, it := range w.Doc.Items(mdstore.SecRules) {
		if it.Listed && it.Text != "" {
			at = append(at, i)
		}
	}
	edit.list(mdstore.SecRules, at, have, now)
	d.AllRules = x.Do == ReplaceRules
	if hash := mdstore.RulesHash(now); w.StoredHash != hash {
		edit.Set(mdstore.KeyRulesHash, mdoc.Text(hash))
	}
	if !slices.Equal(have, now) {
		edit.Did(view.Counts(w.ID, mdstore.SecRules, len(have), len(now)))
	}
	return now, nil
}

// wanted returns the new list of rules, and how new rules were changed to fit.
func wanted(who string, have []string, do RulesAction, given []string) (now, adapted []string, err error) {
	given = slices.Clone(given)
	for i, r := range given {
		if strings.TrimSpace(r) == "" {
			return nil, nil, errs.New(errs.InvalidParams, "%s: a rule is empty; say what is to be followed", who).With(errs.Details{Param: "rule"})
		}
		item, changed, err := mdoc.ItemText(strings.TrimSpace(r)) // as it will read back, so that the hash matches the file
		if err != nil {
			return nil, nil, err
		}
		given[i] = item
		if do != RemoveRules && !slices.Contains(have, item) {
			adapted = append(adapted, changed...)
		}
	}
	if len(given) == 0 && do != ReplaceRules {
		return nil, nil, errs.New(errs.InvalidParams, "%s: no rule is given to %s", who, do).With(errs.Details{Param: "rule"})
	}
	now = slices.Clone(have)
	switch do {
	case AddRules, ReplaceRules:
		if do == ReplaceRules {
			now = now[:0]
		}
		for _, r := range given {
			if !slices.Contains(now, r) {
				now = append(now, r)
			}
		}
	case RemoveRules:
		for _, r := range given {
			if !slices.Contains(have, r) {
				return nil, nil, noRule(who, r, have)
			}
		}
		now = slices.DeleteFunc(now, func(r string) bool { return slices.Contains(given, r) }) // all occurrences
	case ChangeRule:
		if len(given) != 2 {
			return nil, nil, errs.New(errs.InvalidParams, "%s: change takes two rules, from and to", who).With(errs.Details{Param: "from"})
		}
		if !slices.Contains(have, given[0]) {
			return nil, nil, noRule(who, given[0], have)
		}
		if given[0] != given[1] && slices.Contains(have, given[1]) {
			return nil, nil, errs.New(errs.ReferenceExists, "%s: the rule %q stands there already; remove the other one", who, given[1])
		}
		now[slices.Index(now, given[0])] = given[1]
	default:
		return nil, nil, errs.New(errs.InvalidParams, "action %q: add, remove, replace and change are the actions", do).With(errs.Details{Param: "action"})
	}
	return now, adapted, nil
}

// noRule returns the error for a rule that is not in the list.
func noRule(who, rule string, have []string) error {
	all := view.Candidates(have, len(have), func(r string) errs.Candidate { return errs.Candidate{Title: r} })
	return errs.New(errs.ReferenceNotFound, "%s: no such rule: %q; a rule is named by its exact text", who, rule).With(errs.Details{Candidates: all})
}

// list brings a list from some items, with their indexes in the section, to others: those that both begin with stay
// as they are written, the items after them are replaced, removed or added.
func (e *Edit) list(section string, at []int, have, now []string) {
	if gone, ok := left(have, now); ok { // only removals: the others keep every byte
		for _, i := range gone {
			e.remove(section, at[i])
		}
		return
	}
	for i := range max(len(have), len(now)) {
		switch {
		case i >= len(have):
			e.append(section, now[i])
		case i >= len(now):
			e.remove(section, at[i])
		case have[i] != now[i]:
			e.replace(section, at[i], now[i])
		}
	}
}

// left returns the indexes of those rules without which have is now; ok is false if no removal leads there.
func left(have, now []string) (gone []int, ok bool) {
	kept := 0
	for i, r := range have {
		if kept < len(now) && r == now[kept] {
			kept++
		} else {
			gone = append(gone, i)
		}
	}
	return gone, kept == len(now)
}
