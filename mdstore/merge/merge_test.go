package merge

import (
	"errors"
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
			ed(nodeBase, "2", "title: Sign-in", "title: B", logged, logged+"- [2026-01-01 10:00:00] [merge] replaced title: A\n")},
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

// What is no change of a sound file of a known kind, or conflicts where no mark can stand, is left to git's merge of
// lines.
func TestWhatOnlyLinesCanMerge(t *testing.T) {
	zipped := func(s string) string { return string(mdstore.Stored("a.gz", []byte(s))) }
	const slot = "---\nid: slot-1\nown: 1\n---\n"
	for _, c := range []struct {
		name               string
		path               mdstore.Path
		base, ours, theirs string
		why                string
	}{
		{"another kind", "ws/notes.md", "a", "b", "c", "no kind"},
		{"damage", nodePath, nodeBase, nodeBase + "<<<<<<< a\nb\n=======\n>>>>>>> c\n", nodeBase + "\n## Note\n\nx\n", "our version is damaged"},
		{"a section twice", nodePath, nodeBase, nodeBase + "\n## Log\n\n- b\n", nodeBase + "\n## Note\n\nx\n", `"Log" twice`},
		{"a heading of level 1", nodePath, nodeBase, nodeBase, nodeBase + "\n# Note\n\nx\n", "level 1"},
		{"keys in braces", nodePath, nodeBase, "---\n{id: node-x, title: a}\n---\n", nodeBase + "\n## Note\n\nx\n", "two keys"},
		{"a compressed slot", "ws/memory/a.md.gz", zipped(slot), zipped(edited(slot, "own: 1", "own: 2")), zipped(edited(slot, "own: 1", "own: 3")), "own"},
		{"no compressed slot", "ws/memory/a.md.gz", zipped(slot), "plain", zipped(slot + "x"), "decompressed"},
	} {
		if c.ours == c.base {
			c.ours = edited(c.base, "title: Sign-in", "title: x")
		}
		r, err := Merge(c.path, []byte(c.base), []byte(c.ours), []byte(c.theirs), Options{})
		if !errors.Is(err, ErrText) || !strings.Contains(err.Error(), c.why) {
			t.Errorf("%s: %v\n%s", c.name, err, r.Bytes)
		}
	}
}

// Own lists whose order or kind of items may mean something are a conflict where both sides changed them.
func TestOwnListsThatAreNoSets(t *testing.T) {
	for what, v := range map[string][3]string{
		"an order":          {"[a, b, c]", "[c, b, a]", "[a, b, c, d]"},
		"an item twice":     {"[a]", "[a, a]", "[a, b]"},
		"numbers":           {"[1, 2]", "[1, 2, 3]", "[1, 2, 4]"},
		"maps":              {"[{a: 1}]", "[{a: 2}]", "[{a: 3}]"},
		"a text and a list": {"a", "[a, b]", "[a, c]"},
	} {
		var f [3][]byte
		for i, list := range v {
			f[i] = []byte("---\nid: a\nown: " + list + "\n---\n")
		}
		if r, err := Merge("ws/nodes/a/Node.md", f[0], f[1], f[2], Options{}); err != nil || len(r.Conflicts) != 1 {
			t.Errorf("%s: %v, %q\n%s", what, err, r.Conflicts, r.Bytes)
		}
	}
}

// Forms in which people write, files that both sides made, and kinds without sections of their own.
func TestOtherForms(t *testing.T) {
	for _, c := range []struct {
		name                     string
		path                     mdstore.Path
		base, ours, theirs, want string
	}{
		{"tags on lines of their own", "ws/states/s.md", "---\nid: s\ntags:\n  - a\n  - b\n---\n", "---\nid: s\ntags:\n  - a\n  - b\n  - d\n---\n",
			"---\nid: s\ntags:\n  - b\n  - c\n---\n", "---\nid: s\ntags: [b, c, d]\n---\n"},
		{"an own list", "ws/nodes/a/Node.md", "---\nid: a\nreviewers: [nia, bo]\n---\n", "---\nid: a\nreviewers: [nia, bo, cy]\n---\n",
			"---\nid: a\nreviewers:\n  - bo\n  - \"ann: b\"\n---\n", "---\nid: a\nreviewers: [bo, \"ann: b\", cy]\n---\n"},
		{"an own list of both", "ws/nodes/a/Node.md", "---\nid: a\n---\n", "---\nid: a\nreviewers: [cy]\n---\n",
			"---\nid: a\nreviewers: [bo]\n---\n", "---\nid: a\nreviewers: [bo, cy]\n---\n"},
		{"no base", "ws/states/s.md", "", "---\nid: s\nown: 1\n---\n\n## Reasoning\n\nx\n", "---\nid: s\nother: 2\n---\n\n## Active Task\n\ny\n",
			"---\nid: s\nother: 2\nown: 1\n---\n\n## Active Task\n\ny\n\n## Reasoning\n\nx\n"},
		{"messages of two", "ws/sessions/s/Transcript.md", "---\na: b\n---\n\n## User\n\none\n", "---\na: b\n---\n\n## User\n\none\n\n## User\n\ntwo\n\n## Assistant\n\nthree\n",
			"---\na: b\n---\n\n## User\n\none\n\n## Assistant\n\nzwei\n", "---\na: b\n---\n\n## User\n\none\n\n## Assistant\n\nzwei\n\n## User\n\ntwo\n\n## Assistant\n\nthree\n"},
		{"line ends of one side", nodePath, nodeBase, strings.ReplaceAll(edited(nodeBase, "title: Sign-in", "title: x"), "\n", "\r\n"),
			edited(nodeBase, "\none\n", "\n1\n"), strings.ReplaceAll(edited(nodeBase, "title: Sign-in", "title: x", "\none\n", "\n1\n"), "\n", "\r\n")},
		{"a heading in another language", nodePath, nodeBase, edited(nodeBase, "## Log", "## 日志"), edited(nodeBase, logged, logged+"- b\n"),
			edited(nodeBase, "## Log", "## 日志", logged, logged+"- b\n")},
	} {
		for _, sides := range [][2]string{{c.ours, c.theirs}, {c.theirs, c.ours}} {
			before := []byte(c.base)
			if c.base == "" {
				before = nil
			}
			r, err := Merge(c.path, before, []byte(sides[0]), []byte(sides[1]), Options{})
			if err != nil || len(r.Conflicts) > 0 || string(r.Bytes) != c.want {
				t.Errorf("%s: %v, conflicts %q\n got\n%s\nwant\n%s", c.name, err, r.Conflicts, r.Bytes, c.want)
			}
		}
	}
}

// TestFilesWithoutFrontMatter merges nodes by hand, whose only key may be the heading. The result has no front matter
// if neither side has any.
func TestFilesWithoutFrontMatter(t *testing.T) {
	const note, more = "# Paint\n\nRed.\n", "# Paint\n\nRed.\n\n## Note\n\nTwo coats.\n"
	const named = "---\nid: paint\nparentId: root\n---\n" + note
	for _, c := range []struct{ name, base, ours, theirs, want string }{
		{"a section and a title", note, more, "# Paint it\n\nRed.\n", "# Paint it\n\nRed.\n\n## Note\n\nTwo coats.\n"},
		{"one side wrote the id", note, named, more, "---\nid: paint\nparentId: root\n---\n" + more},
		{"with a mark and CRLF", "\uFEFF# A\r\n", "\uFEFF# A\r\n\r\n## Note\r\n\r\nx\r\n", "\uFEFF# B\r\n", "\uFEFF# B\r\n\r\n## Note\r\n\r\nx\r\n"},
		{"made on both sides", "", note, more, more},
	} {
		base := []byte(c.base)
		if c.base == "" {
			base = nil
		}
		for _, sides := range [][2]string{{c.ours, c.theirs}, {c.theirs, c.ours}} {
			r, err := Merge(nodePath, base, []byte(sides[0]), []byte(sides[1]), Options{})
			if err != nil || len(r.Conflicts) > 0 || string(r.Bytes) != c.want {
				t.Errorf("%s: %v, conflicts %q\n got\n%q\nwant\n%q", c.name, err, r.Conflicts, r.Bytes, c.want)
			}
		}
	}
	r, err := Merge(nodePath, nil, []byte("# A\n\none\n"), []byte("# B\n\ntwo\n"), Options{})
	if want := "<<<<<<< ours\n# A\n\none\n=======\n# B\n\ntwo\n>>>>>>> theirs\n"; err != nil || string(r.Bytes) != want {
		t.Errorf("two notes of one name: %v\n got %q\nwant %q", err, r.Bytes, want)
	}
}
