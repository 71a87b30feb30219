//go:build unix

package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"arbor/mdstore"
)

// The tortures of this package run the program as people and assistants do, beside programs that know nothing of it:
// editors, git. A torture is played in rounds, each in a new project, until tortureTime is over. After each round the
// judge looks for every text that a program has reported as saved: in the files, copies, the trash, the record and
// git's objects.

// tortureTime is how long a torture lasts.
func tortureTime(t *testing.T) time.Duration {
	d := time.Second
	if os.Getenv("ARBOR_HEAVY") != "" {
		d = 10 * time.Minute
	}
	if v := os.Getenv("ARBOR_TORTURE"); v != "" {
		var err error
		if d, err = time.ParseDuration(v); err != nil {
			t.Fatal(err)
		}
	}
	return d
}

// longestRound is short enough for the record in .local to reach back to the beginning of a round.
const longestRound = 6 * time.Second

// A setting is how many writers there are in a round, and whether there is a server that follows the files.
type setting struct {
	writers  int
	followed bool
}

func (s setting) String() string {
	return fmt.Sprintf("%d writers, followed %v", s.writers, s.followed)
}

var besideWriters = []setting{{1, false}, {1, true}, {4, false}, {4, true}}

// A world is one round of a torture.
type world struct {
	*testing.T
	*ledger
	setting
	dir   string // the project, in which the programs run
	vault string
	ws    string
	nodes []string // ids of execution nodes
	env   []string
	start time.Time
	last  time.Duration // how long the round lasts
	over  chan struct{} // closed when it is over
	// strict says that the record does not count for lines of people: where Arbor replaces one, it is kept for longer.
	strict bool

	editing map[string]*sync.Mutex // by file: held by an editor that reads or writes it
}

// rounds plays rounds with one setting after the other until tortureTime is over, each setting once at least. play
// starts all that runs in a round, which ends when all of it has ended.
func rounds(t *testing.T, settings []setting, play func(w *world, run func(func()))) {
	if testing.Short() {
		t.Skip("it plays for seconds, and -short is given")
	}
	total := tortureTime(t)
	last := min(longestRound, max(total/time.Duration(len(settings)), 400*time.Millisecond))
	sums := map[setting]*tally{}
	for i, begin := 0, time.Now(); i < len(settings) || time.Since(begin) < total; i++ {
		s := settings[i%len(settings)]
		w := newWorld(t, s, last)
		w.play(play)
		if sums[s] == nil {
			sums[s] = newTally()
		}
		sums[s].add(w.judge())
		if err := os.RemoveAll(filepath.Dir(w.dir)); err != nil {
			t.Error(err)
		}
	}
	for _, s := range settings {
		t.Logf("%v:\n%v", s, sums[s])
	}
}

// play runs a round, beside a server that follows the files where the setting says so.
func (w *world) play(more func(w *world, run func(func()))) {
	var running sync.WaitGroup
	if w.followed {
		s := w.serve()
		s.call("workspace_status", nil) // it follows the files from its first call on
		defer s.end()
	}
	time.AfterFunc(w.last, func() { close(w.over) })
	more(w, running.Go)
	running.Wait()
}

// newWorld makes a project with a plan in a folder of its own.
func newWorld(t *testing.T, s setting, last time.Duration) *world {
	top, err := os.MkdirTemp(t.TempDir(), "")
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		t.Fatal(err)
	}
	w := &world{
		T: t, ledger: &ledger{}, setting: s, dir: filepath.Join(top, "project"), start: time.Now(), last: last,
		nodes: []string{"node-a", "node-b", "node-c", "node-far"}, over: make(chan struct{}),
		editing: map[string]*sync.Mutex{},
		env: append(os.Environ(), "TZ=UTC", "LANG=C.UTF-8", "LC_ALL=", "ARBOR_VAULT=", "ARBOR_SESSION=", "ARBOR_OPERATOR=",
			"CLAUDE_CODE_SESSION_ID=", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull),
	}
	w.vault = filepath.Join(w.dir, mdstore.DefaultVault)
	if err := os.Mkdir(w.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	w.arbor("init", "Login", "--goal", "People sign in", "-q")
	found, err := filepath.Glob(filepath.Join(w.vault, "ws-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("workspaces %q, %v", found, err)
	}
	w.ws = filepath.Base(found[0])
	for i, id := range w.nodes {
		if err := os.Mkdir(filepath.Join(w.vault, w.ws, "nodes", id), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(w.file(id), []byte(w.fresh(id, i)), 0o644); err != nil {
			t.Fatal(err)
		}
		w.editing[w.file(id)] = &sync.Mutex{}
	}
	w.editing[w.workspace()] = &sync.Mutex{}
	w.arbor("log", "node-a", "the plan is made", "-q")
	return w
}

// fresh returns the text of a new node. Its last line is one that no program ever takes out.
func (w *world) fresh(id string, i int) string {
	text := fmt.Sprintf("---\nid: %s\ntitle: Task %s\ntype: execution\nstatus: pending\nrole: null\nparentId: root\n"+
		"isolated: false\ncreatedAt: %d\nupdatedAt: 1767225600000\n---\n", id, id, 1767225600000+i)
	for _, section := range []string{"Requirement", "Note", "Log", "Colophon"} {
		text += "\n## " + section + "\n\n"
		if section == "Log" {
			text += "- [2026-01-01 10:00:00] [AI] created\n"
			continue
		}
		for line := range 6 {
			text += fmt.Sprintf("Line %d of the %s says what people have written there.\n", line, strings.ToLower(section))
		}
	}
	return text + "\nThe end of it: " + w.ends(w.file(id)) + "\n"
}

// file returns the file of a node.
func (w *world) file(id string) string {
	return filepath.Join(w.vault, w.ws, "nodes", id, mdstore.NodeFile)
}

// files returns the files of all nodes but the root.
func (w *world) files() (all []string) {
	for _, id := range w.nodes {
		all = append(all, w.file(id))
	}
	return all
}

// workspace returns the file of the workspace.
func (w *world) workspace() string { return filepath.Join(w.vault, w.ws, mdstore.WorkspaceFile) }

// about returns the file that a call with that node is about.
func (w *world) about(node string) string {
	if node == "" {
		return w.workspace()
	}
	return w.file(node)
}

// arbor runs a command that must succeed, before or after a round.
func (w *world) arbor(args ...string) {
	w.Helper()
	cmd := exec.Command("arbor", args...)
	cmd.Dir, cmd.Env = w.dir, w.env
	if out, err := cmd.CombinedOutput(); err != nil {
		w.Fatalf("arbor %q: %v\n%s", args, err, out)
	}
}

// ended reports whether the round is over.
func (w *world) ended() bool {
	select {
	case <-w.over:
		return true
	default:
		return false
	}
}

// pause waits for a random time below most, or until the round is over.
func (w *world) pause(most time.Duration) {
	select {
	case <-w.over:
	case <-time.After(rand.N(most + 1)):
	}
}

func pick[T any](all []T) T { return all[rand.IntN(len(all))] }
