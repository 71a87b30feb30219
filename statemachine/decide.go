package statemachine

// A Decision is a step that the table grants: what to change on the node, and
// what follows from it.
type Decision struct {
	Action        Action
	From, To      Status
	ClearsProblem bool // the node's problem is over with it
	TakesFocus    bool // the workspace's focus moves to the node
	Runs          bool // the node is worked on from now: its ancestors follow, see Rise
}

// Decide says what an action asked for by a caller does to a node. It returns
// either a decision or a *RefusedError that names every unmet need at once.
//
// Automatic rows are refused like rows that do not exist: they follow from
// other operations, and Rise gives them. Neither are ancestors its matter: the
// caller asks Frozen of each of them first.
func Decide(n Standing, do Action, f Facts) (*Decision, error) {
	r, ok := row(n.Type, n.Status, do)
	if !ok || r.Automatic {
		return nil, refuse(n, do, f, []Refusal{impossible(n, do)})
	}
	if unmet := r.Need.unmet(f); len(unmet) > 0 {
		return nil, refuse(n, do, f, unmet)
	}
	d := r.decision()
	return &d, nil
}

// decision is the row as a step, with the effects of its action.
func (r Rule) decision() Decision {
	d := Decision{Action: r.Do, From: r.From, To: r.To}
	for _, e := range effects {
		if e.do == r.Do {
			d.ClearsProblem, d.TakesFocus, d.Runs = e.clearsProblem, e.takesFocus, e.runs
		}
	}
	return d
}

// A condition is one bit of Need: how it is judged, and what is said of it.
type condition struct {
	bit     Need
	name    string // in tables and diagrams
	refused Code   // by Decide
	broken  Code   // by Audit
	met     func(Facts) bool
	text    func(Facts) string
}

// conditions are in the order in which refusals name them.
var conditions = []condition{
	{
		bit: NeedConclusion, name: "conclusion",
		refused: CodeConclusionRequired, broken: CodeConclusionMissing,
		met:  func(f Facts) bool { return f.Conclusion },
		text: func(Facts) string { return "conclusion missing" },
	},
	{
		bit: NeedChildrenTerminal, name: "every child terminal",
		refused: CodeIncompleteChildren, broken: CodeChildrenOpen,
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

func (n Need) unmet(f Facts) []Refusal {
	var all []Refusal
	for _, c := range n.failing(f) {
		all = append(all, Refusal{c.refused, c.text(f)})
	}
	return all
}

// names returns the conditions as tables and diagrams name them.
func (n Need) names() []string {
	var all []string
	for _, c := range conditions {
		if n&c.bit != 0 {
			all = append(all, c.name)
		}
	}
	return all
}

// String returns the conditions in words: "conclusion; every child terminal".
// The zero Need is "".
func (n Need) String() string { return join(n.names(), "; ") }
