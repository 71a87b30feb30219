package statemachine

import "slices"

// A Decision is a step that the rules allow: what to change on the node, and the
// effects of that.
type Decision struct {
	Action        Action
	From, To      Status
	ClearsProblem bool // the node's problem is removed
	TakesFocus    bool // the focus of whoever did it moves to the node
	Runs          bool // work on the node begins: its ancestors follow, see Rise
}

// Decide returns the step of a caller's action, or a *RefusedError that names every unmet condition.
//
// Automatic rows are refused like rows that do not exist: they follow from other
// operations, through Rise. Decide does not look at ancestors: the caller asks
// Frozen of each of them first.
func Decide(n Standing, do Action, f Facts) (*Decision, error) {
	r, ok := row(n.Type, n.Status, do)
	if !ok || r.Automatic {
		return nil, refuse(n, do, f, []Refusal{noSuchRow(n, do)})
	}
	if failing := r.Need.failing(f); len(failing) > 0 {
		unmet := make([]Refusal, len(failing))
		for i, c := range failing {
			unmet[i] = Refusal{c.refused, c.text(f)}
		}
		return nil, refuse(n, do, f, unmet)
	}
	begins := BeginsWork(do)
	return &Decision{Action: do, From: r.From, To: r.To,
		ClearsProblem: slices.Contains(clearsProblem, do), TakesFocus: begins, Runs: begins}, nil
}

// A condition belongs to one bit of Need: it says whether facts meet it, and how refusals name it.
type condition struct {
	bit     Need
	refused Code // by Decide
	broken  Code // by Audit
	met     func(Facts) bool
	text    func(Facts) string
}

// conditions are in the order in which refusals name them.
var conditions = []condition{
	{
		bit: NeedConclusion, refused: CodeConclusionRequired, broken: CodeConclusionMissing,
		met:  func(f Facts) bool { return f.Conclusion },
		text: func(Facts) string { return "conclusion missing" },
	},
	{
		bit: NeedChildrenTerminal, refused: CodeIncompleteChildren, broken: CodeChildrenOpen,
		met:  func(f Facts) bool { return len(f.OpenChildren) == 0 },
		text: func(f Facts) string { return openChildren(f.OpenChildren) },
	},
}

// failing returns the conditions of the set that the facts do not meet.
func (n Need) failing(f Facts) []condition {
	var all []condition
	for _, c := range conditions {
		if n&c.bit != 0 && !c.met(f) {
			all = append(all, c)
		}
	}
	return all
}
