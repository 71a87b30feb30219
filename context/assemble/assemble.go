// Package assemble decides which passages a reader who works on a node needs,
// in what order, and why the others are left out.
//
// It is a pure function of the files and the options: no clock, no disk, no network, no randomness. The same files and
// options give the same bundle, byte for byte. A passage that belongs to the context of a node and is not in its bundle
// is listed there as an omission, with size and reason.
package assemble

import (
	"fmt"
	"slices"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

// A Source answers the questions that the context of a node asks. Its answers
// must not change during a call of Context. The tree may be damaged: parents
// may be missing, and may form a cycle.
type Source interface {
	Workspace() *mdstore.Workspace
	Node(mdstore.ID) (*mdstore.Node, bool)
	Children(mdstore.ID) []mdstore.ID // in the order of the tree

	// Referred returns the node that a target among the references of n names, by its id or by a link to its file.
	Referred(n *mdstore.Node, target string) (*mdstore.Node, bool)
}

// DefaultLogEntries is the default number of log entries shown for a node.
const DefaultLogEntries = 20

// Options say how much a context holds. The zero Options leave out only the
// log entries before the last DefaultLogEntries of each node.
type Options struct {
	OmitLog       bool
	MaxLogEntries int  // per node, the newest kept; 0 means DefaultLogEntries, a negative number all of them
	ReverseLog    bool // newest first
	OmitProblem   bool
	OwnLog        bool // also the entries that Arbor wrote by itself, see mdstore.LogEntry.Own

	Vault  mdstore.Path // the vault's folder within the project, for the names of files; "" names them within the vault
	Places bool         // the bundle has versions, lines, and the root's requirement even if it equals the goal

	// Doc returns the title and description of a document of the project; false when there is none, or it cannot be
	// read. The target may end in a #heading, and is never a web address. Without Doc, no document counts as missing.
	Doc func(target string) (mdoc.Foreign, bool)

	// Have has the parts that the reader has from earlier bundles, as Bundle.Have lists them: if they are unchanged,
	// they come as their ids only. nil: the bundle has no versions. Name says how Bundle.Have names ids; nil: as they
	// are.
	Have []string
	Name func(mdstore.ID) string

	Budget int // tokens, counted by Tokens over the size that Measure returns; 0 or less means no limit

	// Measure renders the bundle as its reader gets it and returns the size in bytes, and whether the reply that
	// carries the bundle is within its own bound. Both must not depend on the order of log entries. Without Measure
	// nothing is counted: Tokens is 0, and nothing is left out for its size.
	Measure func(*Bundle) (size int, fits bool)
}

// Tokens returns the number of tokens that so many bytes count as: one for four bytes, rounded up. It is within 15 % of
// what contexts take in o200k, see docs/benchmarks/tokens.
func Tokens(bytes int) int { return (bytes + 3) / 4 }

// Bytes returns the most bytes that count as so many tokens.
func Bytes(tokens int) int { return tokens * 4 }

// An UnknownNodeError says that the workspace has no node with this id.
type UnknownNodeError struct{ ID mdstore.ID }

func (e *UnknownNodeError) Error() string {
	return fmt.Sprintf("%s: no node of this workspace has that id", e.ID)
}

// Context returns what a reader who works on the node focus needs to know:
//
//   - the workspace: name, goal, rules, active documents, problem;
//   - the chain of nodes from the root down to the focus, or from the nearest isolated
//     one on the way up, the focus included;
//   - the conclusions of the focus's children, and how many others there are by status;
//   - the targets of the focus's active references, but not their references.
//
// A bundle that is larger than Options.Budget, or does not fit the bound that Options.Measure knows, loses passages in
// a fixed order until it fits; see cutList. Rules, goal and the focus's requirement are cut for that bound alone, after
// everything else, and never for the budget. A larger budget or bound never shows less.
//
// The only error is an *UnknownNodeError for focus. Damage elsewhere is an omission of the bundle.
func Context(src Source, focus mdstore.ID, opt Options) (*Bundle, error) {
	b, omitted, err := gather(src, focus, opt)
	if err != nil {
		return nil, err
	}
	if opt.Have != nil {
		b.known(opt)
	}
	if opt.Measure != nil {
		b = fit(b, omitted, opt)
	}
	if opt.ReverseLog {
		for i := range b.Chain {
			slices.Reverse(b.Chain[i].LogEntries)
		}
	}
	return b, nil
}
