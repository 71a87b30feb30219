package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// process clocks a whole process, from its start to its end. Where it fails, the error is what it said.
func process(ctx context.Context, dir string, words ...string) (time.Duration, error) {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Dir = dir
	var said bytes.Buffer
	cmd.Stderr = &said
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ARBOR_VAULT=") && !strings.HasPrefix(v, "ARBOR_SESSION=") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	return clock(func() error {
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, said.Bytes())
		}
		return nil
	})
}

// command clocks the program with those arguments in the project's folder.
func (b *bench) command(args ...string) timed {
	return func() (time.Duration, error) {
		return process(b.ctx, b.v.project, append([]string{b.arbor}, args...)...)
	}
}

// deep returns the index of a node of the first part, on the eighth level.
func (b *bench) deep() int { return b.v.part(0)[len(shape)-1] }

func (b *bench) processes() ([]row, error) {
	id := string(b.v.plan[b.deep()].id)
	all, err := b.effort.inTurn(b.command("--version"), b.command("context", id), b.command("show", id), b.command("log", id))
	if err != nil {
		return nil, err
	}
	var rows []row
	for i, name := range []string{"context", "show", "log"} {
		rows = append(rows, row{
			Name: "arbor " + name + " NODE, the whole process", Arbor: all[i+1].median().Seconds(), Unit: inSeconds,
			Against: "arbor --version", Limit: all[0].median().Seconds(), Form: above, Target: 0.015,
		})
	}
	return rows, nil
}

func (b *bench) status() ([]row, error) {
	if b.v.git == "" {
		return skipped("arbor status, arbor list, the whole process", "there is no git"), nil
	}
	git := func() (time.Duration, error) { return process(b.ctx, b.v.project, b.v.git, "status", "--porcelain") }
	all, err := b.effort.inTurn(git, b.command("status"), b.command("list"), b.command("list", "--all"))
	if err != nil {
		return nil, err
	}
	rows := []row{
		ratio("arbor status, the whole process", all[1], "git status", all[0], 0.5),
		ratio("arbor list, the whole process", all[2], "git status", all[0], 0.5),
		ratio("arbor list --all, the whole process", all[3], "git status", all[0], 0),
	}
	rows[2].Form = told
	return rows, nil
}

func (b *bench) binary() ([]row, error) {
	fi, err := os.Stat(b.arbor)
	if err != nil {
		return nil, err
	}
	all, err := b.effort.inTurn(b.command("--version"))
	if err != nil {
		return nil, err
	}
	return []row{
		{Name: "the program's size, as README.md builds it", Arbor: float64(fi.Size()), Unit: inBytes, Form: alone, Target: 20e6},
		atMost("arbor --version, the whole process", all[0].median(), 10*time.Millisecond),
	}, nil
}
