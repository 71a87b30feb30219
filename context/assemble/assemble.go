// Package assemble decides which passages somebody who works on a node has to
// read, in what order, and why the others are left out.
//
// It is a pure function of the files and the options: no clock, no disk, no
// network, no randomness. The same question to the same files has the same
// answer, byte for byte. Whatever belongs into the context of a node and is
// not in its bundle is listed there as an omission, with size and reason.
package assemble

import (
	"fmt"
	"math"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Source answers the questions that the context of a node asks. Its answers
// must not change during a call of Context. The tree may be damaged: parents
// may be missing, and may lead back to where they started.
type Source interface {
	Workspace() *mdstore.Workspace // nil when its file is missing
	Node(mdstore.ID) (*mdstore.Node, bool)
	Children(mdstore.ID) []mdstore.ID // in the order of the tree
}

// A KinSource is a Source that has the nodes below one at hand: for each child of Children that Node knows, what that returns.
type KinSource interface {
	Below(mdstore.ID) []*mdstore.Node
}

// A DocSource is a Source that also knows the documents of the project around
// the workspace. Context looks for it to name what references lead to.
type DocSource interface {
	// Doc returns the title and description of a document; false when the project has no such document, or none that can be
	// read. It is not asked for web addresses.
	Doc(target string) (mdoc.Foreign, bool)
}

// DefaultLogEntries is how many log entries of a node are shown unless told otherwise.
const DefaultLogEntries = 20

// Options say how much a context holds. The zero Options leave nothing out
// but log entries beyond the last DefaultLogEntries of each node.
type Options struct {
	OmitLog       bool
	MaxLogEntries int  // per node, the newest kept; 0 means DefaultLogEntries, a negative number all of them
	ReverseLog    bool // newest first
	OmitProblem   bool
	Budget        int  // tokens, counted by Tokens over the rendered bundle; 0 or less means no limit
	Form          Form // what the bundle is rendered as when its tokens are counted
}

// A Form is a way to render a bundle. Package render renders both.
type Form uint8

// The forms. The zero Form is Markdown.
const (
	Markdown Form = iota
	JSON          // compact, with characters escaped only where JSON asks for it
)

// Tokens returns the number of tokens that so many bytes count as: a quarter, rounded up.
func Tokens(bytes int) int { return bytes/4 + min(bytes%4, 1) }

// An UnknownNodeError says that there is no node of that id.
type UnknownNodeError struct{ ID mdstore.ID }

func (e *UnknownNodeError) Error() string {
	return fmt.Sprintf("%s: no node of this workspace has that id", e.ID)
}

// Context returns what somebody who works on the node focus has to know:
//
//   - the workspace: name, goal, rules, active documents, problem;
//   - the chain of nodes from the root down to the focus, or from the nearest isolated
//     one on the way up, the focus included;
//   - the conclusions of the focus's children, and how many others there are by status;
//   - what the focus's active references lead to, one step far.
//
// Where Options.Budget is exceeded, passages are left out in a fixed order until the rest fits: log entries of the chain
// above the focus, farthest node and oldest entry first; notes above the focus; references, last one first; conclusions of
// children, oldest first; then long texts are cut, from the far end of the chain on; and at last what remains besides the rules, the goal
// and the focus's requirement, which always stay. A larger budget never shows less.
//
// Bundles share their texts and lists with each other: a bundle may be cut to a copy that shows less, and nothing in its lists may be changed.
//
// The only error is an *UnknownNodeError for focus. Damage elsewhere is an omission of the bundle.
func Context(src Source, focus mdstore.ID, opt Options) (*Bundle, error) {
	g, err := gather(src, focus, opt)
	if err != nil {
		return nil, err
	}
	b, m := g.b, measureOf(opt.Form)
	if state(b, m, g.whole(m)); b.Budget > 0 && b.Budget <= math.MaxInt/4 && b.Tokens > b.Budget {
		fit(b, m, &g.left)
		weigh(b, m)
	}
	if opt.ReverseLog { // it is as long in that order
		for i := range b.Chain {
			p := &b.Chain[i]
			p.LogEntries = slices.Clone(p.LogEntries)
			slices.Reverse(p.LogEntries)
		}
	}
	return b, nil
}
