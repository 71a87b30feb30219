package merge

import (
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/mdoc"
)

const (
	nodePath  mdstore.Path = "ws/nodes/node-x/Node.md"
	spacePath mdstore.Path = "ws/Workspace.md"
)

const nodeBase = `---
id: node-x
title: Sign-in
type: execution
status: pending
parentId: root
isolated: false
createdAt: 1767225600000
updatedAt: 1767225600000
due: 2026-03-31 # by the board
# keep this
---

What this is about.

## Requirement

one

two

## Conclusion

## References

- docs/a.md: what it is
- node-y: why

## Log

- [2026-01-01 10:00:00] [AI] created
`

const spaceBase = `---
id: ws
name: Login
goal: sign in
status: active
rulesHash: "9bf3b7ae"
focusedNodeId: null
createdAt: 1767225600000
updatedAt: 1767225600000
---

## Rules

- Tests first

## Log

- [2026-01-01 10:00:00] [AI] created
`

// edited replaces texts, in pairs.
func edited(s string, pairs ...string) string {
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(s, pairs[i]) {
			panic(pairs[i])
		}
		s = strings.Replace(s, pairs[i], pairs[i+1], 1)
	}
	return s
}

const logged = "created\n"

func TestMergeExamples(t *testing.T) {
	at := func(n string) []string { return []string{"updatedAt: 1767225600000", "updatedAt: 176722560000" + n} }
	ed := func(s string, n string, pairs ...string) string { return edited(s, append(at(n), pairs...)...) }
	for _, c := range []struct {
		name               string
		path               mdstore.Path
		base, ours, theirs string
		want               string // what both directions say
	}{
		{"title and note", nodePath, nodeBase, ed(nodeBase, "1", "title: Sign-in", "title: 'Sign in'"),
			ed(nodeBase, "2", "due: 2026-03-31", "due: 2026-04-01", "\none\n", "\none more\n"),
			ed(nodeBase, "2", "title: Sign-in", "title: 'Sign in'", "due: 2026-03-31", "due: 2026-04-01", "\none\n", "\none more\n")},
		{"two log lines", nodePath, nodeBase, ed(nodeBase, "1", logged, logged+"- [2026-01-01 10:00:02] [AI] b\n"),
			ed(nodeBase, "2", logged, logged+"- [2026-01-01 10:00:01] [Human] a\n  more\n"),
			ed(nodeBase, "2", logged, logged+"- [2026-01-01 10:00:01] [Human] a\n  more\n- [2026-01-01 10:00:02] [AI] b\n")},
		{"a status that follows", nodePath, nodeBase, ed(nodeBase, "9", "status: pending", "status: implementing"),
			ed(nodeBase, "2", "status: pending", "status: validating"),
			ed(nodeBase, "9", "status: pending", "status: validating")},
		{"a title gives way", nodePath, nodeBase, ed(nodeBase, "1", "title: Sign-in", "title: A"), ed(nodeBase, "2", "title: Sign-in", "title: B"),
			ed(nodeBase, "2", "title: Sign-in", "title: B", logged, logged+"- [2026-01-01 10:00:00] [merge] title gave way: A\n")},
		{"a reference expires and gets another text", nodePath, nodeBase, ed(nodeBase, "1", "what it is", "what it is (expired)"),
			ed(nodeBase, "2", "what it is", "what it was"), ed(nodeBase, "2", "what it is", "what it was (expired)")},
		{"two rules", spacePath, spaceBase, ed(spaceBase, "1", "- Tests first\n", "- Tests first\n- b\n", "9bf3b7ae", "00000001"),
			ed(spaceBase, "2", "- Tests first\n", "- Tests first\n- a\n", "9bf3b7ae", "00000002"),
			ed(spaceBase, "2", "- Tests first\n", "- Tests first\n- a\n- b\n", "9bf3b7ae", mdstore.RulesHash([]string{"Tests first", "a", "b"}))},
		{"a section that both sides added", spacePath, spaceBase, ed(spaceBase, "1", "## Rules", "## Purpose\n\nx\n\n## Rules"),
			ed(spaceBase, "2", "## Rules", "## Workflows\n\ny\n\n## Rules"),
			ed(spaceBase, "2", "## Rules", "## Purpose\n\nx\n\n## Workflows\n\ny\n\n## Rules")},
	} {
		for _, sides := range [][2]string{{c.ours, c.theirs}, {c.theirs, c.ours}} {
			r, err := Merge(c.path, []byte(c.base), []byte(sides[0]), []byte(sides[1]), Options{})
			if err != nil || len(r.Conflicts) > 0 || string(r.Bytes) != c.want {
				t.Errorf("%s: %v, conflicts %q\n got\n%s\nwant\n%s", c.name, err, r.Conflicts, r.Bytes, c.want)
			}
		}
	}
}

func TestConflictsHaveMarks(t *testing.T) {
	ours := edited(nodeBase, "parentId: root", "parentId: node-a", "\ntwo\n", "\nTWO\n")
	theirs := edited(nodeBase, "parentId: root", "parentId: node-b", "\ntwo\n", "\nzwei\n")
	r, err := Merge(nodePath, []byte(nodeBase), []byte(ours), []byte(theirs), Options{Ours: "here", Theirs: "there"})
	want := edited(nodeBase, "parentId: root\n", "<<<<<<< here\nparentId: node-a\n=======\nparentId: node-b\n>>>>>>> there\n",
		"\ntwo\n", "\n<<<<<<< here\nTWO\n=======\nzwei\n>>>>>>> there\n")
	if err != nil || string(r.Bytes) != want || len(r.Conflicts) != 2 {
		t.Fatalf("%v %q\n%s", err, r.Conflicts, r.Bytes)
	}
	if c := r.Conflicts[0]; c != (Conflict{"parentId", "root", "node-a", "node-b"}) {
		t.Errorf("%q", c)
	}
	if c := r.Conflicts[1]; c != (Conflict{"Requirement", "one\n\ntwo", "one\n\nTWO", "one\n\nzwei"}) {
		t.Errorf("%q", c)
	}
	if string(mdoc.Ours.Of(r.Bytes)) != ours || string(mdoc.Theirs.Of(r.Bytes)) != theirs {
		t.Errorf("the sides are\n%s\n%s", mdoc.Ours.Of(r.Bytes), mdoc.Theirs.Of(r.Bytes))
	}
}
