package plan

import (
	"errors"
	"slices"
	"strings"

	"arbor/engine/errs"
	"arbor/engine/view"
	"arbor/mdstore"
	"arbor/statemachine"
)

// A guard is a condition of an action besides those of the table of the life cycle. It returns nil, or an error that
// says why the action must wait and what would work. Statuses are those of the draft (Draft.StatusOf), so that several
// nodes of one command see each other; nodes that the answer depends on are relied upon (Draft.Rely).
type guard func(d *Draft, n *mdstore.Node, do statemachine.Action) error

// guards are asked by every transition that is not a Drop, in this order, and by Allowed.
var guards = []guard{dependent, completable}

// guarded returns the error of the first guard that an action does not pass.
func (d *Draft) guarded(n *mdstore.Node, do statemachine.Action) error {
	for _, g := range guards {
		if err := g(d, n, do); err != nil {
			return err
		}
	}
	return nil
}

// forced returns, for the log, the guards that an action does not pass.
func (d *Draft) forced(n *mdstore.Node, do statemachine.Action) (all []string) {
	for _, g := range guards {
		if err := g(d, n, do); err != nil {
			why, _, _ := strings.Cut(errs.As(err).Message, "; ")
			all = append(all, mdstore.Forced+why)
		}
	}
	return all
}

// Allowed returns the actions that a node would accept now, given a conclusion: those of the table whose needs are met
// and that pass all guards, and Drop if none of them gives the node up. It returns none in an archived workspace, below
// a completed or cancelled node, and for a node whose file is damaged or whose place in the tree is unknown. Giving up
// a node with open children is not among them. Claims do not matter: they concern the caller, not the node. ask is the
// setting plan.criteria.
func Allowed(v *view.View, n *mdstore.Node, ask string) (all []statemachine.Action) {
	if x := look(v, n, ask); x != nil {
		return x.allowed()
	}
	return nil
}

func (x *looker) allowed() (all []statemachine.Action) {
	rows := statemachine.Allowed(x.n.Type, x.d.StatusOf(x.n))
	open := len(x.d.OpenChildren(x.n.ID)) > 0
	for _, do := range statemachine.Actions() {
		skip := do == statemachine.Drop && slices.Contains(all, statemachine.GivesUp(x.n.Type))
		skip = skip || open && givesUp(x.n, do)
		if !skip && (do == statemachine.Drop || slices.Contains(rows, do)) && x.allows(do, false) {
			all = append(all, do)
		}
	}
	return all
}

// Waiting returns which action that begins work on the node is not allowed yet, and what comes first: "start is
// possible after node-… (Title), which is pending"; "" if there is none.
func Waiting(v *view.View, n *mdstore.Node) string { return New(v, Act{}, Options{}).waiting(n) }

func (d *Draft) waiting(n *mdstore.Node) string {
	rows := statemachine.Allowed(n.Type, d.StatusOf(n))
	i := slices.IndexFunc(rows, statemachine.BeginsWork)
	if open := d.openFor(n); i >= 0 && len(open) > 0 {
		return string(rows[i]) + " is possible after " + view.WaitsText(open)
	}
	return ""
}

// givesUp reports whether an action gives a node up. With open children, the action is accepted and gives them up too,
// so it is not offered then.
func givesUp(n *mdstore.Node, do statemachine.Action) bool {
	return do == statemachine.Drop || do == statemachine.GivesUp(n.Type)
}

// Allows reports whether a node would accept one action now, as in Allowed; begin is as in statemachine.Steps.
func Allows(v *view.View, n *mdstore.Node, do statemachine.Action, begin bool, ask string) bool {
	x := look(v, n, ask)
	return x != nil && x.allows(do, begin)
}

// A looker tells which actions a node would accept.
type looker struct {
	d     *Draft
	n     *mdstore.Node
	facts statemachine.Facts
}

// look returns a looker, or nil for a node that would accept no action.
func look(v *view.View, n *mdstore.Node, ask string) *looker {
	d := New(v, Act{}, Options{Criteria: func() string { return ask }})
	d.asking = true
	up, whole := v.Ancestors(n.ID)
	if mdstore.Archived(v.Workspace().Dir) || d.Editable(n) != nil || !whole || anyFrozen(up) {
		return nil
	}
	return &looker{d, n, d.facts(n, "given")}
}

func (x *looker) allows(do statemachine.Action, begin bool) bool {
	at := statemachine.Standing{Type: x.n.Type, Status: x.d.StatusOf(x.n)}
	steps := statemachine.Steps(at, do, begin)
	for _, step := range steps {
		dec, err := statemachine.Decide(at, step, x.facts)
		if err != nil || do != statemachine.Drop && x.d.guarded(x.n, step) != nil {
			return false
		}
		at.Status = dec.To
	}
	return len(steps) > 0
}

// FrozenBy returns the nearest completed or cancelled ancestor of a node, which freezes it; nil if there is none.
func FrozenBy(v *view.View, n *mdstore.Node) *mdstore.Node {
	up, _ := v.Ancestors(n.ID)
	if i := slices.IndexFunc(up, func(a *mdstore.Node) bool { return statemachine.Frozen(a.Status) }); i >= 0 {
		return up[i]
	}
	return nil
}

// OpenChildren returns the children of a node that are not terminal as planned so far, in tree order.
func (d *Draft) OpenChildren(id mdstore.ID) (open []string) {
	for _, k := range d.View.Below(id) {
		if !statemachine.Terminal(d.StatusOf(k)) {
			open = append(open, string(k.ID))
		}
	}
	return open
}

// offered adds to a refusal the actions that Allowed returns, and the action that waits.
func (d *Draft) offered(n *mdstore.Node, err error) error {
	var refused *statemachine.RefusedError
	if errors.As(err, &refused) && len(refused.OpenChildren) == 0 {
		x := looker{d, n, d.facts(n, "given")}
		refused.Allowed, refused.Waiting = x.allowed(), d.waiting(n)
	}
	return err
}
