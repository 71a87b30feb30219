package cli

import (
	"encoding/json"
	"strings"
	"testing"
)

// The JSON of every reading command without an operation has a hint, as that of operations has.
func TestReadsHint(t *testing.T) {
	w := newWorld(t)
	hints := func(when string) {
		for _, line := range []string{"rules", "docs", "ref node-c", "focus", "log", "log node-c", "problem", "problem node-c"} {
			var out struct{ Hint string }
			if err := json.Unmarshal([]byte(w.ok(append(strings.Fields(line), "--json")...)), &out); err != nil || !strings.Contains(out.Hint, "arbor ") {
				t.Errorf("%s, arbor %s --json: hint %q, error %v", when, line, out.Hint, err)
			}
		}
	}
	hints("without any")
	w.ok("rules", "add", "Tests first")
	w.ok("docs", "add", "https://example.org/api")
	w.ok("ref", "add", "node-c", "node-d")
	w.ok("focus", "node-c")
	w.ok("problem", "node-c", "It is slow")
	hints("with one each")

	for line, want := range map[string]string{"log": "hint: arbor log -m EVENT adds to it", "log node-c": "hint: arbor log NODE EVENT adds to it"} {
		if _, stderr, _ := w.run(strings.Fields(line)...); !strings.Contains(stderr, want) {
			t.Errorf("arbor %s says %q, want %q", line, stderr, want)
		}
		if _, stderr, _ := w.run(append(strings.Fields(line), "-q")...); stderr != "" {
			t.Errorf("arbor %s -q says %q", line, stderr)
		}
	}
}

// A single word is a node, whatever it looks like. If there is no such node, the error suggests -m.
func TestATextThatIsTakenForANode(t *testing.T) {
	w := newWorld(t)
	for line, want := range map[string]string{
		"log":     "arbor log -m EVENT writes to the workspace's log",
		"problem": "arbor problem -m TEXT says what is wrong with the workspace",
	} {
		for _, word := range []string{"did a thing", "node-cc"} { // a word that is like no node, and one that may mean a node
			contains(t, "arbor "+line+" "+word, w.fails(exitNotFound, line, word), "no such node", "; if it is a text: "+want)
		}
		if stderr := w.fails(exitNotFound, line, "did a thing", "-m", "text"); strings.Contains(stderr, "-m") {
			t.Errorf("with a text, arbor %s says %q", line, stderr)
		}
		if stderr := w.fails(exitNotFound, line, "-w", "nosuch"); strings.Contains(stderr, "-m") {
			t.Errorf("without a word, arbor %s says %q", line, stderr)
		}
	}
}

// In an archived workspace, hints name no command that is refused there.
func TestAnArchiveOffersNothing(t *testing.T) {
	w := newWorld(t)
	w.ok("ws", "archive", "Login")
	for _, line := range [][]string{{"next", "-w", "Login"}, {"show", "node-c", "-w", "Login"}} {
		stdout, stderr, _ := w.run(line...)
		if strings.Contains(stdout+stderr, "start") {
			t.Errorf("arbor %s says %q", line, stdout+stderr)
		}
		contains(t, "arbor "+strings.Join(line, " "), stderr, "archived", "arbor ws restore makes it active again")
	}
}

// If the workspace of a session is gone, errors say that the binding names it, and which commands help.
func TestALostBinding(t *testing.T) {
	w := newWorld(t)
	w.ok("init", "Second", "--goal", "g")
	w.ok("session", "bind", "Login", "--session", "s")
	for p := range w.store.Files() { // a person removes the folder
		if p.Under("ws-a") {
			w.store.Put(p, nil)
		}
	}
	_, stderr, _ := w.run("session", "show", "--session", "s")
	contains(t, "arbor session show", stderr, "session s is bound to ws-a, which is gone", "arbor session bind WS")
	stderr = w.fails(exitNotFound, "status", "--session", "s")
	contains(t, "arbor status", stderr, "session s is bound to ws-a", "arbor session bind", "arbor session unbind", "Second")
	w.ok("status", "-w", "Second", "--session", "s")
	w.ok("session", "bind", "Second", "--session", "s")
	w.ok("status", "--session", "s")
}
