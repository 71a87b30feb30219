package ops_test

import (
	"strings"
	"testing"

	"arbor/engine/enginetest"
	"arbor/engine/errs"
	"arbor/engine/ops"
	"arbor/mdstore"
)

// hardTexts are texts of sections that are hard to hold in an item of a list.
var hardTexts = map[string]string{
	"line": "Done; 5 tries a minute", "paragraphs": "Done.\n\nAnd tested.", "list": "- a\n- b\n  - c", "numbers": "3. a\n4. b",
	"heading": "### Docs\n\n- a.md: b", "fence": "```go\nx := 1\n\n## no heading\n```", "rule": "a\n\n---\n\nb", "stars": "***",
	"code": "    x\n    y", "quote": "> a\n> b", "html": "<div>\n\n### x\n</div>", "open": "<!-- a\n\nb -->\nend", "words": "conclusion until then:\nx; y",
	"table": "| a | b |\n|---|---|\n| 1 | 2 |", "trailing": "a  \nb",
}

// plain returns a text without marks of quoting and without blanks at the ends of lines.
func plain(s string) string {
	var all []string
	for line := range strings.Lines(s) {
		line = strings.TrimPrefix(strings.TrimPrefix(strings.TrimRight(line, " \n"), ">"), " ")
		if strings.TrimSpace(line) != "" {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return strings.Join(all, "\n")
}

// lastEvents returns the events at the end of a node's log.
func lastEvents(t *testing.T, env *ops.Env, id string, n int) (out []string) {
	t.Helper()
	log := must(t, env, "node_get", map[string]any{"nodeId": id})["node"].(map[string]any)["log"].([]any)
	for _, e := range log[len(log)-n:] {
		out = append(out, e.(map[string]any)["event"].(string))
	}
	return out
}

// Whatever a conclusion says: reopening moves it whole into the log, by a cascade, too, and the node cannot be finished
// again without another one.
func TestReopeningMovesTheConclusionIntoTheLog(t *testing.T) {
	for name, text := range hardTexts {
		for _, eol := range []string{"\n", "\r\n"} {
			files := vault("", map[string][2]string{
				"root":   {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
				"node-p": {"title: P\ntype: planning\nstatus: completed\nparentId: root", "## Conclusion\n\n" + text + "\n\n## Log\n\n- a person's line\n"},
				"node-a": {"title: A\ntype: execution\nstatus: completed\nparentId: node-p", "## Conclusion\n\n" + text + "\n"},
			})
			for p, data := range files {
				files[p] = []byte(strings.ReplaceAll(string(data), "\n", eol))
			}
			w := enginetest.New(t, files)
			env := &ops.Env{Engine: w.Engine, Session: "s"}
			must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "reopen", "reason": "why", "cascade": true})
			for id, head := range map[string]string{"node-a": "reopen: completed → implementing; why", "node-p": "reopen: completed → planning; reopen of node-a"} {
				node := must(t, env, "node_get", map[string]any{"nodeId": id})["node"].(map[string]any)
				if c, _ := node["conclusion"].(string); c != "" {
					t.Errorf("%s, %q: %s is reopened and has the conclusion %q", name, eol, id, c)
				}
				found := false
				for _, e := range node["log"].([]any) {
					event := e.(map[string]any)["event"].(string)
					found = found || plain(event) == plain(head+"\nconclusion until then:\n"+text)
				}
				if !found {
					t.Errorf("%s, %q: the log of %s does not have the conclusion:\n%s", name, eol, id, w.Store.Files()[mdstore.NodePath(ws, mdstore.ID(id))])
				}
			}
			refused(t, w, env, errs.ConclusionRequired, "node_transition", map[string]any{"nodeId": "node-a", "action": "complete"})
			if _, found := call(t, env, "workspace_check", nil); found != nil {
				t.Errorf("%s: %v", name, found)
			}
			if kept := keptFiles(w); len(kept) > 0 {
				t.Errorf("%s: a conclusion that the log has is kept as replaced, too", name)
			}
		}
	}
}

// A problem leaves a line with its text in the log when it is raised and when it is cleared, be it by the end of the
// node.
func TestProblemsLeaveLinesInTheLog(t *testing.T) {
	for name, text := range hardTexts {
		w := enginetest.New(t, vault("", map[string][2]string{
			"root":   {"title: R\ntype: planning\nstatus: monitoring\nparentId: null", ""},
			"node-a": {"title: A\ntype: execution\nstatus: implementing\nparentId: root", ""},
		}))
		env := &ops.Env{Engine: w.Engine, Session: "s"}
		raise := map[string]any{"nodeId": "node-a", "problem": text, "nextStep": "ask"}
		must(t, env, "problem_update", raise)
		must(t, env, "problem_update", raise) // which changes nothing
		must(t, env, "problem_clear", map[string]any{"nodeId": "node-a"})
		must(t, env, "problem_update", raise)
		must(t, env, "node_transition", map[string]any{"nodeId": "node-a", "action": "complete", "conclusion": "c"})
		for i, e := range lastEvents(t, env, "node-a", 5) {
			want := []string{"problem:", "problem cleared:", "problem:", "problem cleared:", "complete: implementing → completed"}[i]
			if !strings.HasPrefix(e, want) || i < 4 && !strings.Contains(plain(e), plain(text)) {
				t.Errorf("%s: entry %d is %q, want %s with %q", name, i, e, want, text)
			}
		}
	}
}
