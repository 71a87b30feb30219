package cli

import (
	"strings"
	"testing"
)

// A command below session takes no name beside a text; its error says how another session is chosen. session end takes
// the name of a session, and ends that one.
func TestAnotherSessionIsNamed(t *testing.T) {
	w := newWorld(t)
	w.ok("session", "start", "One")
	w.ok("session", "start", "Two")
	const how = "--session SESSION chooses another session"
	contains(t, "two words", w.fails(exitInvalid, "session", "note", "One", "said"), how)
	contains(t, "a word", w.fails(exitInvalid, "session", "unbind", "One"), how)
	contains(t, "two sessions", w.fails(exitInvalid, "session", "end", "One", "--session", "Two"), "one is enough")
	contains(t, "session end", w.ok("session", "end", "one", "-m", "done"), "One  ended")
	w.fails(exitNotFound, "session", "end", "none")
	if left := w.ok("session", "list", "--active"); !strings.Contains(left, "Two") || strings.Contains(left, "One") {
		t.Errorf("left are\n%s", left)
	}
}

// If a command gets a status where it expects a node, its error names the flag that filters by status.
func TestAStateIsNoNode(t *testing.T) {
	w := newWorld(t)
	contains(t, "list", w.fails(exitNotFound, "list", "overdue"), "--where is:overdue lists")
	contains(t, "tree", w.fails(exitNotFound, "tree", "Pending"), "--status pending lists")
}

// An error of a file names the file, and not the system call that failed.
func TestAnErrorOfAFileIsPlain(t *testing.T) {
	w := newWorld(t)
	for _, line := range [][]string{{"memory", "import", "nofile"}, {"log", "node-c", "-F", "nofile"}} {
		got := w.fails(exitInvalid, line...)
		contains(t, line[0], got, "nofile: no such file or directory")
		if strings.Contains(got, "statat") || strings.Contains(got, "open ") {
			t.Errorf("arbor %v says %q", line, got)
		}
	}
}

// A finished plan has no waves, and says so. The list of workspaces marks the default. check counts files as --fix does.
func TestWhatListsSay(t *testing.T) {
	w := newWorld(t)
	w.ok("use", "Login")
	contains(t, "ws", w.ok("ws"), "(default)")
	count := func(args ...string) string {
		_, stderr, _ := w.run(args...)
		_, files, _ := strings.Cut(stderr, " in ")
		files, _, _ = strings.Cut(files, " file")
		return files
	}
	if now, fixed := count("check"), count("check", "--fix"); now == "" || now != fixed {
		t.Errorf("check counts %q files, --fix %q", now, fixed)
	}
	w.ok("drop", "root", "--cascade", "-m", "enough")
	_, stderr, _ := w.run("graph", "--waves")
	contains(t, "graph --waves", stderr, "no open work")
}
