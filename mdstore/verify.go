package mdstore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"arbor/mdstore/pattern"
	"arbor/statemachine"
)

// KeyVerify is the key of the tools that must pass before a node, or any execution node of a workspace, is completed.
const KeyVerify = "verify"

// A Verification is what the log of a node says about a tool that its verify names.
type Verification struct {
	Item   string // as verify has it
	Passed bool
	Code   int
	Took   time.Duration
	Commit string // "" for none
}

// String returns the event of the log entry: "verify test: passed, exit 0, 3.2 s, abc1234+dirty".
func (v Verification) String() string {
	how := "failed"
	if v.Passed {
		how = "passed"
	}
	s := fmt.Sprintf("verify %s: %s, exit %d, %.1f s", v.Item, how, v.Code, v.Took.Seconds())
	if v.Commit != "" {
		s += ", " + v.Commit
	}
	return s
}

// verification matches the events that Verification.String returns.
var verification = pattern.Of(`^verify (.+): (passed|failed), exit -?\d+, \d+\.\d s(, [0-9a-f]+(\+dirty)?)?$`)

// IsVerification reports whether the event of a log entry reads as one that Arbor writes of a verification.
func IsVerification(event string) bool { return verification().MatchString(event) }

// Verify returns what must pass before an execution node of the workspace is completed.
func (w *Workspace) Verify() []string {
	items, plain := w.Doc.Texts(KeyVerify)
	if !plain {
		return nil // another program's
	}
	return slices.DeleteFunc(items, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// Verifies returns the tools that must pass before a node is completed: those that it names itself and, for an
// execution node, those that the workspace names.
func Verifies(w *Workspace, n *Node) []string {
	all := slices.Clone(n.Fields.Verify)
	if statemachine.TakesChildren(n.Type) {
		return all
	}
	for _, item := range w.Verify() {
		if !slices.Contains(all, item) {
			all = append(all, item)
		}
	}
	return all
}

// Basis returns the digest of everything that a verification of a node depends on: its title, type and status, its
// requirement and criteria without ticks, and the tools that must pass. Log lines and other changes do not alter it.
func Basis(w *Workspace, n *Node) Version {
	parts := []string{n.Title, string(n.Type), string(n.Status),
		Unticked(n.Doc().Text(SecRequirement)), Unticked(n.Doc().Text(SecCriteria))}
	return VersionOf([]byte(strings.Join(append(parts, Verifies(w, n)...), "\x00")))
}

// Unverified returns the items that have no passing entry in the log of a completed node since work on it last began.
func (n *Node) Unverified(items []string) (open []string) {
	var passed []string
	for _, e := range slices.Backward(n.Log()) {
		if c, ok := parseStatusChange(n.Type, e.Event); ok && statemachine.BeginsWork(statemachine.Action(c.By)) {
			break
		}
		if m := verification().FindStringSubmatch(e.Event); m != nil && m[2] == "passed" {
			passed = append(passed, m[1])
		}
	}
	for _, item := range items {
		if !slices.Contains(passed, item) {
			open = append(open, item)
		}
	}
	return open
}
