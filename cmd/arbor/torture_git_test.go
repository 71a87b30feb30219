//go:build unix

package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// git runs git in a folder. Two repositories in which the same is done have the same commits.
func (w *world) git(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@example.org", "-c", "gc.auto=0",
		"-c", "core.autocrlf=false", "-c", "commit.gpgSign=false", "-c", "core.hooksPath=" + os.DevNull}, args...)...)
	const date = "2026-01-01T00:00:00Z"
	dated := []string{"LC_ALL=C", "GIT_AUTHOR_DATE=" + date, "GIT_COMMITTER_DATE=" + date}
	cmd.Dir, cmd.Env = dir, slices.Concat(w.env, dated)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, said.String())
	}
	return out, err
}

func needGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
}

// A person at work with git.
type gitPerson struct {
	*world
	elsewhere string // another clone, whose commits are pulled
	n         int
}

// repository makes a repository of the project, a bare one that it is pulled from, and another clone.
func (w *world) repository() *gitPerson {
	top := filepath.Dir(w.dir)
	bare := filepath.Join(top, "bare.git")
	p := &gitPerson{world: w, elsewhere: filepath.Join(top, "elsewhere")}
	for _, c := range []struct {
		dir  string
		args string
	}{
		{w.dir, "init -q -b main"}, {w.dir, "add -A"}, {w.dir, "commit -q -m plan"},
		{top, "clone -q --bare project bare.git"}, {top, "clone -q bare.git elsewhere"},
		{w.dir, "remote add origin " + bare}, {w.dir, "fetch -q origin"}, {w.dir, "branch -q -u origin/main"},
		{w.dir, "checkout -q -b side"},
	} {
		p.must(c.dir, strings.Fields(c.args)...)
	}
	p.must(w.dir, p.commitEdit(w.file("node-far"))...)
	p.must(w.dir, "checkout", "-q", "main")
	return p
}

func (p *gitPerson) must(dir string, args ...string) {
	if _, err := p.git(dir, args...); err != nil {
		p.Error(err)
	}
}

// commitEdit saves a line in a file and returns the command that commits all changes.
func (p *gitPerson) commitEdit(file string) []string {
	p.edit(file)
	return []string{"commit", "-q", "-a", "-m", "an edit"}
}

// edit saves a line of the person's own in a file, at once.
func (p *gitPerson) edit(file string) {
	b := p.open(file)
	token := b.insert()
	b.save(token, "at once", func() error { return habits[1].write(file, b.text) })
}

// pushed pushes a commit from a second clone. The commit changes a node.
func (p *gitPerson) pushed(node string) {
	rel, err := filepath.Rel(p.dir, p.file(node))
	if err != nil {
		panic(err)
	}
	p.n++
	file := filepath.Join(p.elsewhere, rel)
	text := strings.Replace(read(file), "\n## Log\n", fmt.Sprintf("Elsewhere, %d.\n\n## Log\n", p.n), 1)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.Error(err)
	}
	p.must(p.elsewhere, "commit", "-q", "-a", "-m", "elsewhere")
	p.must(p.elsewhere, "push", "-q")
}

// do runs a command of git and notes it. It reports whether git has done it.
func (p *gitPerson) do(line string) bool {
	args := strings.Fields(line)
	c := command{name: "git " + line, begin: time.Now()}
	switch args[0] {
	case "reset":
		c.discards = strings.Contains(line, "--hard")
	case "restore":
		c.discards = true
	case "checkout":
		c.discards = strings.Contains(line, " -- ")
	}
	if c.discards {
		c.had = map[string]bool{}
		for _, file := range p.files() {
			maps.Copy(c.had, tokensOf(read(file)))
		}
	}
	_, err := p.git(p.dir, args...)
	c.end, c.failed = time.Now(), err != nil
	p.ran(c)
	return err == nil
}

func (p *gitPerson) commit() {
	p.do("add -A")
	p.do("commit -q -m work")
}

// popped takes the newest stash back, committing first where local changes are in the way, and taking the files as they
// are committed where the two cannot be merged.
func (p *gitPerson) popped() {
	if p.do("stash pop -q") {
		return
	}
	p.commit()
	if !p.do("stash pop -q") {
		p.do("reset -q --hard")
	}
}

// moves are what the person does with git.
var moves = []func(p *gitPerson, wait func()){
	func(p *gitPerson, wait func()) { // stash
		p.edit(p.file(pick(p.nodes)))
		if p.do("stash -q") {
			wait()
			p.popped()
		}
	},
	func(p *gitPerson, wait func()) { // checkout
		for _, branch := range []string{"side", "main"} {
			if rand.IntN(2) == 0 {
				p.commit()
			}
			if !p.do("checkout -q " + branch) {
				p.commit()
				p.do("checkout -q " + branch)
			}
			wait()
		}
	},
	func(p *gitPerson, wait func()) { // pull; where local changes are in the way git refuses
		p.pushed(pick(p.nodes))
		if !p.do("pull -q --no-rebase --no-edit -X ours") {
			wait()
			p.commit()
			if !p.do("pull -q --no-rebase --no-edit -X ours") {
				p.do("merge --abort")
			}
		}
	},
	func(p *gitPerson, wait func()) { // reset
		p.commit()
		p.do(pick([]string{"reset -q --hard HEAD~1", "reset -q HEAD~1", "reset -q --hard"}))
	},
	func(p *gitPerson, wait func()) { // restore
		p.edit(p.file(pick(p.nodes)))
		wait()
		p.do(pick([]string{"restore .", "checkout -q HEAD -- ."}))
	},
}

// People stash, check out, pull, reset and restore while others write.
func TestGitAmongWriters(t *testing.T) {
	t.Parallel()
	needGit(t)
	rounds(t, besideWriters, func(w *world, run func(func())) {
		p := w.repository()
		w.writers(run, w.nodes[:3]...)
		run(func() {
			wait := func() { w.pause(100 * time.Millisecond) }
			for !w.ended() {
				pick(moves)(p, wait)
				wait()
			}
			for p.do("stash pop -q") { // what a person has put aside comes back
			}
		})
	})
}

// A person stashes and pops without a break while others write: git's own look at the files takes no lock, and what it
// takes out in that moment comes back, or is told.
func TestStashesAmongWriters(t *testing.T) {
	t.Parallel()
	needGit(t)
	if os.Getenv("ARBOR_HEAVY") == "" {
		t.Skip("it plays for minutes; ARBOR_HEAVY=1 runs it")
	}
	rounds(t, besideWriters, func(w *world, run func(func())) {
		p := w.repository()
		w.writers(run, w.nodes[:3]...)
		run(func() {
			for !w.ended() {
				if p.do("stash -q") {
					p.popped()
				}
				w.pause(20 * time.Millisecond)
			}
			for p.do("stash pop -q") { // what a person has put aside comes back
			}
		})
	})
}
