package merge_test

import (
	"strings"
	"testing"

	"arbor/mdstore"
	"arbor/mdstore/merge"
)

const nodeBefore = `---
id: node-x
title: Sign-in
type: execution
status: implementing
parentId: root
isolated: false
createdAt: 1767225600000
updatedAt: 1767225600000
---

What this file is for.

## Requirement

POST /sign-in

## Note

First line.
Second line.
Third line.

## References

- docs/a.md: what it is
- node-y: why

## Log

- [2026-01-01 10:00:00] [AI] created
`

const nodeCompleted = "- [2026-01-01 11:00:00] [AI] complete: implementing → completed\n"

// completed is what arbor complete makes of nodeBefore.
var completed = edited(nodeBefore, "status: implementing", "status: completed", "updatedAt: 1767225600000",
	"updatedAt: 1767225609999",
	"## Note", "## Conclusion\n\nDone.\n\n## Note", "created\n", "created\n"+nodeCompleted)

const workspaceBefore = `---
id: ws
name: Login
goal: sign in
status: active
rulesHash: ac862684
focusedNodeId: null
createdAt: 1767225600000
updatedAt: 1767225600000
---

## 规则

- Tests first

## 日志

- [2026-01-01 10:00:00] [AI] Created the workspace
`

// edited replaces each old text, which stands there, by a new one.
func edited(text string, oldNew ...string) string {
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			panic("no " + oldNew[i] + " in\n" + text)
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

func TestSaveExamples(t *testing.T) {
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	chinese := func(text string) string {
		return strings.NewReplacer("## Requirement", "## 需求", "## Note", "## 备注", "## Log", "## 日志", "## References",
			"## 引用", "## Conclusion", "## 结论").Replace(text)
	}
	beside := func(text string) string {
		return edited(text, "type: execution\n", "", "---\n\nWhat", "type: execution\n---\n\nWhat")
	}
	half := nodeBefore[:strings.Index(nodeBefore, "ird line")]
	stale := []string{"Second line.", "Another second line."}
	rules := func(text string, rule ...string) string {
		w := mdstore.ParseWorkspace(mdstore.File{Path: aWorkspace, Data: []byte(edited(text, "- Tests first\n",
			"- Tests first\n"+strings.Join(rule, "")))})
		return edited(string(w.Doc.Bytes()), "ac862684", w.RulesHash())
	}
	statusOnly := edited(nodeBefore, "status: implementing", "status: validating")
	for _, c := range []struct {
		name               string
		path               mdstore.Path
		base, ours, theirs string
		want               string
		missing            string
	}{
		{"a transition, and a note of an editor that read before it", aNode, nodeBefore, completed,
			edited(nodeBefore, stale...), edited(completed, stale...), ""},
		{"both append to the log", aNode, nodeBefore, completed, nodeBefore + "- mine\n",
			edited(completed, nodeCompleted, "- mine\n"+nodeCompleted), ""},
		{"both change the status", aNode, nodeBefore, completed, edited(nodeBefore, "status: implementing",
			"status: validating"),
			edited(completed, "status: completed", "status: validating"),
			"status"},
		{"both change the status, and two actions lead from one to the other", aNode, nodeBefore, completed,
			edited(nodeBefore, "status: implementing", "status: failed"), edited(completed, "status: completed",
				"status: failed"),
			"status"},
		{"both write a conclusion", aNode, nodeBefore, completed, nodeBefore + "\n## Conclusion\n\nMine.\n",
			edited(completed, "Done.", "Mine."), "Conclusion"},
		{"the title stands beside the status", aNode, beside(nodeBefore), beside(completed),
			beside(edited(nodeBefore, "title: Sign-in", "title: Sign-up # new")), beside(edited(completed,
				"title: Sign-in", "title: Sign-up # new")), ""},
		{"both change one section apart", aNode, nodeBefore, edited(nodeBefore, "First line.", "Our first line."),
			edited(nodeBefore, "Third line.", "My third line."), edited(nodeBefore, "First line.", "Our first line.",
				"Third line.", "My third line."), ""},
		{"a reference expires in its place", aNode, nodeBefore, edited(nodeBefore, "what it is",
			"what it is (expired)"),
			edited(nodeBefore, "POST", "PUT", "- node-y: why\n", "- node-y: because\n"),
			edited(nodeBefore, "what it is", "what it is (expired)", "POST", "PUT", "node-y: why", "node-y: because"), ""},
		{"the later time of a change", aNode, nodeBefore, completed, edited(nodeBefore,
			"updatedAt: 1767225600000", "updatedAt: 1767225700000"),
			edited(completed, "updatedAt: 1767225609999", "updatedAt: 1767225700000"), ""},
		{"lines of CR LF", aNode, crlf(nodeBefore), crlf(completed), crlf(edited(nodeBefore, "title: Sign-in",
			"title: Sign-up")),
			crlf(edited(completed, "title: Sign-in", "title: Sign-up")), ""},
		{"an editor that writes CR LF", aNode, nodeBefore, completed, crlf(edited(nodeBefore, stale...)),
			crlf(edited(completed, stale...)), ""},
		{"Chinese sections", aNode, chinese(nodeBefore), chinese(completed), chinese(edited(nodeBefore,
			"title: Sign-in", "title: 登录")),
			chinese(edited(completed, "title: Sign-in", "title: 登录")), ""},
		{"the hash follows the rules of both", aWorkspace, workspaceBefore, rules(workspaceBefore, "- Ours\n"),
			edited(workspaceBefore, "- Tests first\n", "- Tests first\n- Mine\n"), edited(rules(workspaceBefore, "- Mine\n", "- Ours\n"), "c729338f", `"c729338f"`), ""},
		{"the hash follows the rules of both where one has removed it", aWorkspace, workspaceBefore,
			rules(workspaceBefore, "- Ours\n"),
			edited(workspaceBefore, "rulesHash: ac862684\n", "", "- Tests first\n", "- Tests first\n- Mine\n"),
			edited(rules(workspaceBefore, "- Mine\n", "- Ours\n"), "c729338f", `"c729338f"`), ""},
		{"a problem of the workspace", aWorkspace, workspaceBefore, workspaceBefore + "\n## 问题\n\nOurs.\n",
			workspaceBefore + "\n## 问题\n\nMine.\n", workspaceBefore + "\n## 问题\n\nMine.\n", "Problem"},
		{"a first half, to which the log was added", aNode, half, half + "\n\n## Log\n\n" + nodeCompleted,
			nodeBefore, nodeBefore + nodeCompleted, ""},
		{"a key that ours has set anew", aNode, nodeBefore, edited(nodeBefore, "---\n\nWhat",
			"order: 1.5\n---\n\nWhat"),
			edited(nodeBefore, stale...), edited(nodeBefore, append(stale, "---\n\nWhat", "order: 1.5\n---\n\nWhat")...), ""},
		{"free text of ours beside a change of both", aNode, nodeBefore, edited(completed, "What this",
			"Whatever this"),
			edited(nodeBefore, "title: Sign-in", "title: Sign-up"), edited(completed, "What this", "Whatever this",
				"title: Sign-in", "title: Sign-up"), ""},
		{"free text that both change", aNode, nodeBefore, edited(completed, "What this", "Whatever this"),
			edited(nodeBefore, "What this", "All that this"),
			edited(completed, "What this", "All that this"), "the text above the sections"},
		{"another kind of file, by lines", "ws/nodes/node-x/notes.md", "1\n2\n3\n", "one\n2\n3\n", "1\n2\nthree\n",
			"one\n2\nthree\n", ""},
		{"another kind of file, which conflicts", "ws/nodes/node-x/notes.md", nodeBefore, statusOnly,
			edited(nodeBefore, "type: execution", "type: planning"),
			edited(nodeBefore, "type: execution", "type: planning"), "the whole change"},
		{"a damaged save, which conflicts", aNode, nodeBefore, completed, "half of i", "half of i", "the whole change"},
	} {
		joined, missing := merge.Save(c.path, []byte(c.base), []byte(c.ours), []byte(c.theirs))
		if string(joined) != c.want || strings.Join(missing, "; ") != c.missing || (joined == nil) != (c.want == "") {
			t.Errorf("%s: missing %q, want %q\n got\n%s\nwant\n%s", c.name, missing, c.missing, joined, c.want)
		}
	}
}

// A status that Arbor changed is in the result, or named as missing, if the person changed the comment behind it.
func TestASaveWithAnotherCommentKeepsTheStatus(t *testing.T) {
	status := func(value string) string { return edited(nodeBefore, "status: implementing", "status: "+value) }
	for name, c := range map[string]struct{ base, newest, save, want, missing string }{
		"the operation removed the comment": {"implementing  # soon done", "failed", "implementing  # done", "failed  # done", ""},
		"the person removed the comment":    {"implementing  # soon", "failed  # soon", "implementing", "failed", ""},
		"one removed it, one changed it":    {"implementing  # soon", "failed  # why?", "implementing", "failed  # why?", ""},
		"both changed it":                   {"implementing  # soon", "failed  # why?", "implementing  # now", "implementing  # now", "status"},
	} {
		t.Run(name, func(t *testing.T) {
			joined, missing := merge.Save("ws/nodes/node-x/Node.md", []byte(status(c.base)), []byte(status(c.newest)), []byte(status(c.save)))
			if string(joined) != status(c.want) || strings.Join(missing, ",") != c.missing {
				t.Errorf("joined %q, missing %q", joined, missing)
			}
		})
	}
}
