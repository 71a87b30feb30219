//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const commits = 1000 // of a node, and between two revisions

// histories compares what git knows of one node with 1,000 commits, and of two revisions 1,000 commits apart, with the
// commands of git that look at as much.
func (b *bench) histories() (rows []row) {
	if !b.v.git {
		return []row{{name: "history", skipped: "there is no git"}}
	}
	for _, p := range b.programs {
		p.v.commitMany(commits)
	}
	last := len(b.v.plan) - 1
	file := must(filepath.Rel(b.v.project, b.v.file(last)))
	git := func(words ...string) sample {
		return func() float64 { wall, _ := b.start(b.v.project, append([]string{"git"}, words...)...); return wall }
	}
	history := "history " + b.v.deep() + " --all"
	for _, m := range []struct {
		name, command, against string
		limit                  sample
		target                 float64
	}{
		{fmt.Sprintf("arbor history --all of a node with %d commits, the whole process", commits), history,
			"git log --follow", git("log", "--follow", "--format=%h", "--", file), 2},
		{fmt.Sprintf("arbor diff of revisions %d commits apart, the whole process", commits), "diff many~" + fmt.Sprint(commits) + " many",
			"git diff --stat", git("diff", "--stat", "many~"+fmt.Sprint(commits), "many"), 3},
	} {
		r := row{name: m.name, unit: "s", against: m.against, target: m.target}
		rows = append(rows, b.row(r, 1, func(p program) sample { return p.wall(m.command) }, m.limit))
	}
	return rows
}

// commitMany makes n commits that each add a line to the log of the last node, on the branch that is checked out, and n
// on the branch many that each add one to another node's.
func (v *vault) commitMany(n int) {
	var in bytes.Buffer
	line := func(text string, i int) string {
		at := strings.LastIndex(text, "\n- [") + 1
		return text[:at] + entry(i, 10+i, fmt.Sprint("Event ", i)) + text[at:]
	}
	branch := strings.TrimSpace(string(must(v.command("symbolic-ref", "HEAD").Output())))
	commit := func(ref string, node int, text string, first bool) {
		fmt.Fprintf(&in, "commit %s\ncommitter p <p@example.org> %d +0000\ndata 1\nx\n", ref, epoch/1000+in.Len())
		if first {
			fmt.Fprintf(&in, "from %s^0\n", branch)
		}
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", must(filepath.Rel(v.project, v.file(node))), len(text), text)
	}
	for i := range n {
		node := v.other(i)
		commit("refs/heads/many", node, line(v.text(node), i), i == 0)
	}
	text := v.text(len(v.plan) - 1)
	for i := range n {
		text = line(text, i)
		commit(branch, len(v.plan)-1, text, i == 0)
	}
	cmd := v.command("fast-import", "--quiet")
	cmd.Stdin = &in
	check(cmd.Run())
	check(v.command("reset", "-q", "--hard").Run())
}

func (v *vault) command(args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = v.project, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	return cmd
}
