//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"arbor/mdstore"
)

// A program is an arbor binary with a vault of its own, as another version may keep another cache in it.
type program struct {
	b    *bench
	path string
	v    *vault
}

// start runs a command in a folder and returns its time from start to end, and the time of the processor it took.
func (b *bench) start(dir string, words ...string) (wall, cpu float64) {
	cmd := exec.CommandContext(b.ctx, words[0], words[1:]...)
	cmd.Dir, cmd.Env = dir, environment()
	var said bytes.Buffer
	cmd.Stderr = &said
	wall = clock(func() {
		if err := cmd.Run(); err != nil {
			check(fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, said.Bytes()))
		}
	})
	return wall, cpuOf(cmd)
}

func cpuOf(cmd *exec.Cmd) float64 {
	return (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
}

// environment is that of this process without what chooses a vault or a session.
func environment() (env []string) {
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "ARBOR_") && !strings.HasPrefix(v, "CLAUDE_") {
			env = append(env, v)
		}
	}
	return env
}

// wall and cpu are samples of a command of the program in its project.
func (p program) wall(command string) sample {
	return func() float64 {
		wall, _ := p.b.start(p.v.project, append([]string{p.path}, strings.Fields(command)...)...)
		return wall
	}
}

func (p program) cpu(command string) sample {
	return func() float64 {
		_, cpu := p.b.start(p.v.project, append([]string{p.path}, strings.Fields(command)...)...)
		return cpu
	}
}

// row takes samples of each program, and of the limit if there is one, in turn, and puts their medians into r.
func (b *bench) row(r row, times float64, of func(program) sample, limit sample) row {
	var things []sample
	for _, p := range b.programs {
		things = append(things, of(p))
	}
	if limit != nil {
		things = append(things, limit)
	}
	all := b.inTurn(times, things...)
	r.arbor = all[0].median()
	if len(b.programs) > 1 {
		r.before = all[1].median()
	}
	if limit != nil {
		r.limit = all[len(all)-1].median()
	}
	return r
}

// deep is a node without children, on the lowest level.
func (v *vault) deep() string { return string(v.plan[len(v.plan)-1].id) }

func (b *bench) processes() (rows []row) {
	id, empty := b.v.deep(), filepath.Join(b.work, "empty")
	write(empty+".go", "package main\n\nfunc main() {}\n")
	b.build(empty, empty+".go")
	run := func(words ...string) sample {
		return func() float64 { wall, _ := b.start(b.v.project, words...); return wall }
	}
	git, version := run("git", "status", "--porcelain"), b.programs[0].wall("--version")
	for _, m := range []struct {
		command, against string
		limit            sample
		target           float64
	}{
		{"--version", "an empty Go program", run(empty), 0},
		{"context " + id, "arbor --version", version, 0.045},
		{"context " + id + " --session s1", "arbor --version", version, 0.045},
		{"show " + id, "arbor --version", version, 0.045},
		{"log " + id, "arbor --version", version, 0.045},
		{"log " + id + " TEXT", "arbor --version", version, 0},
		{"status", "git status", git, 0.6},
		{"list", "git status", git, 0.6},
		{"list --all", "git status", git, 0},
	} {
		name := fmt.Sprintf("arbor %s, the whole process", strings.ReplaceAll(m.command, id, "NODE"))
		if m.against == "git status" && !b.v.git {
			rows = append(rows, row{name: name, skipped: "there is no git"})
			continue
		}
		r := row{name: name, unit: "s", against: m.against, target: m.target, more: m.against == "arbor --version"}
		rows = append(rows, b.row(r, 1, func(p program) sample { return p.wall(m.command) }, m.limit))
	}
	r := row{name: "arbor check, processor time", unit: "s", target: 0.25}
	rows = append(rows, b.row(r, 0.5, func(p program) sample { return p.cpu("check") }, nil))
	return append(rows, b.row(row{name: "the program's size", unit: "B", target: 23e6}, 0, func(p program) sample {
		return func() float64 { return float64(must(os.Stat(p.path)).Size()) }
	}, nil))
}

// workspaces checks vaults of many workspaces with one node each: ten times as many may take ten times as long.
func (b *bench) workspaces() []row {
	vaults := map[int]*vault{}
	for _, n := range []int{100, 1000} {
		v := &vault{project: filepath.Join(b.work, fmt.Sprint("workspaces", n))}
		for i := range n {
			id := fmt.Sprintf("ws-mjwtyz28-%06d", i)
			dir := filepath.Join(v.project, mdstore.DefaultVault, id)
			write(filepath.Join(dir, mdstore.WorkspaceFile), workspaceText(id, fmt.Sprint("Plan ", i)))
			write(filepath.Join(dir, mdstore.NodesDir, "root", mdstore.NodeFile),
				fmt.Sprintf("---\nid: root\ntitle: Root\ntype: planning\nstatus: pending\nparentId: null\ncreatedAt: %d\n---\n", epoch))
		}
		vaults[n] = v
	}
	settle(b.settle)
	of := func(n int) func(program) sample {
		return func(p program) sample { p.v = vaults[n]; return p.cpu("check") }
	}
	r := row{name: "arbor check of 1,000 workspaces, processor time", unit: "s", against: "of 100", target: 11}
	return []row{b.row(r, 0.2, of(1000), of(100)(b.programs[0]))}
}

var (
	opened  = regexp.MustCompile(`^\d+ +open(?:at|at2)?\(.*[/"]` + mdstore.NodeFile + `"`)
	written = regexp.MustCompile(`^\d+ +p?write(?:64)?\(\d+<([^>]*)>, ""\.*, (\d+)`)
	synced  = regexp.MustCompile(`^\d+ +(?:fsync|fdatasync|syncfs)\(`)
)

// calls runs the program under strace and returns how often it opened a Node.md, the bytes it wrote below .local but
// for the journal, and how often it flushed a file or folder.
func (p program) calls(args ...string) (opens, local, syncs float64) {
	file := filepath.Join(p.b.work, "trace")
	strace := []string{"strace", "-f", "-y", "-s", "0", "-e", "trace=open,openat,openat2,write,pwrite64,fsync,fdatasync,syncfs", "-o", file, p.path}
	p.b.start(p.v.project, append(strace, args...)...)
	for line := range strings.Lines(string(must(os.ReadFile(file)))) {
		if opened.MatchString(line) && !strings.Contains(line, "O_PATH") && !strings.Contains(line, "ENOENT") {
			opens++
		}
		if synced.MatchString(line) {
			syncs++
		}
		if m := written.FindStringSubmatch(line); m != nil && strings.Contains(m[1], "/.local/") && !strings.Contains(m[1], "/journal") {
			local += must(strconv.ParseFloat(m[2], 64))
		}
	}
	return opens, local, syncs
}

func (b *bench) systemCalls() []row {
	rows := []row{
		{name: "how often a cold arbor list opens each Node.md", target: 1},
		{name: "bytes that arbor log NODE TEXT writes to .local, besides the journal", unit: "B"},
		{name: "flushes of arbor log NODE TEXT, which writes one file"},
	}
	if err := exec.Command("strace", "-f", "-o", os.DevNull, "true").Run(); err != nil {
		return []row{{name: rows[0].name, skipped: fmt.Sprint("strace: ", err)}}
	}
	for i, p := range b.programs {
		check(os.RemoveAll(p.v.local()))
		opens, _, _ := p.calls("list")
		p.wall("log " + p.v.deep() + " Once")()
		_, local, syncs := p.calls("log", p.v.deep(), "Twice")
		for j, v := range []float64{opens / float64(len(p.v.plan)), local, syncs} {
			if i == 0 {
				rows[j].arbor = v
			} else {
				rows[j].before = v
			}
		}
	}
	return rows
}
