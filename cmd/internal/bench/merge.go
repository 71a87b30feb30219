//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

const merged = 1000 // nodes that two branches both changed

// merges compares the merge of two branches that changed the same nodes with what git does with them alone. Git then
// leaves conflicts; with the driver it starts a program for each node, and arbor sync starts none.
func (b *bench) merges() (rows []row) {
	if !b.v.git {
		return []row{{name: "merge", skipped: "there is no git"}}
	}
	for _, p := range b.programs {
		p.v.branch(merged)
	}
	version := b.programs[0].wall("--version")
	one := row{name: "the driver on one node, the whole process", unit: "s", target: 0.03}
	rows = append(rows, b.row(one, 1, program.driverAlone, nil))

	p := b.programs[0]
	all := b.inTurn(0, p.merge(true), p.merge(false), version, p.sync())
	together, alone, start, synced := all[0], all[1], all[2], all[3]
	times := min(merged, len(b.v.plan)-1)
	r := seconds(together, fmt.Sprintf("3 × git merge without it, and %d × arbor --version", times), alone, 1,
		"git merge with the driver, %d nodes changed on both sides", times)
	r.limit = 3*r.limit + float64(times)*start.median()
	return append(rows, r, seconds(synced, "git merge without the driver", alone, 0, "arbor sync of the same, one process"))
}

// branch makes the branches mine, which is checked out, and theirs, on which n nodes have another line in their logs,
// and a remote hub, whose branch mine is theirs.
func (v *vault) branch(n int) {
	v.run("config", "user.name", "p")
	v.run("config", "user.email", "p@example.org")
	write(filepath.Join(v.dir, ".gitattributes"), "*.md merge=arbor -text\n")
	v.run("add", "-A")
	v.run("commit", "-q", "-m", "the driver")
	v.run("tag", "both")
	for side, name := range []string{"theirs", "mine"} {
		v.run("checkout", "-q", "-b", name, "both")
		for i := 1; i <= min(n, len(v.plan)-1); i++ {
			file := v.file(i)
			text := string(must(os.ReadFile(file)))
			at := strings.LastIndex(text, "\n- [") + 1
			write(file, text[:at]+entry(i, 30+side, "A line of "+name)+text[at:])
		}
		v.run("commit", "-q", "-a", "-m", name)
	}
	hub := v.project + "-hub.git"
	v.run("init", "-q", "--bare", hub)
	v.run("remote", "add", "origin", hub)
	v.run("push", "-q", "origin", "both^0:refs/heads/mine")
	v.run("branch", "-q", "--set-upstream-to=origin/mine", "mine")
	v.run("push", "-q", hub, "theirs:refs/heads/mine")
	v.run("tag", "before", "mine")
}

// run runs git, which must succeed.
func (v *vault) run(args ...string) {
	cmd := v.command(args...)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		check(fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, said.Bytes()))
	}
}

// merge is a sample of git merge of both branches; what it leaves is taken back.
func (p program) merge(driver bool) sample {
	var args []string
	if driver {
		args = []string{"-c", "merge.arbor.driver=" + p.path + " merge-driver %O %A %B %L %P"}
	}
	return func() float64 {
		p.v.run("reset", "-q", "--hard", "before")
		cmd := p.v.command(append(args, "merge", "-q", "-m", "both", "theirs")...)
		return clock(func() {
			if err := cmd.Run(); err == nil != driver {
				check(fmt.Errorf("git merge, driver %v: %v", driver, err))
			}
		})
	}
}

// sync is a sample of arbor sync of both branches, without the push.
func (p program) sync() sample {
	sync := p.wall("sync --no-push")
	return func() float64 {
		p.v.run("reset", "-q", "--hard", "before")
		return sync()
	}
}

// driverAlone is a sample of the driver as git starts it, for one node.
func (p program) driverAlone() sample {
	file := must(filepath.Rel(p.v.project, p.v.file(1)))
	for i, rev := range []string{"both", "before", "theirs"} {
		write(filepath.Join(p.v.project, ".git", fmt.Sprint("side", i)), string(must(p.v.command("show", rev+":"+file).Output())))
	}
	return p.wall("merge-driver .git/side0 .git/side1 .git/side2 7 " + file)
}
