package engine

import (
	"slices"
	"strings"
	"sync"

	"arbor/mdstore"
	"arbor/statemachine"
)

// A gist is what the engine has found in the document of a node, short enough to be kept beside its metadata: with it, most nodes need not be read to tell that
// nothing is wrong with them. It depends on the node's file alone. The zero gist is of a document that nobody has looked at.
//
// It is a letter for the form, a digit with the properties, and the generated ids that the node refers to, each behind a comma. A problem that is short follows, in the
// next lines: what it is, NUL, and the next step. Whoever changes what the checks of one file find, or this form, takes the next letter.
type gist string

const (
	gistForm    = 'a'
	gistProblem = 512 // bytes, beyond which a problem is read from the document
)

// The properties that a gist tells, as bits.
const (
	gistClean   = 1 << iota // the file by itself gives no reason for a finding
	gistTrouble             // the node has a problem
	gistStrange             // it refers to something that is no generated id
)

// gistOf looks at the document of a node that has no problems by itself.
func gistOf(n *mdstore.Node) gist {
	properties := byte('0')
	var ids strings.Builder
	for _, r := range n.References() {
		switch {
		case r.Expired:
		case isNodeRef(r.Target):
			ids.WriteByte(',')
			ids.WriteString(r.Target)
		default:
			properties |= gistStrange
		}
	}
	if cleanAlone(n) {
		properties |= gistClean
	}
	if p := n.Problem(); !p.IsZero() {
		properties |= gistTrouble
		if len(p.Text)+len(p.NextStep) <= gistProblem {
			ids.WriteString("\n" + p.Text + "\x00" + p.NextStep)
		}
	}
	return gist(gistForm) + gist(properties) + gist(ids.String())
}

// cleanAlone reports whether the checks of a node find nothing that its file is enough for.
func cleanAlone(n *mdstore.Node) bool {
	alone := statemachine.Facts{Conclusion: n.Conclusion() != ""}
	if len(n.Problems) > 0 || statemachine.Audit(statemachine.Standing{Type: n.Type, Status: n.Status}, "", alone) != nil {
		return false
	}
	if _, _, strange := strangeStatus(n); strange {
		return false
	}
	for range twice(n.Doc()) {
		return false
	}
	return true
}

// readGist returns a gist that somebody has kept, the zero gist where it is none of this form.
func readGist(s string) gist {
	if len(s) < 2 || s[0] != gistForm || s[1]&^7 != '0' {
		return ""
	}
	return gist(s)
}

func (g gist) has(property byte) bool { return g != "" && g[1]&property != 0 }

// refers yields the generated ids that the node refers to.
func (g gist) refers(yield func(mdstore.ID) bool) {
	ids, _, _ := strings.Cut(string(g[2:]), "\n")
	for rest := ids; rest != ""; {
		id := ""
		id, rest, _ = strings.Cut(rest[1:], ",")
		if rest != "" {
			rest = "," + rest
		}
		if !yield(mdstore.ID(id)) {
			return
		}
	}
}

// suspect reports whether the checks may find anything of a node. It is wrong on one side only: of a node that is not suspect they find nothing.
func (c *checker) suspect(n *mdstore.Node, g gist) bool {
	s := c.s
	if len(n.Problems) > 0 || !g.has(gistClean) || g.has(gistStrange) && s.broken.Len() > 0 || len(s.filesOf(n.ID)) != 1 {
		return true
	}
	if n.ID == mdstore.Root {
		if n.Parent != "" {
			return true
		}
	} else if p := s.filesOf(n.Parent); len(p) == 0 || c.circles[n.ID] || childless(p[0]) {
		return true
	}
	if kids := s.kidsOf(n.ID); len(kids) > 0 {
		if n.Status == statemachine.Initial(n.Type) {
			return true
		}
		if closes(n.Type, n.Status) && slices.ContainsFunc(kids, func(k *mdstore.Node) bool { return !statemachine.Terminal(k.Status) }) {
			return true
		}
	}
	for id := range g.refers {
		if len(s.filesOf(id)) == 0 {
			return true
		}
	}
	return false
}

// closes reports whether the tables have something against a node of that status with an open child.
func closes(t statemachine.Type, s statemachine.Status) bool {
	return closing()[statemachine.Standing{Type: t, Status: s}]
}

var closing = sync.OnceValue(func() map[statemachine.Standing]bool {
	out := map[statemachine.Standing]bool{}
	open := statemachine.Facts{Conclusion: true, OpenChildren: []string{"one"}}
	for _, t := range statemachine.Types() {
		for _, s := range statemachine.Statuses(t) {
			at := statemachine.Standing{Type: t, Status: s}
			out[at] = statemachine.Audit(at, "", open) != nil
		}
	}
	return out
})

// mayRefer reports whether a node may refer to one of those ids. It is wrong on one side only: who may not does not.
func (s *Snapshot) mayRefer(n *mdstore.Node, ids map[mdstore.ID]bool) bool {
	g := s.gist(n)
	if g == "" || g.has(gistStrange) {
		return true
	}
	for id := range g.refers {
		if ids[id] {
			return true
		}
	}
	return false
}

// HasProblem reports whether a node has a problem. It reads the document only where nobody has found out before.
func (s *Snapshot) HasProblem(n *mdstore.Node) bool {
	if g := s.gist(n); g != "" {
		return g.has(gistTrouble)
	}
	return !n.Problem().IsZero()
}

// Problem returns the problem of a node. It reads the document only where nobody has found out before, or it is long.
func (s *Snapshot) Problem(n *mdstore.Node) mdstore.Problem {
	switch g := s.gist(n); {
	case g == "":
	case !g.has(gistTrouble):
		return mdstore.Problem{}
	default:
		if _, told, ok := strings.Cut(string(g), "\n"); ok {
			text, next, _ := strings.Cut(told, "\x00")
			return mdstore.Problem{Text: text, NextStep: next}
		}
	}
	return n.Problem()
}
