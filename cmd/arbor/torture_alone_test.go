//go:build unix

package main

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// A server follows the files, and no client writes. Each command of git then leaves the same as in a repository without
// a server.
func TestGitLeavesWhatItLeavesAlone(t *testing.T) {
	t.Parallel()
	needGit(t)
	if testing.Short() {
		t.Skip("it plays for seconds, and -short is given")
	}
	var running sync.WaitGroup
	for _, lines := range sequences {
		w := newWorld(t, setting{}, tortureTime(t))
		time.AfterFunc(w.last, func() { close(w.over) })
		p := w.repository()
		alone := filepath.Join(filepath.Dir(w.dir), "alone")
		if out, err := exec.Command("cp", "-a", w.dir, alone).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		running.Go(func() {
			s := w.serve()
			defer s.end()
			n := 0
			for ; n == 0 || !w.ended() && !t.Failed(); n++ {
				p.sequence(s, alone, lines)
			}
			t.Logf("%d times: %s", n, strings.Join(lines, "; "))
		})
	}
	running.Wait()
}

// sequences are what is done with git beside a server; change and push are no commands of git.
var sequences = [][]string{
	{"change", "stash -q", "stash pop -q"},
	{"change", "stash -q", "change", "stash pop -q", "add -A", "commit -q -m work", "reset -q --hard", "stash drop -q"},
	{"change", "add -A", "commit -q -m work", "checkout -q side", "change", "checkout -q main", "add -A",
		"commit -q -m work", "checkout -q main"},
	{"change", "push", "pull -q --no-rebase --no-edit -X ours", "add -A", "commit -q -m work",
		"pull -q --no-rebase --no-edit -X ours"},
	{"change", "add -A", "commit -q -m work", "change", "reset -q HEAD~1", "reset -q --hard"},
	{"change", "add -A", "change", "restore .", "restore --staged .", "restore ."},
	{"change", "add -A", "commit -q -m work", "reset -q --hard HEAD~1", "reset -q --hard HEAD@{1}"},
}

// sequence has the server and a person change a node, and runs commands of git here and alone.
func (p *gitPerson) sequence(s *client, alone string, lines []string) {
	node := pick(p.nodes)
	for _, line := range lines {
		switch line {
		case "change":
			args := map[string]any{"nodeId": node, "operator": "AI", "event": "said " + p.token()}
			if code := s.call("log_append", args).code(); code != "" {
				p.Logf("an entry of the log is refused: %s", code)
			}
			if a := s.call("node_transition", p.step(node, p.token())); a.code() != "" {
				p.Logf("a transition is refused: %s", a.Error.Message)
			}
			if rand.IntN(2) == 0 {
				p.edit(p.file(node))
			}
			p.copyTo(alone)
		case "push":
			p.pushed(node)
		default:
			p.both(alone, line)
		}
	}
}

// both runs a command of git in the project and in the one without a server, and compares what it leaves at once and
// after the server has seen it.
func (p *gitPerson) both(alone, line string) {
	_, here := p.git(p.dir, strings.Fields(line)...)
	_, there := p.git(alone, strings.Fields(line)...)
	if (here == nil) != (there == nil) {
		p.Errorf("%s beside a server: %v; alone: %v", line, here, there)
		return
	}
	p.same(alone, line)
	<-time.After(400 * time.Millisecond)
	p.same(alone, line)
}

func (p *gitPerson) same(alone, line string) {
	questions := []string{"status --porcelain", "diff", "diff --cached", "stash list", "log --format=%H%d -3"}
	for _, question := range questions {
		here, err := p.git(p.dir, strings.Fields(question)...)
		there, other := p.git(alone, strings.Fields(question)...)
		if err = errors.Join(err, other); err != nil {
			p.Error(err)
		} else if !bytes.Equal(here, there) {
			p.Errorf("after git %s, git %s says beside a server\n%s\nand alone\n%s", line, question, here, there)
			return
		}
	}
}

// copyTo brings the files of the plan into the project without a server, when the server has settled.
func (p *gitPerson) copyTo(alone string) {
	<-time.After(300 * time.Millisecond)
	for _, file := range append([]string{p.workspace(), p.file("root")}, p.files()...) {
		rel, err := filepath.Rel(p.dir, file)
		if err == nil {
			err = os.WriteFile(filepath.Join(alone, rel), []byte(read(file)), 0o644)
		}
		if err != nil {
			p.Error(err)
		}
	}
}
