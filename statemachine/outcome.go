package statemachine

import "fmt"

// Outcomes count the leaves of a plan by outcome. A leaf is a node without children, other than the root.
type Outcomes struct {
	Done      int `json:"done"`                // completed
	Open      int `json:"open"`                // what is left to do
	GivenUp   int `json:"givenUp,omitempty"`   // failed or cancelled
	NotNeeded int `json:"notNeeded,omitempty"` // not terminal, below a completed or cancelled node
}

// Add counts a leaf. below reports whether a node above it is frozen.
func (o *Outcomes) Add(s Status, below bool) {
	switch {
	case s == Completed:
		o.Done++
	case Terminal(s):
		o.GivenUp++
	case below:
		o.NotNeeded++
	default:
		o.Open++
	}
}

// Work returns the number of leaves that the progress bar represents. It is full when all of them are done.
func (o Outcomes) Work() int { return o.Done + o.Open }

// String returns "2 of 5 done · 1 given up · 3 not needed", without the parts that are 0.
func (o Outcomes) String() string { return join(o.Words(), " · ") }

// Words returns the parts of String.
func (o Outcomes) Words() []string {
	all := []string{fmt.Sprintf("%d of %d done", o.Done, o.Work())}
	if o.GivenUp > 0 {
		all = append(all, fmt.Sprintf("%d given up", o.GivenUp))
	}
	if o.NotNeeded > 0 {
		all = append(all, fmt.Sprintf("%d not needed", o.NotNeeded))
	}
	return all
}
